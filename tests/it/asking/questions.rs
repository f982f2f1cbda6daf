//! Kinds of questions, and of fields.

use super::{answered, call, form, questions, served, text};
use serde_json::json;

const FIELDS: &str = r#"
[[tool]]
name = "fill"
result.structured = "{{ answers.it }}"

[[tool.ask]]
[tool.ask.it]
form = "Fill it in"

[tool.ask.it.fields.name]
type = "string"
title = "Name"
description = "Yours"
min_length = 2
max_length = 9
default = "Jo"

[tool.ask.it.fields.mail]
type = "string"
format = "email"
required = true

[tool.ask.it.fields]
age = { type = "integer", minimum = 0, maximum = 150, default = 30 }
score = { type = "number", default = 95.5 }
sure = { type = "boolean", default = true }
one = { type = "string", enum = ["a", "b"], default = "b" }
titled = { type = "string", enum = [{ value = "a", title = "An A" }, { value = "b", title = "A B" }] }
older = { type = "string", enum = ["a", "b"], enum_names = ["An A", "A B"] }
some = { type = "array", enum = ["a", "b"], min_items = 1, max_items = 2, default = ["a"] }
many = { type = "array", enum = [{ value = "a", title = "An A" }] }
"#;

#[test]
fn a_form_has_every_kind_of_field() {
    let mut both = served(FIELDS);
    let asked = both.ask(&call("fill", json!({}), json!({})));
    let schema = &questions(&asked)["it"]["params"]["requestedSchema"];
    assert_eq!(
        schema,
        &json!({
            "type": "object",
            "properties": {
                "name": { "type": "string", "title": "Name", "description": "Yours", "minLength": 2, "maxLength": 9, "default": "Jo" },
                "mail": { "type": "string", "format": "email" },
                "age": { "type": "integer", "minimum": 0, "maximum": 150, "default": 30 },
                "score": { "type": "number", "default": 95.5 },
                "sure": { "type": "boolean", "default": true },
                "one": { "type": "string", "enum": ["a", "b"], "default": "b" },
                "titled": { "type": "string", "oneOf": [{ "const": "a", "title": "An A" }, { "const": "b", "title": "A B" }] },
                "older": { "type": "string", "enum": ["a", "b"], "enumNames": ["An A", "A B"] },
                "some": { "type": "array", "minItems": 1, "maxItems": 2, "items": { "type": "string", "enum": ["a", "b"] }, "default": ["a"] },
                "many": { "type": "array", "items": { "anyOf": [{ "const": "a", "title": "An A" }] } },
            },
            "required": ["mail"],
        })
    );
    // What is not filled in has its default; what is no field is dropped.
    let filled = form(json!({ "mail": "a@b.example", "age": 7, "many": [], "other": 1 }));
    let done = both.ask(&call(
        "fill",
        json!({}),
        answered(&asked, json!({ "it": filled })),
    ));
    assert_eq!(
        done["result"]["structuredContent"],
        json!({
            "mail": "a@b.example", "age": 7, "many": [], "name": "Jo", "score": 95.5, "sure": true,
            "one": "b", "some": ["a"],
        })
    );
}

#[test]
fn what_does_not_fit_a_field_is_asked_again() {
    let mut both = served(FIELDS);
    for wrong in [
        json!({}),
        json!({ "mail": "no address" }),
        json!({ "mail": null }),
        json!({ "mail": "a@b.example", "age": 200 }),
        json!({ "mail": "a@b.example", "age": "7" }),
        json!({ "mail": "a@b.example", "one": "c" }),
        json!({ "mail": "a@b.example", "titled": "An A" }),
        json!({ "mail": "a@b.example", "some": ["a", "b", "a"] }),
        json!({ "mail": "a@b.example", "many": ["b"] }),
        json!(["mail"]),
    ] {
        let more = json!({ "inputResponses": { "it": form(wrong.clone()) } });
        let again = both.ask(&call("fill", json!({}), more));
        assert!(questions(&again)["it"].is_object(), "{wrong}");
    }
}

#[test]
fn a_user_is_sent_to_a_url() {
    let mut both = served(
        r#"
[[tool]]
name = "pay"
arguments.order = { type = "string", required = true }
result.text = "paid, {{ answers.pay is defined }}"

[[tool.ask]]
pay = { url = "https://pay.example/{{ args.order }}?x=1", message = "Pay for {{ args.order }}" }
"#,
    );
    let asked = both.ask(&call("pay", json!({ "order": "a/b c" }), json!({})));
    assert_eq!(
        questions(&asked)["pay"],
        json!({
            "method": "elicitation/create",
            "params": { "mode": "url", "message": "Pay for a/b c", "url": "https://pay.example/a%2Fb%20c?x=1" },
        })
    );
    let more = answered(&asked, json!({ "pay": { "action": "accept" } }));
    let done = both.ask(&call("pay", json!({ "order": "a/b c" }), more));
    assert_eq!(text(&done), "paid, true");
}

