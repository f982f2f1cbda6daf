//! Requests run beside one another, within bounds; big answers leave whole.

use super::{gate, project};
use crate::support::{Fifo, Project, call, discover, list, text_of};
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio as Io};

#[test]
fn one_slow_tool_does_not_stop_others() {
    let project = project();
    let gate = gate(&project);
    let mut stdio = project.stdio();
    stdio.send(&call("slow", "wait", json!({})));
    let mut opened = gate.until_read();
    // The tool runs, and will until the pipe is closed: all of these are answered before it.
    assert_eq!(stdio.ask(&list(1))["id"], 1);
    assert_eq!(stdio.ask(&discover(2))["id"], 2);
    assert_eq!(
        text_of(&stdio.ask(&call(3, "echo", json!({ "text": "quick" })))),
        "quick"
    );
    stdio.send_raw(b"nonsense\n");
    assert_eq!(stdio.receive()["error"]["code"], -32700);
    opened.write_all(b"at last").unwrap();
    drop(opened);
    let answer = stdio.receive();
    assert_eq!(
        (answer["id"].as_str(), text_of(&answer).as_str()),
        (Some("slow"), "at last")
    );
}

#[test]
fn answers_may_come_out_of_order_over_one_stream_and_over_http() {
    let project = project();
    let gates: Vec<Fifo> = (0..3)
        .map(|n| Fifo::make(project.path().join(format!("gate{n}"))))
        .collect();
    let mut stdio = project.stdio();
    let daemon = project.serve();
    let wait = |id: usize| call(id, "wait", json!({ "gate": format!("gate{id}") }));
    for id in 0..3 {
        stdio.send(&wait(id));
    }
    let opened: Vec<_> = gates.iter().map(Fifo::until_read).collect();
    for (id, mut gate) in opened.into_iter().enumerate().rev() {
        write!(gate, "answer {id}").unwrap();
        drop(gate);
        let answer = stdio.receive();
        assert_eq!(answer["id"], id);
        assert_eq!(text_of(&answer), format!("answer {id}"));
    }
    // Over HTTP a request that waits holds up no other connection.
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| daemon.ask(&wait(0)));
        let mut gate = gates[0].until_read();
        assert_eq!(daemon.ask(&list(1))["id"], 1);
        gate.write_all(b"http").unwrap();
        drop(gate);
        assert_eq!(text_of(&waiting.join().unwrap()), "http");
    });
}

#[test]
fn many_answers_at_once_are_whole_lines() {
    let project = project();
    let mut stdio = project.stdio();
    // Long enough that a line is several writes to a pipe.
    let text = |id: u64| format!("{id} ").repeat(40_000);
    let count = 24;
    for id in 0..count {
        stdio.send(&call(id, "echo", json!({ "text": text(id) })));
    }
    let mut seen = Vec::new();
    for _ in 0..count {
        let answer = stdio.receive();
        let id = answer["id"].as_u64().unwrap();
        assert!(text_of(&answer) == text(id), "the text of {id}");
        seen.push(id);
    }
    seen.sort_unstable();
    assert_eq!(seen, (0..count).collect::<Vec<_>>());
}

#[test]
fn requests_in_flight_are_bounded_and_the_reader_never_stops() {
    let project = project().set("http.max_in_flight=2");
    let gates: Vec<Fifo> = (0..2)
        .map(|n| Fifo::make(project.path().join(format!("gate{n}"))))
        .collect();
    let mut stdio = project.stdio();
    for id in 0..2 {
        stdio.send(&call(id, "wait", json!({ "gate": format!("gate{id}") })));
    }
    let mut opened: Vec<_> = gates.iter().map(Fifo::until_read).collect();
    for id in ["third", "fourth"] {
        let refused = stdio.ask(&list(id));
        assert_eq!(refused["error"]["code"], -32603, "{refused}");
        let message = refused["error"]["message"].as_str().unwrap();
        assert!(message.contains("2 requests are in flight"), "{message}");
    }
    // Cancelling one makes room.
    stdio.send(&cancel(json!(1)));
    assert!(stdio.ask(&list("again"))["result"]["tools"].is_array());
    opened.truncate(1);
    drop(opened);
    assert_eq!(stdio.receive()["id"], 0);
    let (status, rest) = stdio.finish();
    assert!(status.success() && rest.is_empty(), "{status} {rest:?}");
}

