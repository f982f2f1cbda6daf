//! `file`: how what is read is given.

use super::{failure, result, text};
use crate::support::Project;
use serde_json::json;
use std::fs;
use std::os::unix::fs::symlink;

#[test]
fn parts_are_asked_for_by_lines_or_bytes() {
    let project = Project::with(
        r#"
        [defaults.file]
        root = "../data"
        path = "a.txt"
        [[tool]]
        name = "lines"
        arguments.from = { type = "integer" }
        arguments.to = { type = "integer" }
        file.lines = "{{ args.from or 1 }}-{{ args.to or '' }}"
        [[tool]]
        name = "range"
        input_schema = { type = "object", properties = { lines = {} } }
        file.lines = "{{ args.lines }}"
        [[tool]]
        name = "bytes"
        arguments.offset = { type = "integer" }
        arguments.length = { type = "integer" }
        file = { offset = "{{ args.offset }}", length = "{{ args.length }}" }
        "#,
    )
    .file("data/a.txt", "alpha\nbeta\r\ngämma");
    let daemon = project.serve();
    for (tool, arguments, expected) in [
        ("lines", json!({}), "alpha\nbeta\r\ngämma"),
        ("lines", json!({ "from": 2, "to": 2 }), "beta\r\n"),
        ("lines", json!({ "from": 3 }), "gämma"),
        ("lines", json!({ "from": 9 }), ""),
        ("range", json!({}), "alpha\nbeta\r\ngämma"),
        ("range", json!({ "lines": 1 }), "alpha\n"),
        ("range", json!({ "lines": "2-" }), "beta\r\ngämma"),
        ("range", json!({ "lines": "-1" }), "alpha\n"),
        ("bytes", json!({}), "alpha\nbeta\r\ngämma"),
        ("bytes", json!({ "offset": 6, "length": 4 }), "beta"),
        ("bytes", json!({ "offset": 12, "length": 2 }), "gä"),
        ("bytes", json!({ "offset": 14 }), "mma"),
        ("bytes", json!({ "length": 0 }), ""),
        ("bytes", json!({ "offset": 1000 }), ""),
    ] {
        assert_eq!(
            text(&daemon, tool, arguments.clone()),
            expected,
            "{tool} {arguments}"
        );
    }
    for (tool, arguments, expected) in [
        (
            "lines",
            json!({ "from": 3, "to": 2 }),
            "the line range `3-2` ends before it begins",
        ),
        (
            "range",
            json!({ "lines": 0 }),
            "lines are counted from 1; there is no line 0",
        ),
        (
            "range",
            json!({ "lines": "a-b" }),
            "`a-b` is not a line range; write `5`, `3-9`, `3-` or `-9`",
        ),
        (
            "bytes",
            json!({ "offset": -1 }),
            "`offset` must be a count of bytes, 0 or more",
        ),
    ] {
        assert_eq!(failure(&daemon, tool, arguments), expected);
    }
}

