//! `key=value` on the command line to values, by the schema they are for.

use super::remote::Failed;
use crate::catalog::resolved;
use crate::lang::diag::suggest::did_you_mean;
use serde_json::{Map, Value, json};

/// The arguments object of these pairs. A key that is given again adds to a list; a key with dots that
/// is no property itself leads into objects.
///
/// # Errors
/// What cannot be what the schema wants.
pub(super) fn arguments(schema: &Value, pairs: &[String]) -> Result<Map<String, Value>, Failed> {
    let mut arguments = Map::new();
    for pair in pairs {
        let Some((key, text)) = pair.split_once('=') else {
            return Err(Failed::Misused(
                format!("`{pair}` is no argument"),
                Some("an argument is KEY=VALUE; --json takes them all as JSON".into()),
            ));
        };
        put(&mut arguments, schema, schema, key, text, key)?;
    }
    Ok(arguments)
}

/// Puts one value into the object that `schema` is of.
fn put(
    object: &mut Map<String, Value>,
    root: &Value,
    schema: &Value,
    key: &str,
    text: &str,
    whole: &str,
) -> Result<(), Failed> {
    let schema = resolved(root, schema);
    let properties = schema.get("properties").and_then(Value::as_object);
    if let Some(property) = properties.and_then(|known| known.get(key)) {
        let property = resolved(root, property);
        let before = object.remove(key);
        let value = typed(root, property, text, whole, before)?;
        object.insert(key.to_owned(), value);
        return Ok(());
    }
    let inner = key.split_once('.').and_then(|(outer, rest)| {
        let property = properties?.get(outer)?;
        Some((outer, rest, property))
    });
    if let Some((outer, rest, property)) = inner {
        let slot = object.entry(outer).or_insert_with(|| json!({}));
        let Value::Object(inside) = slot else {
            return Err(Failed::misused(format!("`{outer}` is given in two ways")));
        };
        return put(inside, root, property, rest, text, whole);
    }
    let known = properties.into_iter().flat_map(|known| known.keys());
    if !admits_others(schema) {
        let names: Vec<&str> = known.map(String::as_str).collect();
        let help = did_you_mean(key, names.iter().copied()).unwrap_or_else(|| {
            if names.is_empty() {
                "there are none".to_owned()
            } else {
                format!("they are {}", names.join(", "))
            }
        });
        return Err(Failed::Misused(
            format!("there is no argument `{whole}`"),
            Some(help),
        ));
    }
    let value = json_or_text(text);
    object.insert(key.to_owned(), value);
    Ok(())
}

/// Whether a key that is no property may be meant. Where the schema does not speak of others it is a
/// typing slip, though a call with it would be valid: `--json` makes one.
fn admits_others(schema: &Value) -> bool {
    const SPEAK: [&str; 6] = [
        "patternProperties",
        "unevaluatedProperties",
        "allOf",
        "anyOf",
        "oneOf",
        "if",
    ];
    match schema.get("additionalProperties") {
        Some(others) => *others != Value::Bool(false),
        None => {
            schema.get("properties").is_none() || SPEAK.iter().any(|key| schema.get(*key).is_some())
        }
    }
}

/// The value that this text is, under this schema.
fn typed(
    root: &Value,
    schema: &Value,
    text: &str,
    key: &str,
    before: Option<Value>,
) -> Result<Value, Failed> {
    let types = types(schema);
    if types.contains(&"array") {
        return items(root, schema, text, key, before);
    }
    if before.is_some() {
        return Err(Failed::misused(format!(
            "`{key}` is given twice, and is no list"
        )));
    }
    if types.is_empty() {
        return Ok(json_or_text(text));
    }
    let read = types.iter().find_map(|kind| read(kind, text));
    if let Some(value) = read {
        return Ok(value);
    }
    if types.contains(&"string") {
        return Ok(text.into());
    }
    Err(Failed::misused(format!(
        "`{key}` must be {}, and `{text}` is not",
        named(&types)
    )))
}

/// A list grows by an item; a text that is a JSON list is all of it.
fn items(
    root: &Value,
    schema: &Value,
    text: &str,
    key: &str,
    before: Option<Value>,
) -> Result<Value, Failed> {
    if let Some(list @ Value::Array(_)) = read("array", text) {
        return match before {
            None => Ok(list),
            Some(_) => Err(Failed::misused(format!("`{key}` is given in two ways"))),
        };
    }
    let mut list = match before {
        Some(Value::Array(list)) => list,
        _ => Vec::new(),
    };
    let item = schema.get("items").map(|items| resolved(root, items));
    list.push(match item {
        Some(item) => typed(root, item, text, key, None)?,
        None => json_or_text(text),
    });
    Ok(Value::Array(list))
}

/// The text read as a value of this type. Text itself is what is left when nothing else fits.
fn read(kind: &str, text: &str) -> Option<Value> {
    let json = || serde_json::from_str::<Value>(text).ok();
    match kind {
        "null" => (text == "null").then_some(Value::Null),
        "boolean" => text.parse().ok().map(Value::Bool),
        "integer" => json().filter(|value| {
            value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|n| n.fract() == 0.0)
        }),
        "number" => json().filter(Value::is_number),
        "array" => json().filter(Value::is_array),
        "object" => json().filter(Value::is_object),
        _ => None,
    }
}

