//! Streamable HTTP: headers, statuses, limits, origins.

mod limits;
mod places;

use crate::support::{Daemon, Project, Reply, call, discover, list, modern, text_of};
use serde_json::{Value, json};

const ECHO: &str = r#"
[[tool]]
name = "echo"
result.text = "{{ args.text }}"
arguments.text = { type = "string", required = true }

[[tool]]
name = "mark"
arguments.path = { type = "string", required = true }
shell.command = ["touch", "{{ args.path }}"]
"#;

fn serve() -> (Project, Daemon) {
    let project = Project::with(ECHO);
    let daemon = project.serve();
    (project, daemon)
}

/// Sends a head and a body, each line of the head as written, and reads one answer.
fn raw(daemon: &Daemon, head: &[&str], body: &str) -> Reply {
    let mut connection = daemon.connect();
    let mut text = head.join("\r\n");
    text.push_str(&format!("\r\ncontent-length: {}\r\n\r\n{body}", body.len()));
    connection.send(text.as_bytes());
    connection.reply()
}

/// The head of a good POST of this message, but for the lines given here, which replace or add.
fn head(daemon: &Daemon, message: &Value, changed: &[(&str, Option<&str>)]) -> Vec<String> {
    let host = daemon.address().to_string();
    let method = message["method"].as_str().unwrap_or("").to_owned();
    let mut fields = vec![
        ("host", host),
        ("accept", "application/json, text/event-stream".to_owned()),
        ("content-type", "application/json".to_owned()),
        ("mcp-protocol-version", "2026-07-28".to_owned()),
        ("mcp-method", method),
    ];
    if let Some(name) = message["params"]["name"].as_str() {
        fields.push(("mcp-name", name.to_owned()));
    }
    for (name, value) in changed {
        fields.retain(|(known, _)| known != name);
        if let Some(value) = value {
            fields.push((name, (*value).to_owned()));
        }
    }
    let mut lines = vec!["POST /mcp HTTP/1.1".to_owned()];
    lines.extend(
        fields
            .iter()
            .map(|(name, value)| format!("{name}: {value}")),
    );
    lines
}

fn post(daemon: &Daemon, message: &Value, changed: &[(&str, Option<&str>)]) -> Reply {
    let lines = head(daemon, message, changed);
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    raw(daemon, &lines, &message.to_string())
}

#[test]
fn no_host_check_dns_rebinding_is_refused_on_every_path_and_method() {
    let (_project, daemon) = serve();
    let port = daemon.address().port();
    for good in ["localhost", "127.0.0.1", "[::1]"] {
        let host = format!("{good}:{port}");
        let reply = post(&daemon, &discover(1), &[("host", Some(&host))]);
        assert_eq!(reply.status, 200, "{host}");
    }
    for bad in [
        "evil.example",
        "evil.example:4000",
        "127.0.0.1.nip.io",
        "localhost:1",
        "0.0.0.0",
    ] {
        for (method, path) in [
            ("POST", "/mcp"),
            ("GET", "/mcp"),
            ("OPTIONS", "/mcp"),
            ("GET", "/other"),
        ] {
            let lines = [
                &*format!("{method} {path} HTTP/1.1"),
                &*format!("host: {bad}"),
            ];
            let reply = raw(&daemon, &lines, "");
            assert_eq!(reply.status, 403, "{method} {path} with host {bad}");
        }
    }
}

#[test]
fn origins_are_checked_and_named_back() {
    let (_project, daemon) = serve();
    for good in [
        "http://localhost:3000",
        "https://127.0.0.1",
        "http://[::1]:8080",
    ] {
        let reply = post(&daemon, &discover(1), &[("origin", Some(good))]);
        assert_eq!(reply.status, 200, "{good}");
        assert_eq!(reply.header("access-control-allow-origin"), Some(good));
        assert!(
            reply
                .header("vary")
                .is_some_and(|vary| vary.to_lowercase().contains("origin"))
        );
        let exposed = reply
            .header("access-control-expose-headers")
            .unwrap()
            .to_lowercase();
        assert!(exposed.contains("mcp-session-id") && exposed.contains("www-authenticate"));
    }
    for bad in [
        "http://evil.example",
        "null",
        "http://localhost.evil.example",
        "file://",
    ] {
        let reply = post(&daemon, &discover(1), &[("origin", Some(bad))]);
        assert_eq!(reply.status, 403, "{bad}");
    }
    assert_eq!(
        post(&daemon, &discover(1), &[]).header("access-control-allow-origin"),
        None
    );
}