#[test]
fn a_url_from_a_call_is_one_of_the_web() {
    let mut both = served(
        r#"
[[tool]]
name = "go"
arguments.url = { type = "string", required = true }
result.text = "gone"
ask = [{ go = { url = "{{ args.url | raw }}", message = "Go" } }]
"#,
    );
    let asked = both.ask(&call(
        "go",
        json!({ "url": "https://a.example/b" }),
        json!({}),
    ));
    assert_eq!(
        questions(&asked)["go"]["params"]["url"],
        "https://a.example/b"
    );
    for url in ["javascript:alert(1)", "file:///etc/passwd", "nothing"] {
        let refused = both.ask(&call("go", json!({ "url": url }), json!({})));
        assert_eq!(refused["result"]["isError"], true, "{url}");
        assert!(!text(&refused).contains(url), "{refused}");
    }
}

#[test]
fn the_callers_model_is_asked() {
    let mut both = served(
        r#"
[[tool]]
name = "sum_up"
arguments.text = { type = "string", required = true }
result.structured = "{{ answers.model }}"

[tool.ask_placeholder]
"#
        .replace(
            "[tool.ask_placeholder]\n",
            r#"
[[tool.ask]]
[tool.ask.model.sample]
system_prompt = "Sum up, in {{ args.text | length }} letters"
max_tokens = 100
temperature = 0.5
stop_sequences = ["."]
include_context = "this_server"
metadata = { provider = { n = "{{ args.text | length }}" } }
model_preferences = { hints = ["small"], cost = 1, speed = 0.5, intelligence = 0 }
messages = [
    { role = "user", content = "{{ args.text }}" },
    { role = "assistant", content = { type = "image", data = "aGk=", mime_type = "image/png" } },
]
"#,
        )
        .as_str(),
    );
    let arguments = json!({ "text": "long" });
    let asked = both.ask(&call("sum_up", arguments.clone(), json!({})));
    assert_eq!(
        questions(&asked)["model"],
        json!({
            "method": "sampling/createMessage",
            "params": {
                "messages": [
                    { "role": "user", "content": { "type": "text", "text": "long" } },
                    { "role": "assistant", "content": { "type": "image", "data": "aGk=", "mimeType": "image/png" } },
                ],
                "maxTokens": 100,
                "temperature": 0.5,
                "stopSequences": ["."],
                "modelPreferences": { "hints": [{ "name": "small" }], "costPriority": 1, "speedPriority": 0.5, "intelligencePriority": 0 },
                "includeContext": "thisServer",
                "systemPrompt": "Sum up, in 4 letters",
                "metadata": { "provider": { "n": 4 } },
            },
        })
    );
    let said = json!({
        "role": "assistant", "model": "m", "stopReason": "endTurn",
        "content": [{ "type": "text", "text": "a" }, { "type": "image" }, { "type": "text", "text": "b" }],
    });
    let more = answered(&asked, json!({ "model": said.clone() }));
    let done = both.ask(&call("sum_up", arguments.clone(), more));
    assert_eq!(
        done["result"]["structuredContent"],
        json!({ "text": "a\nb", "role": "assistant", "model": "m", "stop_reason": "endTurn", "content": said["content"] })
    );
    let more = answered(&asked, json!({ "model": { "content": "no message" } }));
    let again = both.ask(&call("sum_up", arguments, more));
    assert!(questions(&again)["model"].is_object());
}

#[test]
fn a_caller_says_where_it_works() {
    let mut both = served(
        r#"
[[tool]]
name = "where"
result.text = "{{ answers.places.roots | map(attribute='uri') | join(' ') }}"
ask = [{ places = { roots = true } }]
"#,
    );
    let asked = both.ask(&call("where", json!({}), json!({})));
    assert_eq!(
        questions(&asked)["places"],
        json!({ "method": "roots/list" })
    );
    let places = json!({ "roots": [{ "uri": "file:///a", "name": "A" }, { "uri": "file:///b" }] });
    let done = both.ask(&call(
        "where",
        json!({}),
        answered(&asked, json!({ "places": places })),
    ));
    assert_eq!(text(&done), "file:///a file:///b");
    for wrong in [
        json!({}),
        json!({ "roots": "file:///a" }),
        json!({ "roots": [{ "name": "A" }] }),
    ] {
        let again = both.ask(&call(
            "where",
            json!({}),
            answered(&asked, json!({ "places": wrong })),
        ));
        assert!(questions(&again)["places"].is_object());
    }
}
