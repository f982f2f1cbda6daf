//! Answers out: results, errors, and what is written once per runtime.

use super::*;
use crate::ops::{Base64, Ready};
use proptest::prelude::*;
use std::sync::Arc;

const SERVER_INFO: &str = r#""io.modelcontextprotocol/serverInfo":{"name":"shop","title":"The \"Shop\"","version":"1.2.3"}"#;

fn reply_to() -> ReplyTo {
    call(stream(&request("tools/call", r#""name":"t""#))).reply_to
}

fn answer(outcome: Result<Answer, OpError>) -> String {
    let response = reply_to().answer(&face(), outcome);
    assert_eq!(
        response.code.is_none(),
        !response
            .body
            .clone()
            .into_bytes()
            .windows(7)
            .any(|part| part == b"\"error\"")
    );
    String::from_utf8(response.body.into_bytes().to_vec()).unwrap()
}

fn tool(outcome: ToolOutcome) -> Value {
    let line = answer(Ok(Answer::Tool(outcome)));
    assert!(!line.contains('\n'));
    serde_json::from_str::<Value>(&line).unwrap()["result"].take()
}

#[test]
fn a_tool_result_has_the_members_of_the_schema_in_order() {
    let outcome = ToolOutcome {
        content: vec![Block::text("4 \"°F\"\n")],
        structured: Some(json!({"value": 4.5, "unit": "°F"})),
        is_error: false,
        meta: json!({"com.example/took": 3}).as_object().cloned().unwrap(),
    };
    assert_eq!(
        answer(Ok(Answer::Tool(outcome))),
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"result":{{"resultType":"complete","content":[{{"type":"text","text":"4 \"°F\"\n"}}],"structuredContent":{{"value":4.5,"unit":"°F"}},"isError":false,"_meta":{{{SERVER_INFO},"com.example/took":3}}}}}}"#
        )
    );
    assert_eq!(
        answer(Ok(Answer::Tool(ToolOutcome::default()))),
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"result":{{"resultType":"complete","content":[],"isError":false,"_meta":{{{SERVER_INFO}}}}}}}"#
        )
    );
}

#[test]
fn an_error_result_has_no_structured_content() {
    let outcome = ToolOutcome {
        structured: Some(json!({"value": 4})),
        ..ToolOutcome::error("it broke")
    };
    let result = tool(outcome);
    assert_eq!(result["isError"], true);
    assert_eq!(
        result["content"],
        json!([{"type": "text", "text": "it broke"}])
    );
    assert!(result.get("structuredContent").is_none());
}

#[test]
fn any_json_may_be_structured_content() {
    for value in [
        json!(null),
        json!([1, "a"]),
        json!("s"),
        json!(7),
        json!(false),
    ] {
        let outcome = ToolOutcome {
            structured: Some(value.clone()),
            ..ToolOutcome::default()
        };
        assert_eq!(tool(outcome).get("structuredContent"), Some(&value));
    }
}

#[test]
fn a_tool_cannot_speak_for_the_server() {
    let meta = json!({"io.modelcontextprotocol/serverInfo": {"name": "other"}, "a": 1});
    let outcome = ToolOutcome {
        meta: meta.as_object().cloned().unwrap(),
        ..ToolOutcome::default()
    };
    let result = tool(outcome);
    assert_eq!(
        result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"],
        "shop"
    );
    assert_eq!(result["_meta"]["a"], 1);
}

