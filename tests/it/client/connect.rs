//! `snodo connect`: messages go to a server that runs, which may be away for a while.

use super::{Said, snodo};
use crate::actions::upstream::{Request, Upstream, answer, ok};
use crate::support::{Daemon, Project, Stdio, call, discover, list, modern, text_of, wanting};
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const MANIFEST: &str = r#"
[[tool]]
name = "greet"
arguments.name = { type = "string", required = true, header = "Whom" }
result.text = "Hello, {{ args.name }}"

[[tool]]
name = "count"
shell = { command = ["sh", "-c", "echo 1/2; echo 2/2"], progress = { pattern = '(?<progress>\d)/(?<total>\d)' } }

[[tool]]
name = "sleep"
shell = { command = ["sh", "-c", "echo begun > begun; exec sleep 300"] }
"#;

/// `snodo connect` with these arguments, in the project's folder.
fn connect(project: &Project, args: &[&str]) -> Stdio {
    let mut command = Command::new(env!("CARGO_BIN_EXE_snodo"));
    let command = command.arg("connect").args(args);
    Stdio::start(command.current_dir(project.path()))
}

/// `snodo serve` on a socket in the project's folder.
fn daemon(project: &Project) -> Daemon {
    let listen = "http.listen=[\"unix:s.sock\",\"127.0.0.1:0\"]";
    Daemon::start(project.command("serve").args(["--set", listen]))
}

#[test]
fn a_client_of_standard_streams_has_a_running_server() {
    let project = Project::with(MANIFEST);
    let daemon = daemon(&project);
    let url = format!("http://{}/mcp", daemon.address());
    for to in ["s.sock", "unix:s.sock", &url] {
        let mut client = connect(&project, &[to]);
        let found = client.ask(&discover("d"));
        assert!(
            found["result"]["capabilities"]["tools"].is_object(),
            "{found}"
        );
        let listed = client.ask(&list(1));
        assert_eq!(listed["result"]["tools"][0]["name"], "greet");
        for name in ["Ada", "é"] {
            let greeted = client.ask(&call("c", "greet", json!({ "name": name })));
            assert_eq!(text_of(&greeted), format!("Hello, {name}"), "{greeted}");
        }
        client.send(&wanting(call(7, "count", json!({})), json!("t"), "info"));
        let told = client.receive();
        assert_eq!(told["params"]["progressToken"], "t", "{told}");
        while client.receive()["id"] != 7 {}
        let unknown = client.ask(&modern(8, "no/such", json!({})));
        assert_eq!(unknown["error"]["code"], -32601, "{unknown}");
        client.send_raw(b"{\n");
        let refused = client.receive();
        assert_eq!(refused["error"]["code"], -32700, "{refused}");
        let (status, rest) = client.finish();
        assert!(status.success());
        assert_eq!(rest, [json!(null); 0]);
        assert_eq!(client.stderr(), "");
    }
}

#[test]
fn a_cancelled_call_is_ended_and_not_answered() {
    let project = Project::with(MANIFEST);
    let _daemon = daemon(&project);
    let mut client = connect(&project, &["s.sock"]);
    client.send(&call(1, "sleep", json!({})));
    let begun = project.path().join("manifests/begun");
    crate::support::within("the command runs", || begun.exists().then_some(()));
    let twice = client.ask(&call(1, "greet", json!({ "name": "x" })));
    assert_eq!(twice["error"]["code"], -32603, "{twice}");
    client.send(
        &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled",
                         "params": { "requestId": 1 } }),
    );
    let next = client.ask(&call(1, "greet", json!({ "name": "x" })));
    assert_eq!(text_of(&next), "Hello, x");
    let (status, rest) = client.finish();
    assert!(status.success() && rest.is_empty(), "{rest:?}");
}

#[test]
fn requests_and_subscriptions_outlive_a_restart() {
    let project = Project::with(MANIFEST);
    let mut first = daemon(&project);
    let mut client = connect(&project, &["s.sock"]);
    let filter = json!({ "notifications": { "toolsListChanged": true } });
    client.send(&modern("l", "subscriptions/listen", filter));
    let granted = client.receive();
    assert_eq!(
        granted["method"],
        "notifications/subscriptions/acknowledged"
    );
    first.signal("TERM");
    assert!(first.wait().success());
    client.wait_for_log("cannot reach the socket `s.sock`");
    client.send(&call(1, "greet", json!({ "name": "Ada" })));
    project.write("manifests/a.toml", MANIFEST.replace("Hello", "Welcome"));
    let second = daemon(&project);
    let told = [client.receive(), client.receive()];
    let changed = told.iter().find(|message| message.get("method").is_some());
    let changed = changed.unwrap_or_else(|| panic!("{told:?}"));
    assert_eq!(changed["method"], "notifications/tools/list_changed");
    let meta = &changed["params"]["_meta"];
    assert_eq!(meta["io.modelcontextprotocol/subscriptionId"], "l");
    let greeted = told.iter().find(|message| message["id"] == 1).unwrap();
    assert_eq!(text_of(greeted), "Welcome, Ada");
    client.wait_for_log("unix:s.sock is there");
    // The subscription is a real one again.
    project.write(
        "manifests/b.toml",
        "[[tool]]\nname = \"b\"\nresult.text = \"b\"\n",
    );
    let changed = client.receive();
    assert_eq!(changed["method"], "notifications/tools/list_changed");
    drop(second);
    let (status, _) = client.finish();
    assert!(status.success());
}

