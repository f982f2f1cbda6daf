//! What makes it look: events, a clock, SIGHUP.

use super::{Ask as _, lines, tool};
use crate::support::{Daemon, Project, handles, kill, modern, within};
use serde_json::json;
use std::fs::{self, File};
use std::time::Duration;

/// Other bytes with the same length, and the old time of modification.
fn change_in_secret(path: &std::path::Path, text: &str) {
    let before = fs::metadata(path).unwrap();
    fs::write(path, text).unwrap();
    let file = File::options().write(true).open(path).unwrap();
    file.set_modified(before.modified().unwrap()).unwrap();
    let after = fs::metadata(path).unwrap();
    assert_eq!(before.len(), after.len());
    assert_eq!(before.modified().unwrap(), after.modified().unwrap());
}

#[test]
fn without_watching_only_sighup_reloads() {
    let project = Project::with(&tool("a", "1")).set("reload.watch=false");
    let daemon = project.serve();
    let mut connection = daemon.connect();
    change_in_secret(&project.manifests().join("a.toml"), &tool("a", "2"));
    // Nothing tells of nothing happening; SIGHUP tells that nothing had happened before it.
    assert_eq!(connection.says("a"), "1");
    daemon.signal("HUP");
    connection.until_says("a", "2");
    assert_eq!(super::reloads(&daemon, 1), 1);
}

#[test]
fn sighup_reads_everything_again_and_says_so() {
    let project = Project::with(&tool("a", "1"));
    let daemon = project.serve();
    let mut connection = daemon.connect();
    daemon.signal("HUP");
    daemon.wait_for_log("read everything again; nothing has changed");
    assert_eq!(super::reloads(&daemon, 0), 0);
    // A command that was not there when the manifest was read, in no folder that is watched.
    let needy = "[[tool]]\nname = \"b\"\nresult.text = \"2\"\navailable.commands = [\"COMMAND\"]\n";
    let command = project.path().join("elsewhere/it-has-come");
    let needy = needy.replace("COMMAND", command.to_str().unwrap());
    project.write("manifests/b.toml", needy);
    daemon.wait_for_log("left out: the command");
    project.write("elsewhere/it-has-come", "");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&command, executable).unwrap();
    daemon.signal("HUP");
    connection.until_tools(&["a", "b"]);
}

#[test]
fn sighup_over_stdio() {
    let project = Project::with(&tool("a", "1")).set("reload.watch=false");
    let mut stdio = project.stdio();
    assert_eq!(stdio.says("a"), "1");
    project.write("manifests/a.toml", tool("a", "2"));
    kill(stdio.pid(), "HUP");
    stdio.until_says("a", "2");
    project.write("manifests/a.toml", "broken [");
    kill(stdio.pid(), "HUP");
    stdio.wait_for_log("not reloaded");
    assert_eq!(stdio.says("a"), "2");
}

#[test]
fn sighup_before_the_first_load_ends() {
    let project = Project::new().set("reload.watch=false");
    for file in 0..100 {
        let text: String = (0..10)
            .map(|n| tool(&format!("t{file}_{n}"), "1"))
            .collect();
        project.write(&format!("manifests/{file}.toml"), text);
    }
    let mut stdio = project.stdio();
    within("it handles SIGHUP", || {
        handles(stdio.pid(), 1).then_some(())
    });
    assert!(
        !stdio.stderr().contains("serving"),
        "too late: {}",
        stdio.stderr()
    );
    kill(stdio.pid(), "HUP");
    stdio.wait_for_log("read everything again; nothing has changed");
    assert_eq!(stdio.says("t7_7"), "1");
}

#[test]
fn polling_works_without_events() {
    let project = Project::with(&tool("a", "1")).set("reload.poll_ms=50");
    let daemon = project.serve();
    let mut connection = daemon.connect();
    let inotify = fs::read_dir(format!("/proc/{}/fd", daemon.pid())).unwrap();
    let inotify = inotify
        .filter_map(|fd| fs::read_link(fd.unwrap().path()).ok())
        .filter(|target| target.to_string_lossy().contains("inotify"));
    assert_eq!(inotify.count(), 0);
    change_in_secret(&project.manifests().join("a.toml"), &tool("a", "2"));
    connection.until_says("a", "2");
    project.write("manifests/new/b.toml", tool("b", "1"));
    connection.until_says("b", "1");
    fs::remove_dir_all(project.manifests().join("new")).unwrap();
    connection.until_tools(&["a"]);
}

#[test]
fn without_inotify_it_polls() {
    // A user namespace of its own has limits of its own.
    let script = "echo 0 >/proc/sys/user/max_inotify_instances && exec \"$@\"";
    let allowed = std::process::Command::new("unshare")
        .args(["-Ur", "sh", "-c", script, "sh", "true"])
        .output();
    if !allowed.is_ok_and(|done| done.status.success()) {
        crate::support::skipped("user namespaces are not permitted here");
        return;
    }
    let project = Project::with(&tool("a", "1"));
    let inner = project.command("serve");
    let daemon = Daemon::start(
        std::process::Command::new("unshare")
            .args(["-Ur", "sh", "-c", script, "sh"])
            .arg(inner.get_program())
            .args(inner.get_args())
            .args(["--set", "http.listen=[\"127.0.0.1:0\"]"])
            .current_dir(project.path()),
    );
    daemon.wait_for_log("looking every 2 s instead");
    let mut connection = daemon.connect();
    project.write("manifests/a.toml", tool("a", "2"));
    connection.until_says("a", "2");
    assert_eq!(lines(&daemon.stderr(), "looking every").len(), 1);
}

#[test]
fn an_edit_right_after_the_start_is_not_lost() {
    for round in 0..5 {
        let project = Project::with(&tool("a", "1"));
        let daemon = project.serve();
        // The server listens; whether it watches yet is its own affair.
        for _ in 0..round {
            std::thread::park_timeout(Duration::from_millis(1));
        }
        project.write("manifests/a.toml", tool("a", "2"));
        daemon.connect().until_says("a", "2");
    }
}

/// How often the thread that hears of file events has gone to sleep.
fn sleeps_of_watcher(pid: u32) -> u64 {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    let mut tasks = tasks.map(|task| task.unwrap().path());
    let is_watcher = |task: &std::path::PathBuf| {
        let name = fs::read_to_string(task.join("comm")).unwrap_or_default();
        name.starts_with("notify-rs")
    };
    let watcher = tasks.find(is_watcher).expect("a thread of the watcher");
    let status = fs::read_to_string(watcher.join("status")).unwrap();
    let sleeps = lines(&status, "voluntary_ctxt_switches:")[0];
    sleeps.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn to_read_a_file_beside_manifests_wakes_nobody() {
    const READS: u64 = 100;
    let file =
        "[[resource]]\nuri = \"r://beside\"\nname = \"beside\"\nfile = { path = \"beside.txt\" }\n";
    let project = Project::with(&(tool("a", "1") + file));
    project.write("manifests/beside.txt", "what is read");
    let daemon = project.serve();
    let mut connection = daemon.connect();
    // It watches once an edit is seen.
    project.write("manifests/a.toml", tool("a", "2") + file);
    connection.until_says("a", "2");
    let before = sleeps_of_watcher(daemon.pid());
    let read = modern(1, "resources/read", json!({ "uri": "r://beside" }));
    for _ in 0..READS {
        let contents = connection.ask_for(&read)["result"]["contents"].clone();
        assert_eq!(contents[0]["text"], "what is read");
    }
    let sleeps = sleeps_of_watcher(daemon.pid()) - before;
    assert!(sleeps < READS / 4, "{sleeps}");
}
