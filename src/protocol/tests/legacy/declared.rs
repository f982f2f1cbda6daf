//! What is offered, and what a client is asked, in the form of each revision.

use super::*;
use crate::model::{PromptArgument, PromptDeclaration, ResourceDeclaration};
use crate::ops::{InputRequest, Ready};
use crate::protocol::pieces::Cuts;
use crate::protocol::{content, declare, input, json::Members};

/// The list of a page in each revision, newest first.
fn lists(page: &Ready, list: &str) -> [Value; 3] {
    [0, 1, 2].map(|place| {
        let page: Value = serde_json::from_slice(page.get(place).unwrap()).unwrap();
        page[list].clone()
    })
}

fn icon() -> Icon {
    Icon {
        src: "data:,".into(),
        mime_type: None,
        sizes: vec![],
        theme: Some(Theme::Light),
    }
}

fn meta() -> serde_json::Map<String, Value> {
    [("e/x".to_owned(), json!(1))].into_iter().collect()
}

/// Without what the oldest does not know: `icons`.
fn without_icons(mut item: Value) -> Value {
    item.as_object_mut().unwrap().shift_remove("icons");
    item
}

/// All members, and none but those that must be there: in a page of both, and in one of that which has
/// icons.
fn assert_listed<D>(page: impl Fn(&[&D]) -> Ready, [full, bare]: [(&D, &Value); 2], list: &str) {
    let (written, least) = (full.1, bare.1);
    let [newest, newer, older] = lists(&page(&[full.0, bare.0]), list);
    assert_eq!(newest, json!([written, least]));
    assert_eq!(newer, json!([written, least]));
    assert_eq!(older, json!([without_icons(written.clone()), least]));
    let [newest, newer, older] = lists(&page(&[full.0]), list);
    assert_eq!((&newest, &newer), (&json!([written]), &json!([written])));
    assert_eq!(older, json!([without_icons(written.clone())]));
}

#[test]
fn prompts_have_what_each_revision_knows() {
    let argument = |name: &str, title: Option<&str>, required| PromptArgument {
        name: name.into(),
        title: title.map(str::to_owned),
        description: title.map(str::to_owned),
        required,
    };
    let bare = PromptDeclaration {
        name: "bare".into(),
        title: None,
        description: None,
        icons: vec![],
        arguments: vec![],
        metadata: Default::default(),
    };
    let full = PromptDeclaration {
        name: "full".into(),
        title: Some("T".into()),
        description: Some("D".into()),
        icons: vec![icon()],
        arguments: vec![argument("a", Some("A"), true), argument("b", None, false)],
        metadata: meta(),
    };
    let face = speaking(&ALL);
    let page = |items: &[&PromptDeclaration]| face.prompts_page(items, None, CACHE);
    let written = json!({
        "name": "full", "title": "T", "icons": [{ "src": "data:,", "theme": "light" }],
        "description": "D",
        "arguments": [
            { "name": "a", "title": "A", "description": "A", "required": true },
            { "name": "b", "required": false },
        ],
        "_meta": { "e/x": 1 },
    });
    let least = json!({ "name": "bare" });
    assert_listed(page, [(&full, &written), (&bare, &least)], "prompts");
}

#[test]
fn resources_and_templates_have_what_each_revision_knows() {
    let bare = ResourceDeclaration {
        uri: "r://b".into(),
        name: "bare".into(),
        title: None,
        description: None,
        mime_type: None,
        size: None,
        icons: vec![],
        // Hints that say nothing are none.
        annotations: Some(Annotations::default()),
        metadata: Default::default(),
    };
    let full = ResourceDeclaration {
        uri: "r://f".into(),
        name: "full".into(),
        title: Some("T".into()),
        description: Some("D".into()),
        mime_type: Some("text/plain".into()),
        size: Some(7),
        icons: vec![icon()],
        annotations: Some(Annotations {
            audience: vec![Role::User, Role::Assistant],
            priority: Some(0.5),
            last_modified: Some("2026-01-01T00:00:00Z".into()),
        }),
        metadata: meta(),
    };
    let written = |address: &str| {
        let full = json!({
            "name": "full", "title": "T", "icons": [{ "src": "data:,", "theme": "light" }],
            address: "r://f", "description": "D", "mimeType": "text/plain",
            "annotations": {
                "audience": ["user", "assistant"], "priority": 0.5,
                "lastModified": "2026-01-01T00:00:00Z",
            },
            "size": 7, "_meta": { "e/x": 1 },
        });
        (full, json!({ "name": "bare", address: "r://b" }))
    };
    let face = speaking(&ALL);
    let (one, other) = written("uri");
    let page = |items: &[&ResourceDeclaration]| face.resources_page(items, None, CACHE);
    assert_listed(page, [(&full, &one), (&bare, &other)], "resources");
    let (one, other) = written("uriTemplate");
    let page = |items: &[&ResourceDeclaration]| face.templates_page(items, None, CACHE);
    assert_listed(page, [(&full, &one), (&bare, &other)], "resourceTemplates");
}