#[test]
fn every_kind_of_block_is_written_as_the_schema_has_it() {
    let hints = Some(Annotations {
        audience: vec![Role::User, Role::Assistant],
        priority: Some(0.9),
        last_modified: Some("2025-05-03T14:30:00Z".into()),
    });
    let resource = |payload| Block::Resource {
        uri: "file:///a.rs".into(),
        mime_type: Some("text/x-rust".into()),
        payload,
        annotations: hints.clone(),
    };
    let link = json!({"uri": "file:///a", "name": "a", "type": "forged", "annotations": {"priority": 0.1}, "size": 3});
    let link = |annotations| Block::ResourceLink {
        resource: link.as_object().cloned().unwrap(),
        annotations,
    };
    let shown = json!({"audience": ["user", "assistant"], "priority": 0.9, "lastModified": "2025-05-03T14:30:00Z"});
    let base64 = |text: &str| Base64::read(text.into()).unwrap();
    let outcome = ToolOutcome {
        content: vec![
            Block::Text {
                text: "t".into(),
                annotations: hints.clone(),
            },
            Block::Image {
                data: base64("iVBO"),
                mime_type: "image/png".into(),
                annotations: hints.clone(),
            },
            Block::Audio {
                data: base64("UklG"),
                mime_type: "audio/wav".into(),
                annotations: Some(Annotations::default()),
            },
            resource(Payload::Text("fn main() {\n}".into())),
            resource(Payload::Blob(base64("AAEC"))),
            Block::Resource {
                uri: "a:b".into(),
                mime_type: None,
                payload: Payload::Text(String::new()),
                annotations: None,
            },
            link(hints.clone()),
            link(None),
        ],
        ..ToolOutcome::default()
    };
    assert_eq!(
        tool(outcome)["content"],
        json!([
            {"type": "text", "text": "t", "annotations": shown},
            {"type": "image", "data": "iVBO", "mimeType": "image/png", "annotations": shown},
            {"type": "audio", "data": "UklG", "mimeType": "audio/wav"},
            {"type": "resource", "resource": {"uri": "file:///a.rs", "mimeType": "text/x-rust", "text": "fn main() {\n}"}, "annotations": shown},
            {"type": "resource", "resource": {"uri": "file:///a.rs", "mimeType": "text/x-rust", "blob": "AAEC"}, "annotations": shown},
            {"type": "resource", "resource": {"uri": "a:b", "text": ""}},
            {"type": "resource_link", "uri": "file:///a", "name": "a", "size": 3, "annotations": shown},
            {"type": "resource_link", "uri": "file:///a", "name": "a", "annotations": {"priority": 0.1}, "size": 3},
        ])
    );
}

#[test]
fn errors_carry_their_code_message_and_data() {
    for (error, body) in [
        (
            OpError::UnknownTool("nope\"".into()),
            r#"{"code":-32602,"message":"Unknown tool: nope\""}"#,
        ),
        (
            OpError::InvalidCursor,
            r#"{"code":-32602,"message":"Invalid cursor"}"#,
        ),
        (
            OpError::Internal("no luck".into()),
            r#"{"code":-32603,"message":"Internal error: no luck"}"#,
        ),
        (
            OpError::Declared {
                code: 4001,
                message: "gone".into(),
                data: Some(json!({"at": "a\nb"})),
            },
            r#"{"code":4001,"message":"gone","data":{"at":"a\nb"}}"#,
        ),
        (
            OpError::Declared {
                code: -1,
                message: "m".into(),
                data: None,
            },
            r#"{"code":-1,"message":"m"}"#,
        ),
    ] {
        assert_eq!(
            answer(Err(error)),
            format!(r#"{{"jsonrpc":"2.0","id":1,"error":{body}}}"#)
        );
    }
    // A request cannot make its error as large as itself.
    let long = || "x".repeat(1 << 20);
    for error in [OpError::UnknownTool(long()), OpError::UnknownPrompt(long())] {
        let line = answer(Err(error));
        assert!(line.contains("xxxx") && line.len() < 300, "{}", line.len());
    }
}

#[test]
fn discovery_is_as_the_specification_has_it() {
    let result = |face: &Face| {
        let ready = face.discover_result(Cache {
            ttl_ms: 3_600_000,
            scope: CacheScope::Private,
        });
        String::from_utf8(ready.get(0).unwrap().to_vec()).unwrap()
    };
    assert_eq!(
        result(&face()),
        format!(
            r#"{{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{{"tools":{{}}}},"_meta":{{{SERVER_INFO}}},"instructions":"Ask first.","ttlMs":3600000,"cacheScope":"private"}}"#
        )
    );
    let plain = Identity {
        title: None,
        instructions: None,
        ..identity()
    };
    assert_eq!(
        result(&only_modern(Face::new(&plain, Offer::default()))),
        r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"shop","version":"1.2.3"}},"ttlMs":3600000,"cacheScope":"private"}"#
    );
    let changing = Offer {
        tools: Some(Behaviour {
            list_changed: true,
            ..Behaviour::default()
        }),
        ..Offer::default()
    };
    assert!(
        result(&only_modern(Face::new(&plain, changing)))
            .contains(r#""capabilities":{"tools":{"listChanged":true}}"#)
    );
}

