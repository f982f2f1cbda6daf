//! As process 1 of a container: signals are heard, and orphans are reaped.

use super::TOOL;
use crate::support::{Daemon, Project, call, kill, text_of, within};
use serde_json::json;
use std::fs;
use std::process::Command;

/// A server that is process 1 of a namespace of its own.
struct First {
    /// `unshare`, which waits for it.
    outer: Daemon,
    /// Its number out here.
    pid: u32,
}

/// `None`, which is said, where namespaces are not permitted.
fn serve(project: &Project) -> Option<First> {
    let unshare = || {
        let mut command = Command::new("unshare");
        command.args(["-Ur", "-p", "-f", "--mount-proc", "--kill-child"]);
        command
    };
    let tried = unshare().arg("true").output();
    if !tried.is_ok_and(|done| done.status.success()) {
        crate::support::skipped("namespaces are not permitted here");
        return None;
    }
    let inner = project.command("serve");
    let mut outer = unshare();
    outer
        .arg(inner.get_program())
        .args(inner.get_args())
        .args(["--set", "http.listen=[\"127.0.0.1:0\"]"])
        .current_dir(project.path());
    let outer = Daemon::start(&mut outer);
    let children = format!("/proc/{0}/task/{0}/children", outer.pid());
    let pid = fs::read_to_string(children).unwrap();
    let pid: u32 = pid.trim().parse().unwrap();
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let number = status.lines().find_map(|line| line.strip_prefix("NSpid:"));
    assert_eq!(number.unwrap().split_whitespace().last(), Some("1"));
    Some(First { outer, pid })
}

#[test]
fn as_process_1_signals_are_heard() {
    for signal in ["TERM", "INT"] {
        let project = Project::with(TOOL);
        let Some(mut first) = serve(&project) else {
            return;
        };
        // SIGHUP would end any other program that does not handle it; process 1 would not hear it.
        kill(first.pid, "HUP");
        first.outer.wait_for_log("read everything again");
        kill(first.pid, signal);
        let status = first.outer.wait();
        assert_eq!(status.code(), Some(0), "unshare hands the exit code on");
    }
}

/// The children of a process that are zombies, and all of them.
fn children(pid: u32) -> (usize, usize) {
    let listed = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap();
    let all: Vec<&str> = listed.split_whitespace().collect();
    let zombies = all.iter().filter(|child| {
        let stat = fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
        stat.rsplit_once(") ")
            .is_some_and(|(_, rest)| rest.starts_with('Z'))
    });
    (zombies.count(), all.len())
}

#[test]
fn orphans_that_left_their_command_are_reaped_and_commands_are_not_disturbed() {
    // It leaves its group and its parent, waits for the test, and ends.
    let manifest = "[[tool]]\nname = \"leave\"\nshell = { cwd = \"..\", script = \"setsid sh -c 'echo there >there; read line <go' >/dev/null 2>&1 & \" }\n\
                    [[tool]]\nname = \"code\"\nshell = { script = \"exit 3\", success = [3] }\nresult.text = \"{{ output.exit_code }}\"\n";
    let project = Project::with(manifest);
    let go = crate::support::Fifo::make(project.path().join("go"));
    let Some(first) = serve(&project) else {
        return;
    };
    for _ in 0..3 {
        first.outer.ask(&call(1, "leave", json!({})));
        let writer = go.until_read();
        within("the orphan is a child of process 1", || {
            (children(first.pid) == (0, 1)).then_some(())
        });
        drop(writer);
        // Meanwhile exit codes of commands are their callers'.
        for _ in 0..20 {
            let answer = first.outer.ask(&call(1, "code", json!({})));
            assert_eq!(text_of(&answer), "3");
        }
        within("it is reaped", || {
            (children(first.pid) == (0, 0)).then_some(())
        });
    }
}
