//! What callers and operators are told of values that break a schema.

use super::{basic, full, text};
use crate::lang::schema::Schema;
use serde_json::{Value, json};

/// A schema, a value, and the whole text for arguments. All of it is basic.
fn basic_cases() -> Vec<(Value, Value, &'static str)> {
    vec![
        (
            json!({ "properties": { "page": { "type": "integer" } } }),
            json!({ "page": "two" }),
            "Invalid arguments at /page: value is not one of the declared JSON types",
        ),
        (
            json!({ "properties": { "n": { "type": ["integer", "null"] } } }),
            json!({ "n": 1.5 }),
            "Invalid arguments at /n: value is not one of the declared JSON types",
        ),
        (
            json!({ "required": ["query", "page"] }),
            json!({}),
            "Missing required arguments: query, page",
        ),
        (
            json!({ "properties": { "customer": { "required": ["id"] } } }),
            json!({ "customer": {} }),
            "Invalid arguments at /customer: missing required property: id",
        ),
        (
            json!({ "properties": { "customer": { "required": ["id", "email"] } } }),
            json!({ "customer": {} }),
            "Invalid arguments at /customer: missing required properties: id, email",
        ),
        (
            json!({ "properties": { "sort": { "enum": ["name", "downloads", 3] } } }),
            json!({ "sort": "date" }),
            "Invalid arguments at /sort: value is not one of \"name\", \"downloads\", 3",
        ),
        (
            json!({ "properties": { "kind": { "const": "a" } } }),
            json!({ "kind": "b" }),
            "Invalid arguments at /kind: value is not \"a\", the only one allowed",
        ),
        (
            json!({ "properties": { "q": { "minLength": 3 } } }),
            json!({ "q": "éé" }),
            "Invalid arguments at /q: value is shorter than 3 characters",
        ),
        (
            json!({ "properties": { "q": { "maxLength": 1 } } }),
            json!({ "q": "abc" }),
            "Invalid arguments at /q: value is longer than 1 character",
        ),
        (
            json!({ "properties": { "q": { "pattern": "^[a-z]+$" } } }),
            json!({ "q": "ABC" }),
            "Invalid arguments at /q: value does not match the pattern `^[a-z]+$`",
        ),
        (
            json!({ "properties": { "q": { "format": "email" } } }),
            json!({ "q": "nobody" }),
            "Invalid arguments at /q: value is not in the format `email`",
        ),
        (
            json!({ "properties": { "n": { "minimum": 1, "maximum": 5 } } }),
            json!({ "n": 0 }),
            "Invalid arguments at /n: value is less than 1",
        ),
        (
            json!({ "properties": { "n": { "minimum": 1, "maximum": 5 } } }),
            json!({ "n": 5.5 }),
            "Invalid arguments at /n: value is greater than 5",
        ),
        (
            json!({ "properties": { "n": { "exclusiveMinimum": 0 } } }),
            json!({ "n": 0 }),
            "Invalid arguments at /n: value is not greater than 0",
        ),
        (
            json!({ "properties": { "n": { "exclusiveMaximum": 9 } } }),
            json!({ "n": 9.0 }),
            "Invalid arguments at /n: value is not less than 9",
        ),
        (
            json!({ "properties": { "n": { "multipleOf": 0.1 } } }),
            json!({ "n": 0.25 }),
            "Invalid arguments at /n: value is not a multiple of 0.1",
        ),
        (
            json!({ "properties": { "tags": { "minItems": 1 } } }),
            json!({ "tags": [] }),
            "Invalid arguments at /tags: value has fewer than 1 item",
        ),
        (
            json!({ "properties": { "tags": { "maxItems": 2 } } }),
            json!({ "tags": [1, 2, 3] }),
            "Invalid arguments at /tags: value has more than 2 items",
        ),
        (
            json!({ "properties": { "tags": { "uniqueItems": true } } }),
            json!({ "tags": [1, 2, 1.0] }),
            "Invalid arguments at /tags: value has the same item twice",
        ),
        (
            json!({ "properties": { "tags": { "uniqueItems": true, "minItems": 3 } } }),
            json!({ "tags": [1, 2] }),
            "Invalid arguments at /tags: value has fewer than 3 items",
        ),
        (
            json!({ "properties": { "lines": { "items": { "required": ["sku"] } } } }),
            json!({ "lines": [{ "sku": 1 }, {}] }),
            "Invalid arguments at /lines/1: missing required property: sku",
        ),
        (
            json!({ "properties": { "page": {}, "query": {} }, "additionalProperties": false }),
            json!({ "pge": 1 }),
            "Invalid arguments at /pge: property is not declared; did you mean `page`?",
        ),
        (
            json!({ "properties": { "page": {} }, "additionalProperties": false }),
            json!({ "something": 1 }),
            "Invalid arguments at /something: property is not declared",
        ),
        (
            json!({ "additionalProperties": { "type": "string" } }),
            json!({ "a/b~c": 1 }),
            "Invalid arguments at /a~1b~0c: value is not one of the declared JSON types",
        ),
        (
            json!({ "properties": { "never": false } }),
            json!({ "never": 1 }),
            "Invalid arguments at /never: value is not allowed",
        ),
        (
            json!({ "minProperties": 1 }),
            json!({}),
            "Invalid arguments at /: value has fewer than 1 property",
        ),
        (
            json!({ "maxProperties": 2 }),
            json!({ "a": 1, "b": 1, "c": 1 }),
            "Invalid arguments at /: value has more than 2 properties",
        ),
    ]
}

