//! A JSON Schema as rows of a table: one for each value that has a name, nested ones by dotted paths.

use super::collect::{items, text};
use serde_json::Value;

/// How deep values are followed, and how many rows there are at most.
const DEEPEST: usize = 8;
const MOST_ROWS: usize = 500;
/// How far references are followed, one after another.
const HOPS: usize = 16;

/// Keywords that no row can show.
const BEYOND: [&str; 12] = [
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "patternProperties",
    "propertyNames",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "contains",
    "$dynamicRef",
];

/// One value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    /// Where it is: `filter.year`, `tags[].name`.
    pub(super) path: String,
    /// Of which type.
    pub(super) kind: String,
    /// It must be given, when what it stands in is.
    pub(super) required: bool,
    /// What it is when it is not given, as JSON.
    pub(super) default: Option<String>,
    /// What it is for.
    pub(super) description: Option<String>,
    /// What else it must be.
    pub(super) constraints: Vec<String>,
}

/// The rows of a schema.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Rows {
    pub(super) rows: Vec<Row>,
    /// The schema says more than the rows.
    pub(super) partial: bool,
}

/// The rows of an object's schema, in the schema's order, outer values before what is in them.
pub(super) fn rows(schema: &Value) -> Rows {
    let mut rows = Rows::default();
    walk(&mut rows, schema, schema, "", 0);
    rows
}

/// The schema that references inside the document lead to. What is no such reference stays.
pub fn resolved<'s>(root: &'s Value, schema: &'s Value) -> &'s Value {
    let mut schema = schema;
    for _ in 0..HOPS {
        let target = schema.get("$ref").and_then(Value::as_str);
        let Some(target) = target.and_then(|target| root.pointer(target.strip_prefix('#')?)) else {
            break;
        };
        schema = target;
    }
    schema
}

fn walk(rows: &mut Rows, root: &Value, schema: &Value, before: &str, depth: usize) {
    let schema = resolved(root, schema);
    rows.partial |= BEYOND.iter().any(|keyword| schema.get(*keyword).is_some())
        || schema
            .get("additionalProperties")
            .is_some_and(Value::is_object);
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return;
    };
    let required: Vec<&str> = items(schema, "required")
        .filter_map(Value::as_str)
        .collect();
    for (name, property) in properties {
        if depth == DEEPEST || rows.rows.len() >= MOST_ROWS {
            rows.partial = true;
            return;
        }
        let target = resolved(root, property);
        let path = format!("{before}{name}");
        rows.rows.push(Row {
            kind: kind(root, target, 0),
            required: required.contains(&name.as_str()),
            default: default(property, target),
            // A reference may have words of its own beside it.
            description: text(property, "description")
                .or_else(|| text(target, "description"))
                .map(str::to_owned),
            constraints: constraints(root, target),
            path: path.clone(),
        });
        walk(rows, root, target, &format!("{path}."), depth + 1);
        if let Some(item) = target.get("items") {
            walk(rows, root, item, &format!("{path}[]."), depth + 1);
        }
    }
}

fn default(property: &Value, target: &Value) -> Option<String> {
    let default = property.get("default").or_else(|| target.get("default"));
    default.map(Value::to_string)
}

/// The types a value may have, in words.
fn kind(root: &Value, schema: &Value, depth: usize) -> String {
    let one = |name: &str| match name {
        "array" if depth < DEEPEST => match schema.get("items").filter(|items| items.is_object()) {
            Some(item) => format!("array of {}", kind(root, resolved(root, item), depth + 1)),
            None => "array".to_owned(),
        },
        other => other.to_owned(),
    };
    match schema.get("type") {
        Some(Value::String(name)) => return one(name),
        Some(Value::Array(names)) => {
            let names: Vec<String> = names.iter().filter_map(Value::as_str).map(one).collect();
            return names.join(" or ");
        }
        _ => {}
    }
    let choices = ["anyOf", "oneOf"]
        .iter()
        .find_map(|key| schema.get(*key)?.as_array());
    let mut kinds: Vec<String> = match choices {
        Some(choices) if depth < DEEPEST => choices
            .iter()
            .map(|choice| kind(root, resolved(root, choice), depth + 1))
            .collect(),
        _ => {
            let listed = items(schema, "enum").chain(schema.get("const"));
            listed.map(|value| type_of(value).to_owned()).collect()
        }
    };
    kinds.sort();
    kinds.dedup();
    if kinds.is_empty() || kinds.iter().any(|kind| kind == "any") {
        return "any".to_owned();
    }
    kinds.join(" or ")
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// What else a value must be, in words; `code` in backticks.
fn constraints(root: &Value, schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let get = |name: &str| schema.get(name).map(Value::to_string);
    let listed: Vec<String> = items(schema, "enum").map(Value::to_string).collect();
    if !listed.is_empty() {
        found.push(format!("one of {}", coded(&listed)));
    }
    if let Some(value) = get("const") {
        found.push(format!("is {}", coded(&[value])));
    }
    // Units are plural; of one there is one.
    let of = |amount: &str, unit: &str| match amount {
        "1" => format!("1{}", unit.trim_end_matches('s')),
        amount => format!("{amount}{unit}"),
    };
    let span = |low: Option<String>, high: Option<String>, unit: &str| match (low, high) {
        (Some(low), Some(high)) if low == high => Some(of(&low, unit)),
        (Some(low), Some(high)) => Some(format!("{low} to {}", of(&high, unit))),
        (Some(low), None) => Some(format!("at least {}", of(&low, unit))),
        (None, Some(high)) => Some(format!("at most {}", of(&high, unit))),
        (None, None) => None,
    };
    found.extend(span(get("minimum"), get("maximum"), ""));
    found.extend(get("exclusiveMinimum").map(|low| format!("above {low}")));
    found.extend(get("exclusiveMaximum").map(|high| format!("below {high}")));
    found.extend(get("multipleOf").map(|step| format!("a multiple of {step}")));
    found.extend(span(get("minLength"), get("maxLength"), " characters"));
    found.extend(span(get("minItems"), get("maxItems"), " items"));
    found.extend(span(get("minProperties"), get("maxProperties"), " members"));
    if schema.get("uniqueItems") == Some(&Value::Bool(true)) {
        found.push("no item twice".to_owned());
    }
    if let Some(pattern) = text(schema, "pattern") {
        found.push(format!("matches {}", coded(&[pattern.to_owned()])));
    }
    if let Some(format) = text(schema, "format") {
        found.push(format!("a {format}"));
    }
    if let Some(item) = schema.get("items").filter(|item| item.is_object()) {
        let of_items = constraints(root, resolved(root, item));
        found.extend(of_items.into_iter().map(|what| format!("each: {what}")));
    }
    found
}

fn coded(values: &[String]) -> String {
    let values: Vec<String> = values
        .iter()
        .map(|value| super::prose::code(value))
        .collect();
    values.join(", ")
}
