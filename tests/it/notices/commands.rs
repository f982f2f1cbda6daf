//! What commands say, and who hears it.

use super::{one, open_gate, project, said};
use crate::support::{Daemon, call, discover, text_of, wanting};
use serde_json::{Value, json};

/// Calls a tool over HTTP as somebody who wants everything.
fn hear(daemon: &Daemon, tool: &str, level: &str) -> Vec<Value> {
    let request = wanting(call(7, tool, json!({})), json!("token"), level);
    let reply = daemon.post(&request);
    assert_eq!(reply.status, 200);
    match reply.header("content-type") {
        Some("application/json") => vec![reply.json()],
        _ => reply.events(),
    }
}

#[test]
fn lines_are_steps_on_both_transports() {
    let project = project();
    let request = wanting(call(7, "steps", json!({})), json!("token"), "emergency");
    let expected = [json!([1, null, "one"]), json!([3, null, "three"]), json!(7)];

    let mut stdio = project.stdio();
    stdio.send(&request);
    assert_eq!(one(&stdio.receive()), expected[0]);
    open_gate(&project);
    let mut heard = Vec::new();
    while heard.last() != Some(&json!(7)) {
        heard.push(one(&stdio.receive()));
    }
    // `two` is heard when it came alone and in time.
    heard.retain(|heard| *heard != json!([2, null, "two"]));
    assert_eq!(heard, expected[1..]);

    let daemon = project.serve();
    let mut connection = daemon.connect();
    connection.send_message(&request);
    let head = connection.head();
    assert_eq!(head.status, 200);
    assert_eq!(head.header("content-type"), Some("text/event-stream"));
    assert_eq!(head.header("cache-control"), Some("no-cache"));
    assert_eq!(head.header("x-accel-buffering"), Some("no"));
    // It is here while the command still waits.
    assert_eq!(one(&connection.event().unwrap()), expected[0]);
    open_gate(&project);
    let mut heard = Vec::new();
    while let Some(event) = connection.event() {
        heard.push(one(&event));
    }
    heard.retain(|heard| *heard != json!([2, null, "two"]));
    assert_eq!(heard, expected[1..]);
    // The connection goes on.
    assert_eq!(connection.post(&discover(8)).json()["id"], 8);
}

#[test]
fn a_pattern_finds_progress_in_the_output() {
    let project = project();
    let heard = said(&hear(&project.serve(), "build", "error"));
    let (answer, progress) = heard.split_last().unwrap();
    assert_eq!(*answer, json!(7));
    // Some may have been overtaken, but not the last.
    assert_eq!(progress.last(), Some(&json!([4, 4, "end"])));
    let all = [
        json!([0, 4, "begin"]),
        json!([1.5, 4, "compile"]),
        json!([2, 4, null]),
        json!([4, 4, "end"]),
    ];
    let mut rest = all.iter();
    for heard in progress {
        assert!(rest.any(|known| known == heard), "{progress:?}");
    }
}

#[test]
fn stderr_is_a_log_for_who_asked_for_its_level() {
    let project = project();
    let daemon = project.serve();
    for level in ["debug", "info"] {
        let mut heard = hear(&daemon, "chatty", level);
        let answer = heard.pop().unwrap();
        assert_eq!(text_of(&answer), "out\n");
        assert_eq!(
            said(&heard),
            [
                json!(["info", "chatty", "the key is [secret]"]),
                json!(["info", "chatty", "[secret]"]),
                json!(["info", "chatty", "bad \u{fffd} byte"]),
            ]
        );
    }
    for level in ["notice", "warning", "emergency"] {
        assert_eq!(hear(&daemon, "chatty", level).len(), 1, "{level}");
    }
}

#[test]
fn who_did_not_ask_hears_nothing() {
    let project = project();
    let daemon = project.serve();
    let mut stdio = project.stdio();
    for tool in ["build", "chatty"] {
        let request = call(7, tool, json!({}));
        let reply = daemon.post(&request);
        assert_eq!(reply.header("content-type"), Some("application/json"));
        assert_eq!(reply.json()["id"], 7);
        stdio.send(&request);
        assert_eq!(stdio.receive()["id"], 7);
    }
    // A token alone brings no log, a level alone no progress.
    let mut request = wanting(call(7, "chatty", json!({})), json!("token"), "debug");
    let meta = request["params"]["_meta"].as_object_mut().unwrap();
    meta.remove("io.modelcontextprotocol/logLevel");
    assert_eq!(daemon.ask(&request)["id"], 7);
    // And who asked, of a tool that says nothing.
    assert_eq!(said(&hear(&daemon, "quiet", "debug")), [json!(7)]);
}

#[test]
fn a_token_comes_back_as_it_was() {
    let project = project();
    let mut stdio = project.stdio();
    for token in [
        json!(0),
        json!(-1),
        json!("0"),
        json!(""),
        json!("a\"\n\u{1f980}"),
    ] {
        let request = wanting(call(7, "build", json!({})), token.clone(), "error");
        stdio.send(&request);
        loop {
            let message = stdio.receive();
            if message["id"] == 7 {
                break;
            }
            assert_eq!(message["params"]["progressToken"], token);
        }
    }
}

#[test]
fn logging_is_declared_where_something_can_log() {
    let project = project();
    let found = project.serve().ask(&discover(1));
    assert_eq!(found["result"]["capabilities"]["logging"], json!({}));
    let silent = crate::support::Project::with(
        "[[tool]]\nname = \"a\"\nshell = { command = [\"true\"], progress = \"lines\" }\n",
    );
    let found = silent.serve().ask(&discover(1));
    assert!(found["result"]["capabilities"].get("logging").is_none());
}