/// The same for keywords outside the basic validator.
fn full_cases() -> Vec<(Value, Value, &'static str)> {
    vec![
        (
            json!({ "anyOf": [{ "required": ["a"] }, { "required": ["b"] }] }),
            json!({}),
            "Invalid arguments at /: value has none of the 2 forms that `anyOf` allows",
        ),
        (
            json!({ "properties": { "id": { "anyOf": [{ "type": "null" }, { "type": "string", "minLength": 2 }] } } }),
            json!({ "id": "x" }),
            "Invalid arguments at /id: value is shorter than 2 characters",
        ),
        (
            json!({ "properties": { "s": { "oneOf": [
                { "properties": { "kind": { "const": "circle" }, "r": { "type": "number" } }, "required": ["kind", "r"] },
                { "properties": { "kind": { "const": "square" }, "w": { "type": "number" } }, "required": ["kind", "w"] },
            ] } } }),
            json!({ "s": { "kind": "square", "w": "wide" } }),
            "Invalid arguments at /s/w: value is not one of the declared JSON types",
        ),
        (
            json!({ "properties": { "n": { "oneOf": [{ "minimum": 1 }, { "minimum": 2 }, { "maximum": 0 }] } } }),
            json!({ "n": 3 }),
            "Invalid arguments at /n: value matches 2 of the 3 forms of `oneOf`, not one",
        ),
        (
            json!({ "anyOf": [false, { "type": "string", "minLength": 2 }] }),
            json!("x"),
            "Invalid arguments at /: value is shorter than 2 characters",
        ),
        (
            json!({ "anyOf": [false, { "type": "string", "minLength": 2 }] }),
            json!(5),
            "Invalid arguments at /: value has none of the 2 forms that `anyOf` allows",
        ),
        (
            json!({ "anyOf": [{ "properties": { "kind": { "enum": ["a", "b"] } } }, { "type": "string" }] }),
            json!({ "kind": "c" }),
            "Invalid arguments at /kind: value is not one of \"a\", \"b\"",
        ),
        (
            json!({ "properties": { "n": { "not": { "const": 3 } } } }),
            json!({ "n": 3 }),
            "Invalid arguments at /n: value is what `not` excludes",
        ),
        (
            json!({ "if": { "required": ["a"] }, "then": { "required": ["b"] }, "else": { "required": ["c"] } }),
            json!({ "a": 1 }),
            "Missing required arguments: b",
        ),
        (
            json!({ "if": { "required": ["a"] }, "then": { "required": ["b"] }, "else": { "required": ["c"] } }),
            json!({}),
            "Missing required arguments: c",
        ),
        (
            json!({ "dependentRequired": { "card": ["name", "cvc"] } }),
            json!({ "card": 1, "name": 1 }),
            "Invalid arguments at /: with `card` it must also have cvc",
        ),
        (
            json!({ "dependentSchemas": { "card": { "properties": { "n": { "maximum": 1 } } } } }),
            json!({ "card": 1, "n": 2 }),
            "Invalid arguments at /n: value is greater than 1",
        ),
        (
            json!({ "propertyNames": { "pattern": "^[a-z]+$" } }),
            json!({ "A": 1 }),
            "Invalid arguments at /A: the property's name is not allowed: value does not match the pattern `^[a-z]+$`",
        ),
        (
            json!({ "properties": { "l": { "contains": { "type": "string" } } } }),
            json!({ "l": [1, 2] }),
            "Invalid arguments at /l: value has fewer than 1 item that `contains` asks for",
        ),
        (
            json!({ "properties": { "l": { "contains": { "type": "string" }, "maxContains": 1 } } }),
            json!({ "l": ["a", "b"] }),
            "Invalid arguments at /l: value has more than 1 item that `contains` asks for",
        ),
        (
            json!({
                "allOf": [{ "properties": { "a": {} } }, { "patternProperties": { "^x": {} } }],
                "anyOf": [{ "properties": { "b": {} }, "required": ["b"] }, { "properties": { "c": {} }, "required": ["c"] }],
                "unevaluatedProperties": false,
            }),
            json!({ "a": 1, "b": 1, "c": 1, "d": 1, "x1": 1 }),
            "Invalid arguments at /d: property is not declared",
        ),
        (
            json!({ "properties": { "l": { "prefixItems": [{}], "contains": { "type": "string" }, "unevaluatedItems": false } } }),
            json!({ "l": [1, "a", 2] }),
            "Invalid arguments at /l/2: value is not allowed",
        ),
        (
            json!({ "allOf": [{ "properties": { "a": { "type": "string" } } }, { "properties": { "a": { "type": "string" } } }] }),
            json!({ "a": 1 }),
            "Invalid arguments at /a: value is not one of the declared JSON types",
        ),
        (
            json!({ "$schema": "http://json-schema.org/draft-07/schema#", "dependencies": { "a": ["b"], "c": { "required": ["d"] } } }),
            json!({ "a": 1, "c": 1 }),
            "Missing required arguments: d\nInvalid arguments at /: with `a` it must also have b",
        ),
        (
            json!({ "$schema": "http://json-schema.org/draft-07/schema#", "properties": { "b": { "contentEncoding": "base64" } } }),
            json!({ "b": "***" }),
            "Invalid arguments at /b: value is not encoded in `base64`",
        ),
    ]
}

