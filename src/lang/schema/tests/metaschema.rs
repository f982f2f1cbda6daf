//! Breaches of the meta-schema, each with its place and in plain words.

use super::{error, errors, full};
use crate::lang::schema::SchemaErrorKind;
use serde_json::{Value, json};

const DRAFT7: &str = "http://json-schema.org/draft-07/schema#";

/// One keyword with a value it does not take, and what is said of it.
fn breaches() -> Vec<(Value, &'static str, &'static str)> {
    vec![
        (
            json!({ "type": "text" }),
            "/type",
            "`type` must be a type (`array`, `boolean`, `integer`, `null`, `number`, `object`, `string`) or a list of different ones",
        ),
        (
            json!({ "type": ["string", "string"] }),
            "/type",
            "`type` must be a type (`array`, `boolean`, `integer`, `null`, `number`, `object`, `string`) or a list of different ones",
        ),
        (
            json!({ "minLength": -1 }),
            "/minLength",
            "`minLength` must be a whole number, 0 or more",
        ),
        (
            json!({ "maxItems": 1.5 }),
            "/maxItems",
            "`maxItems` must be a whole number, 0 or more",
        ),
        (
            json!({ "minimum": "1" }),
            "/minimum",
            "`minimum` must be a number",
        ),
        (
            json!({ "multipleOf": 0 }),
            "/multipleOf",
            "`multipleOf` must be a number greater than 0",
        ),
        (
            json!({ "pattern": 5 }),
            "/pattern",
            "`pattern` must be a string",
        ),
        (
            json!({ "uniqueItems": "yes" }),
            "/uniqueItems",
            "`uniqueItems` must be `true` or `false`",
        ),
        (
            json!({ "required": ["a", "a"] }),
            "/required",
            "`required` must be a list of different property names",
        ),
        (
            json!({ "required": ["a", 5] }),
            "/required/1",
            "`required` must be a list of different property names",
        ),
        (
            json!({ "enum": "a" }),
            "/enum",
            "`enum` must be a list of values",
        ),
        (
            json!({ "properties": [] }),
            "/properties",
            "`properties` must be an object whose values are schemas",
        ),
        (
            json!({ "properties": { "minLength": 5 } }),
            "/properties/minLength",
            "must be a schema: an object, `true` or `false`",
        ),
        (
            json!({ "properties": { "a": { "items": 5 } } }),
            "/properties/a/items",
            "must be a schema: an object, `true` or `false`",
        ),
        (
            json!({ "allOf": [] }),
            "/allOf",
            "`allOf` must be a list of schemas, at least one",
        ),
        (
            json!({ "dependentRequired": { "type": 5 } }),
            "/dependentRequired/type",
            "`dependentRequired` must be an object whose values are lists of different property names",
        ),
        (
            json!({ "$defs": { "a/b": { "$anchor": "1 2" } } }),
            "/$defs/a~1b/$anchor",
            "`$anchor` must be a name: a letter or `_`, then letters, digits, `-`, `_`, `.`",
        ),
        (json!({ "title": 5 }), "/title", "`title` must be a string"),
        (
            json!({ "examples": 5 }),
            "/examples",
            "`examples` must be a list",
        ),
        (
            json!({ "$id": 5 }),
            "/$id",
            "`$id` must be a URI reference without a fragment",
        ),
        (
            json!({ "$schema": DRAFT7, "items": "text" }),
            "/items",
            "`items` must be a schema: an object, `true` or `false`",
        ),
        (
            json!({ "$schema": DRAFT7, "dependencies": [] }),
            "/dependencies",
            "`dependencies` must be an object whose values are schemas or lists of property names",
        ),
    ]
}

#[test]
fn each_breach_is_told_at_its_place() {
    for (schema, at, wanted) in breaches() {
        let (kind, pointer, message) = error(schema.clone());
        assert_eq!(kind, SchemaErrorKind::MetaSchema, "{schema}");
        assert_eq!(
            (pointer.as_str(), message.as_str()),
            (at, wanted),
            "{schema}"
        );
    }
}

#[test]
fn draft_07_has_its_own_meta_schema() {
    let found = errors(json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "definitions": { "a": { "contains": 5 } },
        "dependencies": { "a": "b" },
        "items": { "items": { "additionalItems": { "minLength": "x" } } },
        "contains": { "items": [{}, { "type": 5 }] },
    }));
    let places: Vec<_> = found.iter().map(|e| (e.kind, e.pointer.as_str())).collect();
    assert_eq!(
        places,
        [
            (SchemaErrorKind::MetaSchema, "/definitions/a/contains"),
            (SchemaErrorKind::MetaSchema, "/dependencies/a"),
            (
                SchemaErrorKind::MetaSchema,
                "/items/items/additionalItems/minLength"
            ),
            (SchemaErrorKind::MetaSchema, "/contains/items/1/type"),
        ]
    );
    // A keyword of 2020-12 only is any other word there.
    full(json!({ "$schema": "http://json-schema.org/draft-07/schema#", "prefixItems": 5 }));
}

#[test]
fn mistakes_from_elsewhere_get_help() {
    for (schema, help) in [
        (
            json!({ "type": "any" }),
            "leave `type` out to allow every type",
        ),
        (
            json!({ "properties": { "a": { "required": true } } }),
            "name the property in the `required` list of the object that holds it",
        ),
        (
            json!({ "exclusiveMinimum": true }),
            "give the bound itself as `exclusiveMinimum`",
        ),
    ] {
        let errors = errors(schema);
        assert_eq!(errors.len(), 1);
        assert_eq!(errors[0].help.as_deref(), Some(help));
    }
}

#[test]
fn types_of_other_languages_are_named_in_this_one() {
    for (words, meant) in [
        (&["int", "long"][..], "integer"),
        (&["float", "double", "decimal"], "number"),
        (&["bool"], "boolean"),
        (&["str", "text"], "string"),
        (&["list", "tuple"], "array"),
        (&["dict", "map", "table"], "object"),
        (&["none", "nil"], "null"),
    ] {
        for word in words {
            let found = errors(json!({ "type": word }));
            assert_eq!(found.len(), 1, "{word}");
            let help = format!("did you mean `{meant}`?");
            assert_eq!(found[0].help.as_deref(), Some(&*help), "{word}");
        }
    }
}

#[test]
fn other_mistakes_get_no_help_that_misleads() {
    for schema in [
        json!({ "type": "widget" }),
        json!({ "required": "a" }),
        json!({ "items": 5 }),
        json!({ "$schema": DRAFT7, "items": [{}, 5] }),
        json!({ "$schema": DRAFT7, "items": [] , "minLength": -1 }),
        json!({ "exclusiveMaximum": "5" }),
    ] {
        for found in errors(schema.clone()) {
            assert_eq!(found.help, None, "{schema}");
        }
    }
}

#[test]
fn what_only_a_reference_makes_a_schema_is_checked_too() {
    let (kind, pointer, _) = error(json!({
        "properties": { "a": { "$ref": "#/components/x" } },
        "components": { "x": { "properties": { "y": { "type": "nothing" } } } },
    }));
    assert_eq!(kind, SchemaErrorKind::MetaSchema);
    assert_eq!(pointer, "/components/x/properties/y/type");
}

#[test]
fn findings_are_bounded() {
    let bad: serde_json::Map<_, _> = (0..5_000)
        .map(|n| (format!("p{n}"), json!({ "minLength": -1 })))
        .collect();
    assert_eq!(errors(json!({ "properties": bad })).len(), 100);
}
