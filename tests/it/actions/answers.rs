//! `http`: what becomes of the answer.

use super::upstream::{Upstream, answer, ok, until_closed};
use super::{Served, failure, result, serve, text};
use crate::support::Project;
use serde_json::{Value, json};
use std::io::Write as _;

/// A daemon with the tool `get`, whose upstream answers every request with this.
fn answering(bytes: Vec<u8>, result: &str) -> (Upstream, Served) {
    let upstream = Upstream::new(move |_| bytes.clone());
    let tool = format!(
        "[defaults.http]\nurl = \"{}\"\n[[tool]]\nname = \"get\"\n[tool.http]\n{result}",
        upstream.url()
    );
    let daemon = serve(Project::with(&tool));
    (upstream, daemon)
}

#[test]
fn an_answer_becomes_the_block_that_its_type_asks_for() {
    for (bytes, content, structured) in [
        (
            ok("application/json; charset=utf-8", "{\"a\": [1]}\n"),
            json!({ "type": "text", "text": "{\"a\": [1]}\n" }),
            json!({ "a": [1] }),
        ),
        (
            ok("application/problem+json", "[1]"),
            json!({ "type": "text", "text": "[1]" }),
            json!([1]),
        ),
        (
            ok("application/json", "not json"),
            json!({ "type": "text", "text": "not json" }),
            Value::Null,
        ),
        (
            ok("text/plain", b"gr\xc3\xbcn \xff"),
            json!({ "type": "text", "text": "grün \u{fffd}" }),
            Value::Null,
        ),
        (
            ok("text/html; charset=ISO-8859-1", b"gr\xfcn"),
            json!({ "type": "text", "text": "grün" }),
            Value::Null,
        ),
        (
            ok("application/xml", "<a/>"),
            json!({ "type": "text", "text": "<a/>" }),
            Value::Null,
        ),
        (
            answer("204 No Content", &[], ""),
            json!({ "type": "text", "text": "" }),
            Value::Null,
        ),
        (
            ok("image/png", b"\x89PNG\0"),
            json!({ "type": "image", "mimeType": "image/png", "data": "iVBORwA=" }),
            Value::Null,
        ),
        (
            ok("Audio/WAV", "RIFF"),
            json!({ "type": "audio", "mimeType": "audio/wav", "data": "UklGRg==" }),
            Value::Null,
        ),
    ] {
        let (_upstream, daemon) = answering(bytes, "");
        let result = result(&daemon, "get", json!({}));
        assert_eq!(result["content"], json!([content]));
        assert_eq!(result["structuredContent"], structured);
        assert_ne!(result["isError"], true);
    }
}

#[test]
fn other_bytes_are_a_resource_named_by_what_was_asked_for_without_its_query() {
    let (upstream, daemon) = answering(
        ok("application/pdf", b"%PDF\xff"),
        "url = \"/a%20b.pdf?key=literal\"",
    );
    let result = result(&daemon, "get", json!({}));
    assert_eq!(
        result["content"],
        json!([{ "type": "resource", "resource": {
            "uri": format!("{}/a%20b.pdf", upstream.url()),
            "mimeType": "application/pdf",
            "blob": "JVBERv8="
        } }])
    );
}

#[test]
fn results_see_the_answer_by_name() {
    let bytes = answer(
        "201 Created",
        &[
            ("Content-Type", "application/json"),
            ("X-Page", "2"),
            ("Link", "a"),
            ("link", "b"),
        ],
        r#"{"docs": [{"id": 7}], "n": 1}"#,
    );
    let (_upstream, daemon) = answering(
        bytes,
        r#"
        [tool.result.structured]
        status = "{{ output.status }}"
        page = '{{ output.headers["x-page"] }}'
        link = "{{ output.headers.link }}"
        docs = "{{ output.json.docs }}"
        body = "{{ output.body }}"
        bytes = "{{ output.bytes }}"
        mime = "{{ output.mime }}"
        missing = "{{ output.json.nothing.here }}"
        "#,
    );
    assert_eq!(
        result(&daemon, "get", json!({}))["structuredContent"],
        json!({
            "status": 201, "page": "2", "link": "a, b", "docs": [{ "id": 7 }],
            "body": "{\"docs\": [{\"id\": 7}], \"n\": 1}",
            "bytes": "eyJkb2NzIjogW3siaWQiOiA3fV0sICJuIjogMX0=", "mime": "application/json"
        })
    );
}

