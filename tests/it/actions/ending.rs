//! `shell`: how commands are ended, and the limits that they run under. Requirement "Timeout kills
//! the parent only".

use super::{failure, processes_with, text, unique};
use crate::support::{Project, call, text_of, within};
use serde_json::json;
use std::time::Instant;

#[test]
fn a_timeout_ends_the_whole_group_and_answers_with_the_output_so_far() {
    let mark = unique();
    let project = Project::with(&format!(
        r#"
        [[tool]]
        name = "slow"
        [tool.shell]
        # The second process is in the same group and would outlive its parent.
        script = 'sleep 300 & echo started; echo waiting >&2; sleep 300'
        env.MARK = "{mark}"
        timeout_ms = 1000
        [[tool]]
        name = "second"
        shell = {{ command = ["sleep", "300"], timeout_ms = 300 }}
        "#
    ));
    let daemon = project.serve();
    assert_eq!(
        failure(&daemon, "slow", json!({})),
        "timed out after 1 s\noutput so far:\nstarted\nstandard error:\nwaiting"
    );
    within("nothing is left", || {
        processes_with("MARK", &mark).is_empty().then_some(())
    });
    assert_eq!(zombies(daemon.pid()), 0);
    assert_eq!(
        failure(&daemon, "second", json!({})),
        "timed out after 300 ms"
    );
    let mut stdio = project.stdio();
    let answer = stdio.ask(&call(1, "slow", json!({})));
    assert_eq!(answer["result"]["isError"], true);
    assert!(text_of(&answer).starts_with("timed out after 1 s\n"));
}

#[test]
fn what_ignores_sigterm_is_killed_after_kill_after() {
    let mark = unique();
    let project = Project::with(&format!(
        r#"
        [[tool]]
        name = "stubborn"
        [tool.shell]
        script = 'trap "echo asked" TERM; echo begun; while :; do sleep 1; done'
        env.MARK = "{mark}"
        timeout_ms = 1000
        kill_after_ms = 200
        [[tool]]
        name = "polite"
        [tool.shell]
        script = 'trap "echo bye; exit 0" TERM; echo begun; sleep 300 & wait'
        env.MARK = "{mark}"
        timeout_ms = 1000
        kill_after_ms = 60000
        "#
    ));
    let daemon = project.serve();
    let said = failure(&daemon, "stubborn", json!({}));
    assert!(
        said.starts_with("timed out after 1 s\noutput so far:\nbegun\n"),
        "{said}"
    );
    let begun = Instant::now();
    assert_eq!(
        failure(&daemon, "polite", json!({})),
        "timed out after 1 s\noutput so far:\nbegun\nbye"
    );
    assert!(begun.elapsed().as_secs() < 30, "SIGTERM was enough");
    within("nothing is left", || {
        processes_with("MARK", &mark).is_empty().then_some(())
    });
}

#[test]
fn a_caller_that_goes_away_ends_the_whole_group() {
    let mark = unique();
    let project = Project::with(&format!(
        r#"
        [[tool]]
        name = "slow"
        [tool.shell]
        script = 'sleep 300 & sleep 300'
        env.MARK = "{mark}"
        "#
    ));
    let daemon = project.serve();
    let begun = |count| {
        within("the processes run", || {
            (processes_with("MARK", &mark).len() == count).then_some(())
        });
    };
    // A request whose connection closes.
    let mut connection = daemon.connect();
    connection.send_message(&call(1, "slow", json!({})));
    begun(3);
    drop(connection);
    begun(0);
    // A request that is cancelled, and one that is not.
    let mut stdio = project.stdio();
    stdio.send(&call("a", "slow", json!({})));
    begun(3);
    stdio.send(&call("b", "slow", json!({})));
    begun(6);
    stdio.send(&json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": "a" }
    }));
    begun(3);
    // The end of the input.
    stdio.close();
    begun(0);
    assert!(stdio.wait().success());
    // The end of the server.
    let mut connection = daemon.connect();
    connection.send_message(&call(1, "slow", json!({})));
    begun(3);
    let mut hurried = daemon;
    hurried.signal("TERM");
    hurried.wait_for_log("stopping");
    hurried.signal("TERM");
    assert!(hurried.wait().success());
    begun(0);
}

