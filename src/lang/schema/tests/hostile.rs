//! Schemas and values made to hurt: each is refused or stays cheap.

use super::{basic, compile, errors, full, text};
use crate::lang::schema::{SchemaErrorKind, Validation};
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};

/// Runs `work` and gives what it gave, within a time that only a blow-up passes.
fn quickly<T>(work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    assert!(
        start.elapsed() < Duration::from_secs(10),
        "{:?}",
        start.elapsed()
    );
    result
}

fn refused_as_too_large(schema: Value) -> String {
    let found = quickly(|| errors(schema));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].kind, SchemaErrorKind::TooLarge);
    found[0].message.clone()
}

fn nested(levels: usize, wrap: impl Fn(Value) -> Value) -> Value {
    (0..levels).fold(json!({}), |inner, _| wrap(inner))
}

#[test]
fn deep_documents_are_refused_before_they_are_entered() {
    let deep = nested(64, |inner| json!({ "not": inner }));
    assert!(compile(deep, Validation::Full).is_ok());
    let message = refused_as_too_large(nested(200, |inner| json!({ "not": inner })));
    assert_eq!(message, "the schema is nested deeper than 128 levels");
    refused_as_too_large(nested(400, |inner| json!({ "properties": { "a": inner } })));
    refused_as_too_large(json!({ "const": nested(400, |inner| json!([inner])) }));
}

#[test]
fn a_breach_deep_down_is_found_quickly() {
    for dialect in [
        "https://json-schema.org/draft/2020-12/schema",
        "http://json-schema.org/draft-07/schema#",
    ] {
        for keyword in ["items", "additionalProperties", "not"] {
            let deep = |bottom| (0..120).fold(bottom, |inner, _| json!({ keyword: inner }));
            let mut schema = deep(json!({ "minLength": -1, "enum": vec!["x"; 10_000] }));
            schema["$schema"] = json!(dialect);
            let found = quickly(|| errors(schema));
            assert_eq!(found.len(), 1, "{found:?}");
            let at = format!("{}/minLength", format!("/{keyword}").repeat(120));
            assert_eq!(found[0].pointer, at);
        }
    }
}

#[test]
fn large_documents_are_refused() {
    let message = refused_as_too_large(json!({ "enum": vec!["0123456789"; 200_000] }));
    assert_eq!(message, "the schema is larger than 1 MiB");
    // `{"const":"…"}` is taken for 14 bytes and its text.
    let just = |more: usize| json!({ "const": "x".repeat((1 << 20) - 14 + more) });
    assert!(compile(just(0), Validation::None).is_ok());
    refused_as_too_large(just(1));
    let properties =
        |count: usize| -> Map<_, _> { (0..count).map(|n| (n.to_string(), json!({}))).collect() };
    assert!(compile(json!({ "properties": properties(9_999) }), Validation::None).is_ok());
    let message = refused_as_too_large(json!({ "properties": properties(10_000) }));
    assert_eq!(message, "the schema has more than 10000 subschemas");
}

#[test]
fn what_is_large_is_large_as_json() {
    let accepted = |part: Value| {
        let schema = json!({ "examples": [part] });
        let is_ok = compile(schema.clone(), Validation::None).is_ok();
        (is_ok, schema.to_string().len())
    };
    let mib = 1024 * 1024;
    let keys = |count: usize, length: usize| -> Value {
        let key = |n: usize| format!("{n:0length$}");
        (0..count).map(|n| (key(n), json!(1))).collect()
    };
    for part in [
        json!("x".repeat(mib - 1_000)),
        json!(vec![""; mib / 4]),
        json!(vec!["x".repeat(10); mib / 14]),
        json!(vec![1_000_000; mib / 10]),
        keys(mib / 125, 100),
    ] {
        let (is_ok, length) = accepted(part);
        assert!(is_ok && length < mib, "{length}");
    }
    for part in [
        json!("x".repeat(mib)),
        json!(vec!["x".repeat(10); mib / 13]),
        json!(vec![10_000_000; mib / 8]),
        keys(mib / 100, 100),
    ] {
        let (is_ok, length) = accepted(part);
        assert!(!is_ok && length > mib, "{length}");
    }
}