#[test]
fn each_rule_has_its_place_and_its_words() {
    for (schema, value, wanted) in basic_cases() {
        for compiled in [full(schema.clone()), basic(schema.clone())] {
            assert_eq!(
                text(&compiled, value.clone()),
                wanted,
                "{schema} {compiled:?}"
            );
        }
    }
    for (schema, value, wanted) in full_cases() {
        let compiled = full(schema.clone());
        assert_eq!(text(&compiled, value.clone()), wanted, "{schema}");
    }
}

fn order() -> Schema {
    full(json!({
        "type": "object",
        "required": ["customer", "lines"],
        "properties": {
            "customer": { "type": "object", "required": ["id"] },
            "lines": { "type": "array", "items": { "type": "object", "properties": { "quantity": { "type": "integer", "minimum": 1 } } } },
        },
    }))
}

#[test]
fn several_violations_are_lines_and_what_is_missing_comes_first() {
    let value = json!({ "lines": [{ "quantity": 0 }, { "quantity": "1" }], "customer": {} });
    assert_eq!(
        text(&order(), value),
        "Invalid arguments at /lines/0/quantity: value is less than 1\n\
         Invalid arguments at /lines/1/quantity: value is not one of the declared JSON types\n\
         Invalid arguments at /customer: missing required property: id"
    );
    assert_eq!(
        text(&order(), json!({ "lines": [{ "quantity": 0 }] })),
        "Missing required arguments: customer\n\
         Invalid arguments at /lines/0/quantity: value is less than 1"
    );
}

