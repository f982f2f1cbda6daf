//! Ways around: what a hostile caller tries, and what it must not get.

use super::{known, project, with};
use crate::support::{Fifo, call, discover, list, modern, within};
use serde_json::{Value, json};
use std::io::Write as _;

const NOTES: &str = r#"
[[resource]]
uri = "notes://all/private.txt"
name = "private"
scopes = ["read"]
file = { root = "../notes", path = "private.txt" }

[[resource]]
uri_template = "notes://all/{+path}"
name = "notes"
file = { root = "../notes", path = "{{ params.path }}" }

[[resource]]
uri_template = "find://all/private{?q}"
name = "find"
result.text = "a secret"

[[resource]]
uri = "find://all/private"
name = "found"
scopes = ["read"]
result.text = "all secrets"
"#;

#[test]
fn no_spelling_of_a_uri_leads_around_the_scopes_of_its_resource() {
    let tokens = known("a", "", "ta") + &known("b", "\"read\"", "tb");
    let project = project(NOTES, &tokens)
        .file("notes/private.txt", "the secret")
        .file("notes/open.txt", "open");
    let daemon = project.serve();
    let read = |token: &str, uri: &str| {
        let reply = with(&daemon, token).post(&modern(1, "resources/read", json!({ "uri": uri })));
        (reply.status, reply.text())
    };
    assert!(read("ta", "notes://all/open.txt").1.contains("open"));
    assert!(read("tb", "notes://all/pri%76ate.txt").1.contains("secret"));
    for uri in [
        "notes://all/private.txt",
        "NOTES://ALL/private.txt",
        "notes://all/pri%76ate.txt",
        "notes://all/private%2Etxt",
        "notes://all/private%2etxt",
        "notes://all/./private.txt",
        "notes://all/%2e/private.txt",
        "notes://all/x/../private.txt",
        "notes://all//private.txt",
        "notes://all/private.txt/",
        "notes://all/private.txt?",
        "notes://all/private.txt?x=1",
        "notes://x@all/private.txt",
        "notes://all:80/private.txt",
        "find://all/private",
        "find://all/private?q=1",
        "find://all/privat%65?q=1",
    ] {
        let (status, text) = read("ta", uri);
        assert!(!text.contains("secret"), "{uri}: {text}");
        assert!(status == 403 || text.contains("\"error\""), "{uri}: {text}");
        let listen = modern(
            2,
            "subscriptions/listen",
            json!({ "notifications": { "resourceSubscriptions": [uri] } }),
        );
        let listened = with(&daemon, "ta").events(&listen).next().unwrap();
        let may = listened["params"]["notifications"]["resourceSubscriptions"].clone();
        if status == 403 {
            assert!(
                may.as_array().is_none_or(Vec::is_empty),
                "{uri}: {listened}"
            );
        }
    }
}

#[test]
fn names_in_other_letters_are_other_names() {
    let manifest = "[[tool]]\nname = \"t\"\nscopes = [\"read\"]\nresult.text = \"x\"\n";
    let tokens = known("a", "\"READ\", \"rea\", \"read:x\"", "ta");
    let project = project(manifest, &tokens);
    let daemon = project.serve();
    for (name, is_forbidden) in [
        ("t", true),
        ("T", false),
        ("t ", false),
        ("t\u{0}", false),
        ("ｔ", false),
    ] {
        let reply = with(&daemon, "ta").post(&call(1, name, json!({})));
        assert_eq!(
            reply.status == 403,
            is_forbidden,
            "{name:?}: {}",
            reply.text()
        );
        assert!(reply.json()["result"].is_null(), "{name:?}");
    }
    // Two callers cannot be made of one request.
    let mut connection = with(&daemon, "ta").with("authorization", "Bearer other");
    assert_eq!(connection.post(&list(1)).status, 400);
}

#[test]
fn a_line_of_the_audit_log_is_one_line_whatever_is_called() {
    let manifest =
        "[[tool]]\nname = \"t\"\narguments.a = { type = \"string\" }\nresult.text = \"x\"\n";
    let audit = "[log.audit]\ndir = \"logs\"\narguments = true\n";
    let project = project(manifest, &(known("a", "", "ta") + audit));
    let daemon = project.serve();
    let evil = "x\n{\"outcome\":\"ok\"}\r\u{1b}[31m\u{2028}\u{85}\u{9b}31m\u{202e}";
    for id in [json!(1), json!(evil)] {
        let mut request = call(id, evil, json!({ "a": evil }));
        request["params"]["_meta"]["io.modelcontextprotocol/clientInfo"]["name"] = evil.into();
        with(&daemon, "ta").post(&request);
    }
    let text = within("both are written", || {
        let mut folder = std::fs::read_dir(project.path().join("logs")).ok()?;
        let text = std::fs::read_to_string(folder.next()?.ok()?.path()).ok()?;
        (text.lines().count() >= 2 && text.ends_with('\n')).then_some(text)
    });
    assert_eq!(text.lines().count(), 2, "{text}");
    for line in text.lines() {
        let said: Value = serde_json::from_str(line).unwrap();
        assert_eq!(said["principal"], "a");
        assert_eq!(said["outcome"], "error");
        let raw = line.chars().find(|letter| letter.is_control());
        assert_eq!(raw, None, "{line:?}");
        assert!(!line.contains(['\u{2028}', '\u{202e}']), "{line:?}");
    }
}

#[test]
fn huge_tokens_and_keys_that_nobody_has_are_refused_in_no_time() {
    let project = project(NOTES, &known("a", "", "ta")).file("notes/private.txt", "x");
    let daemon = project.serve();
    let began = std::time::Instant::now();
    for size in [1_000, 30_000, 60_000] {
        let token = "a".repeat(size);
        assert_eq!(with(&daemon, &token).post(&discover(1)).status, 401);
    }
    let mut connection = daemon.connect().bearer(&"a".repeat(70_000));
    connection.send_message(&discover(1));
    assert_eq!(connection.head().status, 431);
    assert!(began.elapsed() < std::time::Duration::from_secs(10));
    assert_eq!(with(&daemon, "ta").post(&discover(1)).status, 200);
}

#[test]
fn what_runs_goes_on_when_a_reload_takes_its_caller_away() {
    let manifest = "[[tool]]\nname = \"slow\"\n\
                    shell = { command = [\"cat\", \"pipe\"], cwd = \"..\", timeout_ms = 60000 }\n";
    let project = project(manifest, &known("a", "", "ta"));
    let fifo = Fifo::make(project.path().join("pipe"));
    let daemon = project.serve();
    let mut running = with(&daemon, "ta");
    running.send_message(&call(1, "slow", json!({})));
    let mut pipe = fifo.until_read();
    project.save(
        "snodo.toml",
        format!("manifests = [\"manifests\"]\n{}", known("b", "", "tb")),
    );
    within("the token is good no more", || {
        (with(&daemon, "ta").post(&list(1)).status == 401).then_some(())
    });
    assert_eq!(with(&daemon, "tb").post(&list(1)).status, 200);
    pipe.write_all(b"done").unwrap();
    drop(pipe);
    let reply = running.reply();
    assert_eq!(reply.status, 200);
    assert!(reply.text().contains("done"));
    assert_eq!(running.post(&list(2)).status, 401);
}
