//! Declarative actors.

use super::*;
use crate::support::{Both, Fifo, within};
use std::collections::BTreeMap;
use std::thread;

const COUNTER: &str = r#"
[[actor]]
name = "counter"
state = { count = 0, log = [] }

[actor.on.add]
when = "{{ msg.by != 0 }}"
otherwise = "adding {{ msg.by }} to {{ state.count }} changes nothing"
set = { count = "{{ state.count + msg.by }}", log = "{{ state.log + [msg.by] }}" }
reply = { value = "{{ state.count }}", before = "{{ state.count - msg.by }}", word = "{{ msg.word | upper }}" }

[actor.on.look]
reply = "{{ state }}"

[[tool]]
name = "add"
arguments.by = { type = "number", required = true }
arguments.word = { type = "string" }
actor = { target = "counter", call = "add" }

[[tool]]
name = "add_later"
input_schema = { type = "object" }
actor = { target = "counter", cast = "add" }

[[tool]]
name = "look"
actor = { target = "counter", call = "look" }
"#;

#[test]
fn a_counter_counts_refuses_and_never_changes_by_halves() {
    let mut both = Both::of(Project::with(COUNTER));
    let mut structured = |tool: &str, arguments: Value| {
        let answer = both.ask(&call(1, tool, arguments));
        (
            text_of(&answer),
            answer["result"]["structuredContent"].clone(),
        )
    };
    let (_, added) = structured("add", json!({ "by": 2, "word": "a" }));
    assert_eq!(added, json!({ "value": 2, "before": 0, "word": "A" }));
    let (said, none) = structured("add", json!({ "by": 0, "word": "a" }));
    assert_eq!(said, "adding 0 to 2 changes nothing");
    assert_eq!(none, Value::Null);
    // The reply cannot be made, so nothing was set.
    let (said, _) = structured("add", json!({ "by": 5 }));
    assert!(said.starts_with("cannot make `reply"), "{said}");
    // Nor is a cast whose handler fails handled by halves.
    for by in [json!([1]), json!("x"), json!(0)] {
        let (_, sent) = structured("add_later", json!({ "by": by, "word": "a" }));
        assert_eq!(sent, json!({ "sent": true }));
    }
    let (_, state) = structured("look", json!({}));
    assert_eq!(state, json!({ "count": 2, "log": [2] }));
    both.daemon
        .wait_for_log("a message failed: cannot make `set.");
    both.finish();
}

#[test]
fn messages_of_one_sender_keep_their_order_and_none_is_lost() {
    const SENDERS: usize = 4;
    const EACH: usize = 50;
    let manifest = r#"
[[actor]]
name = "a"
state.seen = []
[actor.on.put]
set.seen = "{{ state.seen + [msg] }}"
[actor.on.seen]
reply = { seen = "{{ state.seen }}" }
[[tool]]
name = "put"
arguments.from = { type = "integer", required = true }
arguments.n = { type = "integer", required = true }
actor = { target = "a", call = "put" }
[[tool]]
name = "put_later"
arguments.from = { type = "integer", required = true }
arguments.n = { type = "integer", required = true }
actor = { target = "a", cast = "put" }
"#
    .to_owned()
        + &tools(&["seen"]);
    let daemon = Project::with(&manifest).serve();
    thread::scope(|scope| {
        for from in 0..SENDERS {
            let daemon = &daemon;
            scope.spawn(move || {
                let mut connection = daemon.connect();
                for n in 0..EACH {
                    let tool = ["put", "put_later"][n % 2];
                    let request = call(1, tool, json!({ "from": from, "n": n }));
                    let answer = connection.post(&request).json();
                    assert_eq!(answer["result"]["isError"], false, "{answer}");
                }
            });
        }
    });
    let seen = ok(&daemon, "seen", json!({}))["seen"].take();
    let mut by_sender: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for message in seen.as_array().unwrap() {
        let number = |key: &str| message[key].as_u64().unwrap();
        by_sender
            .entry(number("from"))
            .or_default()
            .push(number("n"));
    }
    let all: Vec<u64> = (0..EACH as u64).collect();
    assert_eq!(by_sender.len(), SENDERS);
    assert!(
        by_sender.values().all(|numbers| *numbers == all),
        "{by_sender:?}"
    );
}

#[test]
fn a_call_that_was_cancelled_before_its_turn_is_not_handled() {
    let project = project(&worker(""));
    let gate = Fifo::make(project.manifests().join("gate"));
    let mut stdio = project.stdio();
    stdio.send(&call("held", "hold", json!({})));
    let open = gate.until_read();
    stdio.send(&call("waits", "add", json!({})));
    stdio.send(&json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": "waits" },
    }));
    // Answered after the cancellation was read.
    stdio.ask(&crate::support::discover("probe"));
    drop(open);
    let answer = stdio.receive();
    assert_eq!(answer["id"], "held", "{answer}");
    let answer = stdio.ask(&call("next", "add", json!({})));
    assert_eq!(answer["result"]["structuredContent"]["count"], 2);
}

#[test]
fn timers_come_between_other_messages() {
    let timer = "every = [{ interval_ms = 20, message = \"add\" }, { interval_ms = 3600000, message = \"get\" }]";
    let declared = project(&counter(timer));
    let daemon = declared.serve();
    let count = || ok(&daemon, "get", json!({}))["count"].as_u64().unwrap();
    within("it counts by itself", || (count() >= 3).then_some(()));
    let worker = project(&worker("every = { interval_ms = 20, message = \"add\" }"));
    let daemon = worker.serve();
    within("a worker too", || (add(&daemon) >= 6).then_some(()));
}