#[test]
fn the_first_twenty_are_told_and_the_rest_counted() {
    let value = json!({ "customer": { "id": 1 }, "lines": vec![json!({ "quantity": 0 }); 25] });
    for schema in [order(), basic((**order().json()).clone())] {
        let violations = schema.check(&value).unwrap_err();
        assert_eq!(violations.list().len(), 20);
        assert_eq!(violations.more(), 5);
        let text = violations.arguments_text();
        assert_eq!(text.lines().count(), 21);
        assert!(text.ends_with("\nand 5 more"), "{text}");
    }
}

#[test]
fn outputs_have_their_own_words() {
    let violations = order().check(&json!({ "lines": 5 })).unwrap_err();
    assert_eq!(
        violations.output_text(),
        "the tool's output does not match its output schema at /: missing required property: customer\n\
         the tool's output does not match its output schema at /lines: value is not one of the declared JSON types"
    );
    let violations = full(json!({ "type": "integer" }))
        .check(&json!("x"))
        .unwrap_err();
    assert_eq!(
        violations.output_text(),
        "the tool's output does not match its output schema at /: value is not one of the declared JSON types"
    );
}

#[test]
fn a_value_of_neither_kind_has_plain_words() {
    let value = json!({ "lines": [{ "quantity": 0 }] });
    let violations = order().check(&value).unwrap_err();
    assert_eq!(
        violations.to_string(),
        "the value does not match its schema at /: missing required property: customer\n\
         the value does not match its schema at /lines/0/quantity: value is less than 1"
    );
}

#[test]
fn a_callers_key_is_cut_and_made_harmless() {
    let schema = full(json!({ "additionalProperties": false }));
    let long = "k".repeat(1_000);
    assert_eq!(
        text(&schema, json!({ long: 1 })),
        format!(
            "Invalid arguments at /{}…: property is not declared",
            "k".repeat(64)
        )
    );
    assert_eq!(
        text(&schema, json!({ "a\nb\u{1b}[2J": 1 })),
        "Invalid arguments at /a\\nb\\u{1b}[2J: property is not declared"
    );
}

#[test]
fn long_lists_of_options_are_cut() {
    let options: Vec<u32> = (0..1_000).collect();
    let schema = full(json!({ "enum": options }));
    let text = text(&schema, json!("x"));
    assert!(text.ends_with("18, 19 and 980 more"), "{text}");
}

#[test]
fn options_are_listed_up_to_a_bound_of_number_and_of_text() {
    let told = |options: Vec<String>| {
        let schema = full(json!({ "enum": options }));
        let text = text(&schema, json!(0));
        let more = text.rsplit_once(" and ").map(|(_, more)| more.to_owned());
        more.filter(|more| more.ends_with(" more"))
    };
    let short = |count: usize| (0..count).map(|n| format!("o{n}")).collect::<Vec<_>>();
    assert_eq!(told(short(20)), None);
    assert_eq!(told(short(21)), Some("1 more".into()));
    // With its quotation marks and the comma: 300 characters are taken by two of these.
    let long = |length: usize| ["a", "b", "c"].map(|c| c.repeat(length)).to_vec();
    assert_eq!(told(long(147)), None);
    assert_eq!(told(long(148)), Some("1 more".into()));
}

