//! Resources that an action reads.

use super::{contents, not_found, read, served};
use crate::support::{Both, Project};
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::TcpListener;

#[test]
fn a_commands_output_is_text_json_or_bytes() {
    let mut both = served(
        r#"
[[resource]]
uri_template = "sh://{word}/text"
name = "text"
shell = { command = ["printf", "%s!", "--", "{{ params.word }}"] }

[[resource]]
uri = "sh://x/json"
name = "json"
shell = { command = ["echo", '{"a":1}'], parse = "json" }

[[resource]]
uri = "sh://x/bytes"
name = "bytes"
shell = { command = ["printf", 'hi'], parse = "image/png" }

[[resource]]
uri = "sh://x/woven"
name = "woven"
mime_type = "text/plain"
shell = { command = ["echo", "it"] }
result.text = "It said {{ output.stdout | trim }}."

[[resource]]
uri_template = "sh://{name}/missing"
name = "missing"
shell = { command = ["echo", "{{ params.name }}"] }
result.missing = "{{ output.stdout | trim == 'none' }}"

[[resource]]
uri = "sh://x/fails"
name = "fails"
shell = { command = ["sh", "-c", "echo broken >&2; exit 3"] }
"#,
    );
    for (uri, expected) in [
        (
            "sh://b/missing",
            json!([{ "uri": "sh://b/missing", "text": "b\n" }]),
        ),
        (
            "sh://x/json",
            json!([{ "uri": "sh://x/json", "mimeType": "application/json", "text": "{\"a\":1}\n" }]),
        ),
        (
            "sh://x/bytes",
            json!([{ "uri": "sh://x/bytes", "mimeType": "image/png", "blob": "aGk=" }]),
        ),
        (
            "sh://x/woven",
            json!([{ "uri": "sh://x/woven", "mimeType": "text/plain", "text": "It said it." }]),
        ),
    ] {
        assert_eq!(contents(&mut both, uri), expected);
    }
    not_found(&mut both, "sh://none/missing");
    let answer = both.ask(&read("sh://x/fails"));
    assert_eq!(answer["error"]["code"], -32603, "{answer}");
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains("broken"), "{message}");
}

/// Answers each request by its path, until the test ends.
fn upstream() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut head = [0; 4096];
            let length = stream.read(&mut head).unwrap();
            let head = String::from_utf8_lossy(&head[..length]).into_owned();
            let path = head.split(' ').nth(1).unwrap_or_default();
            let (status, kind, body) = match path {
                "/json" => ("200 OK", "application/json; charset=utf-8", "{\"a\": 1}"),
                "/png" => ("200 OK", "image/png", "hi"),
                "/pdf" => ("200 OK", "application/pdf", "h\0"),
                "/broken" => ("500 Internal Server Error", "text/plain", "oh"),
                _ => ("404 Not Found", "text/plain", "no such thing"),
            };
            let length = body.len();
            let _ = write!(
                stream,
                "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
            );
        }
    });
    format!("http://{address}")
}

#[test]
fn an_upstreams_answer_is_content_and_its_404_is_not_found() {
    let base = upstream();
    let manifest = format!(
        r#"
[[resource]]
uri_template = "up://{{name}}"
name = "up"
http = {{ url = "{base}/{{{{ params.name }}}}", accept_status = [404] }}

[[resource]]
uri_template = "strict://{{name}}"
name = "strict"
http = {{ url = "{base}/{{{{ params.name }}}}" }}
result.json = {{ body = "{{{{ output.json }}}}" }}
"#
    );
    let mut both = served(&manifest);
    for (uri, expected) in [
        (
            "up://json",
            json!([{ "uri": "up://json", "mimeType": "application/json", "text": "{\"a\": 1}" }]),
        ),
        (
            "up://png",
            json!([{ "uri": "up://png", "mimeType": "image/png", "blob": "aGk=" }]),
        ),
        (
            "up://pdf",
            json!([{ "uri": "up://pdf", "mimeType": "application/pdf", "blob": "aAA=" }]),
        ),
        (
            "strict://json",
            json!([{ "uri": "strict://json", "mimeType": "application/json", "text": "{\"body\":{\"a\":1}}" }]),
        ),
    ] {
        assert_eq!(contents(&mut both, uri), expected);
    }
    not_found(&mut both, "up://gone");
    for uri in ["strict://gone", "up://broken"] {
        let answer = both.ask(&read(uri));
        assert_eq!(answer["error"]["code"], -32603, "{answer}");
    }
}

#[test]
fn a_secret_in_a_failure_is_hidden() {
    let project = Project::with(
        r#"
[[resource]]
uri = "a://b"
name = "b"
shell = { command = ["sh", "-c", "echo failed with $KEY >&2; exit 1"], env = { KEY = "{{ secrets.key }}" } }
"#,
    )
    .env("KEY", "hunter2hunter2")
    .set("secrets.key={ env = \"KEY\" }");
    let mut both = Both::of(project);
    let answer: Value = both.ask(&read("a://b"));
    assert_eq!(answer["error"]["code"], -32603);
    assert!(!answer.to_string().contains("hunter2"), "{answer}");
}