#[test]
fn json_is_what_parses_as_json_and_absent_otherwise() {
    let template = "[tool.result]\ntext = \"id {{ output.json.id }}\"";
    let (_upstream, daemon) = answering(ok("text/plain", r#"{"id": 7}"#), template);
    assert_eq!(text(&daemon, "get", json!({})), "id 7");
    let (_upstream, daemon) = answering(ok("text/html", "<p>"), template);
    assert_eq!(
        failure(&daemon, "get", json!({})),
        "cannot make `result.text`: `output.json.id` is undefined"
    );
}

#[test]
fn other_statuses_are_errors_with_the_beginning_of_the_body() {
    for (bytes, expected) in [
        (
            answer(
                "404 Not Found",
                &[("Content-Type", "application/json")],
                "{\"e\": \"no such book\"}",
            ),
            "the upstream answered 404 Not Found\n{\"e\": \"no such book\"}".to_owned(),
        ),
        (
            answer("500 Internal Server Error", &[], " \n"),
            "the upstream answered 500 Internal Server Error".to_owned(),
        ),
        (
            answer(
                "502 Bad Gateway",
                &[("Content-Type", "text/plain")],
                "ü".repeat(5000),
            ),
            format!(
                "the upstream answered 502 Bad Gateway\n{}…",
                "ü".repeat(1024)
            ),
        ),
        (
            answer(
                "403 Forbidden",
                &[("Content-Type", "image/png")],
                b"\x89PNG",
            ),
            "the upstream answered 403 Forbidden\n[a body of 4 bytes of image/png]".to_owned(),
        ),
        (
            answer("304 Not Modified", &[], ""),
            "the upstream answered 304 Not Modified".to_owned(),
        ),
    ] {
        let (_upstream, daemon) = answering(bytes, "");
        assert_eq!(failure(&daemon, "get", json!({})), expected);
    }
}

#[test]
fn a_status_is_named_whatever_becomes_of_its_body() {
    let head = "HTTP/1.1 500 Internal Server Error\r\nContent-Type: text/plain\r\n";
    let long = "x".repeat(5000);
    for (bytes, body) in [
        // Far more than `max_bytes`, shorter than it says, damaged, of an unknown encoding.
        (
            answer(
                "500 Internal Server Error",
                &[("Content-Type", "text/plain")],
                &long,
            ),
            format!("\n{}…", &long[..2048]),
        ),
        (
            format!("{head}Content-Length: 9\r\n\r\nabc").into_bytes(),
            "\nabc…".to_owned(),
        ),
        (
            format!("{head}Content-Encoding: gzip\r\n\r\nabc").into_bytes(),
            String::new(),
        ),
        (
            format!("{head}Content-Encoding: x-made-up\r\n\r\nabc").into_bytes(),
            String::new(),
        ),
    ] {
        let (_upstream, daemon) = answering(bytes, "max_bytes = 100");
        let said = failure(&daemon, "get", json!({}));
        assert_eq!(
            said,
            format!("the upstream answered 500 Internal Server Error{body}")
        );
    }
    // One that never ends.
    let upstream = Upstream::raw(move |_, stream| {
        let _ = stream.write_all(head.as_bytes());
        let _ = stream.write_all(b"\r\nthe beginning");
        until_closed(stream);
    });
    let tool = format!(
        "[[tool]]\nname = \"get\"\nhttp.url = \"{}\"\n",
        upstream.url()
    );
    let daemon = serve(Project::with(&tool));
    assert_eq!(
        failure(&daemon, "get", json!({})),
        "the upstream answered 500 Internal Server Error\nthe beginning…"
    );
}

#[test]
fn an_accepted_status_is_no_error() {
    let bytes = answer(
        "404 Not Found",
        &[("Content-Type", "application/json")],
        "{\"e\": 1}",
    );
    let (_upstream, daemon) = answering(
        bytes,
        "accept_status = [404]\n[tool.result]\ntext = \"{{ 'none' if output.status == 404 else 'some' }}\"",
    );
    assert_eq!(text(&daemon, "get", json!({})), "none");
}

#[test]
fn compressed_answers_are_read_and_bounded_by_what_they_become() {
    // gzip of 100,000 spaces; `printf '%100000s' | gzip -9n | base64`.
    let zipped = {
        use std::io::Write as _;
        let mut child = std::process::Command::new("gzip")
            .args(["-9n"])
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(&[b' '; 100_000])
            .unwrap();
        child.wait_with_output().unwrap().stdout
    };
    assert!(zipped.len() < 1000);
    let bytes = answer(
        "200 OK",
        &[("Content-Type", "text/plain"), ("Content-Encoding", "gzip")],
        &zipped,
    );
    let (_upstream, daemon) = answering(bytes.clone(), "");
    assert_eq!(text(&daemon, "get", json!({})), " ".repeat(100_000));
    let (upstream, daemon) = answering(bytes, "max_bytes = 99999");
    assert_eq!(
        failure(&daemon, "get", json!({})),
        format!("{}: response larger than 99999 bytes", upstream.url())
    );
    let (upstream, daemon) = answering(ok("text/plain", "x".repeat(1025)), "max_bytes = 1024");
    assert_eq!(
        failure(&daemon, "get", json!({})),
        format!("{}: response larger than 1 KiB", upstream.url())
    );
}
