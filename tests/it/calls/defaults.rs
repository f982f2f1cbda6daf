//! Declared defaults are filled in for what is absent, and never over what is given.

use super::{failure, result, served};
use serde_json::json;

const SEARCH: &str = r#"
[[tool]]
name = "search"
result.structured = "{{ args }}"

[tool.arguments.query]
type = "string"
required = true

[tool.arguments.page]
type = "integer"
default = 1

[tool.arguments.tags]
type = "array"
items = "string"
default = ["a", "b"]

[tool.arguments.filter]
type = "object"
arguments.deep = { type = "boolean", default = true }
arguments.name = { type = "string" }

[tool.arguments.lines]
type = "array"
items = "object"
arguments.quantity = { type = "integer", default = 7 }
"#;

#[test]
fn defaults_fill_what_is_absent_at_every_level_that_is_present() {
    let mut both = served(SEARCH);
    for (sent, seen) in [
        (
            json!({ "query": "x" }),
            json!({ "query": "x", "page": 1, "tags": ["a", "b"] }),
        ),
        (
            json!({ "query": "x", "page": 5, "tags": [] }),
            json!({ "query": "x", "page": 5, "tags": [] }),
        ),
        (
            json!({ "query": "x", "tags": [], "filter": {}, "lines": [{}, { "quantity": 1 }] }),
            json!({
                "query": "x",
                "page": 1,
                "tags": [],
                "filter": { "deep": true },
                "lines": [{ "quantity": 7 }, { "quantity": 1 }],
            }),
        ),
        (
            json!({ "query": "x", "tags": [], "filter": { "deep": false } }),
            json!({ "query": "x", "page": 1, "tags": [], "filter": { "deep": false } }),
        ),
    ] {
        let result = result(&mut both, "search", sent.clone());
        assert_eq!(result["structuredContent"], seen, "{sent}");
    }
}

#[test]
fn a_given_null_is_not_absent() {
    let mut both = served(SEARCH);
    failure(&mut both, "search", json!({ "query": "x", "page": null }));
}

#[test]
fn a_default_does_not_stand_in_for_a_required_argument() {
    let mut both = served(
        r#"
        [[tool]]
        name = "t"
        result.structured = "{{ args }}"
        arguments.a = { type = "string", required = true, default = "x" }
        "#,
    );
    assert_eq!(
        failure(&mut both, "t", json!({})),
        "Missing required arguments: a"
    );
}
