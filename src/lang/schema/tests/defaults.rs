//! Defaults: filled where something is absent, checked when loaded, bounded.

use super::{compile, errors, full};
use crate::lang::schema::{DefaultsTooLarge, Schema, SchemaErrorKind, Validation};
use serde_json::{Value, json};

fn filled(schema: &Schema, value: Value) -> Value {
    let Value::Object(mut members) = value else {
        panic!("not an object");
    };
    schema.apply_defaults(&mut members).unwrap();
    Value::Object(members)
}

#[test]
fn absent_arguments_get_their_default_and_given_ones_keep_theirs() {
    let schema = full(json!({ "properties": {
        "page": { "type": "integer", "default": 1 },
        "sort": { "default": null },
        "query": { "type": "string" },
    } }));
    assert_eq!(
        filled(&schema, json!({})),
        json!({ "page": 1, "sort": null })
    );
    assert_eq!(
        filled(&schema, json!({ "page": null, "sort": "x", "other": 1 })),
        json!({ "page": null, "sort": "x", "other": 1 })
    );
}

#[test]
fn objects_are_filled_when_they_are_there() {
    let schema = full(json!({ "properties": {
        "options": { "type": "object", "properties": { "depth": { "default": 3 } } },
        "limits": { "type": "object", "default": {}, "properties": {
            "max": { "default": 9 },
            "inner": { "default": { "a": 1 }, "properties": { "b": { "default": 2 } } },
        } },
    } }));
    assert_eq!(
        filled(&schema, json!({})),
        json!({ "limits": { "max": 9, "inner": { "a": 1, "b": 2 } } })
    );
    assert_eq!(
        filled(
            &schema,
            json!({ "options": {}, "limits": { "max": 1, "inner": 5 } })
        ),
        json!({ "options": { "depth": 3 }, "limits": { "max": 1, "inner": 5 } })
    );
}

#[test]
fn items_are_filled_each() {
    let item = json!({ "properties": { "quantity": { "default": 1 } } });
    let schema = full(json!({ "properties": {
        "lines": { "items": item },
        "pair": { "prefixItems": [true, item], "items": item },
        "old": { "type": "array", "default": [{}], "items": item },
    } }));
    assert_eq!(
        filled(
            &schema,
            json!({ "lines": [{}, { "quantity": 5 }, 7], "pair": [{}, {}, {}] })
        ),
        json!({
            "lines": [{ "quantity": 1 }, { "quantity": 5 }, 7],
            "pair": [{}, { "quantity": 1 }, { "quantity": 1 }],
            "old": [{ "quantity": 1 }],
        })
    );
}

#[test]
fn references_and_all_of_are_followed_and_choices_are_not() {
    let schema = full(json!({
        "properties": {
            "a": { "$ref": "#/$defs/page" },
            "b": { "$ref": "#/$defs/page", "default": 7 },
            "child": { "$ref": "#" },
        },
        "allOf": [{ "properties": { "c": { "default": 3 } } }],
        "anyOf": [{ "properties": { "d": { "default": 4 } } }],
        "$defs": { "page": { "type": "integer", "default": 1 } },
    }));
    assert_eq!(
        filled(&schema, json!({ "child": { "a": 0 } })),
        json!({ "a": 1, "b": 7, "c": 3, "child": { "a": 0, "b": 7, "c": 3 } })
    );
    let old = full(json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "properties": { "a": { "$ref": "#/definitions/n", "default": 7 } },
        "definitions": { "n": { "type": "integer" } },
    }));
    assert_eq!(filled(&old, json!({})), json!({ "a": 7 }));
}

#[test]
fn a_default_that_contains_itself_ends() {
    let schema = full(json!({ "properties": {
        "child": { "$ref": "#", "default": {} },
        "n": { "default": 1 },
    } }));
    let value = filled(&schema, json!({}));
    assert_eq!(value["n"], json!(1));
    assert_eq!(value["child"]["n"], json!(1));
    assert!(value.to_string().len() < 200, "{value}");
}

#[test]
fn defaults_that_multiply_are_refused_when_loaded() {
    let mut defs = serde_json::Map::new();
    for level in 0..40 {
        let next = json!({ "$ref": format!("#/$defs/l{}", level + 1), "default": {} });
        let members = json!({ "a": next, "b": next });
        defs.insert(format!("l{level}"), json!({ "properties": members }));
    }
    defs.insert(
        "l40".to_owned(),
        json!({ "properties": { "x": { "default": "end" } } }),
    );
    let found = errors(json!({ "$ref": "#/$defs/l0", "$defs": defs }));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].kind, SchemaErrorKind::TooLarge);
}