#[test]
fn where_nobody_is_reached_requests_are_answered_with_why() {
    let project = Project::new();
    let mut client = connect(&project, &["no.sock", "--wait", "0.2"]);
    let refused = client.ask(&discover(1));
    assert_eq!(
        refused["error"],
        json!({ "code": -32603, "message": "cannot reach the socket `no.sock`: No such file or directory (os error 2)" })
    );
    assert_eq!(
        client.stderr(),
        "snodo connect: cannot reach the socket `no.sock`: No such file or directory (os error 2); trying again\n"
    );
    let mut quiet = connect(&project, &["http://127.0.0.1:9/mcp", "--wait", "0.1", "-q"]);
    let refused = quiet.ask(&modern(
        "l",
        "subscriptions/listen",
        json!({ "notifications": {} }),
    ));
    assert_eq!(refused["error"]["code"], -32603, "{refused}");
    let (status, _) = quiet.finish();
    assert!(status.success());
    assert_eq!(quiet.stderr(), "");
    let said = snodo(project.path(), &["connect", "ftp://x/mcp"]);
    assert_eq!(
        said,
        Said {
            code: 2,
            out: String::new(),
            err: "error: `ftp://x/mcp` is no address of a server\n  = help: an address is http://HOST:PORT/mcp, https://… or unix:/PATH\n".to_owned()
        }
    );
}

/// The message in a request, and its method.
fn message(request: &Request) -> (Value, String) {
    let message: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let method = message["method"].as_str().unwrap_or_default().to_owned();
    (message, method)
}

fn result(message: &Value, result: Value) -> String {
    json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }).to_string()
}

#[test]
fn a_call_whose_answer_got_lost_is_not_made_again() {
    let project = Project::new();
    let upstream = Upstream::new(|request| match &*message(request).1 {
        "tools/call" => {
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n: soon\n\n".to_vec()
        }
        _ => Vec::new(),
    });
    let mut client = connect(&project, &[&upstream.url(), "--wait", "0.3"]);
    let lost = client.ask(&call(1, "x", json!({})));
    let said = lost["error"]["message"].as_str().unwrap();
    assert!(
        said.ends_with("whether the call was carried out is not known"),
        "{said}"
    );
    assert_eq!(upstream.requests().len(), 1);
    let lost = client.ask(&list(2));
    assert_eq!(lost["error"]["code"], -32603);
    assert!(upstream.requests().len() > 2, "a list is asked for again");
}

/// A server with sessions, which it forgets each time `forgets` is raised.
fn with_sessions(forgets: Arc<AtomicUsize>) -> Upstream {
    Upstream::raw(move |request, stream| {
        let (message, method) = message(request);
        let session = format!("s{}", forgets.load(Ordering::SeqCst));
        let known = request.header("mcp-session-id") == Some(&session);
        let bytes = match (request.line.split(' ').next().unwrap(), &*method) {
            (_, "initialize") => answer(
                "200 OK",
                &[
                    ("Content-Type", "application/json"),
                    ("Mcp-Session-Id", &session),
                ],
                result(
                    &message,
                    json!({ "protocolVersion": "2025-11-25", "serverInfo": {},
                    "capabilities": { "tools": { "listChanged": true } } }),
                ),
            ),
            _ if !known => answer("404 Not Found", &[], "who?"),
            ("GET", _) => {
                let event = json!({ "jsonrpc": "2.0", "id": "q", "method": "roots/list" });
                let text = format!(
                    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\nid: 1\ndata: {event}\n\n"
                );
                stream.write_all(text.as_bytes()).unwrap();
                let before = forgets.load(Ordering::SeqCst);
                while forgets.load(Ordering::SeqCst) == before {
                    std::thread::yield_now();
                }
                return;
            }
            (_, "tools/call") => ok(
                "application/json",
                result(&message, json!({ "content": [] })),
            ),
            (_, "resources/subscribe") => ok("application/json", result(&message, json!({}))),
            _ => answer("202 Accepted", &[], ""),
        };
        let _ = stream.write_all(&bytes);
    })
}

