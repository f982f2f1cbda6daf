//! References lead into the document or nowhere.

use super::{basic, error, errors, full, text};
use crate::lang::schema::SchemaErrorKind::{
    DanglingReference, ExternalReference, Identifier, ReferenceCycle, Unsupported,
};
use serde_json::{Map, Value, json};

const DRAFT7: &str = "http://json-schema.org/draft-07/schema#";

/// `a` in `{"a": …}` must be a string, by way of `reference`.
fn leads_to_string(schema: Value) {
    let schema = full(schema);
    assert!(schema.check(&json!({ "a": "x" })).is_ok());
    assert_eq!(
        text(&schema, json!({ "a": 1 })),
        "Invalid arguments at /a: value is not one of the declared JSON types"
    );
}

#[test]
fn references_within_the_document_work() {
    let string = json!({ "type": "string" });
    leads_to_string(json!({
        "properties": { "a": { "$ref": "#/$defs/s" } },
        "$defs": { "s": string },
    }));
    leads_to_string(json!({
        "properties": { "a": { "$ref": "#/$defs/a~1b%20%25c" } },
        "$defs": { "a/b %c": string },
    }));
    leads_to_string(json!({
        "properties": { "a": { "$ref": "#s" } },
        "$defs": { "x": { "$anchor": "s", "type": "string" } },
    }));
    leads_to_string(json!({
        "$schema": DRAFT7,
        "properties": { "a": { "$ref": "#s" } },
        "definitions": { "x": { "$id": "#s", "type": "string" } },
    }));
    leads_to_string(json!({
        "properties": { "a": { "$dynamicRef": "#s" } },
        "$defs": { "x": { "$dynamicAnchor": "s", "type": "string" } },
    }));
    // Where no keyword expects a schema.
    leads_to_string(json!({
        "properties": { "a": { "$ref": "#/components/schemas/s" } },
        "components": { "schemas": { "s": { "$ref": "#/components/schemas/t" }, "t": string } },
    }));
}

#[test]
fn an_id_is_a_base_and_never_an_address() {
    leads_to_string(json!({
        "$id": "https://example.com/tools/search",
        "properties": { "a": { "$ref": "#/$defs/s" } },
        "$defs": { "s": { "type": "string" } },
    }));
    leads_to_string(json!({
        "$id": "https://example.com/tools/search",
        "properties": { "a": { "$ref": "other.json#/$defs/s" } },
        "$defs": { "o": {
            "$id": "other.json",
            "$defs": { "s": { "type": "string" } },
        } },
    }));
    leads_to_string(json!({
        "$id": "urn:uuid:9d2c9c1e-0000-4000-8000-000000000000",
        "properties": { "a": { "$ref": "#/$defs/s" } },
        "$defs": { "s": { "type": "string" } },
    }));
    // A pointer is counted from the nearest `$id`.
    leads_to_string(json!({
        "properties": { "a": { "$id": "inner", "$ref": "#/$defs/s", "$defs": { "s": { "type": "string" } } } },
        "$defs": { "s": { "type": "integer" } },
    }));
    leads_to_string(json!({
        "$id": "https://example.com/root",
        "properties": { "a": { "$ref": "https://example.com/root#/$defs/s" } },
        "$defs": { "s": { "type": "string" } },
    }));
}

#[test]
fn whatever_leads_out_is_refused() {
    for reference in [
        "https://example.com/x.json",
        "http://127.0.0.1:1/x.json#/a",
        "file:///etc/passwd",
        "other.json",
        "//example.com/x",
        "/x.json#/$defs/s",
        "https://json-schema.org/draft/2020-12/schema",
        "http://json-schema.org/draft-07/schema#",
        "urn:example:x",
        "json-schema:///other",
    ] {
        for keyword in ["$ref", "$dynamicRef"] {
            let (kind, pointer, message) = error(json!({
                "$id": "https://example.org/root",
                "properties": { "a": { keyword: reference } },
            }));
            assert_eq!(kind, ExternalReference, "{reference}");
            assert_eq!(pointer, format!("/properties/a/{keyword}"));
            assert_eq!(
                message,
                format!("`{reference}` leads out of the document, and nothing is fetched")
            );
        }
    }
    let errors = errors(json!({ "$schema": DRAFT7, "items": { "$ref": "x.json" } }));
    assert_eq!(
        errors[0].help.as_deref(),
        Some("copy what it names into `definitions` and refer to it as `#/definitions/NAME`")
    );
}

