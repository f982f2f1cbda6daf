//! What a server asks in the middle of a request.

use super::{script, snodo};
use crate::support::{Project, within};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio as Io};
use std::sync::{Arc, Mutex};

/// Asks twice before it answers with what it was told; says so itself whether it may ask at all.
const MODERN: &str = r#"
*server/discover*) echo '{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}}' ;;
*tools/list*) echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"delete","inputSchema":{"type":"object"}}]}}' ;;
*second-state*) printf '%s\n' "$line" >> told; echo '{"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text","text":"deleted"}]}}' ;;
*first-state*) printf '%s\n' "$line" >> told
  echo '{"jsonrpc":"2.0","id":4,"result":{"resultType":"input_required","requestState":"second-state","inputRequests":{"why":{"method":"elicitation/create","params":{"message":"Why?","requestedSchema":{"type":"object","properties":{"text":{"type":"string"},"how":{"type":"string","oneOf":[{"const":"a","title":"Gently"},{"const":"b","title":"At once"}],"default":"b"}},"required":["text"]}}}}}}' ;;
*tools/call*) printf '%s\n' "$line" >> told
  echo '{"jsonrpc":"2.0","id":3,"result":{"resultType":"input_required","requestState":"first-state","inputRequests":{"confirm":{"method":"elicitation/create","params":{"mode":"form","message":"Delete it?\u001b[2J","requestedSchema":{"type":"object","properties":{"approved":{"type":"boolean"}},"required":["approved"]}}}}}}' ;;
"#;

fn told(project: &Project) -> Vec<Value> {
    let text = std::fs::read_to_string(project.path().join("told")).unwrap_or_default();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn answers_are_given_on_the_command_line() {
    let project = Project::new();
    let command = script(&project, MODERN);
    let call = ["call", "delete", "--stdio", &command];
    let answers = ["--answer", "approved=true", "--answer", "why.text=old"];
    let said = snodo(project.path(), &[&call[..], &answers].concat());
    assert_eq!(
        (said.code, said.out.as_str(), said.err.as_str()),
        (0, "deleted\n", "")
    );
    let told = told(&project);
    let capabilities = &told[0]["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"];
    assert!(
        capabilities["elicitation"]["form"].is_object(),
        "{capabilities}"
    );
    assert!(told[0]["params"].get("inputResponses").is_none());
    for (told, responses, state) in [
        (
            &told[1],
            json!({ "confirm": { "action": "accept", "content": { "approved": true } } }),
            "first-state",
        ),
        (
            &told[2],
            json!({ "why": { "action": "accept", "content": { "text": "old", "how": "b" } } }),
            "second-state",
        ),
    ] {
        assert_eq!(told["params"]["inputResponses"], responses);
        assert_eq!(told["params"]["requestState"], state);
        assert_eq!(told["params"]["name"], "delete");
    }
}

#[test]
fn a_question_can_be_declined() {
    let project = Project::new();
    let command = script(&project, MODERN);
    let args = [
        "call",
        "delete",
        "--stdio",
        &command,
        "--answer",
        "confirm=decline",
    ];
    let said = snodo(
        project.path(),
        &[&args[..], &["--answer", "why=cancel"]].concat(),
    );
    assert_eq!(
        (said.code, said.out.as_str()),
        (0, "deleted\n"),
        "{}",
        said.err
    );
    let told = told(&project);
    assert_eq!(
        told[1]["params"]["inputResponses"],
        json!({ "confirm": { "action": "decline" } })
    );
    assert_eq!(
        told[2]["params"]["inputResponses"],
        json!({ "why": { "action": "cancel" } })
    );
}

/// Runs the call at a terminal, types each line once its prompt stands there, and gives all that was
/// shown and the exit code.
fn at_a_terminal(project: &Project, command: &str, lines: &[(&str, &str)]) -> (String, i32) {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap();
    let open = || {
        let file = File::options()
            .read(true)
            .write(true)
            .open(name.to_str().unwrap());
        OwnedFd::from(file.unwrap())
    };
    let mut program = Command::new(env!("CARGO_BIN_EXE_snodo"));
    program.args(["call", "delete", "--stdio", command]);
    program.current_dir(project.path()).env("NO_COLOR", "1");
    let (input, error) = (open(), open());
    let mut child = program
        .stdin(input)
        .stderr(error)
        .stdout(Io::null())
        .spawn()
        .unwrap();
    // Its own ends were copied by the child.
    drop(program);
    let mut terminal = File::from(terminal);
    let shown = Arc::new(Mutex::new(String::new()));
    let (into, mut from) = (Arc::clone(&shown), terminal.try_clone().unwrap());
    let reading = std::thread::spawn(move || {
        let mut part = [0; 4096];
        while let Ok(count @ 1..) = from.read(&mut part) {
            into.lock()
                .unwrap()
                .push_str(&String::from_utf8_lossy(&part[..count]));
        }
    });
    for (prompt, line) in lines {
        within(prompt, || {
            shown.lock().unwrap().ends_with(prompt).then_some(())
        });
        terminal.write_all(line.as_bytes()).unwrap();
    }
    let status = within("it ends", || child.try_wait().unwrap());
    reading.join().unwrap();
    let shown = shown.lock().unwrap().replace("\r\n", "\n");
    (shown, status.code().unwrap())
}

#[test]
fn a_person_is_asked_until_the_answer_can_be_one() {
    let project = Project::new();
    let command = script(&project, MODERN);
    let (shown, code) = at_a_terminal(
        &project,
        &command,
        &[
            ("approved (true or false): ", "yes\n"),
            ("approved (true or false): ", "true\n"),
            ("text: ", "\n"),
            ("text: ", "old\n"),
            ("how [b]: ", "c\n"),
            ("how [b]: ", "\n"),
        ],
    );
    assert_eq!(code, 0, "{shown}");
    for line in [
        "Delete it?\\u{1b}[2J\n",
        "  `approved` must be true or false, and `yes` is not\n",
        "    a  Gently\n",
        "  that is none of them\n",
    ] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    let told = told(&project);
    let content = &told[2]["params"]["inputResponses"]["why"]["content"];
    assert_eq!(*content, json!({ "text": "old", "how": "b" }));
}

#[test]
fn the_end_of_input_declines() {
    let project = Project::new();
    let command = script(&project, MODERN);
    let lines = [("approved (true or false): ", "\u{4}"), ("text: ", "\u{4}")];
    let (shown, code) = at_a_terminal(&project, &command, &lines);
    assert_eq!(code, 0, "{shown}");
    let told = told(&project);
    assert_eq!(
        told[1]["params"]["inputResponses"],
        json!({ "confirm": { "action": "decline" } })
    );
}

/// A server with a handshake asks by a request of its own and waits for the answer.
const LEGACY: &str = r#"
*server/discover*) echo '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}' ;;
*'"initialize"'*) printf '%s\n' "$line" >> told
  echo '{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"old","version":"1"}}}' ;;