#[test]
fn a_session_that_the_server_forgot_is_begun_anew() {
    let project = Project::new();
    let forgets = Arc::new(AtomicUsize::new(1));
    let upstream = with_sessions(Arc::clone(&forgets));
    let mut client = connect(&project, &[&upstream.url()]);
    let begin = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params":
        { "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "c", "version": "1" } } });
    assert!(client.ask(&begin)["result"]["capabilities"].is_object());
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    let subscribe = json!({ "jsonrpc": "2.0", "id": 1, "method": "resources/subscribe", "params": { "uri": "a:b" } });
    client.send(&subscribe);
    // The server's question comes on the stream beside; its answer goes back as it is.
    let mut told = [client.receive(), client.receive()];
    told.sort_by_key(|message| message.get("method").is_some());
    assert_eq!(told[0]["id"], 1);
    assert_eq!(told[1]["method"], "roots/list");
    client.send(&json!({ "jsonrpc": "2.0", "id": "q", "result": { "roots": [] } }));
    let lists = |requests: &[Request]| -> Vec<String> {
        let methods = requests.iter().map(|request| message(request).1);
        methods.collect()
    };
    let is_answer = |request: &Request| message(request).0["result"]["roots"].is_array();
    crate::support::within("the answer arrives", || {
        upstream.requests().iter().any(is_answer).then_some(())
    });
    forgets.store(2, Ordering::SeqCst);
    client.send(
        &json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": "x" } }),
    );
    let (mut called, mut told) = (false, false);
    while !(called && told) {
        let message = client.receive();
        called |= message["id"] == 2 && message["result"].is_object();
        told |= message["method"] == "notifications/tools/list_changed";
    }
    let requests = upstream.requests();
    let methods = lists(&requests);
    let anew = methods
        .iter()
        .rposition(|method| method == "initialize")
        .unwrap();
    assert!(anew > 3, "{methods:?}");
    let after = &methods[anew..];
    assert!(
        after
            .iter()
            .any(|method| method == "notifications/initialized"),
        "{methods:?}"
    );
    assert!(
        after.iter().any(|method| method == "resources/subscribe"),
        "{methods:?}"
    );
    let first = methods
        .iter()
        .position(|method| method == "resources/subscribe")
        .unwrap();
    let word = methods
        .iter()
        .position(|method| method == "notifications/initialized")
        .unwrap();
    assert!(
        word < first,
        "nothing is asked before the handshake ends: {methods:?}"
    );
    assert!(
        client
            .stderr()
            .contains("the server began anew, and so did the session")
    );
    let (status, _) = client.finish();
    assert!(status.success());
    let last = upstream.last();
    assert!(last.line.starts_with("DELETE "), "{}", last.line);
    assert_eq!(last.header("mcp-session-id"), Some("s2"));
}

#[test]
fn a_signal_ends_it() {
    let project = Project::with(MANIFEST);
    let _daemon = daemon(&project);
    let mut client = connect(&project, &["s.sock"]);
    assert_eq!(client.ask(&list(1))["id"], 1);
    client.send(&call(2, "sleep", json!({})));
    client.signal("TERM");
    assert!(client.wait().success());
}

#[test]
fn a_client_with_a_handshake_outlives_a_restart_too() {
    let project = Project::with(MANIFEST);
    let mut first = daemon(&project);
    let mut client = connect(&project, &["s.sock"]);
    let begin = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params":
        { "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "c", "version": "1" } } });
    let begun = client.ask(&begin);
    assert_eq!(begun["result"]["protocolVersion"], "2025-11-25", "{begun}");
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    let greet = |id: u32| {
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params":
            { "name": "greet", "arguments": { "name": "Ada" } } })
    };
    assert_eq!(text_of(&client.ask(&greet(1))), "Hello, Ada");
    first.signal("TERM");
    assert!(first.wait().success());
    client.wait_for_log("cannot reach the socket `s.sock`");
    client.send(&greet(2));
    project.write("manifests/a.toml", MANIFEST.replace("Hello", "Welcome"));
    let _second = daemon(&project);
    let mut told = [client.receive(), client.receive()];
    told.sort_by_key(|message| message.get("method").is_some());
    assert_eq!(text_of(&told[0]), "Welcome, Ada", "{told:?}");
    let changed = "notifications/tools/list_changed";
    assert_eq!(told[1]["method"], changed, "{told:?}");
    // What is told by the new server comes through.
    project.write(
        "manifests/b.toml",
        "[[tool]]\nname = \"b\"\nresult.text = \"b\"\n",
    );
    assert_eq!(client.receive()["method"], changed);
    let (status, _) = client.finish();
    assert!(status.success());
}
