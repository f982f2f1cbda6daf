//! Output schemas: a success is structured and fits, an error is text.

use super::{failure, refused, result, served};
use serde_json::json;

const TOOLS: &str = r#"
[[tool]]
name = "sum"
input_schema = { type = "object", properties = { total = true, unit = true } }
result.structured = { total = "{{ args.total }}", unit = "{{ args.unit }}" }
result.error = "{{ 'no unit' if args.unit == 'none' }}"
[tool.returns]
total = { type = "number", required = true, minimum = 0 }
unit = { type = "string", enum = ["kg", "m"] }

[[tool]]
name = "list"
input_schema = { type = "object", properties = { value = true } }
result.structured = "{{ args.value }}"
output_schema = { type = "array", items = { type = "integer" } }

[[tool]]
name = "maybe"
input_schema = { type = "object", properties = { value = true } }
result.structured = "{{ args.value }}"
output_schema = {}

[[tool]]
name = "shell"
arguments.text = { type = "string" }
shell = { command = ["printf", "%s", "{{ args.text }}"], parse = "json" }
output_schema = { type = "object", required = ["a"] }
"#;

#[test]
fn a_success_is_structured_and_has_the_same_json_as_text() {
    let mut both = served(TOOLS);
    for (tool, arguments, structured) in [
        (
            "sum",
            json!({ "total": 2.5, "unit": "kg" }),
            json!({ "total": 2.5, "unit": "kg" }),
        ),
        ("sum", json!({ "total": 0 }), json!({ "total": 0 })),
        ("list", json!({ "value": [] }), json!([])),
        ("list", json!({ "value": [1, 2] }), json!([1, 2])),
        ("maybe", json!({ "value": null }), json!(null)),
        ("maybe", json!({ "value": "x" }), json!("x")),
        (
            "shell",
            json!({ "text": "{\"a\":[1,{}]}" }),
            json!({ "a": [1, {}] }),
        ),
    ] {
        let result = result(&mut both, tool, arguments.clone());
        assert_eq!(result["isError"], false, "{tool} {arguments}: {result}");
        assert_eq!(
            result.get("structuredContent"),
            Some(&structured),
            "{tool} {arguments}"
        );
        let text = result["content"][0]["text"].as_str().unwrap();
        let parsed: serde_json::Value = serde_json::from_str(text).unwrap();
        assert_eq!(parsed, structured, "{tool} {arguments}");
    }
}

#[test]
fn output_that_breaks_the_schema_is_an_error_that_names_the_rule_and_not_the_value() {
    let mut both = served(TOOLS);
    for (tool, arguments, says) in [
        ("sum", json!({ "total": -7654 }), " at /total: "),
        ("sum", json!({ "total": "7654" }), " at /total: "),
        ("sum", json!({ "total": 1, "unit": "7654" }), " at /unit: "),
        (
            "sum",
            json!({ "unit": "kg" }),
            ": missing required property: total",
        ),
        ("list", json!({ "value": ["7654"] }), " at /0: "),
        ("list", json!({ "value": { "7654": 1 } }), " at /: "),
        (
            "shell",
            json!({ "text": "{\"b\":7654}" }),
            ": missing required property: a",
        ),
        ("shell", json!({ "text": "[7654]" }), " at /: "),
    ] {
        let said = failure(&mut both, tool, arguments.clone());
        let start = "the tool's output does not match its output schema";
        assert!(
            said.starts_with(start) && said.contains(says),
            "{tool} {arguments}: {said}"
        );
        assert!(!said.contains("7654"), "{tool} {arguments}: {said}");
    }
}

#[test]
fn a_failing_tool_is_an_error_without_structured_content() {
    let mut both = served(TOOLS);
    assert_eq!(
        failure(&mut both, "sum", json!({ "total": 1, "unit": "none" })),
        "no unit"
    );
    let said = failure(&mut both, "shell", json!({ "text": "no json" }));
    assert!(said.starts_with("the output is not JSON"), "{said}");
}

#[test]
fn an_absent_value_is_no_structured_content() {
    let mut both = served(TOOLS);
    let said = failure(&mut both, "maybe", json!({}));
    assert!(said.contains("has no structured content"), "{said}");
}

#[test]
fn a_tool_that_can_never_fit_its_output_schema_is_refused_when_loaded() {
    for tool in [
        "result.text = \"x\"",
        "result.content = []",
        "result.metadata = { a = 1 }\nshell = { command = [\"true\"] }",
        "shell = { command = [\"true\"] }",
        "shell = { command = [\"true\"], parse = \"image/png\" }",
        "file = { path = \"a.toml\" }",
    ] {
        let manifest =
            format!("[[tool]]\nname = \"t\"\noutput_schema = {{ type = \"object\" }}\n{tool}\n");
        let said = refused(&manifest);
        assert!(said.contains("structured"), "{tool}: {said}");
        assert!(said.contains("a.toml:3:1"), "{tool}: {said}");
    }
}

#[test]
fn without_an_output_schema_structured_content_may_be_anything() {
    let mut both = served(
        r#"
        [[tool]]
        name = "t"
        result.structured = "{{ args.v }}"
        [tool.input_schema]
        type = "object"
        properties.v = true
        "#,
    );
    for value in [
        json!(1),
        json!(null),
        json!("x"),
        json!([]),
        json!({}),
        json!(true),
        json!(1.5),
    ] {
        let result = result(&mut both, "t", json!({ "v": value }));
        assert_eq!(result.get("structuredContent"), Some(&value));
        assert_eq!(
            result["content"],
            json!([{ "type": "text", "text": value.to_string() }])
        );
    }
}
