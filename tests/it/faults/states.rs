//! States on disk: the server is killed at every step of saving and restoring one, a step fails, the disk
//! is full. What must be there afterwards stands in docs/reliability.md.

use super::{on_small_disk, seen_by};
use crate::support::{Daemon, Project, Stdio, call, text_of, within};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

fn project() -> Project {
    let manifest = r#"
[[actor]]
name = "a"
state = { count = 0, text = "" }
persist = true
[actor.on.add]
set = { count = "{{ state.count + 1 }}", text = "{{ msg.text or state.text }}" }
reply = { count = "{{ state.count }}" }
[actor.on.get]
reply = { count = "{{ state.count }}" }

[[tool]]
name = "add"
arguments.text = { type = "string" }
actor = { target = "a", call = "add" }

[[tool]]
name = "get"
actor = { target = "a", call = "get" }
"#;
    Project::with(manifest).set("server.state_dir=\"states\"")
}

fn actors(project: &Project) -> PathBuf {
    project.path().join("states/actors")
}

/// What the actor's files are named, without the lock.
fn files(project: &Project) -> Vec<String> {
    let entries = fs::read_dir(actors(project)).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name != ".lock").collect();
    names.sort();
    names
}

fn outcome(answer: &Value) -> Result<u64, String> {
    match answer["result"]["isError"] == false {
        true => Ok(answer["result"]["structuredContent"]["count"]
            .as_u64()
            .unwrap()),
        false => Err(text_of(answer)),
    }
}

fn ask(stdio: &mut Stdio, tool: &str) -> Result<u64, String> {
    outcome(&stdio.ask(&call(1, tool, json!({}))))
}

/// Counts to two, in a server that ends well.
fn counted_to_two(project: &Project) {
    let mut stdio = project.stdio();
    assert_eq!(ask(&mut stdio, "add"), Ok(1));
    assert_eq!(ask(&mut stdio, "add"), Ok(2));
    assert!(stdio.finish().0.success());
}

/// The server, in which this happens when it makes this system call on this path for the first time.
fn injected(project: &Project, syscall: &str, path: &Path, what: &str) -> Stdio {
    let plain = project.command("stdio");
    let mut command = Command::new("strace");
    command
        .args(["-f", "-qq", "-o", "/dev/null", "-P"])
        .arg(path)
        .args(["-e", &format!("trace={syscall}"), "-e"])
        .arg(format!("inject={syscall}:{what}:when=1"))
        .arg(plain.get_program())
        .args(plain.get_args())
        .current_dir(project.path());
    Stdio::start(&mut command)
}

fn can_inject() -> bool {
    let tried = Command::new("strace").args(["-qq", "true"]).output();
    let can = tried.is_ok_and(|done| done.status.success());
    if !can {
        crate::support::skipped("the package strace is not installed, or may not trace here");
    }
    can
}

#[test]
fn killed_at_every_step_of_a_save() {
    if !can_inject() {
        return;
    }
    // The step that is not made any more, what is left beside the state, and the count afterwards: the
    // third change was never acknowledged.
    for (syscall, name, left, count) in [
        ("openat", "", false, 2),
        ("openat", "a.state.new", false, 2),
        ("write", "a.state.new", true, 2),
        ("fsync", "a.state.new", true, 2),
        ("rename", "a.state.new", true, 2),
        ("fsync", "", false, 3),
    ] {
        let at = format!("killed before {syscall} of `{name}`");
        let project = project();
        counted_to_two(&project);
        let path = actors(&project).join(name);
        let mut stdio = injected(&project, syscall, &path, "signal=KILL");
        assert_eq!(ask(&mut stdio, "get"), Ok(2), "{at}");
        stdio.send(&call(2, "add", json!({})));
        assert_eq!(stdio.line(), None, "{at}: acknowledged");
        assert_eq!(stdio.wait().signal(), Some(9), "{at}");
        let files_then = files(&project);
        assert_eq!(files_then.contains(&"a.state.new".into()), left, "{at}");
        assert!(files_then.contains(&"a.state".into()), "{at}");
        let mut stdio = project.stdio();
        assert_eq!(ask(&mut stdio, "get"), Ok(count), "{at}");
        assert_eq!(ask(&mut stdio, "add"), Ok(count + 1), "{at}");
        assert!(!stdio.stderr().contains("damaged"), "{at}");
        assert_eq!(files(&project), ["a.state"], "{at}");
    }
}

