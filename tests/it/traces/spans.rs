//! What spans say, and what their requests hand on.

use super::collector::{Behaviour, Collector, attribute};
use super::{CALLER, MANIFEST, TRACE, project, sample, traced};
use crate::support::{Daemon, Project, call, discover, list, modern, text_of, within};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

fn took(span: &Value) -> u128 {
    let time = |key: &str| span[key].as_str().unwrap().parse::<u128>().unwrap();
    time("endTimeUnixNano") - time("startTimeUnixNano")
}

/// The spans of a server that was stopped.
fn ended(mut daemon: Daemon, collector: &Collector) -> Vec<Value> {
    daemon.signal("TERM");
    assert!(daemon.wait().success());
    collector.spans()
}

#[test]
fn each_request_is_a_span_that_says_what_it_was() {
    let collector = Collector::start(Behaviour::Take("{}"));
    let daemon = project(&collector).serve();
    daemon.ask(&traced(call(7, "t", json!({})), "01"));
    daemon.ask(&call("eight", "fails", json!({})));
    daemon.ask(&call(9, "made up", json!({})));
    daemon.ask(&list(10));
    daemon.ask(&discover(11));
    daemon.ask(&modern(12, "resources/read", json!({ "uri": "notes:one" })));
    daemon.ask(&modern(13, "prompts/get", json!({ "name": "p" })));
    let mut listening = daemon.connect().events(&modern(
        14,
        "subscriptions/listen",
        json!({ "notifications": { "toolsListChanged": true } }),
    ));
    listening.next().unwrap();
    let spans = ended(daemon, &collector);
    let of = |id: &str| {
        let mut found = spans
            .iter()
            .filter(|span| attribute(span, "jsonrpc.request.id") == Some(id));
        let span = found.next().unwrap_or_else(|| panic!("{id}: {spans:#?}"));
        assert!(found.next().is_none(), "{id}");
        span
    };
    for (id, name, method) in [
        ("7", "tools/call t", "tools/call"),
        ("eight", "tools/call fails", "tools/call"),
        ("9", "tools/call", "tools/call"),
        ("10", "tools/list", "tools/list"),
        ("11", "server/discover", "server/discover"),
        ("12", "resources/read", "resources/read"),
        ("13", "prompts/get p", "prompts/get"),
        ("14", "subscriptions/listen", "subscriptions/listen"),
    ] {
        let span = of(id);
        assert_eq!(span["name"], name);
        assert_eq!(span["kind"], 2);
        assert_eq!(attribute(span, "mcp.method.name"), Some(method));
        assert_eq!(attribute(span, "mcp.protocol.version"), Some("2026-07-28"));
        assert_eq!(attribute(span, "network.transport"), Some("tcp"));
        assert!(attribute(span, "snodo.request").is_some());
        assert!(took(span) < 60_000_000_000, "{span}");
        let is_id = |key: &str, digits: usize| {
            let id = span[key].as_str().unwrap();
            id.len() == digits && id.bytes().all(|byte| byte.is_ascii_hexdigit())
        };
        assert!(is_id("traceId", 32) && is_id("spanId", 16), "{span}");
        let calls = method == "tools/call";
        let operation = calls.then_some("execute_tool");
        assert_eq!(attribute(span, "gen_ai.operation.name"), operation);
    }
    let first = of("7");
    assert_eq!(first["traceId"], TRACE);
    assert_eq!(first["parentSpanId"], CALLER);
    assert_eq!(first["traceState"], "vendor=1");
    assert_eq!(first["flags"], 0x301);
    assert_eq!(attribute(first, "gen_ai.tool.name"), Some("t"));
    assert!(first.get("status").is_none() && attribute(first, "error.type").is_none());
    let failed = of("eight");
    assert_eq!(failed["status"], json!({ "code": 2 }));
    assert_eq!(attribute(failed, "error.type"), Some("tool_error"));
    assert!(failed.get("parentSpanId").is_none());
    let unknown = of("9");
    assert_eq!(attribute(unknown, "gen_ai.tool.name"), Some("made up"));
    assert_eq!(attribute(unknown, "error.type"), Some("-32602"));
    assert_eq!(
        attribute(unknown, "rpc.response.status_code"),
        Some("-32602")
    );
    assert_eq!(attribute(of("12"), "mcp.resource.uri"), Some("notes:one"));
    assert_eq!(attribute(of("13"), "gen_ai.prompt.name"), Some("p"));
    let request = &collector.requests()[0];
    assert_eq!(request.line, "POST /v1/traces HTTP/1.1");
    assert_eq!(request.header("content-type"), Some("application/json"));
    let scope = &request.body["resourceSpans"][0]["scopeSpans"][0]["scope"];
    assert_eq!(scope["name"], "snodo");
}

#[test]
fn the_collector_is_shown_credentials_and_what_the_spans_are_of_but_no_secrets() {
    let collector = Collector::start(Behaviour::Take("{}"));
    let file = format!(
        "manifests = [\"manifests\"]\nserver = {{ name = \"shop\", version = \"7\" }}\n\
         secrets.token = {{ file = \"token\" }}\n[traces]\nendpoint = \"{}/otlp/traces?x=1\"\n\
         headers = {{ authorization = {{ file = \"token\" }}, X-Tenant = \"a\" }}\n\
         resource = {{ \"deployment.environment.name\" = \"test\", \"service.version\" = \"8\" }}\n",
        collector.url()
    );
    let project = Project::with(MANIFEST)
        .file("token", "s3cr3t-token\n")
        .file("snodo.toml", file)
        .arg("--config")
        .arg("snodo.toml");
    let daemon = project.serve();
    daemon.ask(&modern(
        "s3cr3t-token",
        "resources/read",
        json!({ "uri": "x:s3cr3t-token" }),
    ));
    let log = daemon.stderr();
    assert!(!log.contains("s3cr3t"), "{log}");
    let spans = ended(daemon, &collector);
    assert_eq!(spans.len(), 1);
    let uri = attribute(&spans[0], "mcp.resource.uri");
    assert_eq!(uri, Some("x:[secret]"));
    let request = &collector.requests()[0];
    assert!(!request.body.to_string().contains("s3cr3t"));
    assert_eq!(request.line, "POST /otlp/traces?x=1 HTTP/1.1");
    assert_eq!(request.header("authorization"), Some("s3cr3t-token"));
    assert_eq!(request.header("x-tenant"), Some("a"));
    let resource = &request.body["resourceSpans"][0]["resource"];
    for (key, value) in [
        ("service.name", "shop"),
        ("service.version", "8"),
        ("deployment.environment.name", "test"),
    ] {
        assert_eq!(attribute(resource, key), Some(value));
    }
}

