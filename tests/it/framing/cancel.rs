//! Cancelling stops the work: by notification in a stream, by closing the connection over HTTP.

use super::project;
use crate::support::{Fifo, Project, call, discover, gone, list, within};
use serde_json::{Value, json};
use std::fs::File;

/// The tool `family` of a project, and the numbers that its processes say.
struct Family(File);

impl Family {
    fn of(project: &Project) -> Self {
        Self(Fifo::at(project.path().join("family")).reader())
    }

    /// Waits until it runs: its process group's leader and the leader's child.
    fn pids(&mut self) -> Vec<u32> {
        let line = Fifo::line(&mut self.0);
        let pids: Vec<u32> = line.split(' ').map(|pid| pid.parse().unwrap()).collect();
        assert_eq!(pids.len(), 2, "{line}");
        for pid in &pids {
            assert!(std::fs::exists(format!("/proc/{pid}")).unwrap());
        }
        pids
    }
}

fn cancel(params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params })
}

#[test]
fn a_cancelled_call_ends_its_process_group_and_says_nothing_more() {
    let project = project();
    let mut family = Family::of(&project);
    let mut stdio = project.stdio();
    for id in [json!(1), json!("1"), json!("é"), json!(0)] {
        stdio.send(&call(id.clone(), "family", json!({})));
        let pids = family.pids();
        stdio.send(&cancel(json!({ "requestId": id, "reason": "enough" })));
        gone(&pids, stdio.pid());
        assert_eq!(stdio.ask(&list("probe"))["id"], "probe");
        // Its place is free: the id can be used again.
        assert_eq!(stdio.ask(&discover(id.clone()))["id"], id);
    }
    let (status, rest) = stdio.finish();
    assert!(status.success() && rest.is_empty(), "{status} {rest:?}");
}

#[test]
fn an_id_of_another_type_cancels_nothing() {
    let project = project();
    let mut family = Family::of(&project);
    let mut stdio = project.stdio();
    stdio.send(&call(1, "family", json!({})));
    let number = family.pids();
    stdio.send(&call("1", "family", json!({})));
    let text = family.pids();
    for params in [
        json!({ "requestId": "01" }),
        json!({ "requestId": 2 }),
        json!({ "requestId": "unknown" }),
        json!({ "requestId": null }),
        json!({ "requestId": [1] }),
        json!({ "request_id": 1 }),
        json!({}),
        json!([1]),
    ] {
        stdio.send(&cancel(params));
    }
    stdio.send_raw(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}\n");
    stdio.send_raw(
        b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1.0}}\n",
    );
    // All of them were read before this answer; both calls still run.
    assert_eq!(stdio.ask(&list("probe"))["id"], "probe");
    for pid in number.iter().chain(&text) {
        assert!(std::fs::exists(format!("/proc/{pid}")).unwrap());
    }
    // The text, spelt otherwise, is the same id; the number is not touched.
    stdio.send_raw(
        b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":\"\\u0031\"}}\n",
    );
    gone(&text, stdio.pid());
    for pid in &number {
        assert!(std::fs::exists(format!("/proc/{pid}")).unwrap());
    }
    stdio.send(&cancel(json!({ "requestId": 1 })));
    gone(&number, stdio.pid());
    let (status, rest) = stdio.finish();
    assert!(status.success() && rest.is_empty(), "{status} {rest:?}");
}

#[test]
fn cancelling_what_is_answered_does_nothing() {
    let project = project();
    let mut stdio = project.stdio();
    let echo = call(1, "echo", json!({ "text": "done" }));
    assert_eq!(stdio.ask(&echo)["id"], 1);
    stdio.send(&cancel(json!({ "requestId": 1 })));
    // The next use of the id is another request.
    assert_eq!(stdio.ask(&echo)["id"], 1);
    let (status, rest) = stdio.finish();
    assert!(status.success() && rest.is_empty(), "{status} {rest:?}");
}

#[test]
fn a_call_and_its_cancellation_in_one_write_leave_nothing_behind() {
    let project = project();
    let mut stdio = project.stdio();
    let folder = project.path().canonicalize().unwrap();
    for id in 0..50 {
        let both = format!(
            "{}\n{}\n",
            call(id, "family", json!({})),
            cancel(json!({ "requestId": id }))
        );
        stdio.send_raw(both.as_bytes());
    }
    assert_eq!(stdio.ask(&list("probe"))["id"], "probe");
    let (status, rest) = stdio.finish();
    assert!(status.success() && rest.is_empty(), "{status} {rest:?}");
    // The commands run in the project's folder; none that was started is left there.
    within("no command is left", || {
        let processes = std::fs::read_dir("/proc").unwrap();
        let here = |entry: &std::fs::DirEntry| {
            std::fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd == folder)
        };
        (!processes.flatten().any(|entry| here(&entry))).then_some(())
    });
}

#[test]
fn closing_the_connection_ends_the_calls_process_group() {
    let project = project();
    let mut family = Family::of(&project);
    let daemon = project.serve();
    let request = call(1, "family", json!({}));
    let mut connection = daemon.connect();
    connection.send_message(&request);
    let pids = family.pids();
    drop(connection);
    gone(&pids, daemon.pid());
    assert_eq!(daemon.ask(&list(2))["id"], 2);
}

#[test]
fn over_http_a_notification_cancels_nothing() {
    // An id is unique to its sender, and HTTP does not say who sent what.
    let project = project();
    let mut family = Family::of(&project);
    let daemon = project.serve();
    let mut connection = daemon.connect();
    connection.send_message(&call(1, "family", json!({})));
    let pids = family.pids();
    let reply = daemon.post(&cancel(json!({ "requestId": 1 })));
    assert_eq!((reply.status, reply.body.len()), (202, 0));
    assert_eq!(daemon.ask(&list(2))["id"], 2);
    for pid in &pids {
        assert!(std::fs::exists(format!("/proc/{pid}")).unwrap());
    }
    drop(connection);
    gone(&pids, daemon.pid());
}