#[test]
fn a_step_of_a_save_that_fails_changes_nothing_and_is_said() {
    if !can_inject() {
        return;
    }
    for (syscall, name, error, why, count) in [
        ("openat", "a.state.new", "EMFILE", "Too many open files", 2),
        (
            "write",
            "a.state.new",
            "ENOSPC",
            "No space left on device",
            2,
        ),
        ("write", "a.state.new", "EDQUOT", "quota exceeded", 2),
        ("fsync", "a.state.new", "EIO", "Input/output error", 2),
        ("rename", "a.state.new", "EROFS", "Read-only file system", 2),
        // The new state is in place then, and nobody knows whether it would outlive a loss of power.
        ("fsync", "", "EIO", "Input/output error", 3),
    ] {
        let at = format!("{error} of {syscall} of `{name}`");
        let project = project();
        counted_to_two(&project);
        let path = actors(&project).join(name);
        let mut stdio = injected(&project, syscall, &path, &format!("error={error}"));
        let said = ask(&mut stdio, "add").unwrap_err();
        assert!(
            said.starts_with("the state cannot be saved: "),
            "{at}: {said}"
        );
        assert!(
            said.to_lowercase().contains(&why.to_lowercase()),
            "{at}: {said}"
        );
        assert!(!said.contains("states"), "{at}: {said}");
        stdio.wait_for_log("the state cannot be saved to `");
        assert_eq!(files(&project), ["a.state"], "{at}");
        assert_eq!(ask(&mut stdio, "get"), Ok(2), "{at}");
        assert!(stdio.finish().0.success(), "{at}");
        let mut stdio = project.stdio();
        assert_eq!(ask(&mut stdio, "get"), Ok(count), "{at}");
        assert_eq!(ask(&mut stdio, "add"), Ok(count + 1), "{at}");
    }
}

#[test]
fn killed_at_every_step_of_restoring() {
    if !can_inject() {
        return;
    }
    for syscall in ["openat", "read"] {
        let project = project();
        counted_to_two(&project);
        let path = actors(&project).join("a.state");
        let mut stdio = injected(&project, syscall, &path, "signal=KILL");
        assert_eq!(stdio.wait().signal(), Some(9), "{syscall}");
        assert_eq!(ask(&mut project.stdio(), "get"), Ok(2), "{syscall}");
    }
    // A damaged one: before it is moved aside it is as it was, after that it is kept and said until
    // there is another state.
    for (syscall, name, aside) in [
        ("read", "a.state", 0),
        ("rename", "a.state", 0),
        ("openat", "a.state.new", 1),
        ("rename", "a.state.new", 1),
    ] {
        let at = format!("killed before {syscall} of `{name}`");
        let project = project();
        counted_to_two(&project);
        fs::write(actors(&project).join("a.state"), "damage").unwrap();
        let path = actors(&project).join(name);
        let mut stdio = injected(&project, syscall, &path, "signal=KILL");
        if aside == 1 {
            // It has restored what there was, and goes on to the first save.
            stdio.send(&call(1, "add", json!({})));
        }
        assert_eq!(stdio.wait().signal(), Some(9), "{at}");
        let moved = |project: &Project| {
            let names = files(project).into_iter();
            let moved = names.filter(|name| name.starts_with("a.damaged-"));
            moved.collect::<Vec<_>>()
        };
        assert_eq!(moved(&project).len(), aside, "{at}");
        let mut stdio = project.stdio();
        assert_eq!(ask(&mut stdio, "get"), Ok(0), "{at}");
        let kept = moved(&project);
        assert_eq!(kept.len(), 1, "{at}: {kept:?}");
        let kept = &kept[0];
        stdio.wait_for_log(kept);
        assert_eq!(fs::read(actors(&project).join(kept)).unwrap(), b"damage");
        assert_eq!(ask(&mut stdio, "add"), Ok(1), "{at}");
        assert!(stdio.finish().0.success());
        // There is another state now, and nothing to say.
        let mut stdio = project.stdio();
        assert_eq!(ask(&mut stdio, "get"), Ok(1), "{at}");
        assert!(!stdio.stderr().contains("damaged"), "{at}");
    }
}

