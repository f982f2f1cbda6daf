//! Requests and answers of a server that offers every kind: lists, resources, prompts, completion.

use super::*;
use crate::ops::{Completion, Reference, ResourceContent, ResourceOutcome};

fn whole() -> Face {
    let all = Some(Behaviour::default());
    face_offering(Offer {
        tools: all,
        resources: all,
        prompts: all,
        completions: true,
        ..Offer::default()
    })
}

fn asked(method: &str, members: &str) -> Step {
    let conversation = &mut Conversation::default();
    receive(
        &whole(),
        Carrier::Stream(conversation),
        request(method, members).as_bytes(),
    )
}

#[test]
fn every_method_becomes_its_operation() {
    let cursor = || Some("c".to_owned());
    let arguments: crate::ops::Texts = serde_json::from_str(r#"{"a":"1"}"#).unwrap();
    let complete = |reference, others| Operation::Complete {
        reference,
        argument: "a".into(),
        typed: "t".into(),
        others,
    };
    let argument = r#""argument":{"name":"a","value":"t"}"#;
    for (method, members, operation) in [
        (
            "resources/list",
            r#""cursor":"c""#.to_owned(),
            Operation::ListResources { cursor: cursor() },
        ),
        (
            "resources/templates/list",
            r#""cursor":"c""#.into(),
            Operation::ListResourceTemplates { cursor: cursor() },
        ),
        (
            "prompts/list",
            r#""cursor":"c""#.into(),
            Operation::ListPrompts { cursor: cursor() },
        ),
        (
            "resources/read",
            r#""uri":"a:b""#.into(),
            Operation::ReadResource { uri: "a:b".into() },
        ),
        (
            "prompts/get",
            r#""name":"p","arguments":{"a":"1"}"#.into(),
            Operation::GetPrompt {
                name: "p".into(),
                arguments: arguments.clone(),
            },
        ),
        (
            "completion/complete",
            format!(r#""ref":{{"type":"ref/prompt","name":"p"}},{argument}"#),
            complete(Reference::Prompt("p".into()), Default::default()),
        ),
        (
            "completion/complete",
            format!(
                r#""ref":{{"type":"ref/resource","uri":"a:{{b}}"}},{argument},"context":{{"arguments":{{"a":"1"}}}}"#
            ),
            complete(Reference::Resource("a:{b}".into()), arguments.clone()),
        ),
    ] {
        let call = call(asked(method, &members));
        assert_eq!(call.operation, operation, "{method} {members}");
        assert_eq!(call.context.method, method);
    }
}

#[test]
fn what_completes_is_an_object_of_texts() {
    let sound = r#""ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"t"}"#;
    for context in [r#"{"a":1}"#, "[]", r#""a""#] {
        let members = format!(r#"{sound},"context":{{"arguments":{context}}}"#);
        assert_eq!(
            refusal(asked("completion/complete", &members)),
            (
                200,
                -32602,
                "Invalid params: `context.arguments` must be an object of strings".into()
            ),
            "{context}"
        );
    }
}

#[test]
fn every_severity_of_rfc_5424_may_be_asked_for() {
    for (name, level) in [
        ("debug", LogLevel::Debug),
        ("info", LogLevel::Info),
        ("notice", LogLevel::Notice),
        ("warning", LogLevel::Warning),
        ("error", LogLevel::Error),
        ("critical", LogLevel::Critical),
        ("alert", LogLevel::Alert),
        ("emergency", LogLevel::Emergency),
    ] {
        let meta = META.trim_start_matches(r#""_meta":"#).trim_end_matches('}');
        let meta = format!(r#"{meta}}},"io.modelcontextprotocol/logLevel":"{name}"}}"#);
        let context = call(stream(&with_meta(&meta))).context;
        assert_eq!(context.log_level, Some(level), "{name}");
    }
}

#[test]
fn a_client_is_the_one_that_the_request_names() {
    let long = "n".repeat(600);
    for name in ["one", "two", "two", "one", &long, "one", &long] {
        let meta = META.trim_start_matches(r#""_meta":"#).trim_end_matches('}');
        let info = format!(r#"{{"name":"{name}","version":"1"}}"#);
        let meta = format!(r#"{meta}}},"io.modelcontextprotocol/clientInfo":{info}}}"#);
        let client = call(stream(&with_meta(&meta))).context.client.unwrap();
        assert_eq!(client.name, name);
    }
}

#[test]
fn resources_and_completions_have_the_members_of_the_schema() {
    let answer = |answer: Answer| {
        let reply_to = call(asked("resources/read", r#""uri":"a:b""#)).reply_to;
        let body = reply_to.answer(&whole(), Ok(answer)).body.into_bytes();
        String::from_utf8(body.to_vec()).unwrap()
    };
    let server = r#""io.modelcontextprotocol/serverInfo":{"name":"shop","title":"The \"Shop\"","version":"1.2.3"}"#;
    let completion = Completion {
        values: vec!["a\"".into(), "b".into()],
        total: 3,
    };
    assert_eq!(
        answer(Answer::Completion(completion)),
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"result":{{"resultType":"complete","completion":{{"values":["a\"","b"],"total":3,"hasMore":true}},"_meta":{{{server}}}}}}}"#
        )
    );
    let resource = ResourceOutcome {
        contents: vec![ResourceContent {
            uri: "a:b".into(),
            mime_type: Some("text/plain".into()),
            payload: Payload::Text("x\n".into()),
            meta: Default::default(),
        }],
        cache: CACHE,
        meta: Default::default(),
    };
    assert_eq!(
        answer(Answer::Resource(resource)),
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"result":{{"resultType":"complete","contents":[{{"uri":"a:b","mimeType":"text/plain","text":"x\n"}}],"ttlMs":60000,"cacheScope":"public","_meta":{{{server}}}}}}}"#
        )
    );
}
