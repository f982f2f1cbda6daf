//! The examples: the search tool, the order tool, the version tool, and each row of the table of
//! results and of the table of validators.

use crate::support::{Both, Project, call, list, text_of};
use serde_json::{Value, json};

const SEARCH: &str = r#"
[[tool]]
name = "search"
title = "Search packages"
description = "Search packages"
icons = [{ src = "https://example.com/search.png", mime_type = "image/png" }]
metadata = { "com.example/search" = { category = "catalog" } }
additional_properties = false

[tool.arguments.query]
type = "string"
required = true
min_length = 1

[tool.arguments.page]
type = "integer"
minimum = 1

[tool.arguments.sort]
type = "string"
enum = ["name", "downloads"]

[tool.arguments.tags]
type = "array"
items = "string"
unique_items = true

[tool.result]
text = "searching for {{ args.query }} on page {{ args.page or 1 }}"
"#;

const ORDER: &str = r#"
[[tool]]
name = "order"
description = "Place an order"

[tool.arguments.customer]
type = "object"
required = true
arguments.id = { type = "string", required = true }
arguments.email = { type = "string" }

[tool.arguments.lines]
type = "array"
items = "object"
required = true
min_items = 1
additional_properties = false
arguments.sku = { type = "string", required = true }
arguments.quantity = { type = "integer", required = true, minimum = 1 }

[tool.returns.order_id]
type = "string"
required = true

[tool.returns.total]
type = "number"
required = true

[tool.result]
structured = { order_id = "o-1", total = 12.5 }
"#;

const VERSION: &str = r#"
[[tool]]
name = "version"
description = "Latest version of a package"
input_schema = '{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}'
output_schema = '{"type":"object","properties":{"version":{"type":"string"}}}'
result.structured = { version = "1.2.3" }
"#;

fn failure(both: &mut Both, tool: &str, arguments: Value) -> String {
    let answer = both.ask(&call(1, tool, arguments));
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    text_of(&answer)
}

#[test]
fn the_search_tool() {
    let mut both = Both::of(Project::with(SEARCH));
    let tool = both.ask(&list(1))["result"]["tools"][0].clone();
    let expected = json!({
        "name": "search",
        "title": "Search packages",
        "icons": [{ "src": "https://example.com/search.png", "mimeType": "image/png" }],
        "description": "Search packages",
        "inputSchema": {
            "type": "object",
            "properties": {
                "query": { "type": "string", "minLength": 1 },
                "page": { "type": "integer", "minimum": 1 },
                "sort": { "type": "string", "enum": ["name", "downloads"] },
                "tags": { "type": "array", "items": { "type": "string" }, "uniqueItems": true },
            },
            "required": ["query"],
            "additionalProperties": false,
        },
        "_meta": { "com.example/search": { "category": "catalog" } },
    });
    assert_eq!(tool, expected);
    let answer = both.ask(&call(1, "search", json!({ "query": "json" })));
    assert_eq!(text_of(&answer), "searching for json on page 1");
    let answer = both.ask(&call(1, "search", json!({ "query": "json", "page": 3 })));
    assert_eq!(text_of(&answer), "searching for json on page 3");
    assert_eq!(
        failure(&mut both, "search", json!({})),
        "Missing required arguments: query"
    );
    for (arguments, place) in [
        (json!({ "query": "x", "page": "two" }), "/page"),
        (json!({ "query": "" }), "/query"),
        (json!({ "query": "x", "sort": "size" }), "/sort"),
        (json!({ "query": "x", "tags": ["a", "a"] }), "/tags"),
        (json!({ "query": "x", "tags": ["a", 1] }), "/tags/1"),
    ] {
        let text = failure(&mut both, "search", arguments);
        assert!(
            text.starts_with(&format!("Invalid arguments at {place}: ")),
            "{text}"
        );
    }
    let text = failure(
        &mut both,
        "search",
        json!({ "query": "x", "colour": "hush" }),
    );
    assert!(text.contains("colour") && !text.contains("hush"), "{text}");
    // Every violation, and never a value.
    let text = failure(
        &mut both,
        "search",
        json!({ "query": "", "page": 0, "sort": "hush" }),
    );
    for place in ["/query", "/page", "/sort"] {
        assert!(text.contains(place), "{text}");
    }
    assert!(!text.contains("hush"), "{text}");
}

