//! The streams in which it is said: their ends, their bounds, and who is offered one.

use super::{one, open_gate, project};
use crate::support::{Connection, Fifo, Project, call, discover, gone, wanting};
use serde_json::{Value, json};
use std::fs::File;

fn request(tool: &str) -> Value {
    wanting(call(7, tool, json!({})), json!("token"), "debug")
}

fn family(project: &Project) -> File {
    Fifo::at(project.path().join("family")).reader()
}

fn pids(family: &mut File) -> Vec<u32> {
    let line = Fifo::line(family);
    line.split(' ').map(|pid| pid.parse().unwrap()).collect()
}

/// The events up to the end of the body.
fn rest(connection: &mut Connection) -> Vec<Value> {
    std::iter::from_fn(|| connection.event()).collect()
}

#[test]
fn who_takes_no_events_gets_the_answer_alone() {
    let project = project();
    let daemon = project.serve();
    let body = request("build").to_string();
    let head = |accept: &str| {
        format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nAccept: {accept}\r\nContent-Type: application/json\r\n\
             MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: build\r\n\
             Content-Length: {}\r\n\r\n{body}",
            daemon.address(),
            body.len()
        )
    };
    let mut connection = daemon.connect();
    connection.send(head("application/json").as_bytes());
    let reply = connection.reply();
    assert_eq!(reply.header("content-type"), Some("application/json"));
    assert_eq!(reply.json()["id"], 7);
    for accept in ["text/event-stream", "*/*"] {
        connection.send(head(accept).as_bytes());
        let events = connection.reply().events();
        assert!(events.len() > 1 && events.last().unwrap()["id"] == 7);
    }
}

#[test]
fn closing_a_stream_ends_what_it_tells_of() {
    let project = project();
    let daemon = project.serve();
    let mut family = family(&project);
    let mut connection = daemon.connect();
    connection.send_message(&request("family"));
    let pids = pids(&mut family);
    assert_eq!(connection.head().status, 200);
    assert_eq!(
        one(&connection.event().unwrap()),
        json!([1, null, "started"])
    );
    drop(connection);
    gone(&pids, daemon.pid());
}

#[test]
fn after_a_cancellation_nothing_more_comes() {
    let project = project();
    let mut family = family(&project);
    let mut stdio = project.stdio();
    stdio.send(&request("family"));
    let pids = pids(&mut family);
    assert_eq!(one(&stdio.receive()), json!([1, null, "started"]));
    stdio.send(&json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 7 }
    }));
    gone(&pids, stdio.pid());
    stdio.send(&discover(8));
    assert_eq!(stdio.receive()["id"], 8);
    let (status, rest) = stdio.finish();
    assert!(status.success() && rest.is_empty(), "{status} {rest:?}");
}

#[test]
fn a_stop_ends_streams_with_an_answer() {
    let project = project().set("server.grace_ms=2000");
    let mut daemon = project.serve();
    let mut family = family(&project);
    let mut slow = daemon.connect();
    slow.send_message(&request("family"));
    let pids = pids(&mut family);
    slow.head();
    assert_eq!(one(&slow.event().unwrap()), json!([1, null, "started"]));
    let mut quick = daemon.connect();
    quick.send_message(&request("steps"));
    quick.head();
    assert_eq!(one(&quick.event().unwrap()), json!([1, null, "one"]));
    daemon.signal("TERM");
    daemon.wait_for_log("stopping");
    open_gate(&project);
    // What ends in time ends as ever; what does not is told so. Both bodies end.
    let ended = rest(&mut quick);
    assert_eq!(ended.last().unwrap()["result"]["isError"], false);
    let ended = rest(&mut slow);
    assert_eq!(ended.last().unwrap()["id"], 7);
    assert!(slow.is_closed() && quick.is_closed());
    assert!(daemon.wait().success());
    gone(&pids, std::process::id());
}

/// A reader who does not read keeps the command waiting for nothing, and finds the newest.
#[test]
fn a_slow_reader_holds_nothing_up_and_little_back() {
    let project = project();
    let daemon = project.serve();
    let mut over = family(&project);
    let mut connection = daemon.connect();
    connection.send_message(&request("flood"));
    assert_eq!(Fifo::line(&mut over), "over");
    let events = connection.reply().events();
    let (answer, notices) = events.split_last().unwrap();
    assert_eq!(answer["id"], 7);
    let progress: Vec<f64> = notices
        .iter()
        .filter_map(|notice| notice["params"]["progress"].as_f64())
        .collect();
    assert!(progress.is_sorted_by(|a, b| a < b));
    assert_eq!(progress.last(), Some(&200_000.0));
    let logs: Vec<&str> = notices
        .iter()
        .filter_map(|notice| notice["params"]["data"].as_str())
        .collect();
    assert_eq!(logs.first(), Some(&"1"));
    let left_out: u64 = logs
        .iter()
        .filter_map(|log| {
            let log = log.strip_prefix('[')?;
            log.split(' ').next()?.parse::<u64>().ok()
        })
        .sum();
    let told = logs.iter().filter(|log| !log.starts_with('[')).count() as u64;
    assert_eq!(told + left_out, 200_000);
    assert!(told < 10_000, "{told}");
}

#[test]
fn http2_has_the_same_stream() {
    let project = project();
    let daemon = project.serve();
    let (head, body) = daemon.post_over_two(&request("build"));
    assert_eq!(head.headers["content-type"], "text/event-stream");
    let text = String::from_utf8(body.to_vec()).unwrap();
    assert!(
        text.contains(r#""progress":4,"total":4,"message":"end""#),
        "{text}"
    );
    assert!(
        text.ends_with("\n\n") && text.contains(r#""id":7"#),
        "{text}"
    );
}
