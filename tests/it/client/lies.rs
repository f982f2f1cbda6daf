//! Servers that do not keep to the protocol, and what a client may not believe or do then.

use super::{script, snodo};
use crate::actions::upstream::{Request, Upstream, answer, ok};
use crate::support::{Project, Stdio, call, within};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio as Io};

fn message(request: &Request) -> (Value, String) {
    let message: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let method = message["method"].as_str().unwrap_or_default().to_owned();
    (message, method)
}

/// The result of a request, as a body.
fn result(message: &Value, result: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }).to_string()
}

/// A server without a handshake whose other answers are these.
fn modern(answers: impl Fn(&Request, &Value) -> Vec<u8> + Send + Sync + 'static) -> Upstream {
    Upstream::new(move |request| {
        let (message, method) = message(request);
        if method != "server/discover" {
            return answers(request, &message);
        }
        let found = json!({ "resultType": "complete", "supportedVersions": ["2026-07-28"],
            "capabilities": { "tools": {} } });
        ok("application/json", result(&message, &found))
    })
}

#[test]
fn what_is_no_answer_is_not_taken_for_one() {
    let project = Project::new();
    let server = modern(|request, message| {
        let tools = json!({ "tools": [{ "name": "x", "inputSchema": {} }] });
        let other = json!({ "jsonrpc": "2.0", "id": "other", "result": tools });
        let nameless = json!({ "jsonrpc": "2.0", "result": tools });
        let ours = result(message, &tools);
        match request.target() {
            "/other" => ok("application/json", other.to_string()),
            "/nameless" => ok("application/json", nameless.to_string()),
            "/kind" => {
                let strange = json!({ "resultType": "task", "tools": [] });
                ok("application/json", result(message, &strange))
            }
            "/question" => {
                let question = json!({ "resultType": "input_required", "requestState": "s" });
                ok("application/json", result(message, &question))
            }
            "/redirect" => answer("307 Temporary Redirect", &[("Location", "/stolen")], ""),
            _ => {
                let asks = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
                let events = format!("data: {asks}\n\ndata: {other}\n\ndata: {ours}\n\n");
                ok("text/event-stream", events)
            }
        }
    });
    for (path, error) in [
        ("/other", "an answer to another request"),
        ("/nameless", "an answer to another request"),
        ("/kind", "is of a kind that is not known here"),
        ("/question", "wants to know something, which it may not"),
        ("/redirect", "answered with status 307"),
    ] {
        let url = format!("{}{path}", server.url());
        let secret = ["--header", "Authorization: Bearer s3cret"];
        let said = snodo(
            project.path(),
            &[&["list", "tools", "--url", &url][..], &secret].concat(),
        );
        assert_eq!((said.code, said.out.as_str()), (3, ""), "{path}");
        assert!(said.err.contains(error), "{path}: {}", said.err);
    }
    let asked = server.requests();
    assert!(asked.iter().all(|request| request.target() != "/stolen"));
    let url = format!("{}/events", server.url());
    let said = snodo(project.path(), &["list", "tools", "--url", &url]);
    assert_eq!((said.code, said.out.as_str()), (0, "tools\n  x\n"));
    // Without a handshake a client answers nothing.
    let count = server.requests().len() - asked.len();
    assert_eq!(count, 2);
}

#[test]
fn tools_whose_headers_are_not_allowed_are_left_out_where_there_are_headers() {
    let project = Project::new();
    let bad = json!({ "name": "bad", "inputSchema": { "type": "object",
        "properties": { "a": { "type": "string", "x-mcp-header": "no name" } } } });
    let tools = json!({ "tools": [bad, { "name": "good", "inputSchema": { "type": "object" } }] });
    let listed = tools.clone();
    let server = modern(move |_, message| ok("application/json", result(message, &listed)));
    let said = snodo(project.path(), &["list", "tools", "--url", &server.url()]);
    assert_eq!((said.code, said.out.as_str()), (0, "tools\n  good\n"));
    assert!(
        said.err
            .starts_with("warning: the tool `bad` is left out: "),
        "{}",
        said.err
    );
    let lines = format!(
        r#"*server/discover*) echo '{{"jsonrpc":"2.0","id":1,"result":{{"supportedVersions":["2026-07-28"],"capabilities":{{"tools":{{}}}}}}}}' ;;
*tools/list*) echo '{{"jsonrpc":"2.0","id":2,"result":{tools}}}' ;;"#
    );
    let command = script(&project, &lines);
    let said = snodo(project.path(), &["list", "tools", "--stdio", &command]);
    assert_eq!(said.out, "tools\n  bad [a=STRING]\n  good\n");
}

#[test]
fn a_session_that_the_server_forgot_is_begun_anew() {
    let project = Project::new();
    let server = Upstream::new(|request| {
        let (message, method) = message(request);
        let session = request.header("mcp-session-id");
        let json = "application/json";
        match (&*method, session) {
            ("server/discover", _) => answer("400 Bad Request", &[("Mcp-Session-Id", "no")], ""),
            ("initialize", None) => {
                let id = &message["id"];
                let session = if *id == 2 { "first" } else { "second" };
                let hello = json!({ "protocolVersion": "2025-11-25", "serverInfo": {},
                    "capabilities": { "tools": {} } });
                let headers = [("Content-Type", json), ("Mcp-Session-Id", session)];
                answer("200 OK", &headers, result(&message, &hello))
            }
            ("initialize", Some(_)) => answer("400 Bad Request", &[], "a session already"),
            ("notifications/initialized", _) => answer("202 Accepted", &[], ""),
            ("tools/list", Some("second")) => {
                let tools = json!({ "tools": [{ "name": "x", "inputSchema": {} }] });
                ok(json, result(&message, &tools))
            }
            _ => answer("404 Not Found", &[], "who?"),
        }
    });
    let said = snodo(project.path(), &["list", "tools", "--url", &server.url()]);
    assert_eq!(
        (said.code, said.out.as_str(), said.err.as_str()),
        (0, "tools\n  x\n", "")
    );
}