#[test]
fn the_order_tool() {
    let mut both = Both::of(Project::with(ORDER));
    let tool = both.ask(&list(1))["result"]["tools"][0].clone();
    assert_eq!(
        tool["inputSchema"],
        json!({
            "type": "object",
            "properties": {
                "customer": {
                    "type": "object",
                    "properties": { "id": { "type": "string" }, "email": { "type": "string" } },
                    "required": ["id"],
                },
                "lines": {
                    "type": "array",
                    "minItems": 1,
                    "items": {
                        "type": "object",
                        "properties": {
                            "sku": { "type": "string" },
                            "quantity": { "type": "integer", "minimum": 1 },
                        },
                        "required": ["sku", "quantity"],
                        "additionalProperties": false,
                    },
                },
            },
            "required": ["customer", "lines"],
        })
    );
    assert_eq!(
        tool["outputSchema"],
        json!({
            "type": "object",
            "properties": { "order_id": { "type": "string" }, "total": { "type": "number" } },
            "required": ["order_id", "total"],
        })
    );
    let good = json!({ "customer": { "id": "c" }, "lines": [{ "sku": "s", "quantity": 2 }] });
    let answer = both.ask(&call(1, "order", good));
    let structured = json!({ "order_id": "o-1", "total": 12.5 });
    assert_eq!(answer["result"]["structuredContent"], structured);
    assert_eq!(
        serde_json::from_str::<Value>(&text_of(&answer)).unwrap(),
        structured
    );
    for (arguments, place) in [
        (
            json!({ "customer": {}, "lines": [{ "sku": "s", "quantity": 1 }] }),
            "/customer",
        ),
        (json!({ "customer": { "id": "c" }, "lines": [] }), "/lines"),
        (
            json!({ "customer": { "id": "c" }, "lines": [{ "sku": "s" }] }),
            "/lines/0",
        ),
        (
            json!({ "customer": { "id": "c" }, "lines": [{ "sku": "s", "quantity": 0 }] }),
            "/lines/0/quantity",
        ),
        (
            json!({ "customer": { "id": "c" }, "lines": [{ "sku": "s", "quantity": 1, "x": 1 }] }),
            "/lines/0",
        ),
    ] {
        let text = failure(&mut both, "order", arguments);
        assert!(text.contains(place), "{place}: {text}");
    }
}

#[test]
fn the_version_tool_keeps_its_schemas_word_for_word() {
    let mut both = Both::of(Project::with(VERSION));
    let listed = both.daemon.post(&list(1)).text();
    for schema in [
        r#""inputSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}"#,
        r#""outputSchema":{"type":"object","properties":{"version":{"type":"string"}}}"#,
    ] {
        assert!(listed.contains(schema), "{listed}");
    }
    let answer = both.ask(&call(1, "version", json!({ "name": "x" })));
    assert_eq!(
        answer["result"]["structuredContent"],
        json!({ "version": "1.2.3" })
    );
}

#[test]
fn each_row_of_the_table_of_results() {
    let mut both = Both::of(Project::with(
        r#"
[[tool]]
name = "text"
result.text = "a text"

[[tool]]
name = "value"
result.structured = [1, "two", { three = 3 }]

[[tool]]
name = "with_metadata"
result = { text = "a text", metadata = { "com.example/took" = 5 } }

[[tool]]
name = "blocks"
result.content = [
    { type = "image", data = "aGk=", mime_type = "image/png" },
    { type = "audio", data = "aGk=", mime_type = "audio/wav" },
    { type = "resource", uri = "x:y", text = "t" },
]

[[tool]]
name = "failed"
result.error = "hex.pm returned 503"

[[tool]]
name = "failing"
shell = { command = ["sh", "-c", "echo why >&2; exit 7"] }

[[tool]]
name = "wrong"
result.protocol_error = { code = -32602, message = "never to be sent", data = { a = 1 } }
"#,
    ));
    let mut result = |tool: &str| both.ask(&call(1, tool, json!({})));
    assert_eq!(
        result("text")["result"]["content"],
        json!([{ "type": "text", "text": "a text" }])
    );
    let value = json!([1, "two", { "three": 3 }]);
    assert_eq!(result("value")["result"]["structuredContent"], value);
    let with_metadata = result("with_metadata");
    assert_eq!(with_metadata["result"]["_meta"]["com.example/took"], 5);
    assert_eq!(text_of(&with_metadata), "a text");
    let blocks = result("blocks")["result"]["content"].clone();
    let kinds: Vec<&Value> = blocks
        .as_array()
        .unwrap()
        .iter()
        .map(|block| &block["type"])
        .collect();
    assert_eq!(kinds, ["image", "audio", "resource"]);
    let failed = result("failed");
    assert_eq!(
        (text_of(&failed), &failed["result"]["isError"]),
        ("hex.pm returned 503".into(), &json!(true))
    );
    let failing = result("failing");
    assert_eq!(failing["result"]["isError"], true);
    assert!(text_of(&failing).contains('7') && text_of(&failing).contains("why"));
    let error = json!({ "code": -32602, "message": "never to be sent", "data": { "a": 1 } });
    assert_eq!(result("wrong")["error"], error);
}

#[test]
fn each_row_of_the_table_of_validators() {
    let tool = r#"
[[tool]]
name = "t"
input_schema = '{"type":"object","properties":{"n":{"type":"integer","minimum":1},"one":{"oneOf":[{"type":"string"},{"type":"null"}]}},"required":["n"]}'
result.text = "went on"
"#;
    let wrong_type = json!({ "n": "x" });
    let too_small = json!({ "n": 0 });
    let not_one = json!({ "n": 1, "one": 5 });
    for (validation, checked) in [
        ("full", vec![&wrong_type, &too_small, &not_one]),
        ("basic", vec![&wrong_type, &too_small]),
        ("none", vec![]),
    ] {
        let project = Project::with(tool).set(&format!("server.validation=\"{validation}\""));
        let mut both = Both::of(project);
        for arguments in [&wrong_type, &too_small, &not_one] {
            let answer = both.ask(&call(1, "t", arguments.clone()));
            let refused = checked.contains(&arguments);
            assert_eq!(
                answer["result"]["isError"], refused,
                "{validation} {arguments}: {answer}"
            );
        }
        // The root's `required` is always checked.
        assert_eq!(
            failure(&mut both, "t", json!({})),
            "Missing required arguments: n"
        );
    }
}