#[test]
fn cors_for_browser_clients_preflight_and_errors() {
    let (_project, daemon) = serve();
    let host = format!("host: {}", daemon.address());
    let lines = [
        "OPTIONS /mcp HTTP/1.1",
        &host,
        "origin: http://localhost:3000",
        "access-control-request-method: POST",
        "access-control-request-headers: content-type, mcp-method, mcp-param-region",
    ];
    let reply = raw(&daemon, &lines, "");
    assert!(matches!(reply.status, 200 | 204), "{reply:?}");
    assert_eq!(
        reply.header("access-control-allow-origin"),
        Some("http://localhost:3000")
    );
    let methods = reply.header("access-control-allow-methods").unwrap();
    for method in ["GET", "POST", "DELETE", "OPTIONS"] {
        assert!(methods.contains(method), "{methods}");
    }
    let headers = reply
        .header("access-control-allow-headers")
        .unwrap()
        .to_lowercase();
    for name in [
        "content-type",
        "accept",
        "authorization",
        "mcp-protocol-version",
        "mcp-session-id",
        "last-event-id",
        "mcp-method",
        "mcp-name",
        "mcp-param-region",
    ] {
        assert!(headers.contains(name), "{name} in {headers}");
    }
    let refused = post(
        &daemon,
        &list(1),
        &[("origin", Some("http://localhost")), ("mcp-method", None)],
    );
    assert_eq!(refused.status, 400);
    assert_eq!(
        refused.header("access-control-allow-origin"),
        Some("http://localhost")
    );
}

#[test]
fn content_type_with_charset() {
    let (_project, daemon) = serve();
    for good in [
        "application/json",
        "Application/JSON; charset=UTF-8",
        "application/json;charset=\"utf-8\"; x=y",
    ] {
        assert_eq!(
            post(&daemon, &discover(1), &[("content-type", Some(good))]).status,
            200,
            "{good}"
        );
    }
    for bad in [
        "text/plain",
        "application/json; charset=latin1",
        "application/xml",
    ] {
        assert_eq!(
            post(&daemon, &discover(1), &[("content-type", Some(bad))]).status,
            415,
            "{bad}"
        );
    }
    let gzip = post(&daemon, &discover(1), &[("content-encoding", Some("gzip"))]);
    assert_eq!(gzip.status, 415);
}

#[test]
fn accept_is_not_too_strict() {
    let (_project, daemon) = serve();
    let json = "application/json";
    let sse = "text/event-stream";
    for (accept, status, kind) in [
        (None, 200, json),
        (Some("*/*"), 200, json),
        (Some("application/*"), 200, json),
        (Some("application/json"), 200, json),
        (Some("text/event-stream"), 200, sse),
        (Some("text/event-stream, application/json"), 200, json),
        (Some("application/json;q=0, text/event-stream"), 200, sse),
        (Some("text/html"), 406, json),
    ] {
        let reply = post(&daemon, &discover(1), &[("accept", accept)]);
        assert_eq!(reply.status, status, "{accept:?}");
        if status == 200 {
            assert!(
                reply.header("content-type").unwrap().starts_with(kind),
                "{accept:?}: {reply:?}"
            );
        }
        if kind == sse {
            assert_eq!(reply.header("cache-control"), Some("no-cache"));
            assert_eq!(reply.header("x-accel-buffering"), Some("no"));
            let text = reply.text();
            let data: Vec<&str> = text
                .lines()
                .filter_map(|line| line.strip_prefix("data: "))
                .collect();
            assert_eq!(data.len(), 1, "{text:?}");
            let message: Value = serde_json::from_str(data[0]).unwrap();
            assert_eq!(message["id"], 1);
            assert!(text.ends_with("\n\n"));
        }
    }
}

#[test]
fn unsupported_mcp_protocol_version_is_not_served() {
    let (_project, daemon) = serve();
    let mut message = list(7);
    message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = "1900-01-01".into();
    let reply = post(
        &daemon,
        &message,
        &[("mcp-protocol-version", Some("1900-01-01"))],
    );
    assert_eq!(reply.status, 400);
    let error = &reply.json()["error"];
    assert_eq!(error["code"], -32022);
    assert_eq!(error["data"]["requested"], "1900-01-01");
    let all = ["2026-07-28", "2025-11-25", "2025-06-18"];
    assert_eq!(error["data"]["supported"], json!(all));
    assert_eq!(reply.json()["id"], 7);
}

