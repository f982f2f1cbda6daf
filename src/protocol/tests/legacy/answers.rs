//! What only these revisions ask for, and results in their shape.

use super::*;
use crate::ops::{Completion, Log, Notice, PromptOutcome, ResourceContent, ResourceOutcome};

#[test]
fn what_only_these_revisions_ask_for() {
    let face = speaking(&ALL);
    let session = begun(&face, NEWER);
    let headers = mirror(&[("mcp-session-id", &session)]);
    let ask = |method: &str, params: &str| {
        let message =
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
        post_to(&face, &headers, &message)
    };
    assert_eq!(
        refused(ask("ping", "{}")),
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#
    );
    for (method, params, wanted) in [
        (
            "logging/setLevel",
            r#"{"level":"error"}"#,
            Wanted::Level(LogLevel::Error),
        ),
        (
            "resources/subscribe",
            r#"{"uri":"a:1"}"#,
            Wanted::Updates("a:1".into()),
        ),
        (
            "resources/unsubscribe",
            r#"{"uri":"a:1"}"#,
            Wanted::NoUpdates("a:1".into()),
        ),
    ] {
        let Step::Remember(remember) = ask(method, params) else {
            panic!("{method}");
        };
        assert_eq!(remember.what, wanted);
        assert!(remember.session.is_some() && remember.lists.tools);
    }
    for (method, params) in [
        ("logging/setLevel", "{}"),
        ("logging/setLevel", r#"{"level":"loud"}"#),
        ("resources/subscribe", "{}"),
        ("resources/unsubscribe", r#"{"uri":7}"#),
    ] {
        let (status, code, _) = refusal(ask(method, params));
        assert_eq!((status, code), (200, -32602), "{method} {params}");
    }
    let plain = Face::new(&identity(), Offer::default());
    for method in [
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
        "tools/list",
    ] {
        let message = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}"}}"#);
        let (status, code, _) = refusal(post_to(&plain, &HeaderMap::new(), &message));
        assert_eq!((status, code), (200, -32601), "{method}");
    }
}

#[test]
fn results_are_shaped_by_their_revision() {
    let face = speaking(&ALL);
    let icon = Icon {
        src: "https://e.com/i.png".into(),
        mime_type: None,
        sizes: vec![],
        theme: None,
    };
    let tool = ToolDeclaration {
        name: "t".into(),
        title: Some("T".into()),
        description: None,
        icons: vec![icon],
        annotations: ToolAnnotations::default(),
        metadata: Default::default(),
        input_schema: std::sync::Arc::new(json!({"type": "object"})),
        output_schema: Some(std::sync::Arc::new(json!({"type": "array"}))),
    };
    let page = face.tools_page(&[&tool], Some("next"), CACHE);
    let outcome = ToolOutcome {
        content: vec![Block::text("[1]")],
        structured: Some(json!([1])),
        ..ToolOutcome::default()
    };
    for (version, listed) in [
        (
            NEWER,
            json!({"tools": [{"name": "t", "title": "T", "icons": [{"src": "https://e.com/i.png"}], "inputSchema": {"type": "object"}}], "nextCursor": "next"}),
        ),
        (
            OLDER,
            json!({"tools": [{"name": "t", "title": "T", "inputSchema": {"type": "object"}}], "nextCursor": "next"}),
        ),
    ] {
        let bare = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
        let headers = mirror(&[("mcp-protocol-version", version)]);
        let reply_to = call(post_to(&face, &headers, bare)).reply_to;
        let result = |answer: Answer| {
            let body = reply_to.answer(&face, Ok(answer)).body;
            serde_json::from_slice::<Value>(&body.into_bytes()).unwrap()["result"].clone()
        };
        assert_eq!(result(Answer::Ready(page.clone())), listed);
        assert_eq!(
            result(Answer::Tool(outcome.clone())),
            json!({"content": [{"type": "text", "text": "[1]"}], "isError": false})
        );
        let object = ToolOutcome {
            structured: Some(json!({"a": 1})),
            meta: json!({"com.example/k": 1}).as_object().cloned().unwrap(),
            ..ToolOutcome::default()
        };
        assert_eq!(
            result(Answer::Tool(object)),
            json!({"content": [], "structuredContent": {"a": 1}, "isError": false, "_meta": {"com.example/k": 1}})
        );
        let read = ResourceOutcome {
            contents: vec![ResourceContent {
                uri: "a:1".into(),
                mime_type: None,
                payload: Payload::Text("x".into()),
                meta: Default::default(),
            }],
            cache: CACHE,
            meta: Default::default(),
        };
        assert_eq!(
            result(Answer::Resource(read)),
            json!({"contents": [{"uri": "a:1", "text": "x"}]})
        );
        assert_eq!(
            result(Answer::Prompt(PromptOutcome::default())),
            json!({"messages": []})
        );
        assert_eq!(
            result(Answer::Completion(Completion::default())),
            json!({"completion": {"values": [], "total": 0, "hasMore": false}})
        );
        let missing = reply_to.answer(&face, Err(OpError::ResourceNotFound("a:2".into())));
        assert_eq!((missing.status.as_u16(), missing.code), (200, Some(-32002)));
        let body: Value = serde_json::from_slice(&missing.body.into_bytes()).unwrap();
        assert_eq!(body["error"]["data"], json!({"uri": "a:2"}));
        let log = Notice::Log(Log {
            level: LogLevel::Info,
            logger: "t".into(),
            data: json!(1),
        });
        let said: Value = serde_json::from_slice(&reply_to.notice(None, &log)).unwrap();
        assert_eq!(said["method"], "notifications/message");
    }
}

#[test]
fn what_is_not_shaped_by_a_revision_is_written_once_for_both() {
    let plain = ToolDeclaration {
        name: "t".into(),
        title: None,
        description: None,
        icons: vec![],
        annotations: ToolAnnotations::default(),
        metadata: Default::default(),
        input_schema: std::sync::Arc::new(json!({"type": "object"})),
        output_schema: None,
    };
    let page = speaking(&ALL).tools_page(&[&plain], None, CACHE);
    let (newer, older) = (page.get(1).unwrap(), page.get(2).unwrap());
    assert_eq!(newer.as_ptr(), older.as_ptr());
    // What is not spoken is not written.
    let page = speaking(&[OLDER]).tools_page(&[&plain], None, CACHE);
    assert!(page.get(0).unwrap().is_empty() && page.get(1).unwrap().is_empty());
    assert!(!page.get(2).unwrap().is_empty());
}