#[test]
fn a_value_of_lists_alone_is_bounded_in_depth_too() {
    let lists = |levels| (1..levels).fold(json!([]), |inner, _| Value::Array(vec![inner]));
    let object = |inner| Value::Object([("a".to_owned(), inner)].into_iter().collect());
    let mixed = |levels| (1..levels).fold(json!([]), |inner, _| object(inner));
    for validation in [Validation::Full, Validation::Basic, Validation::None] {
        let schema = compile(json!({ "title": "any" }), validation).unwrap();
        for value in [lists(1_024), mixed(1_024)] {
            assert!(schema.check(&value).is_ok());
        }
        for value in [lists(1_025), mixed(1_025)] {
            assert_eq!(
                text(&schema, value),
                "Invalid arguments at /: value is nested too deep"
            );
        }
    }
}

#[test]
fn a_long_enum_works() {
    let options: Vec<String> = (0..20_000).map(|n| format!("option {n}")).collect();
    for schema in [
        full(json!({ "enum": options })),
        basic(json!({ "enum": options })),
    ] {
        quickly(|| {
            assert!(schema.check(&json!("option 19999")).is_ok());
            assert!(schema.check(&json!("none")).is_err());
        });
    }
}

fn doubling(levels: usize, keyword: &str) -> Value {
    let mut defs = Map::new();
    for level in 0..levels {
        let next = json!({ "$ref": format!("#/$defs/a{}", level + 1) });
        defs.insert(format!("a{level}"), json!({ keyword: [next, next] }));
    }
    defs.insert(format!("a{levels}"), json!({ "type": "string" }));
    json!({ "$ref": "#/$defs/a0", "$defs": defs })
}

#[test]
fn references_that_multiply_are_refused() {
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let message = refused_as_too_large(doubling(30, keyword));
        assert_eq!(
            message,
            "a value would be checked against more than 10000 subschemas"
        );
        let few = full(doubling(8, keyword));
        quickly(|| assert!(few.check(&json!(5)).is_err()));
    }
    // Down the value instead of in place.
    let mut defs = Map::new();
    for level in 0..30 {
        let next = json!({ "$ref": format!("#/$defs/a{}", level + 1) });
        let part = json!({ "properties": { "x": next } });
        defs.insert(format!("a{level}"), json!({ "allOf": [part, part] }));
    }
    defs.insert("a30".to_owned(), json!({}));
    refused_as_too_large(json!({ "$ref": "#/$defs/a0", "$defs": defs }));
    // By way of what is left unevaluated.
    refused_as_too_large(nested(
        40,
        |inner| json!({ "allOf": [inner], "unevaluatedProperties": false }),
    ));
}

#[test]
fn as_many_subschemas_as_the_bound_apply_to_a_value() {
    let most = json!({ "allOf": vec![true; 9_999] });
    assert!(compile(most, Validation::None).is_ok());
    let shared = |count: usize| json!({ "allOf": vec![json!({ "$ref": "#/$defs/a" }); count], "$defs": { "a": { "not": {} } } });
    assert!(compile(shared(3_333), Validation::None).is_ok());
    refused_as_too_large(shared(3_334));
    // What is left over is found by applying the others once more.
    let twice = |count: usize| json!({ "allOf": vec![true; count], "unevaluatedItems": false });
    assert!(compile(twice(4_999), Validation::None).is_ok());
    refused_as_too_large(twice(5_000));
    // Of names that exclude each other only the dearest counts.
    let part = json!({ "allOf": vec![true; 200] });
    let names: Map<_, _> = (0..40).map(|n| (n.to_string(), part.clone())).collect();
    assert!(compile(json!({ "properties": names }), Validation::None).is_ok());
    assert!(compile(json!({ "patternProperties": names }), Validation::None).is_ok());
}

#[test]
fn long_values_are_explained_all_the_same() {
    let schema = full(json!({ "items": { "maxLength": 5, "minLength": 1, "format": "date" } }));
    let told = text(&schema, json!(["x".repeat(100_000)]));
    assert_eq!(
        told.lines().next(),
        Some("Invalid arguments at /0: value is longer than 5 characters")
    );
    let options: Vec<u32> = (0..20_000).collect();
    let schema = full(json!({ "items": { "enum": options } }));
    let found = schema.check(&json!(vec!["x"; 10])).unwrap_err();
    assert_eq!(found.list().len(), 10);
}