#[test]
fn what_a_loss_of_power_may_leave_beside_a_state_is_not_taken_for_one() {
    let project = project();
    counted_to_two(&project);
    let state = actors(&project).join("a.state");
    let beside = actors(&project).join("a.state.new");
    let two = fs::read(&state).unwrap();
    let mut stdio = project.stdio();
    assert_eq!(ask(&mut stdio, "add"), Ok(3));
    assert!(stdio.finish().0.success());
    let three = fs::read(&state).unwrap();
    let zeros = vec![0; three.len()];
    // Whatever had come to the disk of a save that was not renamed; with no state, of the first one.
    for (old, count) in [(Some(&two), 2), (None, 0)] {
        for new in [&b""[..], &three[..three.len() / 2], &zeros, &three] {
            match old {
                Some(old) => fs::write(&state, old).unwrap(),
                None => drop(fs::remove_file(&state)),
            }
            fs::write(&beside, new).unwrap();
            let mut stdio = project.stdio();
            assert_eq!(ask(&mut stdio, "get"), Ok(count));
            assert_eq!(ask(&mut stdio, "add"), Ok(count + 1));
            assert!(!stdio.stderr().contains("damaged"), "{}", stdio.stderr());
            assert_eq!(files(&project), ["a.state"]);
        }
    }
}

#[test]
fn a_full_disk_refuses_changes_loses_nothing_and_is_said() {
    let project = project().set("http.listen=['127.0.0.1:0']");
    let Some(mut command) = on_small_disk(&project, "serve", "states") else {
        return;
    };
    let daemon = Daemon::start(&mut command);
    let states = seen_by(daemon.pid(), &project, "states");
    let add = |text: &str| outcome(&daemon.ask(&call(1, "add", json!({ "text": text }))));
    let get = || outcome(&daemon.ask(&call(1, "get", json!({}))));
    assert_eq!(add("short"), Ok(1));
    // The state itself becomes too large for what is left.
    let long = "x".repeat(80 * 1024);
    let said = add(&long).unwrap_err();
    assert!(said.contains("No space left on device"), "{said}");
    daemon.wait_for_log("the state cannot be saved to `");
    // What was begun takes no room.
    assert!(!states.join("actors/a.state.new").exists());
    assert_eq!(get(), Ok(1));
    assert_eq!(add("short"), Ok(2));
    daemon.wait_for_log("the state can be saved again");
    // Somebody else fills the disk.
    let filler = states.join("filler");
    let _full = fs::write(&filler, vec![0; 128 * 1024]);
    for _ in 0..3 {
        let said = add("short").unwrap_err();
        assert!(said.starts_with("the state cannot be saved: "), "{said}");
        assert_eq!(get(), Ok(2));
    }
    let times = |text: &str| daemon.stderr().matches(text).count();
    within(
        "it is said once for each time that the disk is full",
        || (times("the state cannot be saved to `") == 2).then_some(()),
    );
    fs::remove_file(&filler).unwrap();
    assert_eq!(add("short"), Ok(3));
    within("said again", || {
        (times("the state can be saved again") == 2).then_some(())
    });
    // What lies there is what was acknowledged.
    let saved = fs::read(states.join("actors/a.state")).unwrap();
    drop(daemon);
    fs::create_dir_all(actors(&project)).unwrap();
    fs::write(actors(&project).join("a.state"), saved).unwrap();
    assert_eq!(ask(&mut project.stdio(), "get"), Ok(3));
}