/// Only the newest lets a tool return what is no object (schema of 2025-11-25: Tool).
#[test]
fn an_output_schema_is_listed_where_the_revision_takes_it() {
    for (schema, in_all) in [
        (json!({ "type": "object" }), true),
        (json!({ "type": "array" }), false),
        (json!({}), false),
    ] {
        let tool = ToolDeclaration {
            name: "t".into(),
            title: None,
            description: None,
            icons: vec![],
            annotations: ToolAnnotations::default(),
            metadata: Default::default(),
            input_schema: std::sync::Arc::new(json!({ "type": "object" })),
            output_schema: Some(std::sync::Arc::new(schema.clone())),
        };
        let listed = [0, 1, 2].map(|place| {
            let mut out = Vec::new();
            declare::tool(&mut out, &tool, Dialect::ALL[place].shape());
            let tool: Value = serde_json::from_slice(&out).unwrap();
            tool.get("outputSchema").is_some()
        });
        assert_eq!(listed, [true, in_all, in_all], "{schema}");
    }
}

#[test]
fn a_link_has_the_block_s_own_hints_and_icons_where_they_are_known() {
    let hints = Annotations {
        priority: Some(1.0),
        ..Annotations::default()
    };
    let Value::Object(resource) = json!({
        "type": "other", "uri": "r://x", "name": "x",
        "annotations": { "priority": 0.0 }, "icons": [{ "src": "data:," }],
    }) else {
        unreachable!("an object");
    };
    for (annotations, priority) in [(None, 0.0), (Some(hints), 1.0)] {
        let block = Block::ResourceLink {
            resource: resource.clone(),
            annotations,
        };
        for dialect in Dialect::ALL {
            let mut out = Vec::new();
            content::block(&mut out, &block, dialect.shape(), &mut Cuts::none());
            let text = String::from_utf8(out).unwrap();
            // Each member once, although the last of two would be read.
            assert_eq!(text.matches("annotations").count(), 1, "{text}");
            let link: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(link["type"], "resource_link");
            assert_eq!(link["annotations"]["priority"], priority);
            assert_eq!(link.get("icons").is_some(), dialect.shape().icons);
        }
    }
}

fn form() -> InputRequest {
    InputRequest::Form {
        message: "m".into(),
        schema: json!({ "type": "object", "properties": {
            "plain": { "type": "string" },
            "one": { "type": "string", "title": "One", "oneOf": [
                { "const": "a", "title": "A" }, { "const": "b", "title": "B" }] },
        } })
        .into(),
    }
}

fn several() -> InputRequest {
    InputRequest::Form {
        message: "m".into(),
        schema: json!({ "type": "object", "properties": {
            "one": { "type": "string" }, "several": { "type": "array" } } })
        .into(),
    }
}

fn written(question: &InputRequest, dialect: Dialect, id: Option<&str>) -> Value {
    let mut out = Vec::new();
    let mut members = Members::open(&mut out);
    input::members(&mut members, question, dialect.shape(), id);
    members.close();
    serde_json::from_slice(&out).unwrap()
}

#[test]
fn a_form_is_asked_in_the_words_of_each_revision() {
    for dialect in Dialect::ALL {
        let asked = written(&form(), dialect, None);
        let InputRequest::Form { schema, .. } = form() else {
            unreachable!("a form");
        };
        let mut params = json!({ "mode": "form", "message": "m", "requestedSchema": *schema });
        if dialect == Dialect::ALL[2] {
            params = json!({ "message": "m", "requestedSchema": {
                "type": "object", "properties": {
                    "plain": { "type": "string" },
                    "one": { "type": "string", "title": "One",
                        "enum": ["a", "b"], "enumNames": ["A", "B"] },
                } } });
        }
        let expected = json!({ "method": "elicitation/create", "params": params });
        assert_eq!(asked, expected);
    }
    let url = InputRequest::Url {
        message: "m".into(),
        url: "https://e.com".into(),
    };
    for id in [None, Some("7")] {
        let mut params = json!({ "mode": "url", "message": "m", "url": "https://e.com" });
        if let Some(id) = id {
            params["elicitationId"] = id.into();
        }
        let expected = json!({ "method": "elicitation/create", "params": params });
        assert_eq!(written(&url, Dialect::ALL[1], id), expected);
    }
    let roots = written(&InputRequest::Roots, Dialect::Modern, None);
    assert_eq!(roots, json!({ "method": "roots/list" }));
}

#[test]
fn a_reply_knows_its_revision() {
    for (dialect, name) in Dialect::ALL.into_iter().zip(ALL) {
        let Step::Call(call) = stream(&request("tools/call", r#""name":"t""#)) else {
            panic!("a call");
        };
        let reply_to = ReplyTo {
            dialect,
            ..call.reply_to
        };
        assert_eq!(reply_to.revision(), name);
        assert_eq!(reply_to.names_capabilities(), name == NEWEST);
        assert!(reply_to.can_ask(&form()));
        assert_eq!(reply_to.can_ask(&several()), name != OLDER);
    }
}

/// Choices of several came with titles.
#[test]
fn what_the_oldest_has_no_form_for_is_known() {
    for (question, fits) in [
        (form(), [true; 3]),
        (several(), [true, true, false]),
        (InputRequest::Roots, [true; 3]),
    ] {
        let asked = Dialect::ALL.map(|dialect| input::fits(&question, dialect.shape()));
        assert_eq!(asked, fits, "{question:?}");
    }
}
