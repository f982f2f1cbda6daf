//! States that outlive the server.

use super::*;
use std::fs;
use std::path::PathBuf;

fn kept(manifest: &str) -> Project {
    project(manifest).set("server.state_dir=\"states\"")
}

fn file(project: &Project) -> PathBuf {
    project.path().join("states/actors/a.state")
}

fn count(daemon: &Daemon) -> u64 {
    ok(daemon, "get", json!({}))["count"].as_u64().unwrap()
}

#[test]
fn what_was_acknowledged_outlives_kill_9() {
    const AT_ONCE: u64 = 40;
    let project = kept(&counter("persist = true"));
    let mut acknowledged = 0;
    for round in 0..6 {
        let mut stdio = project.stdio();
        let answer = stdio.ask(&call("get", "get", json!({})));
        let restored = counted(&answer);
        // What was under way when it was killed may be there too.
        let most = acknowledged + AT_ONCE;
        assert!(
            (acknowledged..=most).contains(&restored),
            "{acknowledged}, {restored}"
        );
        acknowledged = restored;
        for id in 0..AT_ONCE {
            stdio.send(&call(id, "add", json!({})));
        }
        // It is killed in the middle of them, each time at another place.
        for _ in 0..=round * 5 {
            acknowledged = acknowledged.max(counted(&stdio.receive()));
        }
        stdio.signal("KILL");
        while let Some(line) = stdio.line().filter(|line| line.ends_with(b"\n")) {
            acknowledged = acknowledged.max(counted(&serde_json::from_slice(&line).unwrap()));
        }
        stdio.wait();
    }
    assert!(acknowledged > 6, "{acknowledged}");
}

fn counted(answer: &Value) -> u64 {
    let count = answer["result"]["structuredContent"]["count"].as_u64();
    count.unwrap_or_else(|| panic!("{answer}"))
}

#[test]
fn an_orderly_end_keeps_casts_that_were_taken() {
    let manifest = counter("persist = true")
        + "[[tool]]\nname = \"later\"\nactor = { target = \"a\", cast = \"add\" }\n";
    let project = kept(&manifest);
    let mut daemon = project.serve();
    for _ in 0..100 {
        ok(&daemon, "later", json!({}));
    }
    daemon.signal("TERM");
    assert!(daemon.wait().success());
    assert_eq!(count(&project.serve()), 100);
}

#[test]
fn a_damaged_state_is_said_moved_aside_and_never_overwritten() {
    let project = kept(&counter("persist = true"));
    let daemon = project.serve();
    ok(&daemon, "add", json!({}));
    drop(daemon);
    let whole = fs::read(file(&project)).unwrap();
    let mut damaged = whole.clone();
    let last = damaged.len() - 2;
    damaged[last] ^= 1;
    for bytes in [
        &damaged[..],
        &whole[..whole.len() / 2],
        b"",
        b"\xff\x00 nonsense",
    ] {
        fs::write(file(&project), bytes).unwrap();
        let daemon = project.serve();
        daemon.wait_for_log("is damaged");
        assert_eq!(count(&daemon), 0, "it begins with the manifest's state");
        let names = fs::read_dir(project.path().join("states/actors")).unwrap();
        let aside: Vec<PathBuf> = names
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.to_string_lossy().contains("a.damaged-"))
            .collect();
        assert_eq!(aside.len(), 1, "{aside:?}");
        assert_eq!(fs::read(&aside[0]).unwrap(), bytes);
        fs::remove_file(&aside[0]).unwrap();
    }
    // Put back whole, it counts on.
    fs::write(file(&project), &whole).unwrap();
    assert_eq!(count(&project.serve()), 1);
}

#[test]
fn a_state_that_cannot_be_saved_is_an_error_and_no_change() {
    let project = kept(&counter("persist = true"));
    let daemon = project.serve();
    ok(&daemon, "add", json!({}));
    // A folder stands where the next file is to be written.
    let beside = file(&project).with_extension("state.new");
    fs::create_dir(&beside).unwrap();
    let said = failed(&daemon, "add", json!({}));
    assert!(said.starts_with("the state cannot be saved: "), "{said}");
    assert_eq!(count(&daemon), 1);
    fs::remove_dir(&beside).unwrap();
    assert_eq!(ok(&daemon, "add", json!({})), json!({ "count": 2 }));
}

#[test]
fn one_server_at_a_time_has_the_states() {
    let project = kept(&counter("persist = true"));
    let daemon = project.serve();
    let mut second = project.stdio();
    assert_eq!(second.wait().code(), Some(1));
    second.wait_for_log("is used by another process");
    drop(daemon);
    assert_eq!(count(&project.serve()), 0);
}

#[test]
fn new_members_have_the_manifests_value_and_old_ones_are_dropped() {
    let project = kept(&counter("persist = true"));
    let daemon = project.serve();
    ok(&daemon, "add", json!({}));
    drop(daemon);
    let manifest = "[[actor]]\nname = \"a\"\nstate = { count = 9, more = \"x\" }\npersist = true\n\
                    [actor.on.get]\nreply = \"{{ state }}\"\n"
        .to_owned()
        + &tools(&["get"]);
    project.save("manifests/a.toml", &manifest);
    let state = ok(&project.serve(), "get", json!({}));
    assert_eq!(state, json!({ "count": 1, "more": "x" }));
    project.save("manifests/a.toml", manifest.replace("count = 9, ", ""));
    let state = ok(&project.serve(), "get", json!({}));
    assert_eq!(state, json!({ "more": "x" }));
}

#[test]
fn a_worker_is_given_a_folder_of_its_own() {
    let manifest = "[[actor]]\nname = \"a\"\npersist = true\n[actor.process]\nscript = '''\n\
                    while read -r line; do\n  echo x >>\"$SNODO_STATE_DIR/lines\"\n  \
                    echo \"{\\\"id\\\":1,\\\"reply\\\":{\\\"n\\\":$(wc -l <\"$SNODO_STATE_DIR/lines\")}}\"\ndone\n'''\n"
        .to_owned()
        + &tools(&["x"]);
    let project = kept(&manifest);
    for n in 1..=2 {
        let daemon = project.serve();
        assert_eq!(ok(&daemon, "x", json!({})), json!({ "n": n }));
    }
    let lines = project.path().join("states/actors/a.worker/lines");
    assert_eq!(fs::read_to_string(lines).unwrap(), "x\nx\n");
}

#[test]
fn tests_beside_tools_keep_nothing() {
    let manifest = counter("persist = true")
        + "[[tool.test]]\nname = \"t\"\nexpect.structured = { count = 0 }\n";
    let project = kept(&manifest);
    let tested = project.test(&[]);
    assert_eq!(tested.code, 0, "{}", tested.stdout);
    assert!(!project.path().join("states").exists());
    let daemon = project.serve();
    ok(&daemon, "add", json!({}));
    assert!(file(&project).exists());
    assert_eq!(project.test(&[]).code, 0, "a test begins anew");
}