fn declaration(name: &str) -> ToolDeclaration {
    ToolDeclaration {
        name: name.into(),
        title: None,
        description: None,
        icons: vec![],
        annotations: ToolAnnotations::default(),
        metadata: Default::default(),
        input_schema: Arc::new(json!({"type": "object"})),
        output_schema: None,
    }
}

#[test]
fn a_page_of_tools_leaves_out_what_is_absent() {
    let full = ToolDeclaration {
        title: Some("Add".into()),
        description: Some("Adds\nnumbers".into()),
        icons: vec![
            Icon {
                src: "https://e.com/i.png".into(),
                mime_type: Some("image/png".into()),
                sizes: vec!["48x48".into(), "any".into()],
                theme: Some(Theme::Dark),
            },
            Icon {
                src: "data:,".into(),
                mime_type: None,
                sizes: vec![],
                theme: None,
            },
        ],
        annotations: ToolAnnotations {
            title: Some("A".into()),
            read_only: Some(true),
            destructive: Some(false),
            idempotent: None,
            open_world: Some(true),
        },
        metadata: json!({"com.example/x": 1}).as_object().cloned().unwrap(),
        input_schema: Arc::new(
            json!({"type": "object", "required": ["b"], "properties": {"b": {"minimum": 1.0}}, "additionalProperties": false}),
        ),
        output_schema: Some(Arc::new(json!({"type": "array"}))),
        ..declaration("add")
    };
    let page = face().tools_page(&[&full, &declaration("bare")], Some("next\n"), CACHE);
    assert_eq!(
        page.get(0).unwrap(),
        &format!(
            r#"{{"resultType":"complete","tools":[{{"name":"add","title":"Add","icons":[{{"src":"https://e.com/i.png","mimeType":"image/png","sizes":["48x48","any"],"theme":"dark"}},{{"src":"data:,"}}],"description":"Adds\nnumbers","inputSchema":{{"type":"object","required":["b"],"properties":{{"b":{{"minimum":1.0}}}},"additionalProperties":false}},"outputSchema":{{"type":"array"}},"annotations":{{"title":"A","readOnlyHint":true,"destructiveHint":false,"openWorldHint":true}},"_meta":{{"com.example/x":1}}}},{{"name":"bare","inputSchema":{{"type":"object"}}}}],"nextCursor":"next\n","ttlMs":60000,"cacheScope":"public","_meta":{{{SERVER_INFO}}}}}"#
        )
    );
}

#[test]
fn the_last_page_has_no_next_cursor() {
    let page = face().tools_page(&[], None, CACHE);
    assert_eq!(
        page.get(0).unwrap(),
        &format!(
            r#"{{"resultType":"complete","tools":[],"ttlMs":60000,"cacheScope":"public","_meta":{{{SERVER_INFO}}}}}"#
        )
    );
}

#[test]
fn ready_answers_are_sent_as_they_were_written() {
    let page = face().tools_page(&[&declaration("bare")], None, CACHE);
    let result = String::from_utf8(page.get(0).unwrap().to_vec()).unwrap();
    assert_eq!(
        answer(Ok(Answer::Ready(page))),
        format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#)
    );
    let nothing = reply_to().answer(&face(), Ok(Answer::Ready(Ready::new([]))));
    assert_eq!(nothing.code, Some(-32603));
}

proptest! {
    #[test]
    fn any_tool_result_is_one_line_of_json(texts in proptest::collection::vec(any::<String>(), 0..4), key in any::<String>()) {
        let outcome = ToolOutcome {
            content: texts.iter().map(Block::text).collect(),
            structured: Some(json!({&key: texts})),
            ..ToolOutcome::default()
        };
        let result = tool(outcome);
        prop_assert_eq!(&result["structuredContent"], &json!({&key: texts}));
        prop_assert_eq!(result["content"].as_array().unwrap().len(), texts.len());
    }
}
