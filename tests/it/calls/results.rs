//! `result`: how an outcome becomes the answer.

use super::{failure, refused, result, served, text};
use crate::support::{Both, Project, call};
use serde_json::{Value, json};

/// A tool of any arguments whose `result` is this.
fn tool(name: &str, rest: &str) -> String {
    format!(
        "[[tool]]\nname = \"{name}\"\ninput_schema = '{{\"type\":\"object\",\"properties\":{{\"v\":true,\"w\":true}}}}'\n{rest}\n"
    )
}

/// The members of an answer's result that a tool decides.
fn shape(result: &Value) -> Value {
    let mut result = result.clone();
    let members = result.as_object_mut().unwrap();
    assert_eq!(members.remove("resultType"), Some(json!("complete")));
    let meta = members["_meta"].as_object_mut().unwrap();
    assert!(meta.remove("io.modelcontextprotocol/serverInfo").is_some());
    if meta.is_empty() {
        members.remove("_meta");
    }
    result
}

#[test]
fn each_part_of_a_result_makes_its_part_of_the_answer() {
    let manifest = [
        tool("text", "result.text = \"v is {{ args.v }}\""),
        tool("lone", "result.text = \"{{ args.v }}\""),
        tool("structured", "result.structured = { v = \"{{ args.v }}\", w = [\"{{ args.w }}\"] }"),
        tool(
            "both",
            "result.text = \"{{ args.w }}\"\nresult.structured = { v = \"{{ args.v }}\" }",
        ),
        tool(
            "blocks",
            "result.content = [{ type = \"text\", text = \"{{ args.w }}\" }]\nresult.structured = \"{{ args.v }}\"",
        ),
        tool("none", "result.content = []"),
        tool("meta", "result.text = \"x\"\nresult.metadata = { \"com.example/v\" = \"{{ args.v }}\", n = 1 }"),
    ]
    .concat();
    let mut both = served(&manifest);
    let words = |text: &str| json!([{ "type": "text", "text": text }]);
    for (tool, arguments, expected) in [
        (
            "text",
            json!({ "v": 30.0 }),
            json!({ "content": words("v is 30"), "isError": false }),
        ),
        (
            "lone",
            json!({ "v": [1, "a"] }),
            json!({ "content": words("[1,\"a\"]"), "isError": false }),
        ),
        (
            "lone",
            json!({ "v": "" }),
            json!({ "content": words(""), "isError": false }),
        ),
        (
            "structured",
            json!({ "v": true }),
            json!({
                "content": words("{\"v\":true,\"w\":[]}"),
                "structuredContent": { "v": true, "w": [] },
                "isError": false,
            }),
        ),
        (
            "both",
            json!({ "v": 1, "w": "words" }),
            json!({ "content": words("words"), "structuredContent": { "v": 1 }, "isError": false }),
        ),
        (
            "blocks",
            json!({ "v": [1], "w": "words" }),
            json!({ "content": words("words"), "structuredContent": [1], "isError": false }),
        ),
        (
            "none",
            json!({}),
            json!({ "content": [], "isError": false }),
        ),
        (
            "meta",
            json!({ "v": { "a": 1 } }),
            json!({
                "content": words("x"),
                "isError": false,
                "_meta": { "com.example/v": { "a": 1 }, "n": 1 },
            }),
        ),
        (
            "meta",
            json!({}),
            json!({ "content": words("x"), "isError": false, "_meta": { "n": 1 } }),
        ),
    ] {
        let answer = result(&mut both, tool, arguments.clone());
        assert_eq!(shape(&answer), expected, "{tool} {arguments}");
    }
}

#[test]
fn what_is_absent_makes_no_part_of_the_answer() {
    let manifest = [
        tool("text", "result.text = \"{{ args.v }}\""),
        // The manifest says how the answer is made, so the command's own output is not shown.
        tool(
            "shell",
            "shell = { command = [\"echo\", \"raw\"] }\nresult.text = \"{{ args.v }}\"",
        ),
        tool("structured", "result.structured = \"{{ args.v }}\""),
        tool(
            "both",
            "result.text = \"{{ args.w }}\"\nresult.structured = \"{{ args.v }}\"",
        ),
        tool(
            "meta",
            "result.text = \"x\"\nresult.metadata = { a = \"{{ args.v }}\" }",
        ),
    ]
    .concat();
    let mut both = served(&manifest);
    let nothing = json!({ "content": [], "isError": false });
    for tool in ["text", "shell", "structured", "both"] {
        assert_eq!(
            shape(&result(&mut both, tool, json!({}))),
            nothing,
            "{tool}"
        );
    }
    // Without its text the structured content speaks for itself.
    assert_eq!(
        shape(&result(&mut both, "both", json!({ "v": { "a": 1 } }))),
        json!({
            "content": [{ "type": "text", "text": "{\"a\":1}" }],
            "structuredContent": { "a": 1 },
            "isError": false,
        })
    );
    assert_eq!(
        shape(&result(&mut both, "meta", json!({}))),
        json!({ "content": [{ "type": "text", "text": "x" }], "isError": false })
    );
    // A null is there.
    let null = result(&mut both, "structured", json!({ "v": null }));
    assert_eq!(null.get("structuredContent"), Some(&Value::Null));
    assert_eq!(text(&mut both, "text", json!({ "v": null })), "null");
}

