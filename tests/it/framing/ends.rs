//! The end of the input, and of the process.

use super::{gate, project};
use crate::support::{Fifo, Project, call, discover, gone, text_of};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::Stdio as Io;
use std::time::{Duration, Instant};

#[test]
fn an_idle_server_is_gone_within_a_second_of_the_end_of_its_input() {
    let project = project();
    // The best of a few: what is measured is the program, not the machine.
    let quickest = (0..3)
        .map(|_| {
            let mut stdio = project.stdio();
            assert_eq!(stdio.ask(&discover(1))["id"], 1);
            let start = Instant::now();
            let (status, rest) = stdio.finish();
            assert!(status.success() && rest.is_empty(), "{status} {rest:?}");
            start.elapsed()
        })
        .min()
        .unwrap();
    assert!(quickest < Duration::from_secs(1), "{quickest:?}");
}

#[test]
fn a_server_that_was_asked_nothing_ends_too() {
    let project = project();
    let (status, rest) = project.stdio().finish();
    assert!(status.success() && rest.is_empty(), "{status} {rest:?}");
}

#[test]
fn what_was_sent_just_before_the_end_is_answered() {
    let project = project();
    let mut stdio = project.stdio();
    stdio.send(&call(1, "echo", json!({ "text": "one" })));
    stdio.send(&call(2, "echo", json!({ "text": "two" })));
    // The last line has no ending.
    let last = call(3, "echo", json!({ "text": "three" })).to_string();
    stdio.send_raw(last.as_bytes());
    let (status, mut rest) = stdio.finish();
    assert!(status.success(), "{status}");
    rest.sort_by_key(|answer| answer["id"].as_u64());
    let texts: Vec<String> = rest.iter().map(text_of).collect();
    assert_eq!(texts, ["one", "two", "three"]);
}

#[test]
fn a_partial_last_line_is_one_line() {
    let project = project();
    let mut stdio = project.stdio();
    stdio.send_raw(b"{\"jsonrpc\":\"2.0\",\"id\":1,");
    let (status, rest) = stdio.finish();
    assert!(status.success(), "{status}");
    assert_eq!(rest.len(), 1, "{rest:?}");
    assert_eq!(rest[0]["error"]["code"], -32700);
}

#[test]
fn a_call_in_flight_may_finish_after_the_end_of_the_input() {
    let project = project();
    let gate = gate(&project);
    let mut stdio = project.stdio();
    stdio.send(&call(1, "wait", json!({})));
    let opened = gate.until_read();
    stdio.close();
    drop(opened);
    let (status, rest) = stdio.finish();
    assert!(status.success(), "{status}");
    assert_eq!(
        rest.iter()
            .map(|answer| &answer["id"])
            .collect::<Vec<&Value>>(),
        [1]
    );
}

#[test]
fn the_end_of_the_input_ends_the_process_groups_of_calls_that_go_on() {
    let project = project();
    let mut family = Fifo::at(project.path().join("family")).reader();
    let mut stdio = project.stdio();
    stdio.send(&call(1, "family", json!({})));
    let line = Fifo::line(&mut family);
    let pids: Vec<u32> = line.split(' ').map(|pid| pid.parse().unwrap()).collect();
    let pid = stdio.pid();
    let start = Instant::now();
    let (status, rest) = stdio.finish();
    assert!(status.success(), "{status}");
    // Its answer, if it has one, is an error; nothing else is sent.
    assert!(rest.len() <= 1, "{rest:?}");
    gone(&pids, pid);
    assert!(
        start.elapsed() < Duration::from_secs(15),
        "{:?}",
        start.elapsed()
    );
}

#[test]
fn a_client_that_closes_the_output_is_no_error() {
    let project = Project::with("[[tool]]\nname = \"t\"\nresult.text = \"x\"\n");
    let mut child = super::flow::start(&project);
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    // It may end at the first answer that cannot be written, before the second line is sent.
    let _ = writeln!(stdin, "{}", discover(1));
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_signal_ends_it_while_the_input_is_open() {
    for signal in ["TERM", "INT"] {
        let project = project();
        let mut stdio = project.stdio();
        assert_eq!(stdio.ask(&discover(1))["id"], 1);
        stdio.signal(signal);
        assert!(stdio.wait().success());
        assert_eq!(stdio.line(), None);
    }
}

#[test]
fn a_client_that_never_reads_does_not_keep_it_alive() {
    let project = project().manifest(
        "big.toml",
        "[[tool]]\nname = \"big\"\nfile = { path = \"../big.txt\" }\n",
    );
    project.write("big.txt", "x".repeat(4 * 1024 * 1024));
    let mut child = super::flow::start(&project);
    let mut stdin = child.stdin.take().unwrap();
    writeln!(stdin, "{}", call(1, "big", json!({}))).unwrap();
    // The answer is on its way and cannot leave: its first byte says so.
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut [0]).unwrap();
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_client_that_never_reads_standard_error_stops_nothing() {
    let project = project().set("log.level=trace");
    let mut child = project
        .command("stdio")
        .stdin(Io::piped())
        .stdout(Io::piped())
        .stderr(Io::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    // More is logged than a pipe holds, many times over.
    for id in 0..3000 {
        writeln!(stdin, "{}", discover(id)).unwrap();
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        assert!(
            line.starts_with(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},")),
            "{line}"
        );
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
    let mut logged = Vec::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_end(&mut logged)
        .unwrap();
    assert!(
        logged.len() > 32 * 1024,
        "{} bytes were logged",
        logged.len()
    );
}

#[test]
fn the_streams_may_be_files() {
    let project = project();
    let requests = format!("{}\n{}\n\n{{", discover(1), call(2, "echo", json!({})));
    project.write("in.jsonl", requests);
    let open = |name: &str| std::fs::File::open(project.path().join(name)).unwrap();
    let out = std::fs::File::create(project.path().join("out.jsonl")).unwrap();
    let status = project
        .command("stdio")
        .stdin(open("in.jsonl"))
        .stdout(out)
        .stderr(Io::null())
        .status()
        .unwrap();
    assert!(status.success(), "{status}");
    let text = std::fs::read_to_string(project.path().join("out.jsonl")).unwrap();
    let mut answers: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    answers.sort_by_key(|answer| answer["id"].as_u64());
    assert_eq!(answers.len(), 3, "{text}");
    assert_eq!(answers[0]["error"]["code"], -32700);
    assert_eq!(
        (&answers[1]["id"], &answers[2]["id"]),
        (&json!(1), &json!(2))
    );
}
