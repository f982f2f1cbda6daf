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