*tools/list*) echo '{"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"delete","inputSchema":{"type":"object"}}]}}' ;;
*tools/call*) echo '{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"Delete it?","requestedSchema":{"type":"object","properties":{"approved":{"type":"boolean"}},"required":["approved"]}}}' ;;
*'"q"'*) printf '%s\n' "$line" >> told; echo '{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"deleted"}]}}' ;;
"#;

#[test]
fn a_server_with_a_handshake_is_answered_in_its_own_way() {
    let project = Project::new();
    let command = script(&project, LEGACY);
    let args = [
        "call",
        "delete",
        "--stdio",
        &command,
        "--answer",
        "approved=false",
    ];
    let said = snodo(project.path(), &args);
    assert_eq!(
        (said.code, said.out.as_str()),
        (0, "deleted\n"),
        "{}",
        said.err
    );
    let told_to = told(&project);
    assert!(told_to[0]["params"]["capabilities"]["elicitation"].is_object());
    assert_eq!(
        told_to[1],
        json!({ "jsonrpc": "2.0", "id": "q",
                "result": { "action": "accept", "content": { "approved": false } } })
    );
    // Without anybody to answer it is told so at once.
    let said = snodo(project.path(), &args[..4]);
    assert_eq!(
        (said.code, said.out.as_str()),
        (0, "deleted\n"),
        "{}",
        said.err
    );
    assert_eq!(told(&project)[3]["error"]["code"], -32601);
}

#[test]
fn questions_without_an_answer_are_shown() {
    let project = Project::new();
    let command = script(&project, MODERN);
    let said = snodo(project.path(), &["call", "delete", "--stdio", &command]);
    assert_eq!((said.code, said.out.as_str()), (2, ""));
    assert_eq!(
        said.err,
        "error: the server asks: Delete it?\\u{1b}[2J\n  = help: answer with --answer approved=…\n"
    );
    let capabilities = "io.modelcontextprotocol/clientCapabilities";
    let first = &told(&project)[0];
    assert_eq!(first["params"]["_meta"][capabilities], json!({}));
}

