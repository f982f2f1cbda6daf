//! The manifests that the repository brings: they work on any machine, without internet.

use super::{failure, result, text};
use crate::support::{Daemon, Project, list};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn samples() -> Daemon {
    Daemon::start(
        Command::new(env!("CARGO_BIN_EXE_snodo"))
            .current_dir(repository())
            .args(["serve", "--set", "http.listen=[\"127.0.0.1:0\"]"]),
    )
}

#[test]
fn every_sample_answers() {
    let daemon = samples();
    let log = text(&daemon, "git_log", json!({ "count": 1 }));
    assert_eq!(log.lines().count(), 1, "{log}");
    let newest = log.split(' ').next().unwrap();
    let touched = text(
        &daemon,
        "git_log",
        json!({ "path": "Cargo.toml", "count": 2 }),
    );
    assert!((1..=2).contains(&touched.lines().count()), "{touched}");
    let none = text(&daemon, "git_diff", json!({ "from": newest }));
    assert_eq!(none, "");
    let found = text(
        &daemon,
        "search_text",
        json!({ "pattern": "^edition = ", "path": "Cargo.toml" }),
    );
    assert_eq!(found, "Cargo.toml:4:edition = \"2024\"\n");
    let folders = text(&daemon, "lines_by_folder", json!({}));
    assert!(
        folders.lines().any(|line| line.starts_with("src ")),
        "{folders}"
    );
    let unlikely = ["no such", "text at all"].join(" ");
    let nothing = text(&daemon, "search_text", json!({ "pattern": unlikely }));
    assert_eq!(nothing, "no line matches");
    for lines in ["1", "1-1", "-1"] {
        let result = result(
            &daemon,
            "read_file",
            json!({ "path": "Cargo.toml", "lines": lines }),
        );
        if lines == "-1" {
            assert_eq!(result["isError"], true, "the pattern says what is taken");
        } else {
            assert_eq!(result["content"][0]["text"], "[package]\n", "{result}");
        }
    }
    let listed = text(&daemon, "list_files", json!({}));
    assert!(
        listed.contains("Cargo.toml\n") && listed.contains("src/\n"),
        "{listed}"
    );
    assert!(text(&daemon, "disk_usage", json!({})).contains('/'));
    assert!(result(&daemon, "load_average", json!({}))["structuredContent"]["one"].is_number());
    assert_eq!(
        result(
            &daemon,
            "count_words",
            json!({ "text": "three small words" })
        )["structuredContent"],
        json!({ "words": 3, "characters": 17 })
    );
    // The sample's own address is the default one; here it is another server.
    let web = std::fs::read_to_string(repository().join("manifests/web.toml")).unwrap();
    let web = web.replace("127.0.0.1:4000", &daemon.address().to_string());
    let other = Project::with(&web);
    let described = result(&other.serve(), "describe_server", json!({}));
    assert_eq!(
        described["structuredContent"]["server"]["name"],
        "snodo-samples"
    );
    let answer = daemon.ask(&list(1));
    let tools = answer["result"]["tools"].as_array().unwrap().clone();
    // These change what an actor holds, in memory.
    let changing = [
        "counter_add",
        "counter_take",
        "job_put",
        "job_next",
        "note_add",
    ];
    let read_only = |tool: &Value| {
        let changes = changing.iter().any(|name| tool["name"] == *name);
        changes != (tool["annotations"]["readOnlyHint"] == true)
    };
    assert!(tools.len() >= 9 && tools.iter().all(read_only), "{tools:?}");
    if tools.iter().any(|tool| tool["name"] == "uptime") {
        assert!(text(&daemon, "uptime", json!({})).contains("load average"));
    }
}

#[test]
fn the_samples_with_a_state_keep_it_from_call_to_call() {
    let daemon = samples();
    let ask = |tool, arguments| result(&daemon, tool, arguments)["structuredContent"].take();
    assert_eq!(
        ask("counter_add", json!({ "by": 4 })),
        json!({ "value": 4 })
    );
    assert_eq!(ask("counter_take", json!({})), json!({ "value": 3 }));
    for job in ["sweep", "dust"] {
        ask("job_put", json!({ "job": job }));
    }
    assert_eq!(
        ask("job_next", json!({})),
        json!({ "job": "sweep", "left": 1 })
    );
    assert_eq!(
        ask("job_next", json!({})),
        json!({ "job": "dust", "left": 0 })
    );
    assert_eq!(failure(&daemon, "job_next", json!({})), "no job waits");
    // Without Python the notes are left out.
    if Command::new("python3").arg("-V").output().is_ok() {
        assert_eq!(
            ask("note_add", json!({ "text": "buy milk" })),
            json!({ "id": 1 })
        );
        ask("note_add", json!({ "text": "sell bread" }));
        let found = json!({ "count": 1, "notes": [{ "id": 1, "text": "buy milk" }] });
        assert_eq!(ask("note_search", json!({ "word": "milk" })), found);
        let quoted = ask("note_search", json!({ "word": "' OR 1=1 --" }));
        assert_eq!(quoted["count"], 0, "{quoted}");
    }
}

#[test]
fn the_samples_are_safe_and_have_no_findings() {
    let daemon = samples();
    for (tool, arguments) in [
        ("read_file", json!({ "path": "../../etc/passwd" })),
        ("read_file", json!({ "path": "/etc/passwd" })),
        ("list_files", json!({ "path": ".." })),
    ] {
        assert_eq!(failure(&daemon, tool, arguments), "file not found");
    }
    let written = std::env::temp_dir().join("snodo-must-not-be-written");
    let option = format!("--output={}", written.display());
    for (tool, arguments) in [
        ("git_diff", json!({ "from": option })),
        ("git_diff", json!({ "from": "HEAD", "to": option })),
        ("git_diff", json!({ "from": "--no-index" })),
    ] {
        let said = failure(&daemon, tool, arguments);
        assert!(
            said.ends_with("begins with `-` and would be read as an option"),
            "{said}"
        );
    }
    // What stands behind `--` is a path, and what stands behind `-e` a pattern.
    assert_eq!(text(&daemon, "git_log", json!({ "path": "--all" })), "");
    assert_eq!(
        text(
            &daemon,
            "search_text",
            json!({ "pattern": "--no-such-option", "path": "Cargo.toml" })
        ),
        "no line matches"
    );
    assert!(!written.exists());
    let checked = Command::new(env!("CARGO_BIN_EXE_snodo"))
        .current_dir(repository())
        .args(["check", "--deny-warnings"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&checked.stderr);
    assert!(checked.status.success(), "{said}");
}