#[test]
fn bytes_become_text_or_the_block_that_their_type_asks_for() {
    let project = Project::with(
        r#"
        [[tool]]
        name = "read"
        arguments.path = { type = "string", required = true }
        file = { root = "../data", path = "{{ args.path }}" }
        [[tool]]
        name = "as_text"
        arguments.path = { type = "string" }
        file = { root = "../data", path = "{{ args.path }}", encoding = "text" }
        [[tool]]
        name = "as_base64"
        arguments.path = { type = "string" }
        file = { root = "../data", path = "{{ args.path }}", encoding = "base64" }
        "#,
    )
    .file("data/grün.txt", "grün")
    .file("data/latin.txt", b"gr\xfcn")
    .file("data/a.png", b"\x89PNG\r\n\x1a\n\0")
    .file("data/logo", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    .file("data/a.wav", b"RIFF\0\0\0\0WAVE")
    .file("data/sub dir/ü.pdf", b"%PDF\xff")
    .file("data/a.svg", "<svg/>");
    let daemon = project.serve();
    let block = |tool: &str, path: &str| {
        result(&daemon, tool, json!({ "path": path }))["content"][0].clone()
    };
    assert_eq!(
        block("read", "grün.txt"),
        json!({ "type": "text", "text": "grün" })
    );
    assert_eq!(
        block("as_text", "latin.txt"),
        json!({ "type": "text", "text": "gr\u{fffd}n" })
    );
    assert_eq!(
        block("read", "a.svg"),
        json!({ "type": "text", "text": "<svg/>" })
    );
    assert_eq!(
        block("read", "a.png"),
        json!({ "type": "image", "mimeType": "image/png", "data": "iVBORw0KGgoA" })
    );
    assert_eq!(block("read", "logo")["mimeType"], "image/png");
    assert_eq!(block("read", "a.wav")["type"], "audio");
    // Named by its path below the root: where the root is, is not the caller's to know.
    assert_eq!(
        block("read", "sub dir/ü.pdf"),
        json!({ "type": "resource", "resource": {
            "uri": "file:///sub%20dir/%C3%BC.pdf",
            "mimeType": "application/pdf",
            "blob": "JVBERv8="
        } })
    );
    assert_eq!(block("read", "latin.txt")["resource"]["blob"], "Z3L8bg==");
    assert_eq!(
        block("as_base64", "grün.txt")["resource"],
        json!({ "uri": "file:///gr%C3%BCn.txt", "mimeType": "text/plain", "blob": "Z3LDvG4=" })
    );
}

#[test]
fn sizes_are_bounded_and_the_message_says_what_to_do() {
    let project = Project::with(
        r#"
        [[tool]]
        name = "whole"
        file = { root = "../data", path = "a", max_bytes = 5 }
        [[tool]]
        name = "exact"
        file = { root = "../data", path = "a", max_bytes = 6 }
        [[tool]]
        name = "part"
        file = { root = "../data", path = "a", max_bytes = 5, offset = "0", length = "6" }
        [[tool]]
        name = "small_part"
        file = { root = "../data", path = "a", max_bytes = 5, offset = "2", length = "3" }
        "#,
    )
    .file("data/a", "abcdef");
    let daemon = project.serve();
    assert_eq!(
        failure(&daemon, "whole", json!({})),
        "the file is larger than the limit of 5 bytes; ask for a part of it with `lines`, or with `offset` and `length`"
    );
    assert_eq!(text(&daemon, "exact", json!({})), "abcdef");
    assert_eq!(
        failure(&daemon, "part", json!({})),
        "the part asked for is larger than the limit of 5 bytes; ask for a smaller one"
    );
    assert_eq!(text(&daemon, "small_part", json!({})), "cde");
}

#[test]
fn folders_are_listed_only_when_the_manifest_says_so() {
    let project = Project::with(
        r#"
        [[tool]]
        name = "list"
        arguments.path = { type = "string", default = "." }
        file = { root = "../data", path = "{{ args.path }}", list_directories = true }
        [[tool]]
        name = "named"
        file = { root = "../data", path = "", list_directories = true }
        result.structured = { names = "{{ output.entries | map(attribute='name') }}", first = "{{ output.entries[0] }}", mime = "{{ output.mime }}" }
        "#,
    )
    .file("data/b.txt", "12345")
    .file("data/sub/x", "")
    .file("data/.hidden", "");
    symlink("..", project.path().join("data/up")).unwrap();
    let daemon = project.serve();
    assert_eq!(
        text(&daemon, "list", json!({})),
        ".hidden\nb.txt\nsub/\nup\n"
    );
    assert_eq!(text(&daemon, "list", json!({ "path": "sub" })), "x\n");
    assert_eq!(text(&daemon, "list", json!({ "path": "b.txt" })), "12345");
    for path in ["..", "up", "/", "sub/../.."] {
        assert_eq!(
            failure(&daemon, "list", json!({ "path": path })),
            "file not found"
        );
    }
    assert_eq!(
        result(&daemon, "named", json!({}))["structuredContent"],
        json!({
            "names": [".hidden", "b.txt", "sub", "up"],
            "first": { "name": ".hidden", "kind": "file", "size": 0 },
            "mime": "inode/directory"
        })
    );
}

#[test]
fn results_see_the_file_by_name() {
    let project = Project::with(
        r#"
        [[tool]]
        name = "text"
        file = { root = "../data", path = "a.md" }
        result.structured = { text = "{{ output.text }}", bytes = "{{ output.bytes }}", mime = "{{ output.mime }}", size = "{{ output.size }}", path = "{{ output.path }}", modified = "{{ output.modified }}" }
        [[tool]]
        name = "bytes"
        file = { root = "../data", path = "a.bin" }
        result.structured = { text = "{{ output.text }}", bytes = "{{ output.bytes }}", mime = "{{ output.mime }}" }
        "#,
    )
    .file("data/a.md", "# a")
    .file("data/a.bin", b"\0\xff");
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(951_782_400);
    let file = fs::File::options()
        .write(true)
        .open(project.path().join("data/a.md"));
    file.unwrap().set_modified(time).unwrap();
    let daemon = project.serve();
    assert_eq!(
        result(&daemon, "text", json!({}))["structuredContent"],
        json!({
            "text": "# a", "mime": "text/markdown", "size": 3, "path": "a.md",
            "modified": "2000-02-29T00:00:00Z"
        })
    );
    assert_eq!(
        result(&daemon, "bytes", json!({}))["structuredContent"],
        json!({ "bytes": "AP8=", "mime": "application/octet-stream" })
    );
}
