//! What a client cannot be asked.

use super::{asking_with, questions, served, text};
use crate::support::Both;
use serde_json::{Value, json};

const MANIFEST: &str = r#"
[[tool]]
name = "form"
result.text = "done"
ask = [{ it = { form = "?", fields.x = { type = "string" } } }]

[[tool]]
name = "url"
result.text = "done"
ask = [{ it = { url = "https://a.example/", message = "?" } }]

[[tool]]
name = "sample"
result.text = "done"
ask = [{ it.sample = { messages = [{ role = "user", content = "?" }], max_tokens = 1 } }]

[[tool]]
name = "context"
result.text = "done"
ask = [{ it.sample = { messages = [{ role = "user", content = "?" }], max_tokens = 1, include_context = "all_servers" } }]

[[tool]]
name = "roots"
result.text = "done"
ask = [{ it = { roots = true } }]

[[tool]]
name = "requires"
requires = ["sampling.tools", "roots"]
arguments.n = { type = "integer", required = true }
result.text = "done"

[[tool]]
name = "later"
arguments.deep = { type = "boolean" }
result.text = "done"
[[tool.ask]]
when = "{{ args.deep }}"
it = { roots = true }

[[tool]]
name = "second"
result.text = "done"
[[tool.ask]]
one = { form = "?", fields.x = { type = "string" } }
[[tool.ask]]
two = { roots = true }

[[tool]]
name = "any"
result.text = "{{ answers.name.x or 'nobody' }}, {{ answers.places.roots | length if answers.places else 'nowhere' }}"
[[tool.ask]]
skip_unsupported = true
name = { form = "?", fields.x = { type = "string" } }
places = { roots = true }
"#;

/// Calls over both transports; over HTTP a refusal has status 400.
fn ask(both: &mut Both, able: &Value, tool: &str, arguments: Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments });
    let request = asking_with(able, "tools/call", params, json!({}));
    let came = both.send(request.to_string().as_bytes(), true);
    assert_eq!(came.line, came.body);
    let answer = came.line.unwrap();
    let expected = if answer["error"]["code"] == -32021 {
        400
    } else {
        200
    };
    assert_eq!(came.status, expected, "{answer}");
    answer
}

#[test]
fn a_question_that_the_client_cannot_put_refuses_the_call() {
    let mut both = served(MANIFEST);
    let form_only = json!({ "elicitation": {} });
    let url_only = json!({ "elicitation": { "url": {} } });
    let model = json!({ "sampling": {} });
    for (able, tool, needed) in [
        (json!({}), "form", json!({ "elicitation": { "form": {} } })),
        (
            url_only.clone(),
            "form",
            json!({ "elicitation": { "form": {} } }),
        ),
        (
            form_only.clone(),
            "url",
            json!({ "elicitation": { "url": {} } }),
        ),
        (form_only.clone(), "sample", json!({ "sampling": {} })),
        (
            model.clone(),
            "context",
            json!({ "sampling": { "context": {} } }),
        ),
        (model.clone(), "roots", json!({ "roots": {} })),
        // Nobody is asked the first when the second cannot be asked.
        (form_only.clone(), "second", json!({ "roots": {} })),
    ] {
        let refused = ask(&mut both, &able, tool, json!({}));
        assert_eq!(refused["error"]["code"], -32021, "{tool}: {refused}");
        assert_eq!(
            refused["error"]["data"],
            json!({ "requiredCapabilities": needed }),
            "{tool}"
        );
    }
    for (able, tool) in [(form_only, "form"), (url_only, "url"), (model, "sample")] {
        let asked = ask(&mut both, &able, tool, json!({}));
        assert!(questions(&asked)["it"].is_object(), "{tool}");
    }
}

#[test]
fn what_a_component_requires_is_asked_for_first() {
    let mut both = served(MANIFEST);
    let refused = ask(&mut both, &json!({ "sampling": {} }), "requires", json!({}));
    let needed = json!({ "sampling": { "tools": {} }, "roots": {} });
    assert_eq!(refused["error"]["data"]["requiredCapabilities"], needed);
    let said = refused["error"]["message"].as_str().unwrap();
    assert!(said.contains("sampling.tools, roots"), "{said}");
    let able = json!({ "sampling": { "tools": {} }, "roots": {} });
    let done = ask(&mut both, &able, "requires", json!({ "n": 1 }));
    assert_eq!(text(&done), "done");
}

#[test]
fn a_round_that_is_not_asked_needs_nothing() {
    let mut both = served(MANIFEST);
    let done = ask(&mut both, &json!({}), "later", json!({}));
    assert_eq!(text(&done), "done");
    let refused = ask(&mut both, &json!({}), "later", json!({ "deep": true }));
    assert_eq!(refused["error"]["code"], -32021);
}

#[test]
fn a_round_may_leave_out_what_cannot_be_asked() {
    let mut both = served(MANIFEST);
    let done = ask(&mut both, &json!({}), "any", json!({}));
    assert_eq!(text(&done), "nobody, nowhere");
    let asked = ask(&mut both, &json!({ "roots": {} }), "any", json!({}));
    let names: Vec<&String> = questions(&asked).as_object().unwrap().keys().collect();
    assert_eq!(names, ["places"]);
}
