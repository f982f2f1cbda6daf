//! Regular expressions: the engine, the dialect, the refusals.

use super::{basic, error, full, text};
use crate::lang::schema::{Schema, SchemaErrorKind};
use serde_json::{Value, json};
use std::time::Instant;

fn both(pattern: &str) -> [Schema; 2] {
    [
        full(json!({ "pattern": pattern })),
        basic(json!({ "pattern": pattern })),
    ]
}

fn assert_matches(pattern: &str, yes: &[&str], no: &[&str]) {
    for schema in both(pattern) {
        for text in yes {
            assert!(schema.check(&json!(text)).is_ok(), "{pattern} on {text:?}");
            let told = schema.explain_for_tests(&json!(text));
            assert!(told.list().is_empty(), "{pattern} on {text:?}");
        }
        for text in no {
            assert!(schema.check(&json!(text)).is_err(), "{pattern} on {text:?}");
        }
    }
}

#[test]
fn patterns_mean_what_ecma_262_means() {
    assert_matches("^\\d+$", &["12"], &["١٢", "12\n", ""]);
    assert_matches("^\\w$", &["a", "_"], &["é"]);
    assert_matches("^\\s$", &["\u{feff}", " "], &["a"]);
    assert_matches("^a.c$", &["abc"], &["a\rc", "a\nc"]);
    assert_matches("a\\/b", &["xa/b"], &["a\\/b"]);
    assert_matches("^\\u00e9$", &["é"], &["e"]);
    assert_matches("^[\\w-]+$", &["a-b"], &["a b"]);
    assert_matches("b", &["abc"], &["ac"]);
    assert_matches("^(a|b)$", &["a", "b"], &["ab"]);
    assert_matches("^\\p{Lu}$", &["É"], &["é"]);
}

#[test]
fn look_around_and_backreferences_work() {
    assert_matches("^(?!admin)[a-z]+$", &["user"], &["admin", "administrator"]);
    assert_matches("^(?=.*\\d)(?=.*[a-z]).{4,}$", &["abc1"], &["abcd", "1234"]);
    assert_matches("^(.)\\1$", &["aa"], &["ab"]);
    assert_matches("(?<!a)b", &["b", "cb"], &["ab"]);
}

#[test]
fn one_that_no_engine_takes_is_refused_with_its_reason() {
    for (pattern, reason) in [
        ("(", "unclosed group"),
        ("[z-a]", "invalid character class range"),
        ("a**", ""),
        ("a{2,1}", "invalid repetition count range"),
        ("(?<=a", ""),
        ("\\k<none>", ""),
        ("[[:alpha:]", ""),
    ] {
        for (schema, at) in [
            (
                json!({ "properties": { "a": { "pattern": pattern } } }),
                "/properties/a/pattern".to_owned(),
            ),
            (
                json!({ "patternProperties": { pattern: {} } }),
                format!("/patternProperties/{pattern}"),
            ),
            (
                json!({ "$schema": "http://json-schema.org/draft-07/schema#", "items": { "pattern": pattern } }),
                "/items/pattern".to_owned(),
            ),
        ] {
            let Err(found) = super::compile(schema, crate::lang::schema::Validation::Full) else {
                // Some engines take more than others; then it must run.
                continue;
            };
            assert_eq!(found.len(), 1, "{found:?}");
            assert_eq!(found[0].kind, SchemaErrorKind::Pattern);
            assert_eq!(found[0].pointer, at);
            let wanted = format!("the regular expression `{pattern}` cannot be compiled: {reason}");
            assert!(
                found[0].message.starts_with(&wanted),
                "{}",
                found[0].message
            );
            assert!(!found[0].message.ends_with(": "));
        }
    }
    // Where one engine only misses what the other has, the other knows what is wrong.
    for pattern in ["(?<=a", "(?!a)(", "(a)\\1("] {
        let (_, _, message) = error(json!({ "pattern": pattern }));
        assert!(!message.contains("not supported"), "{message}");
    }
    let (kind, ..) = error(json!({ "pattern": "(" }));
    assert_eq!(kind, SchemaErrorKind::Pattern);
    // Too large to compile.
    let (kind, ..) = error(json!({ "pattern": "((\\w{1000}){1000}){1000}" }));
    assert_eq!(kind, SchemaErrorKind::Pattern);
}

#[test]
fn one_that_only_works_here_is_a_warning() {
    let schema = full(json!({ "properties": { "a": { "pattern": "\\Aabc\\z" } } }));
    let [warning] = schema.warnings() else {
        panic!("{:?}", schema.warnings());
    };
    assert_eq!(warning.kind, SchemaErrorKind::PatternPortability);
    assert_eq!(warning.pointer, "/properties/a/pattern");
    assert!(
        full(json!({ "pattern": "^(?!x)\\d+$" }))
            .warnings()
            .is_empty()
    );
}

