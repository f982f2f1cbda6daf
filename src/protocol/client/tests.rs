//! What is sent and what is understood.

use super::*;
use crate::lang::schema::header_params;
use serde_json::{Map, Value, json};

fn sent(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap()
}

#[test]
fn a_modern_request_carries_its_metadata_and_a_legacy_one_none() {
    let request = Request::new("tools/list").with("cursor", "x");
    let modern = sent(&request.encode(Version::NEWEST, Said::default(), 7));
    let meta = &modern["params"]["_meta"];
    assert_eq!(modern["id"], 7);
    assert_eq!(
        meta["io.modelcontextprotocol/protocolVersion"],
        "2026-07-28"
    );
    assert_eq!(
        meta["io.modelcontextprotocol/clientCapabilities"],
        json!({})
    );
    assert_eq!(meta["io.modelcontextprotocol/clientInfo"]["name"], "snodo");
    assert_eq!(meta.get("progressToken"), None);
    let legacy = sent(&request.encode(Version::NEWEST_LEGACY, Said::default(), 7));
    assert_eq!(legacy["params"], json!({ "cursor": "x" }));
}

#[test]
fn headers_mirror_the_body_as_the_specification_encodes_values() {
    for (value, header) in [
        (json!("us-west1"), Some("us-west1")),
        (
            json!("Hello, 世界"),
            Some("=?base64?SGVsbG8sIOS4lueVjA==?="),
        ),
        (json!(" padded "), Some("=?base64?IHBhZGRlZCA=?=")),
        (json!("line1\nline2"), Some("=?base64?bGluZTEKbGluZTI=?=")),
        (
            json!("=?base64?literal?="),
            Some("=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
        ),
        (json!(42), Some("42")),
        (json!(true), Some("true")),
        (json!(""), Some("")),
        (json!(null), None),
        (json!([1]), None),
        (json!({ "b": 1 }), None),
        (json!("=?base64?"), Some("=?base64?")),
        (json!("a?="), Some("a?=")),
    ] {
        let kind = match &value {
            Value::Number(_) => "integer",
            Value::Bool(_) => "boolean",
            _ => "string",
        };
        let schema = json!({ "type": "object", "properties": {
            "a": { "type": kind, "x-mcp-header": "A" } } });
        let request = Request::new("tools/call")
            .with("name", "é")
            .with("arguments", json!({ "a": value }))
            .mirroring(header_params(&schema).unwrap());
        let headers = headers(&request, Some(Version::NEWEST));
        let shown = |name: &str| headers.get(name).map(|value| value.to_str().unwrap());
        assert_eq!(shown("mcp-param-a"), header, "{value}");
        assert_eq!(shown("mcp-name"), Some("=?base64?w6k=?="));
        assert_eq!(shown("mcp-method"), Some("tools/call"));
        assert_eq!(shown("mcp-protocol-version"), Some("2026-07-28"));
    }
}

#[test]
fn messages_are_told_apart() {
    for (message, expected) in [
        (
            json!({ "id": "3", "result": null }),
            "Answer { to: Request(3), outcome: Ok(Null) }",
        ),
        (
            json!({ "error": { "code": 1 } }),
            "Answer { to: Unsaid, outcome: Err(RpcError { code: 1, message: \"\", data: None }) }",
        ),
        (
            json!({ "method": "notifications/progress", "params": { "progressToken": 4, "progress": 1 } }),
            "Notice(Some(4), Progress { progress: 1.0, total: None, message: None })",
        ),
        (
            json!({ "method": "notifications/tools/list_changed", "params": { "_meta": { "io.modelcontextprotocol/subscriptionId": 5 } } }),
            "Notice(Some(5), ListChanged(\"tools\"))",
        ),
        (
            json!({ "id": "a", "method": "ping" }),
            "Request { id: String(\"a\"), method: \"ping\", params: {} }",
        ),
    ] {
        let decoded = decode(message.to_string().as_bytes()).unwrap();
        assert_eq!(format!("{decoded:?}"), expected);
    }
    for wrong in [
        "",
        "{}",
        "[]",
        "nonsense",
        r#"{"id":1}"#,
        r#"{"id":1,"method":"a","result":1}"#,
        r#"{"method":1}"#,
    ] {
        assert!(decode(wrong.as_bytes()).is_err(), "{wrong}");
    }
    assert!(decode("[".repeat(100_000).as_bytes()).is_err());
}

#[test]
fn what_a_server_tells_is_understood() {
    for (method, params, expected) in [
        (
            "progress",
            json!({ "progress": 0.5, "total": 2, "message": "m" }),
            Notice::Progress {
                progress: 0.5,
                total: Some(2.0),
                message: Some("m".into()),
            },
        ),
        (
            "message",
            json!({ "level": "error", "logger": "l", "data": [1] }),
            Notice::Log {
                level: "error".into(),
                logger: Some("l".into()),
                data: json!([1]),
            },
        ),
        (
            "subscriptions/acknowledged",
            json!({ "notifications": { "a": 1 } }),
            Notice::Acknowledged(json!({ "a": 1 })),
        ),
        (
            "tools/list_changed",
            json!({}),
            Notice::ListChanged("tools"),
        ),
        (
            "prompts/list_changed",
            json!({}),
            Notice::ListChanged("prompts"),
        ),
        (
            "resources/list_changed",
            json!({}),
            Notice::ListChanged("resources"),
        ),
        (
            "resources/updated",
            json!({ "uri": "a:b" }),
            Notice::Updated("a:b".into()),
        ),
        (
            "cancelled",
            json!({ "reason": "r" }),
            Notice::Cancelled(Some("r".into())),
        ),
        ("cancelled", json!({ "reason": 1 }), Notice::Cancelled(None)),
        (
            "other",
            json!({}),
            Notice::Other("notifications/other".into(), Map::new()),
        ),
    ] {
        let message = json!({ "method": format!("notifications/{method}"), "params": params });
        let decoded = decode(message.to_string().as_bytes()).unwrap();
        assert_eq!(decoded, Message::Notice(None, expected));
    }
}

#[test]
fn an_answer_is_to_a_number_or_to_none() {
    let answer = |message: Value| match decode(message.to_string().as_bytes()) {
        Ok(Message::Answer { to, .. }) => to,
        other => panic!("{other:?}"),
    };
    let error = json!({ "code": 1 });
    for (message, to, is_of_seven) in [
        (json!({ "id": 7, "result": {} }), To::Request(7), true),
        (json!({ "id": 8, "result": {} }), To::Request(8), false),
        (json!({ "id": "x", "result": {} }), To::Nothing, false),
        (json!({ "id": null, "result": {} }), To::Nothing, false),
        (json!({ "id": null, "error": error }), To::Unsaid, true),
        (json!({ "id": "x", "error": error }), To::Nothing, false),
    ] {
        let found = answer(message);
        assert_eq!((found, found.is(7)), (to, is_of_seven));
    }
    assert_eq!(decode(b"[1]"), Err("not a JSON-RPC message".into()));
    let error = decode(b"[").unwrap_err();
    assert!(error.starts_with("not JSON: EOF"), "{error}");
}

#[test]
fn what_is_sent_has_its_form() {
    let client = json!({ "name": "snodo", "version": env!("CARGO_PKG_VERSION") });
    let asks = Said { asks: true };
    let can = json!({ "elicitation": { "form": {}, "url": {} } });
    for (message, expected) in [
        (
            initialize(Version::V2025_06_18, asks, 3),
            json!({ "id": 3, "method": "initialize", "params": {
                "protocolVersion": "2025-06-18", "capabilities": can, "clientInfo": client } }),
        ),
        (
            initialized(),
            json!({ "method": "notifications/initialized" }),
        ),
        (
            cancelled(4),
            json!({ "method": "notifications/cancelled", "params": { "requestId": 4 } }),
        ),
        (
            answer(&json!("a"), json!({ "b": 1 })),
            json!({ "id": "a", "result": { "b": 1 } }),
        ),
        (
            refusal(&json!(5)),
            json!({ "id": 5, "error": { "code": -32601, "message": "Method not found" } }),
        ),
        (
            Request::new("ping").encode(Version::NEWEST_LEGACY, asks, 6),
            json!({ "id": 6, "method": "ping" }),
        ),
        (
            Request::new("prompts/get")
                .with("_meta", json!({ "a": 1 }))
                .logging(Some("debug"))
                .encode(Version::NEWEST_LEGACY, asks, 7),
            json!({ "id": 7, "method": "prompts/get",
                "params": { "_meta": { "a": 1, "progressToken": 7 } } }),
        ),
        (
            Request::new("prompts/list")
                .logging(Some("debug"))
                .encode(Version::NEWEST, asks, 8),
            json!({ "id": 8, "method": "prompts/list", "params": { "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": can,
                "io.modelcontextprotocol/clientInfo": client,
                "io.modelcontextprotocol/logLevel": "debug" } } }),
        ),
        (
            subscription(&["tools"], &["a:b".into()]).encode(Version::NEWEST_LEGACY, asks, 9),
            json!({ "id": 9, "method": "subscriptions/listen", "params": { "notifications": {
                "toolsListChanged": true, "resourceSubscriptions": ["a:b"] } } }),
        ),
        (
            subscription(&[], &[]).encode(Version::NEWEST_LEGACY, asks, 9),
            json!({ "id": 9, "method": "subscriptions/listen", "params": { "notifications": {} } }),
        ),
    ] {
        let mut sent = sent(&message);
        let said = sent.as_object_mut().and_then(|sent| sent.remove("jsonrpc"));
        assert_eq!((said, sent), (Some(json!("2.0")), expected));
    }
    assert_eq!(Request::new("ping").method(), "ping");
}

