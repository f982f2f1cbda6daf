//! Promises that hold for every schema and value.

use super::compile;
use crate::lang::schema::{Root, Schema, Validation, header_params, unsupported_assertions};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// JSON made of the words schemas are made of, so that keywords meet values they do not expect.
fn any_json() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "$schema",
        "$id",
        "$ref",
        "$dynamicRef",
        "$anchor",
        "$dynamicAnchor",
        "$defs",
        "definitions",
        "type",
        "enum",
        "const",
        "properties",
        "patternProperties",
        "additionalProperties",
        "propertyNames",
        "items",
        "prefixItems",
        "additionalItems",
        "contains",
        "allOf",
        "anyOf",
        "oneOf",
        "not",
        "if",
        "then",
        "else",
        "required",
        "dependencies",
        "dependentSchemas",
        "dependentRequired",
        "unevaluatedProperties",
        "unevaluatedItems",
        "minimum",
        "multipleOf",
        "minLength",
        "pattern",
        "format",
        "default",
        "x-mcp-header",
        "uniqueItems",
        "a",
        "b",
    ]);
    let text = prop::sample::select(vec![
        "#",
        "#/",
        "#/a",
        "#/$defs/a",
        "#/properties/a",
        "#a",
        "a",
        "b",
        "http://x/y",
        "x.json",
        "",
        "object",
        "string",
        "integer",
        "array",
        "^a",
        "(",
        "(?!a)b",
        "email",
        "base64",
        "http://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft/2020-12/schema",
        "#/allOf/0",
        "#/items",
        "?",
        "%",
        "#%",
        "#/%2f",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        (-3_i64..5).prop_map(|n| json!(n)),
        Just(json!(0.5)),
        text.prop_map(|text| json!(text)),
    ];
    leaf.prop_recursive(6, 60, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::vec((word.clone(), inner), 0..6).prop_map(|members| {
                Value::Object(
                    members
                        .into_iter()
                        .map(|(key, value)| (key.to_owned(), value))
                        .collect(),
                )
            }),
        ]
    })
}

/// Schemas of the basic keywords.
fn basic_schema() -> impl Strategy<Value = Value> {
    let types = prop::sample::select(vec![
        "string", "integer", "number", "boolean", "null", "array", "object",
    ]);
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::Bool),
        types.clone().prop_map(|name| json!({ "type": name })),
        prop::collection::vec(types, 1..3).prop_map(|mut names| {
            names.sort_unstable();
            names.dedup();
            json!({ "type": names })
        }),
        (0_u8..4, 0_u8..4).prop_map(|(min, max)| json!({ "minLength": min, "maxLength": max })),
        prop::sample::select(vec!["^a", "b$", "^(?!a)", "^\\d+$"]).prop_map(|p| json!({ "pattern": p })),
        (-3_i8..3, -3_i8..3).prop_map(|(a, b)| json!({ "minimum": a, "exclusiveMaximum": b })),
        (-3_i8..3, 1_u8..4).prop_map(|(a, b)| json!({ "exclusiveMinimum": f32::from(a) / 2.0, "multipleOf": f32::from(b) / 2.0 })),
        prop::collection::vec(value(), 1..4).prop_map(|options| json!({ "enum": options })),
        value().prop_map(|value| json!({ "const": value })),
        (0_u8..3, 0_u8..4, any::<bool>())
            .prop_map(|(min, max, unique)| json!({ "minItems": min, "maxItems": max, "uniqueItems": unique })),
        (0_u8..3, 0_u8..4).prop_map(|(min, max)| json!({ "minProperties": min, "maxProperties": max })),
        Just(json!({ "required": ["a"] })),
        Just(json!({ "$ref": "#" })),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let members = prop::collection::vec((prop::sample::select(vec!["a", "b", "c"]), inner.clone()), 0..3);
        prop_oneof![
            inner.clone().prop_map(|items| json!({ "items": items })),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| json!({ "prefixItems": [a], "items": b })),
            (members.clone(), inner.clone()).prop_map(|(members, rest)| {
                json!({ "properties": object(members), "additionalProperties": rest })
            }),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| {
                json!({ "patternProperties": { "^a": a }, "additionalProperties": b, "required": ["b"] })
            }),
            (members, any::<bool>()).prop_map(|(members, list)| {
                json!({ "type": if list { json!(["object", "null"]) } else { json!("object") }, "properties": object(members) })
            }),
        ]
    })
}