#[test]
fn headers_that_do_not_match_the_body_are_refused_and_nothing_is_run() {
    let (project, daemon) = serve();
    let mark = project.path().join("marked");
    let message = call(3, "mark", json!({ "path": mark.to_str().unwrap() }));
    for changed in [
        [("mcp-method", None)],
        [("mcp-method", Some("tools/list"))],
        [("mcp-method", Some("Tools/Call"))],
        [("mcp-name", None)],
        [("mcp-name", Some("echo"))],
        [("mcp-name", Some("=?base64?!!!?="))],
        [("mcp-protocol-version", None)],
        [("mcp-protocol-version", Some("2025-11-25"))],
    ] {
        let reply = post(&daemon, &message, &changed);
        assert_eq!(reply.status, 400, "{changed:?}: {}", reply.text());
        assert_eq!(reply.json()["error"]["code"], -32020, "{changed:?}");
        assert_eq!(reply.json()["id"], 3, "{changed:?}");
    }
    assert!(!mark.exists(), "a refused call was run");
    assert_eq!(post(&daemon, &message, &[]).status, 200);
    assert!(mark.exists());
}

#[test]
fn encoded_mcp_name_is_decoded_before_it_is_compared() {
    let (_project, daemon) = serve();
    let message = call(1, "echo", json!({ "text": "hello" }));
    // "echo" in Base64, between the sentinels of the specification.
    let reply = post(
        &daemon,
        &message,
        &[("mcp-name", Some("=?base64?ZWNobw==?="))],
    );
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert_eq!(text_of(&reply.json()), "hello");
}

#[test]
fn modern_unknown_methods_are_404_with_32601_and_the_id() {
    let (_project, daemon) = serve();
    for method in [
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
        "resources/list",
        "prompts/get",
        "no/such/method",
    ] {
        let message = modern("x", method, json!({ "name": "n", "uri": "u:x" }));
        let reply = post(&daemon, &message, &[("mcp-name", Some("n"))]);
        let reply = if reply.json()["error"]["code"] == -32020 {
            post(&daemon, &message, &[("mcp-name", Some("u:x"))])
        } else {
            reply
        };
        assert_eq!(reply.status, 404, "{method}: {}", reply.text());
        assert_eq!(reply.json()["error"]["code"], -32601, "{method}");
        assert_eq!(reply.json()["id"], "x", "{method}");
    }
}

#[test]
fn notifications_are_202_without_a_body_and_requests_without_an_id_are_not_run() {
    let (project, daemon) = serve();
    for method in [
        "notifications/initialized",
        "notifications/cancelled",
        "notifications/never/heard",
    ] {
        let message = json!({ "jsonrpc": "2.0", "method": method, "params": { "requestId": 99 } });
        for version in [Some("2026-07-28"), None] {
            let reply = post(
                &daemon,
                &message,
                &[("mcp-method", None), ("mcp-protocol-version", version)],
            );
            assert_eq!(reply.status, 202, "{method}");
            assert!(reply.body.is_empty(), "{method}");
            assert_eq!(reply.header("content-type"), None, "{method}");
        }
    }
    let mark = project.path().join("marked");
    let mut message = call(1, "mark", json!({ "path": mark.to_str().unwrap() }));
    message.as_object_mut().unwrap().remove("id");
    assert_eq!(post(&daemon, &message, &[]).status, 400);
    assert!(!mark.exists());
}

#[test]
fn other_methods_and_paths_are_4xx_and_never_a_stream() {
    let (_project, daemon) = serve();
    let host = format!("host: {}", daemon.address());
    for method in ["GET", "DELETE", "PUT", "HEAD"] {
        let line = format!("{method} /mcp HTTP/1.1");
        let reply = if method == "HEAD" {
            continue;
        } else {
            raw(&daemon, &[&line, &host], "")
        };
        assert_eq!(reply.status, 405, "{method}");
        assert!(
            reply
                .header("allow")
                .is_some_and(|allow| allow.contains("POST")),
            "{method}"
        );
    }
    for path in [
        "/.well-known/oauth-protected-resource",
        "/.well-known/openid-configuration",
        "/",
        "/x",
    ] {
        let reply = raw(&daemon, &[&format!("GET {path} HTTP/1.1"), &host], "");
        assert_eq!(reply.status, 404, "{path}");
    }
}
