//! Content blocks of every kind, their annotations, and what becomes of parts that are absent.

use super::{failure, refused, result};
use crate::support::{Both, Project, list};
use serde_json::{Value, json};

fn tool(name: &str, blocks: &str) -> String {
    format!(
        r#"
[[tool]]
name = "{name}"
result.content = [{blocks}]
[tool.input_schema]
type = "object"
properties = {{ a = true, b = true, c = true, d = true }}
"#
    )
}

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0not much of a picture";
const PNG_BASE64: &str = "iVBORw0KGgoAbm90IG11Y2ggb2YgYSBwaWN0dXJl";

#[test]
fn blocks_of_every_kind_are_the_protocols_own() {
    let project = Project::with(&tool(
        "all",
        r#"
        { type = "text", text = "a is {{ args.a }}" },
        { type = "image", data = "AAEC", mime_type = "image/webp", annotations = { audience = ["user"], priority = 0.5 } },
        { type = "image", file = "dot.png" },
        { type = "audio", data = "{{ args.b }}", mime_type = "{{ args.c }}" },
        { type = "audio", file = "beep.bin", mime_type = "audio/x-beep" },
        { type = "resource", uri = "app://{{ args.a }}", text = "{{ args.b }}", mime_type = "text/x-b" },
        { type = "resource", uri = "app://blob", blob = "AAEC" },
        { type = "resource", uri = "app://text", file = "words.txt", annotations = { audience = ["assistant", "user"], priority = 1, last_modified = "2026-01-02T03:04:05Z" } },
        { type = "resource", uri = "app://bytes", file = "dot.png", mime_type = "image/png" },
        { type = "resource_link", uri = "app://x/{{ args.a }}", name = "{{ args.a }}", title = "T", description = "D", mime_type = "text/plain", size = "{{ args.d }}", annotations = { priority = 0 } },
        { type = "resource_link", uri = "app://y", name = "y", size = 12 },
        "#,
    ))
    .file("manifests/dot.png", PNG)
    .file("manifests/beep.bin", [0, 1, 2])
    .file("manifests/words.txt", "wörds\n");
    let mut both = Both::of(project);
    let arguments = json!({ "a": 7, "b": "AAEC", "c": "audio/wav", "d": 3 });
    assert_eq!(
        result(&mut both, "all", arguments)["content"],
        json!([
            { "type": "text", "text": "a is 7" },
            {
                "type": "image", "data": "AAEC", "mimeType": "image/webp",
                "annotations": { "audience": ["user"], "priority": 0.5 },
            },
            { "type": "image", "data": PNG_BASE64, "mimeType": "image/png" },
            { "type": "audio", "data": "AAEC", "mimeType": "audio/wav" },
            { "type": "audio", "data": "AAEC", "mimeType": "audio/x-beep" },
            { "type": "resource", "resource": { "uri": "app://7", "mimeType": "text/x-b", "text": "AAEC" } },
            { "type": "resource", "resource": { "uri": "app://blob", "blob": "AAEC" } },
            {
                "type": "resource",
                "resource": { "uri": "app://text", "mimeType": "text/plain", "text": "wörds\n" },
                "annotations": {
                    "audience": ["assistant", "user"],
                    "priority": 1.0,
                    "lastModified": "2026-01-02T03:04:05Z",
                },
            },
            { "type": "resource", "resource": { "uri": "app://bytes", "mimeType": "image/png", "blob": PNG_BASE64 } },
            {
                "type": "resource_link", "uri": "app://x/7", "name": "7", "title": "T",
                "description": "D", "mimeType": "text/plain", "size": 3, "annotations": { "priority": 0.0 },
            },
            { "type": "resource_link", "uri": "app://y", "name": "y", "size": 12 },
        ])
    );
}

#[test]
fn a_block_whose_content_is_absent_disappears() {
    let mut both = Both::of(Project::with(&tool(
        "t",
        r#"
        { type = "text", text = "first" },
        { type = "text", text = "{{ args.a }}" },
        { type = "image", data = "{{ args.a }}", mime_type = "image/png" },
        { type = "audio", data = "{{ args.a }}", mime_type = "audio/wav" },
        { type = "resource", uri = "app://x", text = "{{ args.a }}" },
        { type = "resource", uri = "app://x", blob = "{{ args.a }}" },
        { type = "resource_link", uri = "{{ args.a }}", name = "x" },
        "#,
    )));
    let first = json!([{ "type": "text", "text": "first" }]);
    assert_eq!(result(&mut both, "t", json!({}))["content"], first);
    let all = result(&mut both, "t", json!({ "a": "AAEC" }))["content"].clone();
    assert_eq!(all.as_array().unwrap().len(), 7, "{all}");
    // No picture, no payload, no link is null; as a text it is a word.
    let null = result(&mut both, "t", json!({ "a": null }))["content"].clone();
    let kinds: Vec<&Value> = null
        .as_array()
        .unwrap()
        .iter()
        .map(|block| &block["type"])
        .collect();
    assert_eq!(kinds, ["text", "text", "resource"], "{null}");
}