#[test]
fn a_relay_passes_messages_on_and_nothing_else() {
    let project = Project::new();
    let server = modern(|request, message| {
        let events = |events: &str| {
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
            [head.as_bytes(), events.as_bytes()].concat()
        };
        let ours = result(message, &json!({ "content": [] }));
        match request.target() {
            "/lies" => events(&format!(
                "data: garbage\n\ndata: {{\"jsonrpc\":\"2.0\",\"id\":77,\"result\":{{}}}}\n\n\
                 data: {{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{{}}}}\n\n\
                 data: {ours}\n\n"
            )),
            // Nothing says what the length is, so it never ends; the test's end closes it.
            _ => {
                std::thread::sleep(std::time::Duration::from_secs(2));
                Vec::new()
            }
        }
    });
    let connect = |path: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_snodo"));
        let url = format!("{}{path}", server.url());
        let command = command.args(["connect", &url, "--timeout", "0.3", "--wait", "0.1"]);
        Stdio::start(command.current_dir(project.path()))
    };
    let mut client = connect("/lies");
    client.send(&call(1, "x", json!({})));
    assert_eq!(client.receive()["method"], "notifications/message");
    assert_eq!(client.receive()["id"], 1);
    let (status, rest) = client.finish();
    assert!(status.success());
    assert_eq!(rest, [json!(null); 0]);
    assert_eq!(
        client.stderr(),
        "snodo connect: passed over what is no message for this client\n"
    );
    let mut client = connect("/silent");
    let answer = client.ask(&call(1, "x", json!({})));
    assert_eq!(answer["error"]["code"], -32603, "{answer}");
    let why = answer["error"]["message"].as_str().unwrap();
    assert!(why.ends_with("no answer came"), "{why}");
}

#[test]
fn listening_ends_when_nobody_reads() {
    let project = Project::new();
    let tells = |method: &str| {
        let meta = json!({ "io.modelcontextprotocol/subscriptionId": 2 });
        let params = json!({ "_meta": meta, "notifications": { "toolsListChanged": true } });
        json!({ "jsonrpc": "2.0", "method": method, "params": params })
    };
    let lines = format!(
        r#"*server/discover*) echo '{{"jsonrpc":"2.0","id":1,"result":{{"supportedVersions":["2026-07-28"],"capabilities":{{"tools":{{}}}}}}}}' ;;
*subscriptions/listen*) echo '{}'; while sleep 0.05; do echo '{}'; done ;;"#,
        tells("notifications/subscriptions/acknowledged"),
        tells("notifications/tools/list_changed"),
    );
    let command = script(&project, &lines);
    let mut listen = Command::new(env!("CARGO_BIN_EXE_snodo"));
    let listen = listen.args(["listen", "note://a", "--stdio", &command]);
    let listen = listen.current_dir(project.path()).env("NO_COLOR", "1");
    let listen = listen
        .stdin(Io::null())
        .stdout(Io::piped())
        .stderr(Io::piped());
    let mut listen = listen.spawn().unwrap();
    let mut lines = BufReader::new(listen.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "listening");
    assert_eq!(
        lines.next().unwrap().unwrap(),
        "the list of tools has changed"
    );
    drop(lines);
    let status = within("it ends", || listen.try_wait().unwrap());
    assert!(status.success(), "{status}");
    let said = std::io::read_to_string(listen.stderr.take().unwrap()).unwrap();
    assert_eq!(
        said,
        "note: the server does not tell of changes of `note://a`, the list of prompts, resources\n"
    );
}

#[test]
fn a_result_that_is_not_what_the_tool_says_is_shown_with_a_warning() {
    let project = Project::new();
    let server = modern(|_, message| {
        let schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } } });
        let reply = match message["method"].as_str() {
            Some("tools/list") => json!({ "tools": [{ "name": "x", "inputSchema": {},
                "outputSchema": schema }] }),
            _ => json!({ "content": [], "structuredContent": { "n": "one" } }),
        };
        ok("application/json", result(message, &reply))
    });
    let said = snodo(project.path(), &["call", "x", "--url", &server.url()]);
    assert_eq!(
        (said.code, said.out.as_str()),
        (0, "{\n  \"n\": \"one\"\n}\n")
    );
    assert!(
        said.err.starts_with(
            "warning: the structured result is not what the tool's output schema says: "
        ),
        "{}",
        said.err
    );
}

#[test]
fn credentials_in_an_address_are_refused_since_they_would_not_be_sent() {
    let project = Project::new();
    let url = "http://ada:s3cret@127.0.0.1:1/mcp";
    for command in [&["list", "--url", url][..], &["connect", url]] {
        let said = snodo(project.path(), command);
        assert_eq!((said.code, said.out.as_str()), (2, ""));
        assert_eq!(
            said.err,
            "error: a name and a password in an address are not sent\n  = help: --header 'Authorization: Basic …' sends them, and --token-env NAME an access token\n"
        );
    }
}