fn object(members: Vec<(&str, Value)>) -> Value {
    Value::Object(
        members
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value))
            .collect(),
    )
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        (-4_i64..4).prop_map(|n| json!(n)),
        (-8_i64..8).prop_map(|n| json!(n as f64 / 2.0)),
        "[ab1é]{0,4}".prop_map(|text| json!(text)),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::vec(
                (prop::sample::select(vec!["a", "ab", "b", "c"]), inner),
                0..4
            )
            .prop_map(object),
        ]
    })
}

/// A basic schema below a root that a `$ref` can lead to.
fn rooted(schema: Value) -> Value {
    json!({ "properties": { "a": schema }, "additionalProperties": schema })
}

/// Documents of every keyword, in both dialects, with definitions and references to them.
fn document() -> impl Strategy<Value = Value> {
    let reference = prop::sample::select(vec![
        json!({ "$ref": "#/$defs/a" }),
        json!({ "$ref": "#b" }),
        json!({ "$dynamicRef": "#b" }),
        json!({ "$ref": "#/definitions/c" }),
        json!({ "$ref": "inner" }),
        json!({ "$ref": "inner#/properties/a" }),
        json!({ "properties": { "a": { "$ref": "#" } } }),
        json!({ "items": { "$ref": "#" } }),
    ]);
    let part = prop_oneof![3 => basic_schema(), 1 => reference]
        .prop_recursive(2, 12, 3, |inner| {
            (
                prop::sample::select(COMPOSITION.to_vec()),
                prop::collection::vec(inner, 1..4),
            )
                .prop_map(|(keyword, parts)| composed(keyword, &parts))
        })
        .boxed();
    (any::<bool>(), part.clone(), part.clone(), part.clone(), part.clone(), part).prop_map(
        |(old, root, a, b, c, inner)| {
            let mut document = json!({
                "allOf": [root],
                "$defs": { "a": a },
                "definitions": { "c": c, "b": { "allOf": [b] }, "inner": { "$id": "inner", "properties": { "a": inner } } },
            });
            if old {
                document["$schema"] = json!("http://json-schema.org/draft-07/schema#");
                document["definitions"]["b"]["$id"] = json!("#b");
            } else {
                document["definitions"]["b"]["$dynamicAnchor"] = json!("b");
            }
            document
        },
    )
}

const COMPOSITION: [&str; 12] = [
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "contains",
    "propertyNames",
    "dependentSchemas",
    "dependencies",
    "unevaluatedItems",
    "unevaluatedProperties",
    "siblings",
];

fn composed(keyword: &str, parts: &[Value]) -> Value {
    let (first, middle, last) = (&parts[0], &parts[parts.len() / 2], &parts[parts.len() - 1]);
    match keyword {
        "allOf" | "anyOf" | "oneOf" => json!({ keyword: parts }),
        "if" => json!({ "if": first, "then": last, "else": middle }),
        "contains" => json!({ "contains": first, "minContains": 2, "maxContains": 3 }),
        "dependentSchemas" => {
            json!({ "dependentSchemas": { "a": first }, "dependentRequired": { "b": ["c"] } })
        }
        "dependencies" => json!({ "dependencies": { "a": first, "b": ["c"] } }),
        "unevaluatedItems" => {
            json!({ "anyOf": parts, "contains": middle, "minContains": 0, "unevaluatedItems": last })
        }
        "unevaluatedProperties" => {
            json!({ "anyOf": parts, "if": first, "then": middle, "unevaluatedProperties": last })
        }
        "siblings" => json!({ "$ref": "#/$defs/a", "properties": { "a": first }, "not": last }),
        keyword => json!({ keyword: first }),
    }
}

/// The same value with every string carrying a marker, and its numbers being one.
fn marked(value: Value) -> Value {
    match value {
        Value::String(text) => json!(format!("{text}{MARKER}")),
        Value::Number(_) => json!(MARKED_NUMBER),
        Value::Array(items) => items.into_iter().map(marked).collect(),
        Value::Object(members) => Value::Object(
            members
                .into_iter()
                .map(|(key, value)| (key, marked(value)))
                .collect(),
        ),
        other => other,
    }
}