/// `notifications/cancelled`.
fn cancel(id: Value) -> Value {
    json!({
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": { "requestId": id, "reason": "the test says so" },
    })
}

#[test]
fn an_id_in_flight_is_not_taken_twice() {
    let project = project();
    let gate = gate(&project);
    let mut stdio = project.stdio();
    stdio.send(&call(1, "wait", json!({})));
    let opened = gate.until_read();
    let again = stdio.ask(&list(1));
    assert_eq!(again["error"]["code"], -32600, "{again}");
    // Another type is another id.
    assert!(stdio.ask(&list("1"))["result"]["tools"].is_array());
    drop(opened);
    assert!(stdio.receive()["result"]["content"].is_array());
    // Answered, it may be used again.
    assert!(stdio.ask(&list(1))["result"]["tools"].is_array());
}

#[test]
fn a_big_answer_leaves_whole_while_the_client_reads_slowly() {
    const SIZE: usize = 8 * 1024 * 1024;
    let text: String = "0123456789\"\\\n\té\u{1}"
        .chars()
        .cycle()
        .take(SIZE / 17 * 16)
        .collect();
    let project = project().manifest(
        "big.toml",
        r#"
        [[tool]]
        name = "big"
        file = { path = "../big.txt" }
        "#,
    );
    project.write("big.txt", &text);
    assert!(text.len() >= SIZE - 32, "{}", text.len());
    let gate = gate(&project);
    let mut child = start(&project);
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut send = |message: Value| writeln!(stdin, "{message}").unwrap();
    send(call("waiting", "wait", json!({})));
    let opened = gate.until_read();
    send(call("big", "big", json!({})));
    // Nothing is read yet, so the pipe is full once the answer leaves: its first bytes say so.
    let mut first = [0; 1];
    stdout.read_exact(&mut first).unwrap();
    // The reader goes on all the same: this ends the tool, which closes its end of the pipe.
    send(cancel(json!("waiting")));
    closed_by_reader(opened);
    send(call("after", "echo", json!({ "text": "queued" })));
    // Slowly: a few bytes at a time at first, then the rest.
    let mut bytes = first.to_vec();
    for length in [1, 10, 1000, 4096] {
        let mut part = vec![0; length];
        stdout.read_exact(&mut part).unwrap();
        bytes.extend(part);
        std::thread::yield_now();
    }
    drop(stdin);
    stdout.read_to_end(&mut bytes).unwrap();
    assert!(child.wait().unwrap().success());
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    assert_eq!(lines.len(), 2);
    let big: Value = serde_json::from_slice(lines[0]).unwrap();
    assert_eq!(big["id"], "big");
    assert!(big["result"]["content"][0]["text"] == text.as_str());
    let after: Value = serde_json::from_slice(lines[1]).unwrap();
    assert_eq!(
        (after["id"].as_str(), text_of(&after).as_str()),
        (Some("after"), "queued")
    );
}

/// `snodo stdio` whose output nobody reads yet.
pub(super) fn start(project: &Project) -> std::process::Child {
    let mut command: Command = project.command("stdio");
    command
        .stdin(Io::piped())
        .stdout(Io::piped())
        .stderr(Io::null())
        .spawn()
        .unwrap()
}

/// Waits until who read from the pipe is gone: writing fails then.
fn closed_by_reader(mut pipe: std::fs::File) {
    crate::support::within("the reader of the pipe is gone", || {
        pipe.write_all(b"x").is_err().then_some(())
    });
}
