//! What goes wrong around a server, and what it does then. Each fault has an expected state here; the
//! long forms (`just soak`) are `#[ignore]`d and print the numbers that docs/reliability.md has.

mod clients;
mod clock;
mod crowds;
mod disk;

use crate::support::{Daemon, call, text_of};
use serde_json::json;
use std::net::SocketAddr;

const TOOLS: &str = "\
[[tool]]
name = \"t\"
result.text = \"hello\"

[[tool]]
name = \"large\"
file.path = \"../large\"
";

/// Asks on a connection of its own.
fn hello(daemon: &Daemon) {
    assert_eq!(text_of(&daemon.ask(&call(1, "t", json!({})))), "hello");
}

/// A number of `/proc/PID/status`, such as `VmRSS` in KiB.
fn status(pid: u32, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let value = line.unwrap().trim_start_matches(':').trim();
    value.split(' ').next().unwrap().parse().unwrap()
}

/// How many descriptors a process has open.
fn descriptors(pid: u32) -> usize {
    std::fs::read_dir(format!("/proc/{pid}/fd"))
        .unwrap()
        .count()
}

/// Where the log says that reports are served.
fn reports(daemon: &Daemon) -> SocketAddr {
    let log = daemon.stderr();
    let rest = log.split("serving reports at http://").nth(1).unwrap();
    rest.split_once('/').unwrap().0.parse().unwrap()
}

/// A sample of the server's metrics; 0 when there is none.
fn sample(daemon: &Daemon, name: &str) -> f64 {
    let at = reports(daemon);
    let mut connection = crate::support::Connection::to(at);
    connection.send(format!("GET /metrics HTTP/1.1\r\nHost: {at}\r\n\r\n").as_bytes());
    let text = connection.reply().text();
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.map_or(0.0, |value| value.trim().parse().unwrap())
}