#[test]
fn what_is_filled_in_is_bounded() {
    let schema = full(json!({ "properties": { "l": { "items": { "properties": {
        "text": { "default": "x".repeat(10_000) },
    } } } } }));
    let mut arguments = serde_json::Map::new();
    arguments.insert("l".to_owned(), json!(vec![json!({}); 1_000]));
    assert_eq!(schema.apply_defaults(&mut arguments), Ok(()));
    arguments.insert("l".to_owned(), json!(vec![json!({}); 100_000]));
    assert_eq!(schema.apply_defaults(&mut arguments), Err(DefaultsTooLarge));
}

#[test]
fn defaults_in_defaults_are_bounded_by_what_they_take() {
    let compiled = |count: usize, inner: Value| {
        let one = json!({ "$ref": "#/$defs/one", "default": {} });
        let properties: serde_json::Map<_, _> =
            (0..count).map(|n| (format!("p{n}"), one.clone())).collect();
        let schema = json!({
            "properties": properties,
            "$defs": { "one": { "properties": { "a": { "default": inner } } } },
        });
        compile(schema, Validation::None)
    };
    // About 4 MiB: of text, of members, of items.
    let members: serde_json::Map<_, _> = (100..200).map(|n| (n.to_string(), json!(n))).collect();
    for (inner, most) in [
        (json!("x".repeat(10_000)), 400),
        (json!(members), 300),
        (json!(vec![0; 100]), 600),
    ] {
        let schema = compiled(most, inner.clone()).unwrap();
        assert_eq!(filled(&schema, json!({}))["p1"], json!({ "a": inner }));
        let found = compiled(most * 3 / 2, inner).unwrap_err();
        assert_eq!(found[0].kind, SchemaErrorKind::TooLarge);
    }
}

#[test]
fn a_default_too_deep_to_be_checked_is_left_alone() {
    // With a chain of 101 a value may have ten levels.
    let mut defs: serde_json::Map<_, _> = (0..100)
        .map(|link| {
            (
                format!("a{link}"),
                json!({ "$ref": format!("#/$defs/a{}", link + 1) }),
            )
        })
        .collect();
    defs.insert("a100".to_owned(), json!({}));
    let mut warnings = |levels: usize| {
        let deep = (1..levels).fold(json!([]), |inner, _| json!([inner]));
        defs.insert("b".to_owned(), json!({ "type": "string", "default": deep }));
        full(json!({ "$ref": "#/$defs/a0", "$defs": defs }))
            .warnings()
            .len()
    };
    assert_eq!(warnings(10), 1);
    assert_eq!(warnings(11), 0);
}

#[test]
fn a_default_its_schema_refuses_is_a_warning() {
    let schema = full(json!({ "properties": {
        "page": { "type": "integer", "minimum": 1, "default": 0 },
        "email": { "format": "email", "default": "x" },
        "options": { "default": { "n": "x" }, "properties": { "n": { "type": "integer" } } },
        "lacks": { "default": {}, "required": ["a"] },
        "good": { "type": "integer", "default": 1.0 },
    } }));
    let found: Vec<_> = schema
        .warnings()
        .iter()
        .map(|w| (w.kind.is_warning(), w.pointer.as_str(), w.message.as_str()))
        .collect();
    assert_eq!(
        found,
        [
            (
                true,
                "/properties/page/default",
                "the default is not what its schema allows: value is less than 1"
            ),
            (
                true,
                "/properties/email/default",
                "the default is not what its schema allows: value is not in the format `email`"
            ),
            (
                true,
                "/properties/options/default",
                "the default is not what its schema allows: at /n: value is not one of the declared JSON types"
            ),
            (
                true,
                "/properties/lacks/default",
                "the default is not what its schema allows: it lacks a"
            ),
        ]
    );
    assert_eq!(filled(&schema, json!({}))["page"], json!(0));
}

#[test]
fn a_schema_without_defaults_changes_nothing() {
    let schema = full(json!({ "properties": { "a": { "items": { "$ref": "#" } } } }));
    assert_eq!(filled(&schema, json!({ "a": [{}] })), json!({ "a": [{}] }));
}