/// Whether `filled` is `given` with at most more members in its objects.
fn holds_all(filled: &Value, given: &Value) -> bool {
    match (filled, given) {
        (Value::Object(filled), Value::Object(given)) => given.iter().all(|(key, given)| {
            filled
                .get(key)
                .is_some_and(|filled| holds_all(filled, given))
        }),
        (Value::Array(filled), Value::Array(given)) => {
            filled.len() == given.len()
                && filled
                    .iter()
                    .zip(given)
                    .all(|(filled, given)| holds_all(filled, given))
        }
        (filled, given) => filled == given,
    }
}

const MARKER: &str = "S3CR3T";
const MARKED_NUMBER: i64 = 918_273_645;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn no_json_makes_the_compiler_panic(json in prop_oneof![any_json(), document()], value in any_json()) {
        let _ = header_params(&json);
        let _ = unsupported_assertions(&json);
        for root in [Root::Input, Root::Output] {
            for validation in [Validation::Full, Validation::Basic, Validation::None] {
                if let Ok(schema) = Schema::compile(Arc::new(json.clone()), root, validation) {
                    if let Err(violations) = schema.check(&value) {
                        prop_assert!(!violations.arguments_text().is_empty());
                    }
                    let mut members = value.as_object().cloned().unwrap_or_default();
                    let _ = schema.apply_defaults(&mut members);
                }
            }
        }
    }

    #[test]
    fn nothing_the_checks_let_through_is_refused_by_the_validator(json in prop_oneof![any_json(), document()]) {
        match compile(json, Validation::Full) {
            Ok(schema) => prop_assert!(schema.has_validator_for_tests()),
            Err(errors) => {
                let refused = errors.iter().find(|error| error.message.starts_with("the validator"));
                prop_assert!(refused.is_none(), "{refused:?}");
            }
        }
    }

    #[test]
    fn basic_and_full_agree_on_basic_schemas(schema in basic_schema(), value in value()) {
        let schema = rooted(schema);
        prop_assert!(unsupported_assertions(&schema).is_empty());
        let full = compile(schema.clone(), Validation::Full);
        let basic = compile(schema, Validation::Basic);
        let (Ok(full), Ok(basic)) = (full, basic) else {
            return Ok(());
        };
        match (full.check(&value), basic.check(&value)) {
            (Ok(()), Ok(())) => {}
            (Err(full), Err(basic)) => prop_assert_eq!(full, basic),
            (full, basic) => prop_assert!(false, "full {:?}, basic {:?}", full, basic),
        }
    }

    #[test]
    fn every_refusal_is_explained(schema in document(), value in value()) {
        let Ok(schema) = compile(schema, Validation::Full) else {
            return Ok(());
        };
        if let Err(violations) = schema.check(&value) {
            prop_assert!(!violations.list().is_empty() || !violations.missing().is_empty());
        }
    }

    #[test]
    fn an_accepted_value_has_no_violation_by_the_rules(schema in document(), value in value()) {
        let Ok(schema) = compile(schema, Validation::Full) else {
            return Ok(());
        };
        if schema.check(&value).is_ok() {
            let found = schema.explain_for_tests(&value);
            prop_assert!(found.list().is_empty() && found.missing().is_empty(), "{:?}", found);
        }
    }

    #[test]
    fn no_text_holds_the_value(schema in prop_oneof![basic_schema(), document()], value in value()) {
        let value = marked(value);
        for validation in [Validation::Full, Validation::Basic] {
            let Ok(schema) = compile(schema.clone(), validation) else {
                return Ok(());
            };
            if let Err(violations) = schema.check(&value) {
                for text in [violations.arguments_text(), violations.output_text(), violations.to_string(), format!("{violations:?}")] {
                    prop_assert!(!text.contains(MARKER), "{}", text);
                    prop_assert!(!text.contains(&MARKED_NUMBER.to_string()), "{}", text);
                }
            }
        }
    }

    #[test]
    fn defaults_never_touch_what_is_given(schema in basic_schema(), default in value(), given in value()) {
        let schema = json!({ "properties": { "a": { "allOf": [schema], "default": default }, "b": { "default": 1 } } });
        let Ok(schema) = compile(schema, Validation::None) else {
            return Ok(());
        };
        let mut members = Map::new();
        members.insert("a".to_owned(), given.clone());
        prop_assert_eq!(schema.apply_defaults(&mut members), Ok(()));
        prop_assert!(members.get("a").is_some_and(|a| holds_all(a, &given)));
        prop_assert_eq!(members.get("b"), Some(&json!(1)));
    }
}
