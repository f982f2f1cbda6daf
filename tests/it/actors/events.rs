//! What workers tell of resources reaches those who subscribed.

use super::*;
use crate::support::{Events, modern};

fn listen(uris: &[&str]) -> Value {
    let filter = json!({ "resourceSubscriptions": uris });
    modern(
        1,
        "subscriptions/listen",
        json!({ "notifications": filter }),
    )
}

fn uri(message: &Value) -> String {
    assert_eq!(
        message["method"], "notifications/resources/updated",
        "{message}"
    );
    message["params"]["uri"].as_str().unwrap().to_owned()
}

fn updated(uri: &str) -> Value {
    json!({ "line": { "event": "resource_updated", "uri": uri } })
}

const RESOURCES: &str = r#"
[[resource]]
uri_template = "stock://{item}"
name = "stock"
actor = { target = "a", call = "echo" }

[[resource]]
uri = "other://x"
name = "other"
result.text = "x"
"#;

#[test]
fn an_event_of_a_worker_is_told_to_who_subscribed() {
    let project = project(&(worker("") + RESOURCES));
    let daemon = project.serve();
    let uris = ["stock://chairs", "other://x"];
    let mut events: Events = daemon.connect().events(&listen(&uris));
    events.next();
    // To those who did not ask for it, and of a URI that nothing stands behind, nothing is said.
    for uri in ["stock://tables", "nothing://here", "stock://chairs"] {
        ok(&daemon, "say", updated(uri));
    }
    assert_eq!(uri(&events.next().unwrap()), "stock://chairs");
    ok(&daemon, "say", updated("other://x"));
    assert_eq!(uri(&events.next().unwrap()), "other://x");
    // As the client writes it: scheme and host in any case.
    ok(&daemon, "say", updated("STOCK://chairs"));
    assert_eq!(uri(&events.next().unwrap()), "stock://chairs");
    // The same worker, after a reload, still reaches them.
    project.save(
        "manifests/b.toml",
        "[[tool]]\nname = \"more\"\nresult.text = \"x\"\n",
    );
    daemon.wait_for_log("added=\"more\"");
    ok(&daemon, "say", updated("stock://chairs"));
    assert_eq!(uri(&events.next().unwrap()), "stock://chairs");
}

#[test]
fn over_stdio_too_and_between_answers() {
    let project = project(&(worker("") + RESOURCES));
    let mut stdio = project.stdio();
    stdio.send(&listen(&["stock://chairs"]));
    stdio.receive();
    stdio.send(&call(2, "say", updated("stock://chairs")));
    let (mut answered, mut told) = (false, false);
    while !(answered && told) {
        let message = stdio.receive();
        answered |= message["id"] == 2;
        told |= message.get("method").is_some() && uri(&message) == "stock://chairs";
    }
}

#[test]
fn what_was_kept_of_a_resource_is_forgotten_before_anybody_is_told() {
    let resources = r#"
[[resource]]
uri_template = "stock://{item}"
name = "stock"
actor = { target = "a", call = "add" }
wrap = [{ cache = { ttl_ms = 600000 } }]

[[resource]]
uri = "stock:all"
name = "all"
actor = { target = "a", call = "add" }
wrap = [{ timeout_ms = 60000 }, { cache = { ttl_ms = 600000 } }]
"#;
    let project = project(&(worker("") + resources));
    let daemon = project.serve();
    let read = |uri: &str| {
        let answer = daemon.ask(&modern(1, "resources/read", json!({ "uri": uri })));
        let text = answer["result"]["contents"][0]["text"].clone();
        let value: Value = serde_json::from_str(text.as_str().unwrap()).unwrap();
        value["count"].as_u64().unwrap()
    };
    assert_eq!((read("stock://a"), read("stock:all")), (1, 2));
    assert_eq!((read("stock://a"), read("stock:all")), (1, 2), "kept");
    let uris = ["stock://a", "stock:all"];
    let mut events: Events = daemon.connect().events(&listen(&uris));
    events.next();
    ok(&daemon, "say", updated("STOCK://a"));
    assert_eq!(uri(&events.next().unwrap()), "stock://a");
    assert_eq!((read("stock://a"), read("stock:all")), (3, 2));
    ok(&daemon, "say", updated("stock:all"));
    assert_eq!(uri(&events.next().unwrap()), "stock:all");
    assert_eq!((read("stock://a"), read("stock:all")), (3, 4));
    // Of something else, nothing is forgotten.
    ok(&daemon, "say", updated("other://a"));
    assert_eq!((read("stock://a"), read("stock:all")), (3, 4));
}
