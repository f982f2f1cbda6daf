//! What is in every answer: the id as it came, the type of the result, the server.

use super::project;
use crate::support::{Both, call, list, modern};
use serde_json::{Value, json};

#[test]
fn an_id_comes_back_exactly_as_it_was_sent() {
    let project = project();
    let mut stdio = project.stdio();
    let daemon = project.serve();
    let mut connection = daemon.connect();
    for (id, text) in [
        (r#""1""#, "1"),
        ("1", "1"),
        (r#""""#, ""),
        ("0", "0"),
        ("-1", "-1"),
        ("9007199254740991", "9007199254740991"),
        ("9007199254740993", "9007199254740993"),
        ("9223372036854775807", "9223372036854775807"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("18446744073709551615", "18446744073709551615"),
        (
            "123456789012345678901234567890",
            "123456789012345678901234567890",
        ),
        (r#""null""#, "null"),
        (r#""\u00e9\n\"\\ \u2028 é""#, "é\n\"\\ \u{2028} é"),
        (r#""\ud83e\udd80""#, "🦀"),
    ] {
        let message = call("the id", "request_id", json!({}));
        let raw = message.to_string().replacen("\"the id\"", id, 1);
        stdio.send_raw(raw.as_bytes());
        stdio.send_raw(b"\n");
        let line = String::from_utf8(stdio.line().unwrap()).unwrap();
        let start = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":"#);
        assert!(line.starts_with(&start), "{line}");
        let body = connection.post_as(&message, raw.as_bytes()).text();
        assert_eq!(line.trim_end_matches('\n'), body);
        let answer: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(answer["result"]["structuredContent"], text);
        // An error echoes it as well.
        let raw = raw.replacen("tools/call", "tools/none", 1);
        stdio.send_raw(raw.as_bytes());
        stdio.send_raw(b"\n");
        let line = String::from_utf8(stdio.line().unwrap()).unwrap();
        let start = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":"#);
        assert!(line.starts_with(&start), "{line}");
    }
}

#[test]
fn every_result_names_its_type_and_the_server() {
    let mut both = Both::of(
        project()
            .set("server.name=demo")
            .set("server.version=\"7.1\""),
    );
    let family = json!({ "name": "demo", "version": "7.1" });
    for request in [
        modern(1, "server/discover", json!({})),
        list(2),
        call(3, "echo", json!({})),
        call(4, "echo", json!({ "text": 5 })),
    ] {
        let answer = both.ask(&request);
        let result = &answer["result"];
        assert_eq!(result["resultType"], "complete", "{answer}");
        let server = &result["_meta"]["io.modelcontextprotocol/serverInfo"];
        assert_eq!(*server, family, "{answer}");
    }
    both.finish();
}

#[test]
fn discovery_says_what_the_server_is() {
    let project = project()
        .set("server.name=demo")
        .set("server.title=\"A demo\"")
        .set("server.version=\"7.1\"")
        .set("server.instructions=\"Ask it things\"")
        .set("server.cache.discovery={ ttl_ms = 5000, scope = \"public\" }");
    let mut both = Both::of(project);
    let answer = both.ask(&modern(1, "server/discover", json!({})));
    assert_eq!(
        answer,
        json!({
            "jsonrpc": "2.0",
            "id": 1,
            "result": {
                "resultType": "complete",
                "supportedVersions": ["2026-07-28", "2025-11-25", "2025-06-18"],
                "capabilities": { "tools": { "listChanged": true } },
                "_meta": { "io.modelcontextprotocol/serverInfo": {
                    "name": "demo", "title": "A demo", "version": "7.1"
                } },
                "instructions": "Ask it things",
                "ttlMs": 5000,
                "cacheScope": "public",
            },
        })
    );
    both.finish();
}