/// A server that asks this once, and then answers.
fn asks(project: &Project, id: &str, method: &str, params: &Value) -> String {
    let first = json!({ "jsonrpc": "2.0", "id": 3, "result": {
        "resultType": "input_required", "requestState": "its-state",
        "inputRequests": { id: { "method": method, "params": params } },
    } });
    project.write("first.json", format!("{first}\n"));
    let cases = r#"
*server/discover*) echo '{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"asker","version":"1"}}}}' ;;
*tools/list*) echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"delete","inputSchema":{"type":"object"}}]}}' ;;
*its-state*) printf '%s\n' "$line" >> told; echo '{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"deleted"}]}}' ;;
*tools/call*) cat first.json ;;
"#;
    script(project, cases)
}

#[test]
fn a_page_is_shown_whole_and_its_visit_is_the_persons() {
    let params = json!({
        "mode": "url", "elicitationId": "1", "message": "Sign in\u{1b}[2J",
        "url": "https://xn--80ak6aa92e.example/sign-in?for=%41#\u{1b}",
    });
    for (typed, action) in [("\n", "accept"), ("\u{4}", "decline")] {
        let project = Project::new();
        let command = asks(&project, "visit", "elicitation/create", &params);
        let prompt = "press Enter (Ctrl-D declines): ";
        let (shown, code) = at_a_terminal(&project, &command, &[(prompt, typed)]);
        assert_eq!(code, 0, "{shown}");
        assert!(
            shown.contains(
                " asks: Sign in\\u{1b}[2J\n  https://xn--80ak6aa92e.example/sign-in?for=%41#\\u{1b}\n  \
                 at xn--80ak6aa92e.example, a name whose letters may look like others\n"
            ),
            "{shown}"
        );
        assert!(!shown.contains("\u{1b}[2J"), "{shown}");
        let responses = &told(&project)[0]["params"]["inputResponses"];
        assert_eq!(*responses, json!({ "visit": { "action": action } }));
    }
    // Without a person it is shown too, and said with the next try.
    let project = Project::new();
    let command = asks(&project, "visit", "elicitation/create", &params);
    let call = ["call", "delete", "--stdio", &command];
    let said = snodo(project.path(), &call);
    assert_eq!((said.code, said.out.as_str()), (2, ""));
    assert_eq!(
        said.err,
        "error: the server asks: Sign in\\u{1b}[2J\n  https://xn--80ak6aa92e.example/sign-in?for=%41#\\u{1b}\n  \
         = help: go there, then answer with --answer visit=accept\n"
    );
    let said = snodo(
        project.path(),
        &[&call[..], &["--answer", "visit=accept"]].concat(),
    );
    assert_eq!((said.code, said.out.as_str()), (0, "deleted\n"));
}

#[test]
fn what_is_no_page_and_no_form_is_refused() {
    for (id, method, params, why) in [
        (
            "visit",
            "elicitation/create",
            json!({ "mode": "url", "message": "Look", "url": "javascript:alert(1)\u{1b}" }),
            "error: the server asks for a visit to `javascript:alert(1)\\u{1b}`, which is no page\n",
        ),
        (
            "visit",
            "elicitation/create",
            json!({ "mode": "url", "message": "Look" }),
            "error: the server asks for a visit to ``, which is no page\n",
        ),
        (
            "think",
            "sampling/createMessage",
            json!({ "messages": [], "maxTokens": 1 }),
            "error: the server asks for `sampling/createMessage`, which is not done here\n",
        ),
    ] {
        let project = Project::new();
        let command = asks(&project, id, method, &params);
        let said = snodo(project.path(), &["call", "delete", "--stdio", &command]);
        assert_eq!((said.code, said.out.as_str()), (1, ""), "{}", said.err);
        assert_eq!(said.err, why);
        assert!(told(&project).is_empty());
    }
}

#[test]
fn a_list_is_typed_between_commas_and_what_need_not_be_said_is_left_out() {
    let project = Project::new();
    let schema = json!({
        "type": "object", "required": ["tags", "count"],
        "properties": {
            "tags": { "type": "array", "description": "Which ones?",
                      "items": { "type": "string", "enum": ["a", "b"] } },
            "count": { "type": "integer", "maximum": 3 },
            "note": { "type": "string" },
        },
    });
    let params = json!({ "message": "Sort", "requestedSchema": schema });
    let command = asks(&project, "sort", "elicitation/create", &params);
    let (tags, count) = ("tags (several between commas): ", "count (a number): ");
    let lines = [
        (tags, "a, c\n"),
        (tags, "a, b\n"),
        (count, "7\n"),
        (count, "2\n"),
        ("note []: ", "\n"),
    ];
    let (shown, code) = at_a_terminal(&project, &command, &lines);
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("  Which ones?\n    a\n    b\n"), "{shown}");
    let content = json!({ "tags": ["a", "b"], "count": 2 });
    let responses = &told(&project)[0]["params"]["inputResponses"];
    assert_eq!(
        *responses,
        json!({ "sort": { "action": "accept", "content": content } })
    );
}
