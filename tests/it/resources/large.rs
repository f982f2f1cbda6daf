//! Answers with large parts, which are sent as pieces of their own: all of them is one message.

use super::read;
use crate::support::{Both, Project, call, list as tools};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// Bytes that are no text.
fn bytes(length: usize) -> Vec<u8> {
    (0..length).map(|at| (at * 7 % 251) as u8).collect()
}

#[test]
fn bytes_of_any_size_come_whole_by_every_way() {
    // Below what a piece of its own is worth, at it, and more than is written at a time.
    for length in [1, 12_287, 12_288, 700_001] {
        let bytes = bytes(length);
        let project = Project::with(
            r#"
            [[resource]]
            uri = "r://data"
            name = "data"
            file = { path = "../data" }

            [[tool]]
            name = "picture"
            description = "Two of one picture"
            file = { path = "../data" }
            result = { content = [
                { type = "image", data = "{{ output.bytes }}", mime_type = "image/png" },
                { type = "text", text = "between" },
                { type = "image", data = "{{ output.bytes }}", mime_type = "image/png" },
            ] }
            "#,
        )
        .file("data", &bytes);
        let mut both = Both::of(project);
        let encoded = Value::from(STANDARD.encode(&bytes));

        let contents = both.ask(&read("r://data"))["result"]["contents"].clone();
        assert_eq!(contents[0]["blob"], encoded, "{length}");

        let content = both.ask(&call(1, "picture", json!({})))["result"]["content"].clone();
        assert_eq!(content[0]["data"], encoded, "{length}");
        assert_eq!(content[1]["text"], "between");
        assert_eq!(content[2]["data"], encoded, "{length}");

        let as_event = as_event(&both, &read("r://data"));
        assert_eq!(as_event["result"]["contents"], contents);

        // A client that never has room for a whole piece.
        let (head, body) = both.daemon.post_through(&read("r://data"), 5_000);
        assert_eq!(head.headers["content-length"], body.len().to_string());
        let over_two: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(over_two["result"]["contents"], contents);
        both.finish();
    }
}

#[test]
fn a_page_of_many_tools_comes_whole_by_every_way() {
    let tool = |n| format!("[[tool]]\nname = \"t{n}\"\ndescription = \"é\"\nresult.text = \"\"\n");
    let manifest: String = (0..400).map(tool).collect();
    let mut both = Both::of(Project::with(&manifest).set("server.page_size=1000"));
    let answer = both.ask(&tools("an id"));
    let listed = answer["result"]["tools"].as_array().unwrap();
    assert_eq!((listed.len(), &answer["id"]), (400, &json!("an id")));
    assert!(answer.to_string().len() > 16 * 1024);
    assert_eq!(as_event(&both, &tools("an id")), answer);
    both.finish();
}

/// The answer to a client that takes nothing but events.
fn as_event(both: &Both, request: &Value) -> Value {
    let (body, params) = (request.to_string(), &request["params"]);
    let name = ["name", "uri"].iter().find_map(|key| params[key].as_str());
    let name = name.map(|name| format!("Mcp-Name: {name}\r\n"));
    let mut connection = both.daemon.connect();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nAccept: text/event-stream\r\nContent-Type: application/json\r\n\
         MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {}\r\n{}Content-Length: {}\r\n\r\n",
        both.daemon.address(),
        request["method"].as_str().unwrap(),
        name.unwrap_or_default(),
        body.len()
    );
    connection.send(head.as_bytes());
    connection.send(body.as_bytes());
    let mut events = connection.reply().events();
    assert_eq!(events.len(), 1);
    events.remove(0)
}
