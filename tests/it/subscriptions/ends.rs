//! How a listening ends.

use super::{ID, listen, said};
use crate::support::{Project, call};
use serde_json::json;

fn project() -> Project {
    Project::with("[[tool]]\nname = \"t\"\nresult.text = \"1\"\n")
}

#[test]
fn the_server_ends_a_stream_with_a_cancellation_and_a_result() {
    let project = project();
    let mut daemon = project.serve();
    let mut events = daemon
        .connect()
        .events(&listen("l", json!({ "toolsListChanged": true })));
    assert_eq!(events.reply.header("cache-control"), Some("no-cache"));
    assert_eq!(events.reply.header("x-accel-buffering"), Some("no"));
    events.next();
    daemon.signal("TERM");
    let cancelled = events.next().unwrap();
    assert_eq!(said(&cancelled), ("notifications/cancelled", &json!("l")));
    assert_eq!(cancelled["params"]["requestId"], "l");
    let last = events.next().unwrap();
    assert_eq!(
        (&last["id"], &last["result"]["resultType"]),
        (&json!("l"), &json!("complete"))
    );
    assert_eq!(last["result"]["_meta"][ID], "l");
    assert_eq!(events.next(), None, "the body ends as chunked bodies do");
    assert!(daemon.wait().success());
}

#[test]
fn the_end_of_input_ends_the_listening_and_the_program() {
    let project = project();
    let mut stdio = project.stdio();
    stdio.send(&listen(1, json!({ "toolsListChanged": true })));
    stdio.receive();
    let (status, rest) = stdio.finish();
    assert!(status.success(), "{status}");
    let methods: Vec<_> = rest
        .iter()
        .map(|message| message["method"].clone())
        .collect();
    assert_eq!(
        methods,
        [json!("notifications/cancelled"), json!(null)],
        "{rest:?}"
    );
    assert_eq!(rest[1]["result"]["_meta"][ID], 1);
}

#[test]
fn a_cancellation_ends_it_and_nothing_more_comes() {
    let project = project();
    let mut stdio = project.stdio();
    stdio.send(&listen(1, json!({ "toolsListChanged": true })));
    stdio.receive();
    stdio.send(&json!({
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": { "requestId": 1 },
    }));
    // The id is free again, and its new listening is the only one that is told.
    stdio.send(&listen(1, json!({ "toolsListChanged": true })));
    assert_eq!(
        said(&stdio.receive()).0,
        "notifications/subscriptions/acknowledged"
    );
    project.save(
        "manifests/a.toml",
        "[[tool]]\nname = \"u\"\nresult.text = \"1\"\n",
    );
    assert_eq!(said(&stdio.receive()).0, "notifications/tools/list_changed");
    let answer = stdio.ask(&call(2, "u", json!({})));
    assert_eq!(answer["id"], 2, "{answer}");
}
