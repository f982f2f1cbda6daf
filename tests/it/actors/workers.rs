//! Workers: how they are kept running, what of them is logged, and that nothing of them is left.

use super::*;
use crate::support::{Fifo, gone, within};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::thread;

#[test]
fn a_worker_that_ends_is_started_again() {
    let project = project(&worker("backoff_ms = 0"));
    let daemon = project.serve();
    let first = pid(&daemon);
    let said = failed(&daemon, "crash", json!({}));
    assert!(said.contains("ended with exit code 3"), "{said}");
    assert_eq!(add(&daemon), 1, "it begins anew");
    let second = pid(&daemon);
    assert_ne!(first, second);
    // Somebody else ends it while it has nothing to do.
    crate::support::kill(second, "KILL");
    daemon.wait_for_log("was ended by signal 9");
    assert_eq!(add(&daemon), 1);
    gone(&[first, second], daemon.pid());
}

#[test]
fn its_call_is_failed_at_once_and_casts_wait_for_the_next() {
    let project = project(&worker("backoff_ms = 0"));
    let gate = Fifo::make(project.manifests().join("gate"));
    let daemon = project.serve();
    let worker = pid(&daemon);
    thread::scope(|scope| {
        let held = scope.spawn(|| failed(&daemon, "hold", json!({})));
        let open = gate.until_read();
        for _ in 0..3 {
            ok(&daemon, "add_later", json!({}));
        }
        crate::support::kill(worker, "KILL");
        let died = "the worker of the actor `a` was ended by signal 9 before it answered";
        assert_eq!(held.join().unwrap(), died);
        drop(open);
    });
    assert_eq!(add(&daemon), 4);
}

#[test]
fn too_many_ends_and_it_is_down_until_the_server_is_told() {
    let keys = "max_restarts = 2\nrestart_window_ms = 600000\nbackoff_ms = 0";
    let project = project(&worker(keys));
    let daemon = project.serve();
    for _ in 0..3 {
        let said = failed(&daemon, "crash", json!({}));
        assert!(
            said.ends_with("ended with exit code 3 before it answered"),
            "{said}"
        );
    }
    let down = "the actor `a` is down: its worker ended with exit code 3, and has ended too often";
    assert_eq!(failed(&daemon, "add", json!({})), down);
    assert_eq!(failed(&daemon, "add_later", json!({})), down);
    daemon.wait_for_log("too often; the actor is down");
    daemon.signal("HUP");
    within("it begins anew", || {
        let answer = daemon.ask(&call(1, "add", json!({})));
        (answer["result"]["isError"] == false).then_some(())
    });
    for _ in 0..3 {
        failed(&daemon, "crash", json!({}));
    }
    assert_eq!(failed(&daemon, "add", json!({})), down);
}

#[test]
fn a_worker_whose_program_is_gone_is_tried_again_until_it_is_down() {
    let keys = "max_restarts = 2\nrestart_window_ms = 600000\nbackoff_ms = 0";
    let manifest = worker(keys).replace("\"sh\", \"worker.sh\"", "\"./worker\"");
    let text = format!("#!/bin/sh\n{WORKER}");
    let project = project(&manifest).file("manifests/worker", &text);
    let path = project.manifests().join("worker");
    let executable = || std::fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    executable();
    let daemon = project.serve();
    assert_eq!(add(&daemon), 1);
    std::fs::remove_file(&path).unwrap();
    failed(&daemon, "crash", json!({}));
    let said = failed(&daemon, "add", json!({}));
    let down = "the actor `a` is down: it cannot be started: ";
    assert!(said.starts_with(down), "{said}");
    daemon.wait_for_log("cannot be started: ");
    daemon.wait_for_log("; it is tried again");
    // It is there again, and the server is told.
    project.save("manifests/worker", &text);
    executable();
    daemon.signal("HUP");
    within("it begins anew", || {
        let answer = daemon.ask(&call(1, "add", json!({})));
        (answer["result"]["isError"] == false).then_some(())
    });
}

#[test]
fn a_transient_worker_rests_after_an_orderly_end_only() {
    let project = project(&worker("restart = \"transient\"\nbackoff_ms = 0"));
    let daemon = project.serve();
    failed(&daemon, "crash", json!({}));
    assert_eq!(add(&daemon), 1);
    failed(&daemon, "leave", json!({}));
    let said = failed(&daemon, "add", json!({}));
    assert!(
        said.contains("is down: its worker ended with exit code 0"),
        "{said}"
    );
}

#[test]
fn a_worker_that_hangs_is_ended() {
    let manifest = worker("backoff_ms = 0\nprocess.timeout_ms = 100\nprocess.kill_after_ms = 100");
    let project = project(&manifest);
    let gate = Fifo::make(project.manifests().join("gate"));
    let daemon = project.serve();
    let first = pid(&daemon);
    let said = failed(&daemon, "hold", json!({}));
    assert!(
        said.contains("took longer than 100 ms for a message"),
        "{said}"
    );
    assert_eq!(add(&daemon), 1);
    gone(&[first], daemon.pid());
    drop(gate);
}