#[test]
fn what_leads_to_nothing_is_refused() {
    for (reference, what) in [
        ("#/$defs/none", "leads to nothing in this document"),
        ("#/$defs/list/5", "leads to nothing in this document"),
        ("#none", "names no anchor of this document"),
        ("#/title", "leads to something that is not a schema"),
        ("#/required", "leads to something that is not a schema"),
        ("#/%ff", "is not UTF-8 once decoded"),
        ("#/$defs/größe", "is not a URI reference"),
        ("#/a b", "is not a URI reference"),
        ("#/%zz", "is not a URI reference"),
    ] {
        let (kind, pointer, message) = error(json!({
            "title": "x",
            "required": [],
            "properties": { "a": { "$ref": reference } },
        }));
        assert_eq!(kind, DanglingReference);
        assert_eq!(pointer, "/properties/a/$ref");
        assert_eq!(message, format!("`{reference}` {what}"));
    }
}

#[test]
fn a_schema_may_contain_itself() {
    let schema = full(json!({
        "type": "object",
        "properties": { "name": { "type": "string" }, "children": { "type": "array", "items": { "$ref": "#" } } },
        "additionalProperties": false,
    }));
    assert!(
        schema
            .check(&json!({ "children": [{ "children": [{ "name": "x" }] }] }))
            .is_ok()
    );
    assert_eq!(
        text(
            &schema,
            json!({ "children": [{ "children": [{ "name": 5 }] }] })
        ),
        "Invalid arguments at /children/0/children/0/name: value is not one of the declared JSON types"
    );
}

#[test]
fn cycles_that_never_descend_are_refused() {
    for (schema, pointer) in [
        (json!({ "$ref": "#" }), "/$ref"),
        (json!({ "allOf": [{ "$ref": "#" }] }), "/allOf/0/$ref"),
        (json!({ "not": { "$ref": "#" } }), "/not/$ref"),
        (
            json!({ "$dynamicAnchor": "x", "$dynamicRef": "#x" }),
            "/$dynamicRef",
        ),
        (
            json!({ "dependentSchemas": { "a": { "$ref": "#" } } }),
            "/dependentSchemas/a/$ref",
        ),
        (
            json!({ "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "$ref": "#/$defs/a" } } }),
            "/$defs/b/$ref",
        ),
        (
            json!({ "$schema": DRAFT7, "anyOf": [{ "$ref": "#" }] }),
            "/anyOf/0/$ref",
        ),
    ] {
        let found = errors(schema.clone());
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].kind, ReferenceCycle, "{schema}");
        // Which of two references closes the cycle depends on where one starts.
        assert!(
            found[0].pointer == pointer || found[0].pointer == "/$defs/a/$ref",
            "{schema} at {}",
            found[0].pointer
        );
    }
    let (_, _, message) = error(json!({ "allOf": [{ "$ref": "#" }] }));
    assert_eq!(
        message,
        "the reference leads back to itself without going down into the value: `#` → `#/allOf/0` → `#`"
    );
}

#[test]
fn identifiers_are_unique_and_well_formed() {
    let (kind, pointer, message) = error(json!({
        "$defs": { "a": { "$anchor": "x" }, "b": { "$anchor": "x" } },
    }));
    assert_eq!(kind, Identifier);
    assert!(pointer.ends_with("/$anchor"));
    assert_eq!(message, "the anchor `x` is given twice");
    let (kind, ..) = error(json!({
        "$defs": { "a": { "$id": "http://e.x/a" }, "b": { "$id": "http://e.x/a" } },
    }));
    assert_eq!(kind, Identifier);
    // The same anchor in two resources is two anchors.
    full(json!({ "$defs": {
        "a": { "$id": "http://e.x/a", "$anchor": "x" },
        "b": { "$id": "http://e.x/b", "$anchor": "x" },
    } }));
}

#[test]
fn references_of_other_dialects_are_not_ignored() {
    let (kind, pointer, message) =
        error(json!({ "properties": { "a": { "$recursiveRef": "#" } } }));
    assert_eq!(kind, Unsupported);
    assert_eq!(pointer, "/properties/a/$recursiveRef");
    assert_eq!(message, "`$recursiveRef` is not part of 2020-12");
    let (kind, _, message) = error(json!({ "$schema": DRAFT7, "items": { "$dynamicRef": "#x" } }));
    assert_eq!(kind, Unsupported);
    assert_eq!(message, "`$dynamicRef` is not part of draft-07");
}

#[test]
fn words_in_data_are_no_references() {
    full(json!({
        "enum": [{ "$ref": "https://example.com/x" }],
        "const": { "$ref": "x.json" },
        "default": { "$ref": "x.json" },
        "examples": [{ "$id": ":::" }],
        "properties": { "$ref": { "type": "string" }, "$id": { "type": "string" } },
    }));
}

