//! Reloads under a steady load, and what is left of it all afterwards.

use super::{Ask as _, said, tool};
use crate::support::{Connection, Daemon, Project, call, within};
use serde_json::json;
use std::fs;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

/// Resident memory of a process, in KiB.
fn resident(pid: u32) -> usize {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.unwrap().trim().trim_end_matches(" kB");
    kib.parse().unwrap()
}

/// Waits until a process has as many descriptors as before, give or take five.
fn until_descriptors(daemon: &Daemon, idle: usize) {
    let port = format!(":{:04X} ", daemon.address().port());
    let close_wait = |line: &&str| {
        let mut fields = line.split_whitespace().skip(1);
        let here = fields
            .next()
            .is_some_and(|local| format!("{local} ").ends_with(&port));
        here && fields.nth(1) == Some("08")
    };
    within("no connection is left half closed", || {
        let sockets = fs::read_to_string("/proc/net/tcp").unwrap();
        (sockets.lines().filter(close_wait).count() == 0).then_some(())
    });
    within("the descriptors are given back", || {
        daemon.descriptors().abs_diff(idle).le(&5).then_some(())
    });
}

/// Version `n` of the set: two files that must be seen together or not at all, and one more tool in
/// every other version.
fn write_version(project: &Project, n: usize) {
    let extra = if n.is_multiple_of(2) {
        tool("extra", "x")
    } else {
        String::new()
    };
    project.save("manifests/b.toml", tool("b", &n.to_string()) + &extra);
    project.save("manifests/a.toml", tool("a", &n.to_string()));
}

const BROKEN: [&str; 3] = [
    "[[tool]]\nname = \"a\"\nresult.txet = \"x\"\n",
    "[[tool]\n",
    "[[tool]]\nname = \"b\"\nresult.text = \"{{ args.nothing }}\"\n",
];

#[test]
fn two_hundred_edits_a_third_of_them_broken_under_load() {
    const EDITS: usize = 200;
    const CALLERS: usize = 4;
    let project = Project::new().set("reload.debounce_ms=10");
    write_version(&project, 0);
    let daemon = project.serve();
    let mut watcher = daemon.connect();
    watcher.until_says("a", "0");
    let (idle, memory) = (daemon.descriptors_at_rest(), resident(daemon.pid()));
    let done = AtomicBool::new(false);
    let calls = AtomicUsize::new(0);
    thread::scope(|scope| {
        let _end = End(&done);
        let callers: Vec<_> = (0..CALLERS)
            .map(|caller| {
                let (done, calls, daemon) = (&done, &calls, &daemon);
                scope.spawn(move || {
                    let mut connection = daemon.connect();
                    let name = ["a", "b"][caller % 2];
                    let mut last = 0;
                    while !done.load(Ordering::Relaxed) {
                        // A lost request or a closed connection is a panic in here.
                        let answer = connection.post(&call(1, name, json!({})));
                        assert_eq!(answer.status, 200);
                        let version: usize = said(&answer.json()).parse().unwrap();
                        assert!(last <= version && version < EDITS, "{last} then {version}");
                        last = version;
                        calls.fetch_add(1, Ordering::Relaxed);
                    }
                })
            })
            .collect();
        for edit in 1..EDITS {
            if edit % 3 == 0 {
                project.save("manifests/a.toml", BROKEN[edit / 3 % BROKEN.len()]);
                settle(&daemon, "not reloaded", &callers);
            } else {
                write_version(&project, edit);
                settle(&daemon, "reloaded components=", &callers);
            }
        }
        write_version(&project, EDITS - 1);
        watcher.until_says("a", &(EDITS - 1).to_string());
        watcher.until_says("b", &(EDITS - 1).to_string());
        done.store(true, Ordering::Relaxed);
    });
    let calls = calls.load(Ordering::Relaxed);
    drop(watcher);
    until_descriptors(&daemon, idle);
    let grown = resident(daemon.pid()).saturating_sub(memory);
    println!(
        "{calls} calls, {} reloads, {} refusals, {grown} KiB more",
        super::reloads(&daemon, 1),
        super::lines(&daemon.stderr(), "not reloaded").len()
    );
    assert!(calls > EDITS, "{calls} calls are no load");
    assert!(grown < 32 * 1024, "memory has grown by {grown} KiB");
}

/// Ends the threads of a scope, also when what they run beside has failed.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Waits until the log has one more line with this, whatever the other edits left there.
fn settle(daemon: &Daemon, text: &str, callers: &[thread::ScopedJoinHandle<'_, ()>]) {
    thread_local! {
        static SEEN: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
    }
    within(text, || {
        assert!(
            !callers.iter().any(|caller| caller.is_finished()),
            "a caller has failed"
        );
        let log = daemon.stderr();
        let rest = log.get(SEEN.get()..)?;
        let at = rest.find(text)?;
        SEEN.set(SEEN.get() + at + text.len());
        Some(())
    });
}

#[test]
fn both_files_of_an_edit_are_seen_together() {
    let project = Project::new();
    write_version(&project, 0);
    let daemon = project.serve();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let _end = End(&done);
        let (done, daemon) = (&done, &daemon);
        let lister = scope.spawn(move || {
            let mut connection = daemon.connect();
            let mut lists = 0;
            while !done.load(Ordering::Relaxed) {
                let tools = connection.tools();
                assert!(
                    tools == ["a", "b"] || tools == ["a", "b", "extra"],
                    "{tools:?}"
                );
                lists += 1;
            }
            lists
        });
        let mut connection = daemon.connect();
        for version in 1..10 {
            write_version(&project, version);
            connection.until_says("a", &version.to_string());
            // The file that was written first cannot be older.
            assert_eq!(connection.says("b"), version.to_string());
            assert!(!lister.is_finished());
        }
        done.store(true, Ordering::Relaxed);
        assert!(lister.join().unwrap() > 0);
    });
}

#[test]
fn a_thousand_connections_and_a_thousand_commands_leave_nothing_open() {
    let shell = "[[tool]]\nname = \"s\"\nshell.command = [\"true\"]\n";
    let project = Project::with(&(tool("a", "1") + shell));
    let daemon = project.serve();
    daemon.connect().until_says("a", "1");
    let idle = daemon.descriptors_at_rest();
    let ask = |name: &str| {
        said(
            &Connection::to(daemon.address())
                .post(&call(1, name, json!({})))
                .json(),
        )
    };
    for _ in 0..1000 {
        assert_eq!(ask("a"), "1");
    }
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut connection = daemon.connect();
                for _ in 0..250 {
                    assert_eq!(connection.says("s"), "");
                }
            });
        }
    });
    until_descriptors(&daemon, idle);
    let children = fs::read_to_string(format!("/proc/{0}/task/{0}/children", daemon.pid()));
    assert_eq!(children.unwrap_or_default(), "", "no zombie");
}
