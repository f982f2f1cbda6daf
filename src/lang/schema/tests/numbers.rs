//! Bounds of numbers, counts, and what an integer is.

use super::{basic, full};
use serde_json::{Value, json};

#[test]
fn each_type_allows_its_own_values() {
    let values = [
        ("null", json!(null)),
        ("boolean", json!(true)),
        ("integer", json!(7)),
        ("number", json!(0.5)),
        ("string", json!("x")),
        ("array", json!([])),
        ("object", json!({})),
    ];
    let all: Vec<&str> = values.iter().map(|(name, _)| *name).collect();
    for name in &all {
        let others: Vec<&&str> = all.iter().filter(|other| *other != name).collect();
        for (types, is_listed) in [(json!(name), true), (json!(others), false)] {
            for (of, value) in &values {
                // Every integer is a number.
                let is_of = |name: &str| name == *of || (name, *of) == ("number", "integer");
                let is_valid = match is_listed {
                    true => is_of(name),
                    false => others.iter().any(|other| is_of(other)),
                };
                assert_type(&types, value, is_valid);
            }
        }
    }
}

fn assert_type(types: &Value, value: &Value, is_valid: bool) {
    for schema in [
        full(json!({ "type": types })),
        basic(json!({ "type": types })),
    ] {
        assert_eq!(schema.check(value).is_ok(), is_valid, "{types} {value}");
        let explained = schema.explain_for_tests(value);
        assert_eq!(explained.list().is_empty(), is_valid, "{types} {value}");
    }
}

#[test]
fn bounds_of_numbers_are_exact_at_the_ends_of_their_types() {
    let two_to_64 = 18_446_744_073_709_551_616.0;
    for (keyword, bound, value, is_valid) in [
        ("minimum", json!(two_to_64), json!(u64::MAX), false),
        ("maximum", json!(two_to_64), json!(u64::MAX), true),
        ("minimum", json!(-two_to_64), json!(i64::MIN), true),
        ("maximum", json!(-two_to_64), json!(i64::MIN), false),
        ("minimum", json!(u64::MAX), json!(two_to_64), true),
        ("minimum", json!(1.5), json!(1), false),
        ("minimum", json!(1.5), json!(2), true),
        ("minimum", json!(-1.5), json!(-1), true),
        ("minimum", json!(-1.5), json!(-2), false),
        ("maximum", json!(1.5), json!(1), true),
        ("maximum", json!(-1.5), json!(-1), false),
        ("exclusiveMinimum", json!(2.0), json!(2), false),
        ("exclusiveMinimum", json!(2), json!(2.5), true),
        ("exclusiveMaximum", json!(2), json!(2.0), false),
        ("exclusiveMaximum", json!(2.5), json!(2.5), false),
        ("exclusiveMaximum", json!(2.5), json!(2.25), true),
        ("exclusiveMaximum", json!(2), json!(1), true),
        ("multipleOf", json!(0.5), json!(1.5), true),
        ("multipleOf", json!(3), json!(6), true),
        ("multipleOf", json!(3), json!(7), false),
        ("maximum", json!(2.5), json!(2.5), true),
        ("maximum", json!(2.5), json!(2.75), false),
    ] {
        for schema in [
            full(json!({ keyword: bound })),
            basic(json!({ keyword: bound })),
        ] {
            let found = schema.check(&value).is_ok();
            assert_eq!(found, is_valid, "{keyword} {bound}: {value}");
            let explained = schema.explain_for_tests(&value);
            assert_eq!(
                explained.list().is_empty(),
                is_valid,
                "{keyword} {bound}: {value}"
            );
        }
    }
}

#[test]
fn counts_are_whole_however_they_are_written() {
    for (count, is_valid) in [(json!(2), true), (json!(2.0), true), (json!(1.0), false)] {
        for schema in [
            full(json!({ "maxItems": count })),
            basic(json!({ "maxItems": count })),
        ] {
            assert_eq!(schema.check(&json!([1, 2])).is_ok(), is_valid, "{count}");
            let explained = schema.explain_for_tests(&json!([1, 2]));
            assert_eq!(explained.list().is_empty(), is_valid, "{count}");
        }
    }
}

#[test]
fn integers_and_numbers_are_mathematical() {
    for schema in [
        full(json!({ "type": "integer", "maximum": 9_007_199_254_740_993_u64 })),
        basic(json!({ "type": "integer", "maximum": 9_007_199_254_740_993_u64 })),
    ] {
        assert!(schema.check(&json!(1.0)).is_ok());
        assert!(schema.check(&json!(-3)).is_ok());
        assert!(schema.check(&json!(1.5)).is_err());
        assert!(schema.check(&json!(9_007_199_254_740_993_u64)).is_ok());
        assert!(schema.check(&json!(9_007_199_254_740_994_u64)).is_err());
        assert!(schema.check(&json!(9_007_199_254_740_994.0)).is_err());
        assert!(schema.check(&json!(9_007_199_254_740_992.0)).is_ok());
        assert!(schema.check(&json!(1e300)).is_err());
        assert!(schema.check(&json!(-1e300)).is_ok());
        assert!(schema.check(&json!(u64::MAX)).is_err());
    }
    for schema in [
        full(json!({ "enum": [1, { "a": [2.0] }] })),
        basic(json!({ "enum": [1, { "a": [2.0] }] })),
    ] {
        assert!(schema.check(&json!(1.0)).is_ok());
        assert!(schema.check(&json!({ "a": [2] })).is_ok());
        assert!(schema.check(&json!({ "a": [2, 3] })).is_err());
        assert!(schema.check(&json!("1")).is_err());
    }
}

#[test]
fn sizes_may_be_just_what_they_must() {
    let of = |count: usize| -> Value { (0..count).map(|n| (n.to_string(), json!(n))).collect() };
    let list = |count: usize| json!(vec!["x"; count]);
    let text = |count: usize| json!("é".repeat(count));
    for (schema, sized, is_basic) in [
        (
            json!({ "minLength": 2, "maxLength": 3 }),
            &text as &dyn Fn(usize) -> Value,
            true,
        ),
        (json!({ "minItems": 2, "maxItems": 3 }), &list, true),
        (json!({ "minProperties": 2, "maxProperties": 3 }), &of, true),
        (
            json!({ "contains": { "type": "string" }, "minContains": 2, "maxContains": 3 }),
            &list,
            false,
        ),
    ] {
        let both = [full(schema.clone()), basic(schema.clone())];
        for compiled in both.iter().take(if is_basic { 2 } else { 1 }) {
            for (size, is_valid) in [(1, false), (2, true), (3, true), (4, false)] {
                let value = sized(size);
                assert_eq!(compiled.check(&value).is_ok(), is_valid, "{schema} {value}");
                let explained = compiled.explain_for_tests(&value);
                assert_eq!(explained.list().is_empty(), is_valid, "{schema} {value}");
            }
        }
    }
}