#[test]
fn a_long_chain_of_references_is_refused_and_a_short_one_fits_the_stack() {
    let chain = |length: usize| {
        let mut defs = Map::new();
        for link in 0..length {
            let next = json!({ "$ref": format!("#/$defs/a{}", link + 1) });
            defs.insert(format!("a{link}"), next);
        }
        defs.insert(
            format!("a{length}"),
            json!({ "properties": { "x": { "$ref": "#/$defs/a0" } } }),
        );
        json!({ "$ref": "#/$defs/a0", "$defs": defs })
    };
    let message = refused_as_too_large(chain(5_000));
    assert_eq!(
        message,
        "more than 128 subschemas apply to one value from within each other"
    );
    let mut below = chain(5_000);
    below["properties"] = json!({ "a": { "$ref": "#" } });
    let found = errors(below);
    assert_eq!(found[0].pointer, "/properties/a");
    assert!(compile(chain(126), Validation::Full).is_ok());
    refused_as_too_large(chain(127));
    // 1,024 frames by chain and depth are the bound; a value deeper than that is refused.
    for (length, levels) in [(5, 126), (100, 8)] {
        let schema = full(chain(length));
        let slim = basic(chain(length));
        let value = (0..levels).fold(json!({ "x": {} }), |inner, _| json!({ "x": inner }));
        assert!(schema.check(&value).is_ok());
        assert!(slim.check(&value).is_ok());
        let deeper = (0..200).fold(json!({}), |inner, _| json!({ "x": inner }));
        assert_eq!(
            text(&schema, deeper.clone()),
            "Invalid arguments at /: value is nested too deep"
        );
        assert!(slim.check(&deeper).is_err());
    }
}

#[test]
fn explaining_a_deep_value_fits_the_stack() {
    for (keyword, length) in [("anyOf", 6), ("oneOf", 6), ("not", 6), ("anyOf", 60)] {
        let wrap = |inner: Value| match keyword {
            "not" => json!({ "not": inner }),
            _ => json!({ keyword: [inner, { "const": "never" }] }),
        };
        let start =
            json!({ "properties": { "x": { "$ref": "#" } }, "type": ["object", "integer"] });
        let schema = full((0..length).fold(start, |inner, _| wrap(inner)));
        let levels = 1_024 / (length + 2) - 2;
        let value = (0..levels).fold(json!("wrong"), |inner, _| json!({ "x": inner }));
        let _ = quickly(|| schema.check(&value));
        let found = quickly(|| schema.explain_for_tests(&value));
        assert!(found.list().len() <= 20);
    }
}

#[test]
fn a_choice_that_contains_itself_twice_stays_cheap() {
    let schema = full(json!({
        "$ref": "#/$defs/expr",
        "$defs": { "expr": { "anyOf": [
            { "properties": { "a": { "$ref": "#/$defs/expr" } }, "required": ["a", "left"] },
            { "properties": { "a": { "$ref": "#/$defs/expr" } }, "required": ["a", "right"] },
            { "type": "integer" },
        ] } },
    }));
    // Each level asks for two answers of the level below.
    let value = (0..120).fold(json!("not an integer"), |inner, _| json!({ "a": inner }));
    let message = quickly(|| text(&schema, value));
    assert!(message.starts_with("Invalid arguments at /"), "{message}");
}

#[test]
fn unevaluated_that_contains_itself_stays_cheap() {
    let schema = full(json!({
        "properties": { "a": { "$ref": "#" } },
        "anyOf": [{ "properties": { "b": { "$ref": "#" } } }, { "properties": { "c": { "$ref": "#" } } }],
        "unevaluatedProperties": false,
    }));
    let value = (0..120).fold(json!({ "d": 1 }), |inner, _| json!({ "b": inner }));
    let message = quickly(|| text(&schema, value));
    assert!(
        message.contains("property is not declared")
            || message.contains("the arguments do not match")
    );
}