#[test]
fn what_it_writes_stands_in_the_log_without_secrets() {
    let manifest = worker("process.env.WORD = \"the word is {{ secrets.word }}\"");
    let project = project(&manifest)
        .set("secrets.word={ env = \"WORD\" }")
        .env("WORD", "marker-2718281828");
    let daemon = project.serve();
    ok(&daemon, "grumble", json!({}));
    daemon.wait_for_log("stderr: the word is [secret]");
    for (line, logged) in [
        (
            json!({ "log": { "level": "warning", "data": "marker-2718281828!" } }),
            "[secret]!",
        ),
        (
            json!({ "log": { "level": "info", "data": { "n": 1 } } }),
            "{\"n\":1}",
        ),
        (
            json!({ "neither": "marker-2718281828" }),
            "an object with neither `id`, `event` nor `log`",
        ),
        (json!(7), "a line that is no JSON object"),
    ] {
        ok(&daemon, "say", json!({ "line": line }));
        daemon.wait_for_log(logged);
    }
    assert!(!daemon.stderr().contains("marker-2718281828"));
    assert_eq!(add(&daemon), 1, "it goes on");
}

/// The process that a stubborn worker started, once it has said who it is.
fn stubborn(project: &Project) -> u32 {
    let path = project.manifests().join("stubborn");
    within("the other process says who it is", || {
        let text = std::fs::read_to_string(&path).ok()?;
        text.trim().parse().ok()
    })
}

#[test]
fn nothing_is_left_running_at_exit() {
    for signal in ["TERM", "INT"] {
        let keys = "process.env.STUBBORN = \"1\"\nprocess.kill_after_ms = 200";
        let project = project(&worker(keys));
        let mut daemon = project.serve();
        let worker = pid(&daemon);
        let child = stubborn(&project);
        daemon.signal(signal);
        assert!(daemon.wait().success());
        gone(&[worker, child], daemon.pid());
    }
}

#[test]
fn nothing_is_left_running_when_the_input_ends() {
    let project = project(&worker(""));
    let mut stdio = project.stdio();
    let answer = stdio.ask(&call(1, "add", json!({})));
    let pid = answer["result"]["structuredContent"]["pid"]
        .as_u64()
        .unwrap();
    // Sent just before the end, it is still handled.
    stdio.send(&call(2, "add", json!({})));
    let (status, rest) = stdio.finish();
    assert!(status.success());
    assert_eq!(
        rest[0]["result"]["structuredContent"]["count"], 2,
        "{rest:?}"
    );
    gone(&[u32::try_from(pid).unwrap()], stdio.pid());
}

#[test]
fn a_worker_has_the_environment_that_its_manifest_says() {
    let manifest = "[[actor]]\nname = \"a\"\n[actor.process]\npass_env = [\"PASSED\"]\n\
                    env = { OWN = \"{{ env.REGION }}\", ABSENT = \"{{ env.REGION if false }}\" }\n\
                    command = [\"/bin/sh\", \"-c\", '''\nread -r line\n\
                    words=$(/usr/bin/env | /usr/bin/sort | /usr/bin/tr '\\n' ' ')\n\
                    echo \"{\\\"id\\\":1,\\\"reply\\\":{\\\"env\\\":\\\"$words\\\"}}\"\n''']\n"
        .to_owned()
        + &tools(&["x"]);
    let project = project(&manifest)
        .env("PASSED", "p")
        .env("NOT_PASSED", "n")
        .env("REGION", "eu")
        .set("server.env=[\"REGION\"]");
    let daemon = project.serve();
    let env = ok(&daemon, "x", json!({}))["env"].take();
    let names: Vec<&str> = env.as_str().unwrap().split(' ').collect();
    let own: Vec<&str> = names
        .into_iter()
        // What the shell sets itself.
        .filter(|pair| {
            !["PWD=", "_=", "SHLVL=", "OLDPWD="]
                .iter()
                .any(|own| pair.starts_with(own))
        })
        .filter(|pair| !pair.is_empty())
        .collect();
    assert_eq!(own, ["OWN=eu", "PASSED=p"]);
}

#[test]
fn a_worker_that_cannot_be_started_keeps_the_server_from_starting() {
    let manifest = "[[actor]]\nname = \"a\"\nprocess.command = [\"./not-here\"]\n".to_owned()
        + &tools(&["x"])
        + "[[actor]]\nname = \"b\"\nprocess = { command = [\"sh\", \"worker.sh\"], kill_after_ms = 200, env = { STUBBORN = \"1\" } }\n";
    let project = project(&manifest);
    let mut stdio = project.stdio();
    assert_eq!(stdio.wait().code(), Some(1));
    stdio.wait_for_log("not-here");
    // What the other worker of this server wrote, if it came to that.
    let _ = std::fs::remove_file(project.manifests().join("stubborn"));
    // Whoever skips what is broken serves the rest, and says why the actor is not there.
    let project = project.set("server.on_error=\"skip\"");
    let mut daemon = project.serve();
    daemon.wait_for_log("not-here");
    let said = failed(&daemon, "x", json!({}));
    assert_eq!(said, "the actor `a` is not there");
    let child = stubborn(&project);
    daemon.signal("TERM");
    assert!(daemon.wait().success());
    gone(&[child], daemon.pid());
}
