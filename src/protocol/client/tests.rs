//! What is sent and what is understood.

use super::*;
use crate::lang::schema::header_params;
use serde_json::{Value, json};

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