#[test]
fn a_large_value_that_is_wrong_everywhere_costs_little() {
    let items = vec![json!(1); 1_000_000];
    for schema in [
        full(json!({ "items": { "type": "string" } })),
        full(
            json!({ "anyOf": [{ "items": { "type": "string" } }, { "items": { "type": "null" } }] }),
        ),
        full(json!({ "uniqueItems": true })),
        basic(json!({ "items": { "type": "string" } })),
        basic(json!({ "uniqueItems": true })),
    ] {
        let violations = quickly(|| schema.check(&json!(items)).unwrap_err());
        assert!(violations.list().len() <= 20);
    }
}

#[test]
fn one_wrong_item_of_many_is_found() {
    let items: Vec<Value> = (0..1_000_000)
        .map(|n| json!(n))
        .chain([json!("x")])
        .collect();
    let schema = json!({ "items": { "type": "integer" } });
    for schema in [full(schema.clone()), basic(schema)] {
        assert_eq!(
            quickly(|| text(&schema, json!(items))),
            "Invalid arguments at /1000000: value is not one of the declared JSON types"
        );
    }
}

#[test]
fn an_explanation_too_dear_is_cut_short() {
    let branch = json!({ "type": "object", "properties": { "a": { "$ref": "#" } }, "allOf": [{ "required": ["z"] }] });
    let schema = full(json!({ "anyOf": [branch, branch, { "type": "integer" }] }));
    let value = (0..100).fold(json!("x"), |inner, _| json!({ "a": inner, "z": 1 }));
    let violations = quickly(|| schema.check(&value).unwrap_err());
    assert!(violations.list().is_empty());
    assert_eq!(
        violations.arguments_text(),
        "the arguments do not match their schema"
    );
    assert_eq!(
        violations.output_text(),
        "the tool's output does not match its output schema"
    );
}

#[test]
fn what_was_found_before_it_was_cut_short_is_told() {
    let branch = json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/dear" } }, "allOf": [{ "required": ["z"] }] });
    let schema = full(json!({
        "properties": { "first": { "type": "string" }, "then": { "$ref": "#/$defs/dear" } },
        "$defs": { "dear": { "anyOf": [branch, branch, { "type": "integer" }] } },
    }));
    let dear = (0..100).fold(json!("x"), |inner, _| json!({ "a": inner, "z": 1 }));
    assert_eq!(
        quickly(|| text(&schema, json!({ "first": 1, "then": dear }))),
        "Invalid arguments at /first: value is not one of the declared JSON types\n\
         and perhaps more: the value is too large to look further"
    );
}

#[test]
fn odd_names_do_no_harm() {
    full(json!({
        "$id": "HTTPS://EXAMPLE.com:443/%7Ea/../b?x#",
        "properties": { "": { "$ref": "#/properties/~0~1" }, "~/": {}, "\u{0}": {}, "__proto__": {} },
        "$defs": { "": { "$id": "?q" }, "b": { "$id": "//[::1]/" } },
    }));
    for id in ["::", "http://", "http://[", "\u{0}", " ", "http://a b/"] {
        // Refused or not, it ends.
        let _ = compile(
            json!({ "$id": id, "$ref": "#/$defs/a", "$defs": { "a": {} } }),
            Validation::Full,
        );
    }
}

#[test]
fn defaults_fit_the_stack_too() {
    let mut defs = Map::new();
    for link in 0..100 {
        let next = json!({ "$ref": format!("#/$defs/a{}", link + 1) });
        defs.insert(format!("a{link}"), next);
    }
    let deep = (0..50).fold(json!({}), |inner, _| json!({ "x": inner }));
    let x = json!({ "$ref": "#/$defs/a0", "default": deep });
    defs.insert(
        "a100".to_owned(),
        json!({ "properties": { "x": x, "y": { "default": 1 } } }),
    );
    let message = refused_as_too_large(json!({ "$ref": "#/$defs/a0", "$defs": defs }));
    assert!(message.contains("nest too deep"), "{message}");
    defs["a100"]["properties"]["x"]["default"] = json!({ "x": {} });
    let schema = full(json!({ "$ref": "#/$defs/a0", "$defs": defs }));
    let mut shallow = Map::new();
    assert!(schema.apply_defaults(&mut shallow).is_ok());
    assert_eq!(shallow["x"]["y"], json!(1));
    let deep = (0..200).fold(json!({}), |inner, _| json!({ "x": inner }));
    let mut deep = deep.as_object().cloned().unwrap();
    assert!(schema.apply_defaults(&mut deep).is_err());
}
