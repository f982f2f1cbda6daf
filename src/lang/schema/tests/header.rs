//! The rules of `x-mcp-header`.

use crate::lang::schema::{HeaderKind, HeaderParam, SchemaErrorKind, header_params};
use serde_json::{Value, json};

fn refused(schema: Value) -> Vec<(String, String)> {
    let errors = header_params(&schema).unwrap_err();
    assert!(
        errors
            .iter()
            .all(|error| error.kind == SchemaErrorKind::Header)
    );
    errors
        .into_iter()
        .map(|error| (error.pointer, error.message))
        .collect()
}

fn annotated(name: Value) -> Value {
    json!({ "type": "string", "x-mcp-header": name })
}

#[test]
fn properties_at_every_level_can_be_mirrored() {
    let params = header_params(&json!({
        "type": "object",
        "properties": {
            "zone": { "type": "object", "properties": {
                "region": annotated(json!("Region")),
            } },
            "dry": { "type": "boolean", "x-mcp-header": "X-Dry~1" },
            "count": { "type": "integer", "x-mcp-header": "Count" },
            "query": { "type": "string" },
        },
    }))
    .unwrap();
    let param = |name: &str, path: &[&str], kind| HeaderParam {
        name: name.to_owned(),
        path: path.iter().map(|key| (*key).to_owned()).collect(),
        kind,
    };
    assert_eq!(
        params,
        [
            param("Region", &["zone", "region"], HeaderKind::String),
            param("X-Dry~1", &["dry"], HeaderKind::Boolean),
            param("Count", &["count"], HeaderKind::Integer),
        ]
    );
    let arguments = json!({ "zone": { "region": "eu" }, "dry": null });
    let arguments = arguments.as_object().unwrap();
    assert_eq!(params[0].value(arguments), Some(&json!("eu")));
    assert_eq!(params[1].value(arguments), None);
    assert_eq!(params[2].value(arguments), None);
}

#[test]
fn the_name_is_a_token() {
    for name in ["a b", "a:b", "é", "a\r\n", "a\u{0}", "a/b", "\"a\"", "(a)"] {
        let found = refused(json!({ "properties": { "p": annotated(json!(name)) } }));
        assert_eq!(found[0].0, "/properties/p/x-mcp-header");
        assert!(found[0].1.contains("is not a header name"), "{found:?}");
    }
    let found = refused(json!({ "properties": { "p": annotated(json!("")) } }));
    assert_eq!(found[0].1, "`x-mcp-header` must not be empty");
    let found = refused(json!({ "properties": { "p": annotated(json!(5)) } }));
    assert_eq!(
        found[0].1,
        "`x-mcp-header` must be a string: the header's name"
    );
}

#[test]
fn names_are_unique_whatever_the_case() {
    let found = refused(json!({ "properties": {
        "a": annotated(json!("Region")),
        "b": { "properties": { "c": annotated(json!("REGION")) } },
    } }));
    assert_eq!(found.len(), 1);
    assert!(found[0].1.contains("is used twice"));
}

#[test]
fn only_three_types_can_be_mirrored() {
    for kind in [
        json!("number"),
        json!("object"),
        json!("array"),
        json!("null"),
        json!(["string"]),
        json!(["string", "null"]),
    ] {
        let found =
            refused(json!({ "properties": { "p": { "type": kind, "x-mcp-header": "P" } } }));
        assert_eq!(found[0].0, "/properties/p/x-mcp-header");
        assert!(found[0].1.contains("must have the type"));
    }
    let found = refused(json!({ "properties": { "p": { "enum": ["a"], "x-mcp-header": "P" } } }));
    assert!(found[0].1.contains("must have the type"));
}

#[test]
fn everywhere_else_it_is_refused() {
    let p = annotated(json!("P"));
    let inner = json!({ "properties": { "p": p } });
    for (schema, at) in [
        (
            json!({ "properties": { "l": { "items": p } } }),
            "/properties/l/items",
        ),
        (
            json!({ "properties": { "l": { "prefixItems": [p] } } }),
            "/properties/l/prefixItems/0",
        ),
        (
            json!({ "properties": { "l": { "items": inner } } }),
            "/properties/l/items/properties/p",
        ),
        (json!({ "oneOf": [inner] }), "/oneOf/0/properties/p"),
        (json!({ "anyOf": [inner] }), "/anyOf/0/properties/p"),
        (json!({ "allOf": [inner] }), "/allOf/0/properties/p"),
        (json!({ "not": inner }), "/not/properties/p"),
        (json!({ "if": inner }), "/if/properties/p"),
        (json!({ "if": {}, "then": inner }), "/then/properties/p"),
        (json!({ "if": {}, "else": inner }), "/else/properties/p"),
        (
            json!({ "$defs": { "d": p }, "properties": { "p": { "$ref": "#/$defs/d" } } }),
            "/$defs/d",
        ),
        (
            json!({ "properties": { "p": { "$ref": "#/x/y" } }, "x": { "y": p } }),
            "/x/y",
        ),
        (
            json!({ "additionalProperties": p }),
            "/additionalProperties",
        ),
        (
            json!({ "patternProperties": { "x": p } }),
            "/patternProperties/x",
        ),
        (json!({ "propertyNames": p }), "/propertyNames"),
        (
            json!({ "dependentSchemas": { "a": inner } }),
            "/dependentSchemas/a/properties/p",
        ),
        (
            json!({ "unevaluatedProperties": p }),
            "/unevaluatedProperties",
        ),
        (json!({ "x-mcp-header": "Root" }), ""),
        (
            json!({ "$schema": "http://json-schema.org/draft-07/schema#", "definitions": { "p": p } }),
            "/definitions/p",
        ),
    ] {
        let found = refused(schema.clone());
        assert_eq!(found.len(), 1, "{schema}");
        assert_eq!(found[0].0, format!("{at}/x-mcp-header"), "{schema}");
    }
}

#[test]
fn data_and_names_are_no_annotations() {
    let params = header_params(&json!({
        "properties": {
            "x-mcp-header": { "type": "string" },
            "a": { "default": { "x-mcp-header": 5 }, "enum": [{ "x-mcp-header": 5 }], "const": { "x-mcp-header": 5 } },
        },
    }));
    assert_eq!(params, Ok(Vec::new()));
}

#[test]
fn every_breach_is_reported() {
    let found = refused(json!({ "properties": {
        "a": annotated(json!("")),
        "b": { "type": "number", "x-mcp-header": "B" },
        "c": { "items": annotated(json!("C")) },
    } }));
    assert_eq!(found.len(), 3);
}

#[test]
fn without_annotations_nothing_else_is_asked() {
    let deep = (0..100).fold(json!({}), |inner, _| json!([inner]));
    for schema in [
        json!({}),
        json!({ "$schema": "https://example.com/other" }),
        json!({ "enum": [deep] }),
        json!({ "description": "x".repeat(2_000_000) }),
    ] {
        assert_eq!(header_params(&schema), Ok(Vec::new()));
    }
    let annotated =
        json!({ "$schema": "https://example.com/other", "items": [{ "x-mcp-header": "A" }] });
    let errors = header_params(&annotated).unwrap_err();
    assert_eq!(errors[0].kind, SchemaErrorKind::Dialect);
    // Deeper than a schema may be, one cannot tell.
    let lists = (0..200).fold(json!([]), |inner, _| json!([inner]));
    let objects = (0..200).fold(json!({}), |inner, _| json!({ "a": inner }));
    for deeper in [lists, objects] {
        let errors = header_params(&deeper).unwrap_err();
        assert_eq!(errors[0].kind, SchemaErrorKind::TooLarge);
    }
}
