//! From the start of the process to the first answer, on both cores.

use super::many;
use crate::cores::Place;
use crate::load::ask;
use crate::mcp;
use crate::measure::{Plan, median};
use crate::process::{Process, SAMPLES, free_address, serve};
use crate::table::{Figure, Goal, Row, Unit};
use std::net::{SocketAddr, TcpStream};
use std::process::Command;
use std::time::{Duration, Instant};

pub(super) fn start(plan: &Plan) -> Row {
    Place::Anywhere.go();
    let starts = if plan.is_short() { 5 } else { 15 };
    let mut figures = vec![Figure::alone(
        "with the samples",
        Unit::Milliseconds,
        median((0..starts).map(|_| samples()).collect()),
        Goal::AtMost(10.0),
    )];
    for (files, what, goal) in [
        (100, "1,000 tools in 100 files", 20.0),
        (500, "5,000 tools in 500 files", 100.0),
    ] {
        let folder = many::folder(files, "first");
        let times = (0..starts).map(|_| {
            let address = free_address();
            let mut command = serve(address, &[]);
            command.arg(folder.path());
            let request = mcp::call(address, "tool_0_0", r#"{"name":"x"}"#);
            once(command, address, &request, "first x 0")
        });
        let time = median(times.collect());
        figures.push(Figure::alone(
            what,
            Unit::Milliseconds,
            time,
            Goal::AtMost(goal),
        ));
    }
    Row {
        name: "start",
        figures,
        notes: Vec::new(),
    }
}

/// Where programs of a service are found by default (systemd.exec(5)). What an interactive shell puts before it can
/// be scripts that choose a version of an interpreter, and take longer than all the rest.
const SERVICE_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin";

fn samples() -> f64 {
    let address = free_address();
    let mut command = serve(address, &[]);
    command
        .args(["--config", SAMPLES])
        .env("PATH", SERVICE_PATH);
    let request = mcp::call(address, "count_words", r#"{"text":"one two"}"#);
    once(command, address, &request, r#""words":2"#)
}

/// Milliseconds from the start of the process to its first answer.
fn once(command: Command, address: SocketAddr, request: &[u8], expected: &str) -> f64 {
    let begun = Instant::now();
    let mut process = Process::start(command, Place::Anywhere, true);
    while TcpStream::connect(address).is_err() {
        process.must_live();
        assert!(
            begun.elapsed() < Duration::from_secs(120),
            "it does not listen"
        );
        std::thread::sleep(Duration::from_micros(100));
    }
    let answer = ask(address, request);
    let took = begun.elapsed().as_secs_f64() * 1e3;
    assert!(answer.text().contains(expected), "{}", answer.text());
    took
}