#[test]
fn what_a_call_starts_and_asks_is_told_the_span_of_the_call() {
    let collector = Collector::start(Behaviour::Take("{}"));
    let upstream = Collector::start(Behaviour::Take("{}"));
    let manifest = format!(
        "{MANIFEST}\n[[tool]]\nname = \"ask\"\nhttp.url = \"{}/x\"\n",
        upstream.url()
    );
    let project = project(&collector).manifest("a.toml", &manifest);
    let daemon = project.serve();
    let told = text_of(&daemon.ask(&traced(call(1, "trace", json!({})), "01")));
    daemon.ask(&traced(call(2, "ask", json!({})), "01"));
    // A trace that its caller does not record is handed on as it is.
    let untouched = text_of(&daemon.ask(&traced(call(3, "trace", json!({})), "00")));
    assert_eq!(untouched.trim(), format!("00-{TRACE}-{CALLER}-00"));
    let spans = ended(daemon, &collector);
    assert_eq!(spans.len(), 2, "{spans:#?}");
    for (id, told) in [
        ("1", told.trim()),
        ("2", upstream.requests()[0].header("traceparent").unwrap()),
    ] {
        let mut of = spans.iter();
        let span = of.find(|span| attribute(span, "jsonrpc.request.id") == Some(id));
        let span = span.unwrap();
        let own = span["spanId"].as_str().unwrap();
        assert_eq!(told, format!("00-{TRACE}-{own}-01"));
    }
    let state = upstream.requests()[0]
        .header("tracestate")
        .map(str::to_owned);
    assert_eq!(state.as_deref(), Some("vendor=1"));
}

#[test]
fn of_requests_without_a_trace_a_part_is_recorded() {
    let collector = Collector::start(Behaviour::Take("{}"));
    let project = project(&collector).set("traces.ratio=0");
    let daemon = project.serve();
    let told = text_of(&daemon.ask(&call(1, "trace", json!({}))));
    assert!(
        told.starts_with("00-") && told.trim().ends_with("-02"),
        "{told}"
    );
    daemon.ask(&traced(call(2, "t", json!({})), "01"));
    let spans = ended(daemon, &collector);
    assert_eq!(spans.len(), 1, "{spans:#?}");
    assert_eq!(attribute(&spans[0], "jsonrpc.request.id"), Some("2"));
}

#[test]
fn without_traces_nothing_is_made_up() {
    let project = Project::with(MANIFEST).set("metrics.listen=['127.0.0.1:0']");
    let daemon = project.serve();
    let told = daemon.ask(&call(1, "trace", json!({})));
    assert_eq!(
        text_of(&told),
        "the command failed with exit code 1",
        "{told}"
    );
    let told = daemon.ask(&traced(call(1, "trace", json!({})), "01"));
    assert_eq!(text_of(&told).trim(), format!("00-{TRACE}-{CALLER}-01"));
    within("reports are served", || {
        sample(&daemon.stderr(), "snodo_requests_in_flight")
    });
    assert_eq!(sample(&daemon.stderr(), "snodo_spans_dropped_total"), None);
}

#[test]
fn on_standard_streams_the_last_spans_leave_with_the_end_of_the_input() {
    let collector = Collector::start(Behaviour::Take("{}"));
    let project = project(&collector);
    let mut stdio = project.stdio();
    let began = Instant::now();
    stdio.ask(&call(1, "t", json!({})));
    let (status, _) = stdio.finish();
    assert!(status.success());
    assert!(began.elapsed() < Duration::from_secs(20));
    let spans = collector.spans();
    assert_eq!(spans.len(), 1);
    assert_eq!(attribute(&spans[0], "network.transport"), Some("pipe"));
    assert_eq!(attribute(&spans[0], "network.protocol.name"), None);
}

#[test]
fn a_session_is_told_of_requests_that_belong_to_one() {
    let collector = Collector::start(Behaviour::Take("{}"));
    let daemon = project(&collector).serve();
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": { "name": "it", "version": "1" } } });
    let began = daemon
        .connect()
        .post_with(&[], hello.to_string().as_bytes());
    let session = began.header("mcp-session-id").unwrap();
    let list = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list",
        "params": { "_meta": { "traceparent": format!("00-{TRACE}-{CALLER}-01") } } });
    let reply = daemon
        .connect()
        .post_with(&[("Mcp-Session-Id", session)], list.to_string().as_bytes());
    assert_eq!(reply.status, 200);
    let sealed = session.to_owned();
    let spans = ended(daemon, &collector);
    assert_eq!(spans[0]["traceId"], TRACE);
    assert_eq!(
        attribute(&spans[0], "mcp.protocol.version"),
        Some("2025-11-25")
    );
    let told = attribute(&spans[0], "mcp.session.id").unwrap();
    assert!(told.len() == 32 && !sealed.contains(told), "{told}");
}
