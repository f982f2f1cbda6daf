//! The older revisions: a session makes nobody known, and is its caller's alone.

use super::{known, project, with};
use crate::support::{Connection, Daemon};
use serde_json::{Value, json};

const MANIFEST: &str = r#"
[[tool]]
name = "open"
result.text = "{{ auth.principal }}"

[[tool]]
name = "secret"
scopes = ["read"]
result.text = "s"

[[resource]]
uri = "doc://secret"
name = "secret"
scopes = ["read"]
result.text = "s"
"#;

const VERSION: &str = "2025-11-25";

fn initialize() -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": VERSION, "capabilities": {}, "clientInfo": { "name": "it", "version": "1" },
    } })
}

fn request(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 2, "method": method, "params": params })
}

fn post(mut connection: Connection, session: &str, message: &Value) -> (u16, Value) {
    let headers = [
        ("Mcp-Session-Id", session),
        ("MCP-Protocol-Version", VERSION),
    ];
    let reply = connection.post_with(&headers, message.to_string().as_bytes());
    let body = match reply.body.is_empty() {
        true => Value::Null,
        false => reply.json(),
    };
    (reply.status, body)
}

fn session(daemon: &Daemon, token: &str) -> String {
    let body = initialize().to_string();
    let reply = with(daemon, token).post_with(&[], body.as_bytes());
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.header("mcp-session-id").unwrap().to_owned()
}

#[test]
fn every_request_of_a_session_is_judged_by_its_own_token() {
    let tokens = known("a", "", "ta") + &known("b", "\"read\"", "tb");
    let project = project(MANIFEST, &tokens);
    let daemon = project.serve();
    let refused = daemon
        .connect()
        .post_with(&[], initialize().to_string().as_bytes());
    assert_eq!(refused.status, 401);
    assert!(refused.header("www-authenticate").is_some());
    let (of_a, of_b) = (session(&daemon, "ta"), session(&daemon, "tb"));
    let list = request("tools/list", json!({}));
    let count = |answer: &Value| answer["result"]["tools"].as_array().unwrap().len();
    let (status, answer) = post(with(&daemon, "ta"), &of_a, &list);
    assert_eq!((status, count(&answer)), (200, 1));
    let (status, answer) = post(with(&daemon, "tb"), &of_b, &list);
    assert_eq!((status, count(&answer)), (200, 2));
    // Without a token, with a wrong one, with another caller's.
    assert_eq!(post(daemon.connect(), &of_a, &list).0, 401);
    assert_eq!(post(with(&daemon, "nope"), &of_a, &list).0, 401);
    assert_eq!(post(with(&daemon, "tb"), &of_a, &list).0, 404);
    let head = |method: &str, token: &str, id: &str| {
        let mut connection = daemon.connect();
        let authorization = match token {
            "" => String::new(),
            token => format!("Authorization: Bearer {token}\r\n"),
        };
        connection.send(
            format!(
                "{method} /mcp HTTP/1.1\r\nHost: {}\r\nAccept: text/event-stream\r\n\
                 Mcp-Session-Id: {id}\r\n{authorization}\r\n",
                daemon.address()
            )
            .as_bytes(),
        );
        connection.head().status
    };
    for method in ["GET", "DELETE"] {
        assert_eq!(head(method, "", &of_a), 401, "{method}");
        assert_eq!(head(method, "tb", &of_a), 404, "{method}");
    }
    assert_eq!(head("GET", "ta", &of_a), 200);
    assert_eq!(head("DELETE", "ta", &of_a), 204);
    assert_eq!(post(with(&daemon, "ta"), &of_a, &list).0, 404);
}

#[test]
fn what_takes_scopes_is_refused_with_its_own_status() {
    let tokens = known("a", "", "ta") + &known("b", "\"read\"", "tb");
    let project = project(MANIFEST, &tokens);
    let daemon = project.serve();
    let (of_a, of_b) = (session(&daemon, "ta"), session(&daemon, "tb"));
    for message in [
        request("tools/call", json!({ "name": "secret" })),
        request("resources/read", json!({ "uri": "doc://secret" })),
        request("resources/subscribe", json!({ "uri": "doc://secret" })),
    ] {
        let (status, answer) = post(with(&daemon, "ta"), &of_a, &message);
        assert_eq!(status, 403, "{message}: {answer}");
        assert_eq!(answer["error"]["code"], -32600);
        let (status, answer) = post(with(&daemon, "tb"), &of_b, &message);
        assert!(status == 200 && answer["result"].is_object(), "{answer}");
    }
    let call = request("tools/call", json!({ "name": "open" }));
    let (_, answer) = post(with(&daemon, "ta"), &of_a, &call);
    assert_eq!(answer["result"]["content"][0]["text"], "a");
}

#[test]
fn who_may_no_longer_read_a_resource_hears_of_it_no_more() {
    let manifest = |scopes: &str, text: &str| {
        format!(
            "[[resource]]\nuri = \"doc://a\"\nname = \"a\"\nscopes = [{scopes}]\nresult.text = \"{text}\"\n\
             [[resource]]\nuri = \"doc://b\"\nname = \"b\"\nresult.text = \"{text}\"\n"
        )
    };
    let project = project(&manifest("", "1"), &known("a", "", "ta"));
    let daemon = project.serve();
    let id = session(&daemon, "ta");
    for uri in ["doc://a", "doc://b"] {
        let subscribe = request("resources/subscribe", json!({ "uri": uri }));
        assert_eq!(post(with(&daemon, "ta"), &id, &subscribe).0, 200);
    }
    let headers = [
        ("Mcp-Session-Id", id.as_str()),
        ("Accept", "text/event-stream"),
    ];
    let mut told = with(&daemon, "ta").get_events(&headers);
    let mut updated = || loop {
        let message = told.next().expect("a message");
        if message["method"] == "notifications/resources/updated" {
            return message["params"]["uri"].clone();
        }
    };
    project.save("manifests/a.toml", manifest("", "2"));
    let mut both = [updated(), updated()].map(|uri| uri.to_string());
    both.sort();
    assert_eq!(both, ["\"doc://a\"", "\"doc://b\""]);
    for text in ["3", "4"] {
        project.save("manifests/a.toml", manifest("\"read\"", text));
        assert_eq!(updated(), "doc://b");
    }
}
