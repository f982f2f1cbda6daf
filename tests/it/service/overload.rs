//! More work than is taken: some waits, the rest is turned away, and what needs no work is answered.

use crate::support::{Connection, Daemon, Fifo, Project, call, list, text_of, within};
use serde_json::json;

/// A server with one place at work and one in the queue, and a tool that waits for the test.
fn full() -> (Project, Fifo, Daemon) {
    let manifest = "[[tool]]\nname = \"slow\"\nshell = { command = [\"cat\", \"go\"], cwd = \"..\", timeout_ms = 600000 }\n";
    let project = Project::with(manifest)
        .set("http.max_in_flight=1")
        .set("http.max_queued=1")
        .set("metrics.listen=['127.0.0.1:0']");
    let go = Fifo::make(project.path().join("go"));
    let daemon = project.serve();
    (project, go, daemon)
}

fn asked(daemon: &Daemon) -> Connection {
    let mut connection = daemon.connect();
    connection.send_message(&call(1, "slow", json!({})));
    connection
}

/// Waits until so many wait for a turn.
fn queued(daemon: &Daemon, wanted: &str) {
    within(wanted, || {
        let log = daemon.stderr();
        let at = log.split("serving reports at http://").nth(1)?;
        let at = at.split_once('/')?.0.parse().ok()?;
        let mut connection = Connection::to(at);
        connection.send(format!("GET /metrics HTTP/1.1\r\nHost: {at}\r\n\r\n").as_bytes());
        let text = connection.reply().text();
        text.contains(&format!("\nsnodo_requests_queued {wanted}\n"))
            .then_some(())
    });
}

#[test]
fn what_is_too_much_is_turned_away_at_once_and_the_rest_comes_in_turn() {
    let (_project, go, daemon) = full();
    let mut at_work = asked(&daemon);
    let writer = go.until_read();
    let mut waits = asked(&daemon);
    queued(&daemon, "1");
    let busy = daemon.post(&call(7, "slow", json!({})));
    assert_eq!(busy.status, 503, "{busy:?}");
    assert_eq!(busy.header("retry-after"), Some("1"));
    let error = busy.json();
    assert_eq!(
        (&error["id"], &error["error"]["code"]),
        (&json!(7), &json!(-32603))
    );
    // What is answered from memory takes no place.
    assert_eq!(daemon.post(&list(1)).status, 200);
    drop(writer);
    assert_eq!(text_of(&at_work.reply().json()), "");
    // Its turn has come.
    drop(go.until_read());
    assert_eq!(text_of(&waits.reply().json()), "");
    queued(&daemon, "0");
}

#[test]
fn one_that_gives_up_waiting_leaves_the_queue() {
    let (_project, go, daemon) = full();
    let mut at_work = asked(&daemon);
    let writer = go.until_read();
    let waits = asked(&daemon);
    queued(&daemon, "1");
    drop(waits);
    queued(&daemon, "0");
    drop(writer);
    assert_eq!(text_of(&at_work.reply().json()), "");
}

#[test]
fn waiting_counts_as_part_of_the_time_that_a_request_may_take() {
    let manifest = "[[tool]]\nname = \"slow\"\nshell = { command = [\"cat\", \"go\"], cwd = \"..\", timeout_ms = 600000 }\n";
    let project = Project::with(manifest)
        .set("http.max_in_flight=1")
        .set("http.request_timeout_ms=700");
    let go = Fifo::make(project.path().join("go"));
    let daemon = project.serve();
    let mut at_work = asked(&daemon);
    let writer = go.until_read();
    let late = daemon.post(&call(2, "slow", json!({})));
    let said = late.json()["error"]["message"].to_string();
    // It had its turn for what was left of its time, or none.
    assert!(
        said.contains("no turn came within 700 ms") || said.contains("timed out after 700 ms"),
        "{said}"
    );
    assert_eq!(at_work.reply().status, 200);
    drop(writer);
}
