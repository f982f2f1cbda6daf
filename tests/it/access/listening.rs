//! Who listens: what a reload takes from those who hear of it, and how many places one caller has.

use super::{known, project, with};
use crate::support::{Events, modern, within};
use serde_json::{Value, json};

const MANIFEST: &str = "\
[[resource]]
uri = \"files:log\"
name = \"log\"
file = { root = \"..\", path = \"log.txt\", watch = true }

[[resource]]
uri = \"files:open\"
name = \"open\"
file = { root = \"..\", path = \"open.txt\", watch = true }
";

const VERSION: &str = "2025-11-25";

fn legacy(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })
}

#[test]
fn a_session_hears_no_more_of_what_a_reload_asks_scopes_for() {
    let project = project(MANIFEST, &known("a", "", "ta"))
        .file("log.txt", "1")
        .file("open.txt", "1");
    let daemon = project.serve();
    let hello = legacy(
        "initialize",
        json!({ "protocolVersion": VERSION, "capabilities": {},
                "clientInfo": { "name": "it", "version": "1" } }),
    );
    let began = with(&daemon, "ta").post_with(&[], hello.to_string().as_bytes());
    let session = began.header("mcp-session-id").unwrap().to_owned();
    let headers = [
        ("Mcp-Session-Id", &*session),
        ("MCP-Protocol-Version", VERSION),
    ];
    for uri in ["files:log", "files:open"] {
        let subscribe = legacy("resources/subscribe", json!({ "uri": uri }));
        let reply = with(&daemon, "ta").post_with(&headers, subscribe.to_string().as_bytes());
        assert_eq!(reply.status, 200, "{}", reply.text());
    }
    let mut stream = daemon.connect().get_events(&[
        ("Mcp-Session-Id", &*session),
        ("MCP-Protocol-Version", VERSION),
        ("Accept", "text/event-stream"),
        ("Authorization", "Bearer ta"),
    ]);
    let updated = |stream: &mut Events| loop {
        let message = stream.next().unwrap();
        if message["method"] == "notifications/resources/updated" {
            return message["params"]["uri"].as_str().unwrap().to_owned();
        }
    };
    project.save("log.txt", "2");
    assert_eq!(updated(&mut stream), "files:log");
    let scoped = MANIFEST.replacen("name = \"log\"", "name = \"log\"\nscopes = [\"read\"]", 1);
    project.save("manifests/a.toml", &scoped);
    daemon.wait_for_log("reloaded");
    project.save("log.txt", "3");
    // Told after the other, in the order of their URIs, if it were told.
    within("the change is seen", || {
        project.save("open.txt", "again");
        Some(())
    });
    assert_eq!(updated(&mut stream), "files:open");
    project.save("log.txt", "4");
    project.save("open.txt", "once more");
    assert_eq!(updated(&mut stream), "files:open");
}

#[test]
fn no_caller_takes_all_the_places() {
    let tokens = known("many", "", "tm") + &known("other", "", "to");
    let project = project(MANIFEST, &tokens)
        .file("log.txt", "1")
        .file("open.txt", "1")
        .set("http.max_subscriptions=4");
    let daemon = project.serve();
    let listen = modern(
        1,
        "subscriptions/listen",
        json!({ "notifications": { "toolsListChanged": true } }),
    );
    let mut open = Vec::new();
    for _ in 0..2 {
        let mut events = with(&daemon, "tm").events(&listen);
        events.next().unwrap();
        open.push(events);
    }
    let refused = with(&daemon, "tm").post(&listen);
    let message = refused.json()["error"]["message"].to_string();
    assert!(
        message.contains("2 subscriptions of this caller are open"),
        "{message}"
    );
    with(&daemon, "to").events(&listen).next().unwrap();
    drop(open);
    within("its places are free again", || {
        let mut connection = with(&daemon, "tm");
        connection.send_message(&listen);
        connection.begins().1.then_some(())
    });
}
