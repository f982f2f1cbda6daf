//! How a server ends: by a signal, by a second one, by the end of its input.

use super::TOOL;
use crate::support::{Connection, Daemon, Project, Stdio, call, handles, kill, text_of, within};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Command;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// What a loaded machine may add to any bound.
const SLACK: Duration = Duration::from_secs(4);

/// A project whose tool `slow` writes its process number to a FIFO and runs `script`.
struct Slow {
    project: Project,
    begun: PathBuf,
}

impl Slow {
    fn new(script: &str) -> Self {
        let project = Project::with(&format!(
            "{TOOL}[[tool]]\nname = \"slow\"\n[tool.shell]\ncwd = \"..\"\ntimeout_ms = 100000\nkill_after_ms = 300\n\
             script = '''\n{script}'''\n"
        ));
        let begun = project.path().join("begun");
        let made = Command::new("mkfifo").arg(&begun).status();
        assert!(made.unwrap().success());
        Self { project, begun }
    }

    /// The processes of a call that has begun.
    fn pids(&self) -> Vec<u32> {
        let mut line = String::new();
        let begun = fs::File::open(&self.begun).unwrap();
        BufReader::new(begun).read_line(&mut line).unwrap();
        line.split_whitespace()
            .map(|pid| pid.parse().unwrap())
            .collect()
    }
}

/// Ends by itself once it hears SIGTERM.
const PATIENT: &str = "sleep 1000 & echo $$ $! >begun; wait";
/// Hears nothing.
const DEAF: &str = "trap '' TERM INT HUP; sleep 1000 & echo $$ $! >begun; wait; wait";

fn call_slow(daemon: &Daemon) -> JoinHandle<Value> {
    let address = daemon.address();
    std::thread::spawn(move || {
        let answer = Connection::to(address).post(&call(1, "slow", json!({})));
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()
    })
}

/// A `tools/call` as bytes.
fn request(daemon: &Daemon, tool: &str) -> Vec<u8> {
    let body = call(1, tool, json!({})).to_string();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nAccept: application/json\r\n\
         Content-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\n\
         Mcp-Method: tools/call\r\nMcp-Name: {tool}\r\nContent-Length: {}\r\n\r\n{body}",
        daemon.address(),
        body.len()
    );
    head.into_bytes()
}

fn is_alive(pid: &u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat
        .rsplit(") ")
        .next()
        .and_then(|rest| rest.chars().next());
    state.is_some_and(|state| state != 'Z' && state != 'X')
}

#[test]
fn sigterm_and_sigint_end_an_idle_server_at_once() {
    for signal in ["TERM", "INT"] {
        let project = Project::with(TOOL);
        let mut daemon = project.serve();
        // An idle connection is no reason to wait.
        let mut idle = daemon.connect();
        assert_eq!(idle.post(&call(1, "t", json!({}))).status, 200);
        let began = Instant::now();
        daemon.signal(signal);
        assert_eq!(daemon.wait().code(), Some(0), "{signal}");
        assert!(began.elapsed() < Duration::from_secs(1) + SLACK);
        assert!(idle.is_closed());
        daemon.wait_for_log("stopped");
    }
}

#[test]
fn a_call_in_flight_finishes_inside_the_grace() {
    let slow = Slow::new("echo $$ >begun; read line <go; echo done $line");
    let made = Command::new("mkfifo")
        .arg(slow.project.path().join("go"))
        .status();
    assert!(made.unwrap().success());
    let mut daemon = slow.project.serve();
    let calling = call_slow(&daemon);
    slow.pids();
    daemon.signal("TERM");
    daemon.wait_for_log("stopping");
    // No more connections are taken, the one there is served.
    within("the door is shut", || {
        std::net::TcpStream::connect(daemon.address())
            .is_err()
            .then_some(())
    });
    fs::write(slow.project.path().join("go"), "well\n").unwrap();
    assert_eq!(text_of(&calling.join().unwrap()).trim_end(), "done well");
    assert_eq!(daemon.wait().code(), Some(0));
}

#[test]
fn after_the_grace_a_command_is_killed_and_its_call_answered() {
    for script in [PATIENT, DEAF] {
        let mut slow = Slow::new(script);
        slow.project = slow.project.set("server.grace_ms=1000");
        let mut daemon = slow.project.serve();
        let calling = call_slow(&daemon);
        let pids = slow.pids();
        assert!(pids.iter().all(is_alive));
        let began = Instant::now();
        daemon.signal("TERM");
        let answer = calling.join().unwrap();
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        assert!(
            text_of(&answer).contains("the server is stopping"),
            "{answer}"
        );
        assert_eq!(daemon.wait().code(), Some(0));
        let took = began.elapsed();
        println!("grace of 1 s, ended after {took:?}");
        assert!(took >= Duration::from_secs(1) && took < Duration::from_secs(2) + SLACK);
        assert!(!pids.iter().any(is_alive), "nothing is left");
    }
}