#[test]
fn backtracking_is_bounded_and_fails_closed() {
    let attack: Value = json!(["a".repeat(30) + "!"]);
    for pattern in ["^(?=x?)(a|a)*$(?!y)", "^((a+)+)\\1?b$", "(?<!z)(a*)*c\\1"] {
        let schema = full(json!({ "items": { "pattern": pattern } }));
        let start = Instant::now();
        assert_eq!(
            text(&schema, attack.clone()),
            format!("Invalid arguments at /0: value does not match the pattern `{pattern}`")
        );
        // Without a bound this takes minutes.
        assert!(
            start.elapsed().as_secs() < 5,
            "{pattern}: {:?}",
            start.elapsed()
        );
    }
}

#[test]
fn many_expensive_matches_are_bounded_together() {
    let schema = full(json!({ "items": { "pattern": "^(?=x?)(a|a)*$(?!y)" } }));
    let items: Vec<String> = (0..1_000)
        .map(|n| "a".repeat(30) + &n.to_string() + "!")
        .collect();
    let start = Instant::now();
    assert!(schema.check(&json!(items)).is_err());
    assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
}

#[test]
fn pattern_properties_choose_members() {
    for schema in [
        full(
            json!({ "patternProperties": { "^x-": { "type": "integer" } }, "additionalProperties": false }),
        ),
        basic(
            json!({ "patternProperties": { "^x-": { "type": "integer" } }, "additionalProperties": false }),
        ),
    ] {
        assert!(schema.check(&json!({ "x-a": 1 })).is_ok());
        assert_eq!(
            text(&schema, json!({ "x-a": "1", "y": 1 })),
            "Invalid arguments at /x-a: value is not one of the declared JSON types\n\
             Invalid arguments at /y: property is not declared"
        );
    }
}

#[test]
fn matches_that_do_not_end_the_check_are_bounded_too() {
    let items: Vec<String> = (0..1_000)
        .map(|n| "a".repeat(30) + &n.to_string() + "!")
        .collect();
    for schema in [
        full(json!({ "items": { "not": { "pattern": "^(?=x?)(a|a)*$(?!y)" } } })),
        full(json!({ "items": { "anyOf": [{ "pattern": "(?<!z)(a*)*c\\1" }, {}] } })),
        basic(json!({ "items": { "pattern": "(?<!z)(a*)*c\\1" } })),
    ] {
        let start = Instant::now();
        let _ = schema.check(&json!(items));
        assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
    }
}

#[test]
fn look_around_is_right_in_large_values_too() {
    let mut items: Vec<String> = (0..5_000).map(|n| format!("user{n}")).collect();
    let schema = json!({ "items": { "pattern": "^(?!admin)[a-z0-9]+$" } });
    for schema in [full(schema.clone()), basic(schema.clone())] {
        assert!(schema.check(&json!(items)).is_ok());
    }
    items.push("admin".to_owned());
    for schema in [full(schema.clone()), basic(schema)] {
        assert_eq!(
            text(&schema, json!(items)),
            "Invalid arguments at /5000: value does not match the pattern `^(?!admin)[a-z0-9]+$`"
        );
    }
}

#[test]
fn a_match_may_take_its_time_where_strings_are_few() {
    // It takes some thousand steps to find that this one matches: between the two bounds.
    let (slow, quick) = ("aaaaaaaaaaz", "z");
    let pattern = json!({ "pattern": "^(a|a)*(?!y)b|^a*z$" });
    let mut one = pattern.clone();
    one["items"] = pattern.clone();
    one["additionalProperties"] = pattern;
    let schema = json!({ "items": one });
    let few = |count: usize| vec![json!(quick); count];
    let keys = |count: usize| -> Value { (0..count).map(|n| (n.to_string(), json!(n))).collect() };
    for (what, value, is_valid) in [
        ("199 others", json!([few(199), slow]), true),
        ("200 others", json!([few(200), slow]), false),
        ("of two lists", json!([few(100), few(100), slow]), false),
        ("199 keys", json!([keys(199), slow]), true),
        ("200 keys", json!([keys(200), slow]), false),
        ("as a member", json!([keys(198), { "a": slow }]), true),
        (
            "as a member of more",
            json!([keys(198), { "a": slow, "b": 1 }]),
            false,
        ),
    ] {
        for schema in [full(schema.clone()), basic(schema.clone())] {
            assert_eq!(schema.check(&value).is_ok(), is_valid, "{what}");
        }
    }
}