/// The types a schema allows; of values that it lists, theirs. Empty when it does not say.
fn types(schema: &Value) -> Vec<&str> {
    let of = |value: &Value| match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    match schema.get("type") {
        Some(Value::String(one)) => return vec![one],
        Some(Value::Array(several)) => return several.iter().filter_map(Value::as_str).collect(),
        _ => {}
    }
    if let Some(Value::Array(values)) = schema.get("enum") {
        return values.iter().map(of).collect();
    }
    if let Some(value) = schema.get("const") {
        return vec![of(value)];
    }
    let choices = ["anyOf", "oneOf"]
        .iter()
        .find_map(|key| schema.get(*key)?.as_array());
    choices.into_iter().flatten().flat_map(types).collect()
}

fn json_or_text(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}

fn named(types: &[&str]) -> String {
    let names: Vec<String> = types
        .iter()
        .map(|kind| match *kind {
            "integer" => "an integer".to_owned(),
            "array" => "a list".to_owned(),
            "object" => "a JSON object".to_owned(),
            "boolean" => "true or false".to_owned(),
            other => format!("a {other}"),
        })
        .collect();
    names.join(" or ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(schema: &Value, pairs: &[&str]) -> Result<Value, String> {
        let pairs: Vec<String> = pairs.iter().map(|pair| (*pair).to_owned()).collect();
        match arguments(schema, &pairs) {
            Ok(arguments) => Ok(arguments.into()),
            Err(Failed::Misused(what, help)) => {
                Err(help.map_or(what.clone(), |help| format!("{what}; {help}")))
            }
            Err(_) => Err("another failure".into()),
        }
    }

    #[test]
    fn values_are_what_the_schema_wants() {
        let schema = json!({
            "type": "object", "additionalProperties": false,
            "properties": {
                "s": { "type": "string" }, "i": { "type": "integer" }, "n": { "type": "number" },
                "b": { "type": "boolean" }, "o": { "type": "object" }, "any": {},
                "l": { "type": "array", "items": { "type": "integer" } },
                "ls": { "type": "array", "items": { "$ref": "#/$defs/text" } },
                "maybe": { "type": ["string", "null"] }, "e": { "enum": [1, "two"] },
                "in": { "type": "object", "properties": { "x": { "type": "integer" } } },
                "a.b": { "type": "string" },
            },
            "$defs": { "text": { "type": "string" } },
        });
        for (pairs, expected) in [
            (
                vec!["s=1", "i=-7", "n=1.5", "b=true"],
                json!({ "s": "1", "i": -7, "n": 1.5, "b": true }),
            ),
            (vec!["s=a=b"], json!({ "s": "a=b" })),
            (vec!["s="], json!({ "s": "" })),
            (vec!["i=18446744073709551615"], json!({ "i": u64::MAX })),
            (vec!["l=1", "l=2"], json!({ "l": [1, 2] })),
            (vec!["l=[1,2]"], json!({ "l": [1, 2] })),
            (vec!["ls=1", "ls=a,b"], json!({ "ls": ["1", "a,b"] })),
            (vec!["maybe=null"], json!({ "maybe": null })),
            (vec!["maybe=x"], json!({ "maybe": "x" })),
            (vec!["e=1"], json!({ "e": 1 })),
            (vec!["e=two"], json!({ "e": "two" })),
            (vec!["in.x=3"], json!({ "in": { "x": 3 } })),
            (vec!["in={\"x\":3}"], json!({ "in": { "x": 3 } })),
            (vec!["a.b=3"], json!({ "a.b": "3" })),
            (vec!["any=[1]"], json!({ "any": [1] })),
            (vec!["any=x y"], json!({ "any": "x y" })),
        ] {
            assert_eq!(of(&schema, &pairs), Ok(expected), "{pairs:?}");
        }
        for (pairs, expected) in [
            (vec!["i=x"], "`i` must be an integer, and `x` is not"),
            (vec!["b=yes"], "`b` must be true or false, and `yes` is not"),
            (vec!["l=x"], "`l` must be an integer, and `x` is not"),
            (vec!["s=1", "s=2"], "`s` is given twice, and is no list"),
            (vec!["in.y=1"], "there is no argument `in.y`; they are x"),
            (
                vec!["maybee=1"],
                "there is no argument `maybee`; did you mean `maybe`?",
            ),
            (
                vec!["x"],
                "`x` is no argument; an argument is KEY=VALUE; --json takes them all as JSON",
            ),
        ] {
            assert_eq!(of(&schema, &pairs), Err(expected.to_owned()), "{pairs:?}");
        }
    }

    #[test]
    fn references_that_turn_in_circles_end() {
        let schema = json!({
            "properties": { "a": { "$ref": "#/$defs/a" } }, "additionalProperties": {},
            "$defs": { "a": { "$ref": "#/$defs/a" } },
        });
        assert_eq!(
            of(&schema, &["a=1", "b=x"]),
            Ok(json!({ "a": 1, "b": "x" }))
        );
    }
}