#[test]
fn after_the_grace_any_other_call_is_answered_too() {
    // An upstream that takes the connection and never says a word.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let manifest = format!(
        "[[tool]]\nname = \"slow\"\nhttp = {{ url = \"http://{}/\", timeout_ms = 60000 }}\n",
        silent.local_addr().unwrap()
    );
    let project = Project::with(&manifest).set("server.grace_ms=200");
    let mut daemon = project.serve();
    let calling = call_slow(&daemon);
    let _held = silent.accept().unwrap();
    daemon.signal("TERM");
    let answer = calling.join().unwrap();
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.ends_with("the server is stopping"), "{answer}");
    assert_eq!(daemon.wait().code(), Some(0));
}

#[test]
fn after_the_grace_a_call_over_stdio_is_answered() {
    let mut slow = Slow::new(DEAF);
    slow.project = slow.project.set("server.grace_ms=300");
    let mut stdio = slow.project.stdio();
    stdio.send(&call("slow", "slow", json!({})));
    let pids = slow.pids();
    kill(stdio.pid(), "TERM");
    let answer = stdio.receive();
    assert_eq!(answer["id"], "slow");
    assert!(
        text_of(&answer).contains("the server is stopping"),
        "{answer}"
    );
    assert_eq!(stdio.wait().code(), Some(0));
    assert!(!pids.iter().any(is_alive));
}

#[test]
fn a_second_signal_stops_at_once_and_leaves_no_child() {
    for (first, second) in [("TERM", "TERM"), ("INT", "INT"), ("TERM", "INT")] {
        let mut slow = Slow::new(DEAF);
        slow.project = slow.project.set("server.grace_ms=100000");
        let mut daemon = slow.project.serve();
        let mut caller = daemon.connect();
        caller.send(&request(&daemon, "slow"));
        let pids = slow.pids();
        daemon.signal(first);
        daemon.wait_for_log("stopping; another signal stops at once");
        let began = Instant::now();
        daemon.signal(second);
        assert_eq!(daemon.wait().code(), Some(0));
        println!("{first}, {second}: ended after {:?}", began.elapsed());
        assert!(began.elapsed() < Duration::from_secs(1) + SLACK);
        assert!(!pids.iter().any(is_alive), "nothing is left");
        // Answered or not, it does not hang.
        while !caller.is_closed() {}
    }
}

#[test]
fn sigterm_during_a_slow_start() {
    let project = Project::new();
    for file in 0..200 {
        let text: String = (0..20)
            .map(|n| format!("[[tool]]\nname = \"t{file}_{n}\"\nresult.text = \"1\"\n"))
            .collect();
        project.write(&format!("manifests/{file}.toml"), text);
    }
    for signal in ["TERM", "INT"] {
        let mut stdio = project.stdio();
        within("it handles the signal", || {
            handles(stdio.pid(), 15).then_some(())
        });
        within("it handles the signal", || {
            handles(stdio.pid(), 2).then_some(())
        });
        let began = Instant::now();
        kill(stdio.pid(), signal);
        assert_eq!(stdio.wait().code(), Some(0));
        assert!(began.elapsed() < Duration::from_secs(1) + SLACK);
        assert!(
            !stdio.stderr().contains("serving"),
            "too late: {}",
            stdio.stderr()
        );
    }
}

#[test]
fn the_end_of_the_input_ends_an_idle_stdio_server_within_a_second() {
    let project = Project::with(TOOL);
    let mut stdio = project.stdio();
    assert_eq!(text_of(&stdio.ask(&call(1, "t", json!({})))), "1");
    let began = Instant::now();
    stdio.close();
    assert_eq!(stdio.wait().code(), Some(0));
    println!("ended after {:?}", began.elapsed());
    assert!(began.elapsed() < Duration::from_secs(1) + SLACK);
}

#[test]
fn the_end_of_the_input_ends_commands_in_flight() {
    let slow = Slow::new(DEAF);
    let mut stdio = Stdio::start(&mut slow.project.command("stdio"));
    stdio.send(&call(1, "slow", json!({})));
    let pids = slow.pids();
    let began = Instant::now();
    stdio.close();
    assert_eq!(stdio.wait().code(), Some(0));
    println!("ended after {:?}", began.elapsed());
    assert!(!pids.iter().any(is_alive), "nothing is left");
}
