//! The audit log: who called what and what came of it.

use crate::support::{Project, call, list, text_of, within};
use serde_json::{Value, json};
use std::path::Path;

const MANIFEST: &str = "\
[[tool]]
name = \"echo\"
arguments.text = { type = \"string\" }
result.text = \"{{ args.text }}\"

[[tool]]
name = \"fails\"
shell.command = [\"false\"]
";

fn project(audit: &str) -> Project {
    let file = format!(
        "manifests = [\"manifests\"]\nsecrets.token = {{ file = \"token\" }}\n[log]\naudit = {audit}\n"
    );
    Project::with(MANIFEST)
        .file("token", "s3cr3t-token")
        .file("snodo.toml", file)
        .arg("--config")
        .arg("snodo.toml")
}

/// The lines of the audit file, once there are so many.
fn lines(folder: &Path, count: usize) -> Vec<Value> {
    within("the lines are written", || {
        let mut entries = std::fs::read_dir(folder).ok()?;
        let file = entries.find_map(|entry| {
            let path = entry.ok()?.path();
            let name = path.file_name()?.to_str()?.to_owned();
            name.starts_with("audit.").then_some(path)
        })?;
        let text = std::fs::read_to_string(file).ok()?;
        let lines: Vec<&str> = text.lines().collect();
        (lines.len() >= count && text.ends_with('\n')).then(|| {
            lines
                .into_iter()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect()
        })
    })
}

#[test]
fn each_call_is_a_line_in_a_file_of_its_own_without_arguments() {
    let project = project("{ dir = \"logs\" }");
    let daemon = project.serve();
    let said = json!({ "text": "hello there" });
    assert_eq!(text_of(&daemon.ask(&call(7, "echo", said))), "hello there");
    daemon.ask(&call(8, "fails", json!({})));
    daemon.ask(&call(9, "no such", json!({})));
    daemon.ask(&list(10));
    let lines = lines(&project.path().join("logs"), 3);
    assert_eq!(lines.len(), 3, "{lines:#?}");
    for (line, id, name, outcome) in [
        (&lines[0], "7", "echo", "ok"),
        (&lines[1], "8", "fails", "tool_error"),
        (&lines[2], "9", "no such", "error"),
    ] {
        assert_eq!(line["id"], id);
        assert_eq!(line["method"], "tools/call");
        assert_eq!(line["name"], name);
        assert_eq!(line["outcome"], outcome, "{line}");
        assert!(line["ms"].is_number() && line["bytes"].as_u64() > Some(0));
        assert!(line["request"].is_string() && line["timestamp"].is_string());
        assert!(line.get("arguments").is_none());
    }
    assert_eq!(lines[2]["code"], -32602);
    assert_ne!(lines[0]["request"], lines[1]["request"]);
    // The log itself is not the audit log.
    assert!(!daemon.stderr().contains("tool_error"));
}

#[test]
fn arguments_are_written_when_asked_for_and_secrets_never() {
    let project = project("{ dir = \"logs\", arguments = true }");
    let daemon = project.serve();
    daemon.ask(&call(1, "echo", json!({ "text": "say s3cr3t-token" })));
    daemon.ask(&call(2, "echo s3cr3t-token", json!({})));
    daemon.ask(&call(3, "echo", json!({ "text": "x".repeat(10_000) })));
    let lines = lines(&project.path().join("logs"), 3);
    assert_eq!(lines[0]["arguments"], "{\"text\":\"say [secret]\"}");
    assert_eq!(lines[1]["name"], "echo [secret]");
    assert_eq!(lines[2]["arguments"].as_str().unwrap().len(), 4096);
}

#[test]
fn without_files_lines_are_events_of_the_log() {
    let project = project("{}");
    let daemon = project.serve();
    daemon.ask(&call("a\nb", "echo", json!({ "text": "x" })));
    daemon.wait_for_log(
        "snodo::audit: {\"id\":\"a\\nb\",\"method\":\"tools/call\",\"name\":\"echo\"",
    );
}

#[test]
fn a_call_that_is_given_up_is_written_down_too() {
    let project = project("{ dir = \"logs\" }").manifest(
        "b.toml",
        "[[tool]]\nname = \"slow\"\nshell = { command = [\"sleep\", \"1000\"], timeout_ms = 600000 }\n",
    );
    let daemon = project.serve();
    let mut caller = daemon.connect();
    caller.send_message(&call(1, "slow", json!({})));
    within("it runs", || {
        let listed = std::process::Command::new("pgrep")
            .args(["-P", &daemon.pid().to_string()])
            .output()
            .unwrap();
        (!listed.stdout.is_empty()).then_some(())
    });
    drop(caller);
    let lines = lines(&project.path().join("logs"), 1);
    assert_eq!(lines[0]["outcome"], "cancelled");
}

#[test]
fn what_is_logged_while_a_request_runs_names_it() {
    let manifest = "[[tool]]\nname = \"slow\"\nshell.command = [\"sleep\", \"1000\"]\n";
    let project = Project::with(manifest)
        .set("http.request_timeout_ms=100")
        .set("log.level=debug");
    let daemon = project.serve();
    daemon.ask(&call(1, "slow", json!({})));
    daemon.wait_for_log("a request timed out");
    let log = daemon.stderr();
    let numbers: Vec<&str> = log
        .lines()
        .filter_map(|line| line.split_once(" request=").map(|(_, number)| number))
        .collect();
    assert!(!numbers.is_empty(), "{log}");
    assert!(numbers.iter().all(|number| number.contains('-')), "{log}");
}
