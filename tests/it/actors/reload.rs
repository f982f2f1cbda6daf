//! Reloads: who is the same stays, who changed begins anew, who is gone drains.

use super::*;
use crate::support::{Fifo, gone, within};
use std::thread;

/// Saves another manifest beside, so that something is reloaded, and waits for that.
fn reload_beside(project: &Project, daemon: &Daemon, name: &str) {
    let text = format!("[[tool]]\nname = \"{name}\"\nresult.text = \"x\"\n");
    project.save("manifests/beside.toml", text);
    daemon.wait_for_log(&format!("added=\"{name}\""));
}

#[test]
fn an_unchanged_actor_keeps_its_process_and_its_count() {
    let project = project(&worker(""));
    let daemon = project.serve();
    let worker = pid(&daemon);
    for n in 0..5_u64 {
        reload_beside(&project, &daemon, &format!("t{n}"));
        assert_eq!(add(&daemon), n * 2 + 2);
        assert_eq!(pid(&daemon), worker);
    }
    // A comment is no change.
    let text = format!(
        "# here\n{}[[tool]]\nname = \"last\"\nresult.text = \"x\"\n",
        self::worker("")
    );
    project.save("manifests/a.toml", text);
    daemon.wait_for_log("added=\"last\"");
    assert_eq!(pid(&daemon), worker);
}

#[test]
fn a_changed_actor_begins_anew_and_keeps_its_state_if_it_says_so() {
    for (keys, kept) in [("mailbox = 5", 0), ("keep_state = true", 3)] {
        let project = project(&counter(""));
        let daemon = project.serve();
        for _ in 0..3 {
            ok(&daemon, "add", json!({}));
        }
        project.save("manifests/a.toml", counter(keys));
        daemon.wait_for_log("changed=\"actor a\"");
        assert_eq!(ok(&daemon, "get", json!({})), json!({ "count": kept }));
    }
}

#[test]
fn a_changed_worker_finishes_its_message_and_what_waits_goes_to_the_next() {
    let project = project(&worker(""));
    let gate = Fifo::make(project.manifests().join("gate"));
    let daemon = project.serve();
    let before = pid(&daemon);
    thread::scope(|scope| {
        let held = scope.spawn(|| ok(&daemon, "hold", json!({})));
        let open = gate.until_read();
        ok(&daemon, "add_later", json!({}));
        project.save("manifests/a.toml", worker("mailbox = 7"));
        daemon.wait_for_log("changed=\"actor a\"");
        let waits = scope.spawn(|| ok(&daemon, "add", json!({})));
        drop(open);
        // Begun before the change, it was answered by the worker that had begun it.
        let held = held.join().unwrap();
        assert_eq!(held, json!({ "count": 2, "pid": before }));
        let next = waits.join().unwrap();
        assert_ne!(next["pid"], before);
        assert_eq!(next["count"], 2, "the cast was handled once, before it");
    });
    gone(&[before], daemon.pid());
}

#[test]
fn a_removed_actor_answers_what_waits_and_stops() {
    let project = project(&worker(""));
    let gate = Fifo::make(project.manifests().join("gate"));
    let daemon = project.serve();
    let worker = pid(&daemon);
    thread::scope(|scope| {
        let held = scope.spawn(|| ok(&daemon, "hold", json!({})));
        let open = gate.until_read();
        let waits = scope.spawn(|| {
            let answer = daemon.ask(&call(1, "add", json!({})));
            (answer["result"]["isError"] == false, text_of(&answer))
        });
        project.save(
            "manifests/a.toml",
            "[[tool]]\nname = \"other\"\nresult.text = \"x\"\n",
        );
        daemon.wait_for_log("removed=");
        within("the tool is gone", || {
            (daemon.ask(&call(1, "add", json!({})))["error"]["code"] == -32602).then_some(())
        });
        drop(open);
        assert_eq!(held.join().unwrap()["pid"], worker);
        let (is_ok, said) = waits.join().unwrap();
        let removed = "the actor `a` is being removed";
        assert!(
            is_ok || said == removed || said.contains("unknown"),
            "{said}"
        );
    });
    gone(&[worker], daemon.pid());
    // Declared again, it is another.
    project.save("manifests/a.toml", self::worker(""));
    within("it is there again", || {
        let answer = daemon.ask(&call(1, "add", json!({})));
        (answer["result"]["structuredContent"]["count"] == 1).then_some(())
    });
}

#[test]
fn what_cannot_be_started_leaves_everything_as_it_was() {
    let project = project(&worker(""));
    let daemon = project.serve();
    let worker = pid(&daemon);
    let broken = "[[actor]]\nname = \"b\"\nprocess.command = [\"./not-here\"]\n";
    project.save("manifests/b.toml", broken);
    daemon.wait_for_log("not-here");
    assert_eq!(pid(&daemon), worker);
    let changed = self::worker("").replace("\"sh\", \"worker.sh\"", "\"./not-here-either\"");
    project.save("manifests/a.toml", changed);
    daemon.wait_for_log("not-here-either");
    assert_eq!(pid(&daemon), worker);
}

#[test]
fn a_hundred_reloads_lose_and_repeat_nothing() {
    const RELOADS: u64 = 100;
    let project = project(&(counter("keep_state = true") + "# 0\n")).set("reload.debounce_ms=10");
    let daemon = project.serve();
    let done = std::sync::atomic::AtomicBool::new(false);
    let counted = thread::scope(|scope| {
        let callers: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(|| {
                    let mut connection = daemon.connect();
                    let mut counts = Vec::new();
                    while !done.load(std::sync::atomic::Ordering::Relaxed) {
                        let answer = connection.post(&call(1, "add", json!({}))).json();
                        let count = &answer["result"]["structuredContent"]["count"];
                        counts.push(count.as_u64().unwrap_or_else(|| panic!("{answer}")));
                    }
                    counts
                })
            })
            .collect();
        for n in 1..=RELOADS {
            // Each time it is another actor, which takes over the state.
            project.save(
                "manifests/a.toml",
                counter(&format!("keep_state = true\nmailbox = {}", 100 + n)),
            );
            if n.is_multiple_of(10) {
                within("it is applied", || {
                    (daemon.stderr().matches("changed=\"actor a\"").count() as u64 >= n / 10)
                        .then_some(())
                });
            }
        }
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        let counts = callers
            .into_iter()
            .flat_map(|caller| caller.join().unwrap());
        let mut counts: Vec<u64> = counts.collect();
        counts.sort_unstable();
        counts
    });
    let all: Vec<u64> = (1..=counted.len() as u64).collect();
    assert_eq!(counted, all, "each call counted once");
}
