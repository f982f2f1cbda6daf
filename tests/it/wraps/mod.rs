//! `wrap`: what stands around actions, over both transports.

use crate::support::{Both, Project, call, modern, text_of};
use serde_json::{Value, json};

/// A tool that counts its runs in a file, with these wrappers.
fn counting(wrap: &str) -> Project {
    Project::with(&format!(
        r#"
[[tool]]
name = "t"
arguments.key = {{ type = "string" }}
shell = {{ command = ["sh", "-c", "echo x >>runs; wc -l <runs"] }}
wrap = {wrap}
"#
    ))
}

fn runs(project: &Project) -> usize {
    let text = std::fs::read_to_string(project.path().join("manifests/runs"));
    text.map_or(0, |text| text.lines().count())
}

fn ask(daemon: &crate::support::Daemon, arguments: Value) -> (bool, String) {
    let answer = daemon.ask(&call(1, "t", arguments));
    let is_error = answer["result"]["isError"].as_bool().unwrap();
    (is_error, text_of(&answer))
}

#[test]
fn a_timeout_ends_the_command_and_is_a_tool_error() {
    let manifest = "[[tool]]\nname = \"t\"\nshell = { command = [\"sleep\", \"600\"] }\nwrap = [{ timeout_ms = 50 }]\n";
    let mut both = Both::of(Project::with(manifest));
    let answer = both.ask(&call(1, "t", json!({})));
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    assert_eq!(text_of(&answer), "timed out after 50 ms");
}

#[test]
fn a_rate_limit_says_when_to_come_back() {
    let project =
        counting("[{ rate_limit = { limit = 2, window_ms = 600000, key = \"{{ args.key }}\" } }]");
    let daemon = project.serve();
    assert!(!ask(&daemon, json!({ "key": "a" })).0);
    assert!(!ask(&daemon, json!({ "key": "a" })).0);
    let (is_error, text) = ask(&daemon, json!({ "key": "a" }));
    assert!(is_error);
    assert!(
        text.starts_with("rate limit reached: 2 in 600 s; try again in "),
        "{text}"
    );
    assert!(!ask(&daemon, json!({ "key": "b" })).0);
    // A call that validation refuses is not counted: wrappers stand behind it.
    assert!(
        ask(&daemon, json!({ "key": 1 }))
            .1
            .contains("Invalid arguments")
    );
    assert_eq!(runs(&project), 3);
}

#[test]
fn a_cache_answers_again_without_running() {
    let project = counting("[{ cache = { ttl_ms = 600000 } }]");
    let daemon = project.serve();
    let first = ask(&daemon, json!({ "key": "a" }));
    assert_eq!(ask(&daemon, json!({ "key": "a" })), first);
    assert_ne!(ask(&daemon, json!({ "key": "b" })), first);
    assert_ne!(ask(&daemon, json!({})), first);
    assert_eq!(runs(&project), 3);
}

#[test]
fn state_lives_through_a_reload_that_leaves_the_component_alone() {
    let project = counting("[{ rate_limit = { limit = 1, window_ms = 600000 } }]");
    let daemon = project.serve();
    assert!(!ask(&daemon, json!({})).0);
    project.save(
        "manifests/other.toml",
        "[[tool]]\nname = \"u\"\nresult.text = \"x\"\n",
    );
    daemon.wait_for_log("added=\"u\"");
    assert!(ask(&daemon, json!({})).0, "the count was forgotten");
    let changed = std::fs::read_to_string(project.manifests().join("a.toml")).unwrap();
    project.save(
        "manifests/a.toml",
        changed.replace("limit = 1", "limit = 2"),
    );
    daemon.wait_for_log("changed=\"t\"");
    assert!(
        !ask(&daemon, json!({})).0,
        "a changed component begins anew"
    );
}

#[test]
fn a_place_is_free_again_whatever_way_the_call_ended() {
    let manifest = "[[tool]]\nname = \"t\"\narguments.s = { type = \"string\", default = \"600\" }\n\
                    shell = { command = [\"sh\", \"-c\", \"echo x >>runs; sleep $S\"], env = { S = \"{{ args.s }}\" } }\n\
                    wrap = [{ concurrency = 1 }]\n";
    let project = Project::with(manifest);
    let mut stdio = project.stdio();
    for id in 0..3 {
        let before = runs(&project);
        stdio.send(&call(id, "t", json!({})));
        crate::support::within("it has begun", || (runs(&project) > before).then_some(()));
        let answer = stdio.ask(&call("other", "t", json!({ "s": "0" })));
        let text = text_of(&answer);
        assert_eq!(
            text,
            "too busy: at most 1 at a time and 0 waiting; try again later"
        );
        stdio.send(&json!({
            "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id },
        }));
        crate::support::within("the place is free", || {
            let answer = stdio.ask(&call("free", "t", json!({ "s": "0" })));
            (answer["result"]["isError"] == false).then_some(())
        });
    }
}

