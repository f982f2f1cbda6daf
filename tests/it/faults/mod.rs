//! What goes wrong around a server, and what it does then. Each fault has an expected state here; the
//! long forms (`just soak`) are `#[ignore]`d and print the numbers that docs/reliability.md has.

mod clients;
mod clock;
mod crowds;
mod disk;
mod soak;
mod states;

use crate::support::{Daemon, Project, call, text_of};
use serde_json::json;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Command;

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

/// The program with this command, a folder of its project a disk of 64 KiB that nobody else sees; `None`
/// where that is not permitted.
fn on_small_disk(project: &Project, subcommand: &str, folder: &str) -> Option<Command> {
    std::fs::create_dir(project.path().join(folder)).unwrap();
    let enter = ["-Urm", "sh", "-c"];
    let mount = format!("mount -t tmpfs -o size=64k none {folder} && exec \"$@\"");
    let mut tried = Command::new("unshare");
    tried.args(enter).args([&mount, "sh", "true"]);
    let tried = tried.current_dir(project.path()).output();
    if !tried.is_ok_and(|done| done.status.success()) {
        crate::support::skipped("namespaces are not permitted here");
        return None;
    }
    let plain = project.command(subcommand);
    let mut command = Command::new("unshare");
    command
        .args(enter)
        .args([&mount, "sh"])
        .arg(plain.get_program())
        .args(plain.get_args())
        .current_dir(project.path());
    Some(command)
}

/// A folder of a project as this process sees it.
fn seen_by(pid: u32, project: &Project, folder: &str) -> PathBuf {
    let root = PathBuf::from(format!("/proc/{pid}/root"));
    root.join(project.path().strip_prefix("/").unwrap())
        .join(folder)
}