#[test]
fn keywords_of_the_other_dialect_hold_data() {
    let data = json!({ "$ref": "https://example.com/x", "type": 5 });
    for (keyword, value) in [
        ("prefixItems", json!([data])),
        ("dependentSchemas", json!({ "a": data })),
        ("unevaluatedProperties", data.clone()),
        ("unevaluatedItems", data.clone()),
        ("$defs", json!({ "a": data })),
        ("contentSchema", data.clone()),
    ] {
        full(json!({ "$schema": DRAFT7, keyword: value }));
        let found = errors(json!({ keyword: value }));
        assert_eq!(found.len(), 2, "{keyword}: {found:?}");
    }
    full(json!({ "additionalItems": data }));
    let found = errors(json!({ "$schema": DRAFT7, "additionalItems": data }));
    assert_eq!(found.len(), 2, "{found:?}");
    // `$anchor` names nothing in draft-07, and an `$id` of a fragment is no anchor in 2020-12.
    let (kind, ..) = error(json!({
        "$schema": DRAFT7, "items": { "$ref": "#a" }, "definitions": { "a": { "$anchor": "a" } },
    }));
    assert_eq!(kind, DanglingReference);
}

#[test]
fn a_branch_without_its_condition_is_not_applied() {
    full(json!({ "then": { "$ref": "#" }, "else": { "$ref": "#" } }));
    for branch in ["then", "else"] {
        let (kind, ..) = error(json!({ "if": true, branch: { "$ref": "#" } }));
        assert_eq!(kind, ReferenceCycle);
        // It is checked all the same, and can be referred to.
        let (kind, ..) = error(json!({ branch: { "$ref": "#/nowhere" } }));
        assert_eq!(kind, DanglingReference);
        leads_to_string(json!({
            "properties": { "a": { "$ref": format!("#/{branch}") } },
            branch: { "type": "string" },
        }));
    }
}

#[test]
fn what_stands_beside_a_reference_in_draft_07_can_be_referred_to() {
    let schema = full(json!({
        "$schema": DRAFT7,
        "properties": { "a": { "$ref": "#/definitions/n", "items": { "type": "string" } }, "b": { "$ref": "#/properties/a/items" } },
        "definitions": { "n": { "type": "array" } },
    }));
    assert!(schema.check(&json!({ "a": [1], "b": "x" })).is_ok());
    assert!(schema.check(&json!({ "b": 1 })).is_err());
    assert!(
        schema
            .explain_for_tests(&json!({ "a": [1] }))
            .list()
            .is_empty()
    );
}

#[test]
fn an_anchor_is_looked_for_where_the_reference_stands() {
    let schema = json!({
        "properties": { "a": { "$ref": "#s" } },
        "$defs": {
            "mine": { "$dynamicAnchor": "s", "type": "string" },
            "inner": { "$id": "inner", "$defs": { "s": { "$dynamicAnchor": "s", "type": "integer" } } },
        },
    });
    leads_to_string(schema.clone());
    let schema = basic(schema);
    assert!(schema.check(&json!({ "a": "x" })).is_ok());
    assert!(schema.check(&json!({ "a": 1 })).is_err());
}

#[test]
fn a_dynamic_reference_may_lead_to_any_of_its_name() {
    let schema = full(json!({
        "$id": "https://example.com/root",
        "$ref": "list",
        "$defs": {
            "mine": { "$dynamicAnchor": "item", "type": "string" },
            "list": { "$id": "list", "items": { "$dynamicRef": "#item" }, "$defs": {
                "any": { "$dynamicAnchor": "item", "type": "integer" },
            } },
        },
    }));
    let value = json!(["x"]);
    assert!(schema.check(&value).is_ok());
    assert!(schema.explain_for_tests(&value).list().is_empty());
    assert_eq!(
        text(&schema, json!([null])),
        "Invalid arguments at /0: value is not what `$dynamicRef` asks for"
    );
}

#[test]
fn a_long_way_around_is_told_in_short() {
    let told = |length: usize| {
        let next = |at: usize| json!({ "$ref": format!("#/$defs/a{}", (at + 1) % length) });
        let defs: Map<String, Value> = (0..length).map(|at| (format!("a{at}"), next(at))).collect();
        let (_, _, message) = error(json!({ "$defs": defs }));
        let (_, way) = message.split_once(": ").unwrap();
        (way.matches("`#/$defs/a").count(), way.contains(" → … → "))
    };
    assert_eq!(told(5), (6, false));
    assert_eq!(told(6), (7, false));
    assert_eq!(told(7), (7, true));
}