#[test]
fn a_command_that_leaves_others_behind_leaves_none() {
    let mark = unique();
    let project = Project::with(&format!(
        r#"
        [[tool]]
        name = "leaves"
        [tool.shell]
        script = 'sleep 300 & echo done'
        env.MARK = "{mark}"
        "#
    ));
    let daemon = project.serve();
    assert_eq!(text(&daemon, "leaves", json!({})), "done\n");
    within("nothing is left", || {
        processes_with("MARK", &mark).is_empty().then_some(())
    });
    within("no zombie is left", || {
        (zombies(daemon.pid()) == 0).then_some(())
    });
}

#[test]
fn limits_are_set_on_the_command_and_what_it_starts() {
    let project = Project::with(
        r#"
        [[tool]]
        name = "show"
        [tool.shell]
        script = 'nice; sh -c "nice; cat /proc/self/limits"'
        nice = 5
        max_memory_bytes = 268435456
        max_cpu_seconds = 7
        max_processes = 4321
        [[tool]]
        name = "plain"
        shell = { script = 'nice; cat /proc/self/limits' }
        [[tool]]
        name = "allocates"
        shell = { command = ["perl", "-e", "my $x = 'x' x (1 << 30); print length $x"], max_memory_bytes = 268435456 }
        [[tool]]
        name = "computes"
        shell = { script = 'while :; do :; done', max_cpu_seconds = 1 }
        [[tool]]
        name = "no_room"
        shell = { command = ["perl", "-e", "1"], max_memory_bytes = 1048576 }
        [[tool]]
        name = "arguments"
        arguments.a = { type = "string", required = true }
        shell = { command = ["printf", "%s|", "{{ args.a }}", "--"], nice = 1 }
        "#,
    );
    let daemon = project.serve();
    let plain = text(&daemon, "plain", json!({}));
    let own: i32 = plain.lines().next().unwrap().parse().unwrap();
    let shown = text(&daemon, "show", json!({}));
    let nice = (own + 5).min(19).to_string();
    assert_eq!(shown.lines().take(2).collect::<Vec<_>>(), [&nice, &nice]);
    for (name, limit) in [
        ("Max cpu time", "7 "),
        ("Max processes", "4321 "),
        ("Max address space", "268435456 "),
    ] {
        let line = shown.lines().find_map(|line| line.strip_prefix(name));
        let line = line.unwrap().trim_start();
        assert!(line.starts_with(limit), "{name}: {line}");
        let line = plain.lines().find_map(|line| line.strip_prefix(name));
        assert!(!line.unwrap().trim_start().starts_with(limit));
    }
    let said = failure(&daemon, "allocates", json!({}));
    assert!(said.contains("Out of memory"), "{said}");
    assert_eq!(
        failure(&daemon, "computes", json!({})),
        "the command was ended by signal 24 (SIGXCPU): it used its 1 s of processor time"
    );
    let said = failure(&daemon, "no_room", json!({}));
    assert!(
        said.contains("signal") || said.contains("no room"),
        "{said}"
    );
    for value in ["--nice", "$(id)", "", "--"] {
        let said = failure_or_text(&daemon, value);
        if value.starts_with('-') {
            assert!(said.contains("begins with `-`"), "{said}");
        } else {
            assert_eq!(said, format!("{value}|--|"));
        }
    }
}

fn failure_or_text(daemon: &crate::support::Daemon, value: &str) -> String {
    text_of(&daemon.ask(&call(1, "arguments", json!({ "a": value }))))
}

/// How many children of this process have ended and were not waited for.
fn zombies(parent: u32) -> usize {
    let entries = std::fs::read_dir("/proc").unwrap();
    entries
        .filter_map(|entry| std::fs::read_to_string(entry.ok()?.path().join("stat")).ok())
        .filter(|stat| {
            let fields = stat.rsplit(") ").next().unwrap_or_default();
            fields.starts_with(&format!("Z {parent} "))
        })
        .count()
}