#[test]
fn a_request_is_sent_again_with_its_answers_and_the_last_state_alone() {
    let params = |request: &Request| {
        sent(&request.encode(Version::NEWEST_LEGACY, Said::default(), 1))["params"].clone()
    };
    let given = Map::from_iter([("q".to_owned(), json!("a"))]);
    let first = retry_with(&Request::new("x").with("a", 1), given, Some(&json!("s")));
    assert_eq!(
        params(&first),
        json!({ "a": 1, "inputResponses": { "q": "a" }, "requestState": "s" })
    );
    let bare = Request::new("x").with("a", 1).with("requestState", "s");
    assert_eq!(
        params(&retry_with(&bare, Map::new(), None)),
        json!({ "a": 1 })
    );
}

#[test]
fn headers_are_of_a_revision_and_of_what_is_read() {
    let read = Request::new("resources/read")
        .with("uri", "a:b")
        .with("name", "n");
    let names = |version| {
        let headers = headers(&read, version);
        let mut names: Vec<String> = headers.keys().map(ToString::to_string).collect();
        names.sort();
        names
    };
    assert_eq!(names(None), [""; 0]);
    assert_eq!(
        names(Some(Version::NEWEST_LEGACY)),
        ["mcp-protocol-version"]
    );
    assert_eq!(
        names(Some(Version::NEWEST)),
        ["mcp-method", "mcp-name", "mcp-protocol-version"]
    );
    assert_eq!(headers(&read, Some(Version::NEWEST))["mcp-name"], "a:b");
}