#[test]
fn metadata_alone_is_added_to_the_actions_own_answer() {
    let project = Project::with(&tool(
        "t",
        "shell = { command = [\"echo\", \"[1]\"], parse = \"json\" }\nresult.metadata = { code = \"{{ output.exit_code }}\" }",
    ));
    let mut both = Both::of(project);
    assert_eq!(
        shape(&result(&mut both, "t", json!({}))),
        json!({
            "content": [{ "type": "text", "text": "[1]\n" }],
            "structuredContent": [1],
            "isError": false,
            "_meta": { "code": 0 },
        })
    );
}

#[test]
fn metadata_is_a_table_of_keys_that_the_protocol_allows() {
    for (metadata, says) in [
        ("\"{{ args.v }}\"", "a table"),
        ("5", "a table"),
        ("{ \"a b\" = 1 }", "`a b` cannot be a metadata key"),
        ("{ \"io.modelcontextprotocol/serverInfo\" = 1 }", "reserved"),
        ("{ progressToken = 1 }", "reserved"),
        ("{ a = \"{{ args.x }}\" }", "`args.x`"),
    ] {
        let said = refused(&format!(
            "[[tool]]\nname = \"t\"\narguments.v = {{ type = \"string\" }}\nresult.text = \"x\"\nresult.metadata = {metadata}\n"
        ));
        assert!(
            said.contains(says) && said.contains("a.toml:5:"),
            "{metadata}: {said}"
        );
    }
}

#[test]
fn a_result_that_answers_nothing_needs_an_action() {
    for result in ["result = {}", "result.metadata = { a = 1 }"] {
        let said = refused(&format!("[[tool]]\nname = \"t\"\n{result}\n"));
        assert!(
            said.contains("its `result` answers nothing"),
            "{result}: {said}"
        );
    }
}

#[test]
fn text_and_content_exclude_each_other() {
    let said = refused("[[tool]]\nname = \"t\"\n[tool.result]\ntext = \"x\"\ncontent = []\n");
    assert!(
        said.contains("`text` and `content` exclude each other"),
        "{said}"
    );
}

#[test]
fn an_undefined_value_inside_a_text_is_a_tool_error_that_names_it() {
    let manifest = [
        tool("text", "result.text = \"v: {{ args.v }}\""),
        tool(
            "deep",
            "result.structured = { a = [{ b = \"<{{ args.v.w[0] }}>\" }] }",
        ),
        tool(
            "block",
            "result.content = [{ type = \"text\", text = \"{{ args.v }}{{ args.w }}\" }]",
        ),
        tool(
            "meta",
            "result.text = \"x\"\nresult.metadata = { a = \"{{ args.v }}.\" }",
        ),
    ]
    .concat();
    let mut both = served(&manifest);
    for (tool, arguments, says) in [
        (
            "text",
            json!({}),
            "cannot make `result.text`: `args.v` is undefined",
        ),
        (
            "deep",
            json!({ "v": { "w": [] } }),
            "cannot make `result.structured`: `args.v.w[0]` is undefined",
        ),
        (
            "block",
            json!({ "v": 1 }),
            "cannot make `result.content.text`: `args.w` is undefined",
        ),
        (
            "meta",
            json!({}),
            "cannot make `result.metadata`: `args.v` is undefined",
        ),
    ] {
        assert_eq!(failure(&mut both, tool, arguments), says, "{tool}");
    }
}

#[test]
fn the_text_of_structured_content_is_its_json_whatever_it_holds() {
    let mut both = served(&tool("t", "result.structured = \"{{ args.v }}\""));
    let value =
        json!({ "z": ["\u{0}\"\\\u{2028}é", 1e300, 18_446_744_073_709_551_615_u64], "a": null });
    let answer = both.ask(&call(1, "t", json!({ "v": value })));
    let text = crate::support::text_of(&answer);
    assert_eq!(text, value.to_string());
    assert_eq!(
        answer["result"]["structuredContent"].to_string(),
        value.to_string()
    );
}
