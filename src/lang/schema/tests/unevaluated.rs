//! What is left over: `unevaluatedProperties` and `unevaluatedItems`, decided and explained alike.

use super::full;
use serde_json::{Value, json};

/// The verdict, and where the explanation finds what is wrong.
fn assert_places(schema: &Value, value: Value, places: &[&str]) {
    let schema_of = full(schema.clone());
    let verdict = schema_of.check(&value).is_ok();
    assert_eq!(verdict, places.is_empty(), "{schema} {value}");
    let found = schema_of.explain_for_tests(&value);
    let found: Vec<&str> = found.list().iter().map(|one| one.location()).collect();
    assert_eq!(found, places, "{schema} {value}");
}

#[test]
fn members_are_looked_at_by_all_that_holds() {
    let over = |part: Value| {
        let mut schema = part;
        schema["unevaluatedProperties"] = json!(false);
        schema
    };
    let own = over(json!({ "properties": { "a": {} }, "patternProperties": { "^x": {} } }));
    assert_places(&own, json!({ "a": 1, "x1": 1 }), &[]);
    assert_places(&own, json!({ "a": 1, "b": 1 }), &["/b"]);
    let rest = over(json!({ "allOf": [{ "additionalProperties": true }] }));
    assert_places(&rest, json!({ "a": 1 }), &[]);
    let below = over(json!({ "allOf": [{ "unevaluatedProperties": true }] }));
    assert_places(&below, json!({ "a": 1 }), &[]);
    let patterns = over(json!({ "allOf": [{ "patternProperties": { "^x": {}, "y$": {} } }] }));
    assert_places(&patterns, json!({ "x": 1, "ay": 1 }), &[]);
    assert_places(&patterns, json!({ "x": 1, "b": 1 }), &["/b"]);
    let condition = over(json!({
        "if": { "properties": { "a": { "const": 1 } }, "required": ["a"] },
        "then": { "properties": { "b": {} } },
        "else": { "properties": { "c": {} } },
    }));
    assert_places(&condition, json!({ "a": 1, "b": 1 }), &[]);
    assert_places(&condition, json!({ "a": 1, "c": 1 }), &["/c"]);
    assert_places(&condition, json!({ "c": 1 }), &[]);
    assert_places(&condition, json!({ "a": 2, "b": 1 }), &["/a", "/b"]);
    let dependent = over(json!({
        "properties": { "a": {} }, "dependentSchemas": { "a": { "properties": { "b": {} } } },
    }));
    assert_places(&dependent, json!({ "a": 1, "b": 1 }), &[]);
    assert_places(&dependent, json!({ "b": 1 }), &["/b"]);
    let denied = over(json!({ "not": { "properties": { "a": {} }, "required": ["b"] } }));
    assert_places(&denied, json!({ "a": 1 }), &["/a"]);
    let one = over(json!({ "oneOf": [
        { "properties": { "a": {} }, "required": ["a"] },
        { "properties": { "b": {} }, "required": ["b"] },
    ] }));
    assert_places(&one, json!({ "a": 1 }), &[]);
    assert_places(&one, json!({ "a": 1, "c": 1 }), &["/c"]);
    assert_places(&own, json!(5), &[]);
}

#[test]
fn items_are_looked_at_by_all_that_holds() {
    let over = |part: Value| {
        let mut schema = part;
        schema["unevaluatedItems"] = json!(false);
        schema
    };
    let own = over(json!({ "prefixItems": [{}] }));
    assert_places(&own, json!([1]), &[]);
    assert_places(&own, json!([1, 2, 3]), &["/1", "/2"]);
    let rest = over(json!({ "allOf": [{ "items": true }] }));
    assert_places(&rest, json!([1, 2]), &[]);
    let below = over(json!({ "allOf": [{ "unevaluatedItems": true }] }));
    assert_places(&below, json!([1, 2]), &[]);
    let longest = over(
        json!({ "prefixItems": [{}], "allOf": [{ "prefixItems": [{}, {}] }, { "prefixItems": [{}] }] }),
    );
    assert_places(&longest, json!([1, 2]), &[]);
    assert_places(&longest, json!([1, 2, 3]), &["/2"]);
    let contains = over(json!({ "contains": { "type": "string" } }));
    assert_places(&contains, json!(["a", "b"]), &[]);
    assert_places(&contains, json!(["a", 1]), &["/1"]);
    assert_places(&contains, json!({ "a": 1 }), &[]);
}