#[test]
fn a_place_is_kept_through_a_reload_and_given_back_when_the_caller_leaves() {
    let manifest = "[[tool]]\nname = \"t\"\narguments.s = { type = \"string\", default = \"600\" }\n\
                    shell = { command = [\"sh\", \"-c\", \"echo x >>runs; sleep $S; exit 1\"], env = { S = \"{{ args.s }}\" } }\n\
                    wrap = [{ concurrency = 1 }, { timeout_ms = 60000 }]\n";
    let project = Project::with(manifest)
        .set("reload.debounce_ms=20")
        .set("server.grace_ms=100");
    let mut daemon = project.serve();
    let busy = "too busy: at most 1 at a time and 0 waiting; try again later";
    let free = |daemon: &crate::support::Daemon| {
        crate::support::within("the place is free", || {
            (ask(daemon, json!({ "s": "0" })).1 != busy).then_some(())
        });
    };
    for round in 0..3 {
        let before = runs(&project);
        let mut connection = daemon.connect();
        connection.send_message(&call(1, "t", json!({})));
        crate::support::within("it has begun", || (runs(&project) > before).then_some(()));
        assert_eq!(ask(&daemon, json!({})).1, busy);
        // The next runtime has the same places.
        project.save(
            "manifests/other.toml",
            format!("[[tool]]\nname = \"u{round}\"\nresult.text = \"x\"\n"),
        );
        daemon.wait_for_log(&format!("added=\"u{round}\""));
        assert_eq!(ask(&daemon, json!({})).1, busy);
        drop(connection);
        free(&daemon);
    }
    // At the end of the server nothing waits for a place that is taken.
    let mut connection = daemon.connect();
    let before = runs(&project);
    connection.send_message(&call(1, "t", json!({})));
    crate::support::within("it has begun", || (runs(&project) > before).then_some(()));
    daemon.signal("TERM");
    assert_eq!(daemon.wait().code(), Some(0));
}

#[test]
fn a_place_is_given_back_by_a_timeout_and_a_failure() {
    let manifest = "[[tool]]\nname = \"t\"\narguments.s = { type = \"string\" }\n\
                    shell = { command = [\"sh\", \"-c\", \"sleep $S; exit 1\"], env = { S = \"{{ args.s }}\" } }\n\
                    wrap = [{ concurrency = 1 }, { timeout_ms = 50 }]\n";
    let project = Project::with(manifest);
    let daemon = project.serve();
    for _ in 0..3 {
        assert_eq!(
            ask(&daemon, json!({ "s": "600" })).1,
            "timed out after 50 ms"
        );
        let failed = ask(&daemon, json!({ "s": "0" }));
        assert!(failed.0 && !failed.1.contains("busy"), "{failed:?}");
    }
}

#[test]
fn prompts_and_completion_are_wrapped_and_refuse_as_errors() {
    let manifest = r#"
[defaults]
wrap = [{ rate_limit = { limit = 1, window_ms = 600000 } }]

[[prompt]]
name = "p"
arguments.a = { complete = { values = "{{ ['x'] }}" } }
result.text = "hello"

[[tool]]
name = "own"
wrap = []
result.text = "x"
"#;
    let mut both = Both::of(Project::with(manifest));
    let get = modern(1, "prompts/get", json!({ "name": "p" }));
    let answer = both.ask(&get);
    assert_eq!(answer["result"]["messages"][0]["content"]["text"], "hello");
    let answer = both.ask(&get);
    assert_eq!(answer["error"]["code"], -32603, "{answer}");
    let complete = modern(
        1,
        "completion/complete",
        json!({
            "ref": { "type": "ref/prompt", "name": "p" },
            "argument": { "name": "a", "value": "" },
        }),
    );
    let answer = both.ask(&complete);
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("rate limit reached: 1 in 600 s"),
        "{message}"
    );
    for _ in 0..3 {
        assert_eq!(text_of(&both.ask(&call(1, "own", json!({})))), "x");
    }
}