#[test]
fn every_revision_is_found_by_its_name() {
    for version in Version::ALL {
        assert_eq!(Version::find(version.name()), Some(version));
        assert_eq!(version.is_modern(), version == Version::NEWEST);
    }
    assert_eq!(Version::find("2024-10-07"), None);
}

#[test]
fn only_a_modern_answer_keeps_from_the_handshake() {
    let error = |code, data| {
        Err(RpcError {
            code,
            message: String::new(),
            data,
        })
    };
    let newest = Some(Offered::Both(Version::NEWEST));
    for (answer, expected) in [
        (
            Ok(json!({ "supportedVersions": ["2025-11-25", "2026-07-28", "2027-01-01"] })),
            newest,
        ),
        (
            Ok(json!({ "supportedVersions": ["2027-01-01"] })),
            Some(Offered::None),
        ),
        (
            error(-32022, Some(json!({ "supported": ["2025-06-18"] }))),
            Some(Offered::Both(Version::V2025_06_18)),
        ),
        (error(-32022, None), None),
        (error(-32601, None), None),
        (
            error(-32000, Some(json!({ "supported": ["2026-07-28"] }))),
            None,
        ),
        (Ok(json!({})), None),
    ] {
        assert_eq!(chosen(&answer), expected, "{answer:?}");
    }
}