#[test]
fn what_describes_a_block_is_left_out_or_is_an_error_that_names_it() {
    let manifest = [
        tool("optional", r#"{ type = "resource", uri = "app://x", text = "t", mime_type = "{{ args.a }}" }, { type = "resource_link", uri = "app://x", name = "x", title = "{{ args.a }}", description = "{{ args.a }}", mime_type = "{{ args.a }}", size = "{{ args.a }}" }"#),
        tool("image", r#"{ type = "image", data = "AAEC", mime_type = "{{ args.a }}" }"#),
        tool("uri", r#"{ type = "resource", uri = "{{ args.a }}", text = "t" }"#),
        tool("name", r#"{ type = "resource_link", uri = "app://x", name = "{{ args.a }}" }"#),
        tool("size", r#"{ type = "resource_link", uri = "app://x", name = "x", size = "{{ args.a }}" }"#),
    ]
    .concat();
    let mut both = Both::of(Project::with(&manifest));
    for arguments in [json!({}), json!({ "a": null })] {
        assert_eq!(
            result(&mut both, "optional", arguments.clone())["content"],
            json!([
                { "type": "resource", "resource": { "uri": "app://x", "text": "t" } },
                { "type": "resource_link", "uri": "app://x", "name": "x" },
            ])
        );
        for (tool, key) in [("image", "mime_type"), ("uri", "uri"), ("name", "name")] {
            assert_eq!(
                failure(&mut both, tool, arguments.clone()),
                format!("cannot make `result.content.{key}`: its value is absent")
            );
        }
    }
    for (given, size) in [
        (json!(5), json!(5)),
        (json!("5"), json!(5)),
        (json!(5.0), json!(5)),
    ] {
        let content = result(&mut both, "size", json!({ "a": given }))["content"].clone();
        assert_eq!(content[0]["size"], size);
        assert!(content[0]["size"].is_u64(), "{content}");
    }
    for given in [
        json!("many"),
        json!(-1),
        json!(1.5),
        json!([1]),
        json!(true),
    ] {
        assert_eq!(
            failure(&mut both, "size", json!({ "a": given })),
            "cannot make `result.content.size`: its value is not a number of bytes"
        );
    }
}

#[test]
fn bytes_are_base64_on_the_wire_or_the_tool_says_so() {
    let manifest = [
        tool(
            "image",
            r#"{ type = "image", data = "{{ args.a }}", mime_type = "image/png" }"#,
        ),
        tool(
            "blob",
            r#"{ type = "resource", uri = "app://x", blob = "{{ args.a }}" }"#,
        ),
    ]
    .concat();
    let mut both = Both::of(Project::with(&manifest));
    // As `base64` prints it: in lines.
    let content = result(&mut both, "image", json!({ "a": "AAEC\nAwQF\r\n" }))["content"].clone();
    assert_eq!(content[0]["data"], "AAECAwQF");
    assert_eq!(
        result(&mut both, "blob", json!({ "a": "" }))["content"][0]["resource"]["blob"],
        ""
    );
    for bad in ["not base64!", "AAE", "AAEC=", "A-_C", "é"] {
        assert_eq!(
            failure(&mut both, "image", json!({ "a": bad })),
            "cannot make `result.content.data`: its value is not Base64"
        );
        assert_eq!(
            failure(&mut both, "blob", json!({ "a": bad })),
            "cannot make `result.content.blob`: its value is not Base64"
        );
    }
}

#[test]
fn blocks_that_cannot_be_right_are_refused_when_loaded() {
    for (block, says) in [
        (r#"{ type = "txt", text = "x" }"#, "did you mean `text`"),
        (r#"{ text = "x" }"#, "`type`"),
        (r#"{ type = "text" }"#, "`text`"),
        (r#"{ type = "text", txet = "x" }"#, "did you mean `text`"),
        (r#"{ type = "text", text = "{{ args.z }}" }"#, "`args.z`"),
        (r#"{ type = "image", data = "AAEC" }"#, "`mime_type`"),
        (r#"{ type = "image", mime_type = "image/png" }"#, "`data`"),
        (
            r#"{ type = "image", data = "no base64!", mime_type = "image/png" }"#,
            "is not base64",
        ),
        (
            r#"{ type = "resource", uri = "app://x", blob = "no base64!" }"#,
            "is not base64",
        ),
        (
            r#"{ type = "image", file = "none.png" }"#,
            "cannot read `none.png`",
        ),
        (r#"{ type = "resource", text = "x" }"#, "`uri`"),
        (
            r#"{ type = "resource", uri = "app://x", text = "x", blob = "AAEC" }"#,
            "exclude each other",
        ),
        (r#"{ type = "resource_link", uri = "app://x" }"#, "`name`"),
        (
            r#"{ type = "resource_link", uri = "app://x", name = "x", size = -1 }"#,
            "`size`",
        ),
        (
            r#"{ type = "text", text = "x", annotations = { priority = 2 } }"#,
            "`priority`",
        ),
        (
            r#"{ type = "text", text = "x", annotations = { audience = ["all"] } }"#,
            "`audience`",
        ),
    ] {
        let said = refused(&tool("t", block));
        assert!(
            said.contains(says) && said.contains("in tool \"t\""),
            "{block}: {said}"
        );
    }
}

#[test]
fn a_tools_declaration_is_shown_whole() {
    let mut both = Both::of(Project::with(
        r#"
        [[tool]]
        name = "t"
        title = "A tool"
        description = "It does things"
        icons = [{ src = "https://example.com/i.png", mime_type = "image/png", sizes = ["48x48"], theme = "dark" }]
        annotations = { title = "Other", read_only = true, destructive = false, idempotent = true, open_world = false }
        metadata = { "com.example/a" = [1, { b = "{{ not a template }}" }] }
        result.text = "x"
        "#,
    ));
    assert_eq!(
        both.ask(&list(1))["result"]["tools"],
        json!([{
            "name": "t",
            "title": "A tool",
            "icons": [{
                "src": "https://example.com/i.png",
                "mimeType": "image/png",
                "sizes": ["48x48"],
                "theme": "dark",
            }],
            "description": "It does things",
            "inputSchema": { "type": "object", "properties": {} },
            "annotations": {
                "title": "Other",
                "readOnlyHint": true,
                "destructiveHint": false,
                "idempotentHint": true,
                "openWorldHint": false,
            },
            "_meta": { "com.example/a": [1, { "b": "{{ not a template }}" }] },
        }])
    );
}
