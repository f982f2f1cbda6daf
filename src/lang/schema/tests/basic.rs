//! What the basic validator ignores, and what it names as ignored.

use super::{basic, full};
use crate::lang::schema::unsupported_assertions;
use serde_json::json;

#[test]
fn other_assertions_are_ignored() {
    let value = json!({ "a": 1 });
    for schema in [
        json!({ "allOf": [false] }),
        json!({ "anyOf": [false] }),
        json!({ "oneOf": [false] }),
        json!({ "not": true }),
        json!({ "if": true, "then": false }),
        json!({ "propertyNames": false }),
        json!({ "dependentRequired": { "a": ["b"] } }),
        json!({ "dependentSchemas": { "a": false } }),
        json!({ "unevaluatedProperties": false }),
    ] {
        assert!(full(schema.clone()).check(&value).is_err(), "{schema}");
        assert!(basic(schema.clone()).check(&value).is_ok(), "{schema}");
        assert_eq!(unsupported_assertions(&schema).len(), 1, "{schema}");
    }
}

#[test]
fn assertions_about_items_are_ignored_too() {
    for schema in [
        json!({ "contains": false }),
        json!({ "unevaluatedItems": false }),
        json!({ "$schema": "http://json-schema.org/draft-07/schema#", "items": { "contentEncoding": "base64" } }),
    ] {
        let value = json!(["*"]);
        assert!(full(schema.clone()).check(&value).is_err(), "{schema}");
        assert!(basic(schema.clone()).check(&value).is_ok(), "{schema}");
        assert_eq!(unsupported_assertions(&schema).len(), 1, "{schema}");
    }
}

#[test]
fn each_one_is_named_with_its_place() {
    let found = unsupported_assertions(&json!({
        "type": "object",
        "properties": {
            "a": { "type": "string", "minLength": 1, "format": "email", "pattern": "x", "title": "t" },
            "b": { "oneOf": [{ "const": 1 }] },
            "oneOf": { "type": "integer" },
            "c": { "type": "array", "items": { "not": {} }, "contains": {} },
        },
        "$defs": { "d": { "$ref": "#/properties/a", "unevaluatedItems": false } },
        "default": { "oneOf": 1 },
    }));
    let mut found: Vec<_> = found
        .iter()
        .map(|f| (f.pointer.as_str(), f.keyword))
        .collect();
    found.sort_unstable();
    assert_eq!(
        found,
        [
            ("/$defs/d/unevaluatedItems", "unevaluatedItems"),
            ("/properties/b/oneOf", "oneOf"),
            ("/properties/c/contains", "contains"),
            ("/properties/c/items/not", "not"),
        ]
    );
}

#[test]
fn what_is_an_assertion_depends_on_the_dialect() {
    let draft7 = "http://json-schema.org/draft-07/schema#";
    let names = |schema| -> Vec<&str> {
        unsupported_assertions(&schema)
            .iter()
            .map(|f| f.keyword)
            .collect()
    };
    assert_eq!(
        names(json!({ "contentEncoding": "base64" })),
        Vec::<&str>::new()
    );
    assert_eq!(
        names(
            json!({ "$schema": draft7, "contentEncoding": "base64", "unevaluatedItems": false, "dependencies": {} })
        ),
        ["dependencies", "contentEncoding"]
    );
}

#[test]
fn references_are_followed() {
    let schema = basic(json!({
        "properties": { "child": { "$ref": "#" }, "n": { "$ref": "#/$defs/n" } },
        "additionalProperties": false,
        "$defs": { "n": { "type": "integer" } },
    }));
    assert!(
        schema
            .check(&json!({ "child": { "child": { "n": 1 } } }))
            .is_ok()
    );
    assert!(
        schema
            .check(&json!({ "child": { "child": { "n": "1" } } }))
            .is_err()
    );
    assert!(
        schema
            .check(&json!({ "child": { "child": { "m": 1 } } }))
            .is_err()
    );
}