#[test]
fn a_declared_name_is_meant_by_one_a_slip_away() {
    let of = |c: &str, count: usize| c.repeat(count);
    let wide = |count: usize, end: &str| format!("{}{end}", "𝒳".repeat(count));
    for (key, name, is_meant) in [
        ("abcx".to_owned(), "abcd".to_owned(), true),
        ("abxx".to_owned(), "abcd".to_owned(), false),
        ("abcxx".to_owned(), "abcde".to_owned(), true),
        ("abxxx".to_owned(), "abcde".to_owned(), false),
        // Of 64 characters at the most, and names of four bytes for each.
        (of("k", 64), of("k", 63), true),
        (of("k", 65), of("k", 64), false),
        (wide(64, ""), wide(63, "𝒴"), true),
        (wide(64, ""), wide(64, "a"), false),
    ] {
        let schema = full(json!({ "properties": { &name: {} }, "additionalProperties": false }));
        let told = text(&schema, json!({ &key: 1 }));
        let expected = match is_meant {
            true => format!("property is not declared; did you mean `{name}`?"),
            false => "property is not declared".to_owned(),
        };
        assert!(told.ends_with(&format!(": {expected}")), "{told}");
    }
}

#[test]
fn what_is_told_of_names_and_places_is_bounded() {
    let required = |count: usize| {
        let names: Vec<String> = (0..count).map(|n| format!("n{n}")).collect();
        full(json!({ "required": names }))
    };
    let told = |count: usize| text(&required(count), json!({}));
    assert!(told(50).ends_with("n48, n49"), "{}", told(50));
    assert!(told(51).ends_with("n49 and 1 more"), "{}", told(51));
    let one = full(json!({ "properties": { "a": { "required": ["b"] } } }));
    assert_eq!(
        text(&one, json!({ "a": {} })),
        "Invalid arguments at /a: missing required property: b"
    );
    // A place of 512 characters; keys of 63 and the stroke before each.
    let deep = |length: usize| {
        let key = |at: usize| format!("{}{at}", "k".repeat(62));
        let value = (1..8)
            .rev()
            .fold(json!(0), |inner, at| json!({ key(at): inner }));
        json!({ "k".repeat(length): value })
    };
    let schema = full(json!({ "additionalProperties": { "$ref": "#" }, "type": "object" }));
    let place = |length| {
        let told = text(&schema, deep(length));
        told.strip_prefix("Invalid arguments at ").and_then(|told| {
            let (place, _) = told.split_once(": ")?;
            Some((place.chars().count(), place.ends_with('…')))
        })
    };
    assert_eq!(place(63), Some((512, false)));
    assert_eq!(place(64), Some((513, true)));
}

#[test]
fn formats_are_asserted_where_they_are_known() {
    for (format, good, bad) in [
        ("date-time", "2026-07-28T10:00:00Z", "yesterday"),
        ("date", "2026-07-28", "2026-13-01"),
        ("uri", "https://example.com/", "not a uri"),
        ("ipv4", "127.0.0.1", "127.0.0.256"),
        ("uuid", "9d2c9c1e-0000-4000-8000-000000000000", "9d2c"),
    ] {
        for schema in [
            full(json!({ "format": format })),
            basic(json!({ "format": format })),
        ] {
            assert!(schema.check(&json!(good)).is_ok(), "{format}");
            assert!(schema.explain_for_tests(&json!(good)).list().is_empty());
            assert!(schema.check(&json!(bad)).is_err(), "{format}");
            assert!(schema.check(&json!(5)).is_ok(), "{format}");
        }
    }
    for schema in [
        full(json!({ "format": "phone" })),
        basic(json!({ "format": "phone" })),
    ] {
        assert!(schema.check(&json!("anything")).is_ok());
    }
}
