//! What is taken to fit the meta-schema without a look at it fits it.

use crate::lang::schema::dialect::Dialect;
use crate::lang::schema::meta::judged_for_tests;
use proptest::prelude::*;
use serde_json::{Value, json};

const DIALECTS: [Dialect; 2] = [Dialect::Draft202012, Dialect::Draft7];

/// Plain keywords, with a value that each wants.
fn wanted() -> Vec<(&'static str, Value)> {
    vec![
        ("$comment", json!("a")),
        ("$schema", json!("http://json-schema.org/draft-07/schema#")),
        ("additionalProperties", json!(false)),
        ("const", json!(null)),
        ("default", json!([])),
        ("deprecated", json!(true)),
        ("description", json!("a")),
        ("enum", json!([1, 1])),
        ("examples", json!([])),
        ("exclusiveMaximum", json!(1.5)),
        ("exclusiveMinimum", json!(-1)),
        ("format", json!("a")),
        ("items", json!({ "type": "string" })),
        ("maxItems", json!(0)),
        ("maxLength", json!(1)),
        ("maxProperties", json!(1)),
        ("maximum", json!(1)),
        ("minItems", json!(1)),
        ("minLength", json!(1)),
        ("minProperties", json!(1)),
        ("minimum", json!(1)),
        ("multipleOf", json!(0.5)),
        ("pattern", json!("(")),
        ("prefixItems", json!([true])),
        ("properties", json!({ "a": { "type": "null" }, "b": true })),
        ("readOnly", json!(true)),
        ("required", json!(["a", "b"])),
        ("title", json!("a")),
        ("type", json!("integer")),
        ("uniqueItems", json!(true)),
        ("writeOnly", json!(true)),
        ("x-mcp-header", json!(5)),
    ]
}

#[test]
fn what_arguments_are_made_of_needs_no_look() {
    for (keyword, value) in wanted() {
        let schema = json!({ "properties": { "a": { (keyword): value } } });
        for dialect in DIALECTS {
            let (is_sure, errors) = judged_for_tests(&schema, dialect);
            assert!(is_sure && errors.is_empty(), "{schema} {errors:?}");
        }
    }
    for type_name in [
        "array", "boolean", "integer", "null", "number", "object", "string",
    ] {
        assert!(judged_for_tests(&json!({ "type": type_name }), Dialect::Draft202012).0);
    }
}

#[test]
fn what_is_not_plain_needs_one() {
    let many: Vec<_> = (0..33).map(|place| format!("n{place}")).collect();
    for schema in [
        json!({ "minimum": "1" }),
        json!({ "minLength": -1 }),
        json!({ "minLength": 1.0 }),
        json!({ "multipleOf": 0 }),
        json!({ "required": ["a", "a"] }),
        json!({ "required": ["a", 1] }),
        json!({ "required": many }),
        json!({ "type": ["string"] }),
        json!({ "type": "text" }),
        json!({ "title": 1 }),
        json!({ "properties": { "a": { "$schema": "a" } } }),
        json!({ "items": [true] }),
        json!({ "prefixItems": [] }),
        json!({ "prefixItems": [1] }),
        json!({ "properties": { "a": 1 } }),
        json!({ "properties": { "a": { "enum": "a" } } }),
        json!({ "uniqueItems": "yes" }),
        json!({ "allOf": [true] }),
        json!({ "$ref": "#" }),
        json!({ "unknown": 1 }),
    ] {
        assert!(
            !judged_for_tests(&schema, Dialect::Draft202012).0,
            "{schema}"
        );
    }
}

/// Plain keywords with values that any of them may want.
fn plain() -> impl Strategy<Value = Value> {
    let words: Vec<_> = wanted().into_iter().map(|(keyword, _)| keyword).collect();
    let values: Vec<_> = wanted().into_iter().map(|(_, value)| value).collect();
    let more = [
        json!(-1),
        json!(0),
        json!(1.0),
        json!(0.5),
        json!(["a", "a"]),
        json!("array"),
    ];
    let values = prop::sample::select([values, more.to_vec()].concat());
    values.prop_recursive(4, 40, 4, move |inner| {
        let word = prop::sample::select(words.clone());
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::Array),
            prop::collection::vec((word, inner), 0..4).prop_map(|members| {
                let members = members.into_iter();
                Value::Object(
                    members
                        .map(|(key, value)| (key.to_owned(), value))
                        .collect(),
                )
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn what_surely_fits_breaks_nothing(keyword in 0..wanted().len(), value in plain()) {
        let schema = json!({ "properties": { "a": { (wanted()[keyword].0): value } } });
        for dialect in DIALECTS {
            let (is_sure, errors) = judged_for_tests(&schema, dialect);
            prop_assert!(!is_sure || errors.is_empty(), "{:?}", errors);
        }
    }
}
