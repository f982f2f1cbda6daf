//! `prompts/get`.

use super::{get, served};
use crate::support::modern;
use serde_json::json;

#[test]
fn a_text_is_one_message_of_the_user() {
    let mut both = served(
        r#"
[[prompt]]
name = "review"
description = "Declared"
arguments.name = { required = true }
arguments.focus = {}
result.text = "Review {{ args.name }}, focusing on {{ args.focus or 'quality' }}."
"#,
    );
    let answer = both.ask(&get(
        "review",
        json!({ "name": "jason", "unheard_of": "x" }),
    ));
    let result = &answer["result"];
    assert_eq!(result["resultType"], "complete");
    assert_eq!(result["description"], "Declared");
    let text = "Review jason, focusing on quality.";
    let message = json!({ "role": "user", "content": { "type": "text", "text": text } });
    assert_eq!(result["messages"], json!([message]));
    let answer = both.ask(&get("review", json!({ "name": "", "focus": "<&\"\u{1}" })));
    let text = "Review , focusing on <&\"\u{1}.";
    assert_eq!(answer["result"]["messages"][0]["content"]["text"], text);
}

#[test]
fn messages_have_roles_and_every_kind_of_content() {
    let mut both = served(
        r#"
[[prompt]]
name = "all"
arguments.note = {}
[prompt.result]
description = "About {{ args.note or 'nothing' }}"
metadata = { "com.example/n" = 1 }
messages = [
    { role = "user", content = "plain" },
    { role = "assistant", content = { type = "text", text = "{{ args.note }}", annotations = { audience = ["user"], priority = 1.0 } } },
    { role = "user", content = { type = "image", data = "aGk=", mime_type = "image/png" } },
    { role = "user", content = { type = "audio", data = "aGk=", mime_type = "audio/wav" } },
    { role = "user", content = { type = "resource", uri = "a://b", text = "t", mime_type = "text/plain" } },
    { role = "user", content = { type = "resource_link", uri = "a://b", name = "b" } },
]
"#,
    );
    let result = both.ask(&get("all", json!({ "note": "n" })))["result"].clone();
    assert_eq!(result["description"], "About n");
    assert_eq!(result["_meta"]["com.example/n"], 1);
    let expected = json!([
        { "role": "user", "content": { "type": "text", "text": "plain" } },
        { "role": "assistant", "content": { "type": "text", "text": "n", "annotations": { "audience": ["user"], "priority": 1.0 } } },
        { "role": "user", "content": { "type": "image", "data": "aGk=", "mimeType": "image/png" } },
        { "role": "user", "content": { "type": "audio", "data": "aGk=", "mimeType": "audio/wav" } },
        { "role": "user", "content": { "type": "resource", "resource": { "uri": "a://b", "mimeType": "text/plain", "text": "t" } } },
        { "role": "user", "content": { "type": "resource_link", "uri": "a://b", "name": "b" } },
    ]);
    assert_eq!(result["messages"], expected);
    // What is absent makes no message.
    let result = both.ask(&get("all", json!({})))["result"].clone();
    assert_eq!(result["messages"].as_array().unwrap().len(), 5);
}

#[test]
fn an_action_may_supply_the_text() {
    let mut both = served(
        r#"
[[prompt]]
name = "lines"
arguments.word = { required = true }
shell = { command = ["printf", "%s!", "{{ args.word }}"] }

[[prompt]]
name = "woven"
arguments.word = { required = true }
shell = { command = ["echo", "{{ args.word }}"] }
result.messages = [{ role = "assistant", content = "It said {{ output.stdout | trim }}." }]

[[prompt]]
name = "fails"
shell = { command = ["sh", "-c", "echo broken >&2; exit 3"] }
"#,
    );
    let text = |answer: &serde_json::Value| answer["result"]["messages"].clone();
    let answer = both.ask(&get("lines", json!({ "word": "a b" })));
    let expected = json!([{ "role": "user", "content": { "type": "text", "text": "a b!" } }]);
    assert_eq!(text(&answer), expected);
    let answer = both.ask(&get("woven", json!({ "word": "hi" })));
    let said = json!({ "type": "text", "text": "It said hi." });
    assert_eq!(
        text(&answer),
        json!([{ "role": "assistant", "content": said }])
    );
    let answer = both.ask(&get("fails", json!({})));
    assert_eq!(answer["error"]["code"], -32603, "{answer}");
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("broken") && message.contains('3'),
        "{message}"
    );
}

#[test]
fn required_arguments_are_checked_before_anything_runs() {
    let mut both = served(
        r#"
[[prompt]]
name = "two"
arguments.a = { required = true }
arguments.b = { required = true }
arguments.c = {}
shell = { command = ["touch", "ran"] }
"#,
    );
    let answer = both.ask(&get("two", json!({ "c": "x" })));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("Missing required arguments: a, b"),
        "{message}"
    );
    assert!(!both.project.path().join("manifests/ran").exists());
}

#[test]
fn arguments_are_an_object_of_strings() {
    let mut both = served(
        "[[prompt]]\nname = \"p\"\narguments.a = {}\nresult.text = \"x{{ args.a or '' }}\"\n",
    );
    for wrong in [
        json!([]),
        json!("a"),
        json!({ "a": 1 }),
        json!({ "a": null }),
    ] {
        let answer = both.ask(&get("p", wrong.clone()));
        assert_eq!(answer["error"]["code"], -32602, "{wrong}: {answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(
            message.contains("`arguments` must be an object of strings"),
            "{message}"
        );
    }
    for absent in [json!({}), json!(null)] {
        let answer = both.ask(&get("p", absent));
        assert_eq!(answer["result"]["messages"][0]["content"]["text"], "x");
    }
    let answer = both.ask(&modern(1, "prompts/get", json!({ "name": "p" })));
    assert_eq!(answer["result"]["messages"][0]["content"]["text"], "x");
}

#[test]
fn an_unknown_prompt_is_an_invalid_parameter() {
    let mut both = served("[[prompt]]\nname = \"p\"\nresult.text = \"x\"\n");
    let answer = both.ask(&get("q", json!({})));
    assert_eq!(answer["error"]["code"], -32602);
    assert_eq!(answer["error"]["message"], "Unknown prompt: q");
}

#[test]
fn a_template_that_fails_is_an_internal_error_that_says_where() {
    let mut both =
        served("[[prompt]]\nname = \"p\"\narguments.a = {}\nresult.text = \"x {{ args.a }}\"\n");
    let answer = both.ask(&get("p", json!({})));
    assert_eq!(answer["error"]["code"], -32603, "{answer}");
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains("args.a"), "{message}");
}
