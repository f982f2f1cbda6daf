//! Rounds: in order, each when its condition holds; on tools, resources and prompts.

use super::{answered, asking, call, form, questions, served, text};
use crate::support::modern;
use serde_json::{Value, json};

const DELETE: &str = r#"
[[tool]]
name = "delete"
arguments.path = { type = "string", required = true }
arguments.force = { type = "boolean", default = false }

[[tool.ask]]
when = "{{ not args.force }}"
confirm = { form = "Delete {{ args.path }}?", fields.approved = { type = "boolean", required = true } }

[[tool.ask]]
when = "{{ answers.confirm.approved }}"
reason = { form = "Why delete {{ args.path }}, {{ answers.confirm.approved }}?", fields.text = { type = "string" } }

[tool.shell]
command = ["echo", "{{ args.path }}", "{{ answers.confirm.approved }}", "{{ answers.reason.text }}"]

[tool.refused]
text = "kept {{ args.path }}"
"#;

#[test]
fn a_round_sees_what_the_one_before_brought() {
    let mut both = served(DELETE);
    let arguments = json!({ "path": "a.txt" });
    let first = both.ask(&call("delete", arguments.clone(), json!({})));
    assert_eq!(
        questions(&first),
        &json!({ "confirm": {
            "method": "elicitation/create",
            "params": {
                "mode": "form",
                "message": "Delete a.txt?",
                "requestedSchema": {
                    "type": "object",
                    "properties": { "approved": { "type": "boolean" } },
                    "required": ["approved"],
                },
            },
        } })
    );
    // Nothing has been brought yet that a later request needs.
    assert_eq!(first["result"].get("requestState"), None);

    let approved = answered(
        &first,
        json!({ "confirm": form(json!({ "approved": true })) }),
    );
    let request = call("delete", arguments.clone(), approved);
    let second = both.stdio.ask(&request);
    let asked = &questions(&second)["reason"]["params"]["message"];
    assert_eq!(asked, "Why delete a.txt, true?");
    assert!(second["result"]["requestState"].is_string(), "{second}");

    let reason = answered(&second, json!({ "reason": form(json!({ "text": "old" })) }));
    let done = both.ask(&call("delete", arguments, reason));
    assert_eq!(text(&done), "a.txt true old\n");
    assert_eq!(done["result"]["resultType"], "complete");
}

#[test]
fn a_round_whose_condition_does_not_hold_is_left_out() {
    let mut both = served(DELETE);
    // Neither is asked: what was not answered is absent.
    let done = both.ask(&call(
        "delete",
        json!({ "path": "a", "force": true }),
        json!({}),
    ));
    assert_eq!(text(&done), "a\n");
    // The second is not: `approved` is false.
    let no = json!({ "inputResponses": { "confirm": form(json!({ "approved": false })) } });
    let done = both.ask(&call("delete", json!({ "path": "a" }), no));
    assert_eq!(text(&done), "a false\n");
}

#[test]
fn who_declines_gets_what_the_manifest_says() {
    let mut both = served(DELETE);
    for action in ["decline", "cancel"] {
        let no = json!({ "inputResponses": { "confirm": { "action": action } } });
        let done = both.ask(&call("delete", json!({ "path": "a" }), no));
        assert_eq!(text(&done), "kept a");
        assert_eq!(done["result"]["isError"], false);
    }
    let mut both = served(
        r#"
[[tool]]
name = "plain"
result.text = "done"
ask = [{ sure = { form = "Sure?", fields.yes = { type = "boolean" } } }]

[[tool]]
name = "typed"
result.structured = { n = 1 }
returns.n = { type = "integer", required = true }
refused.text = "not done"
ask = [{ sure = { form = "Sure?", fields.yes = { type = "boolean" } } }]
"#,
    );
    let no = json!({ "inputResponses": { "sure": { "action": "decline" } } });
    for (tool, said) in [("plain", "the user declined"), ("typed", "not done")] {
        let done = both.ask(&call(tool, json!({}), no.clone()));
        assert_eq!(text(&done), said);
        assert_eq!(done["result"]["isError"], true, "{tool}");
    }
}

const OTHERS: &str = r#"
[[resource]]
uri_template = "vault://{name}"
name = "vault"
result.text = "{{ params.name }}, {{ answers.who.name }}"
refused.text = "closed"
ask = [{ who = { form = "Who opens {{ params.name }}?", fields.name = { type = "string", required = true } } }]

[[resource]]
uri = "door://one"
name = "door"
result.text = "open"
ask = [{ who = { roots = true } }]

[[prompt]]
name = "letter"
arguments.to = { required = true }
result.text = "Dear {{ args.to }}, yours {{ answers.who.name }}"
ask = [{ who = { form = "Who writes to {{ args.to }}?", fields.name = { type = "string", required = true } } }]

[[prompt]]
name = "card"
result.text = "unsigned"
refused.text = "nothing"
ask = [{ who = { form = "Who?", fields.name = { type = "string" } } }]
"#;

#[test]
fn resources_and_prompts_ask_as_well() {
    let mut both = served(OTHERS);
    let read = |more: Value| asking("resources/read", json!({ "uri": "vault://a" }), more);
    let get = |name: &str, more: Value| {
        let params = json!({ "name": name, "arguments": { "to": "Ada" } });
        asking("prompts/get", params, more)
    };
    let ada = json!({ "inputResponses": { "who": form(json!({ "name": "Bob" })) } });
    let no = json!({ "inputResponses": { "who": { "action": "cancel" } } });

    let asked = both.ask(&read(json!({})));
    assert_eq!(
        questions(&asked)["who"]["params"]["message"],
        "Who opens a?"
    );
    let done = both.ask(&read(ada.clone()));
    assert_eq!(done["result"]["contents"][0]["text"], "a, Bob");
    assert_eq!(done["result"]["cacheScope"], "private");
    let done = both.ask(&read(no.clone()));
    assert_eq!(done["result"]["contents"][0]["text"], "closed");

    let asked = both.ask(&get("letter", json!({})));
    assert_eq!(
        questions(&asked)["who"]["params"]["message"],
        "Who writes to Ada?"
    );
    let done = both.ask(&get("letter", ada));
    let said = &done["result"]["messages"][0]["content"]["text"];
    assert_eq!(said, "Dear Ada, yours Bob");
    let done = both.ask(&get("letter", no.clone()));
    assert_eq!(done["error"]["code"], -32603, "{done}");
    assert_eq!(done["error"]["message"], "the user declined");
    let done = both.ask(&get("card", no));
    assert_eq!(done["result"]["messages"][0]["content"]["text"], "nothing");
}

#[test]
fn nothing_is_asked_before_the_call_is_known_to_be_right() {
    let mut both = served(DELETE);
    let refused = both.ask(&call("delete", json!({}), json!({})));
    assert_eq!(refused["result"]["isError"], true);
    let mut both = served(OTHERS);
    let params = json!({ "name": "letter", "arguments": {} });
    let refused = both.ask(&asking("prompts/get", params, json!({})));
    assert_eq!(refused["error"]["code"], -32602);
}

#[test]
fn an_answer_kept_by_a_cache_is_of_the_same_answers() {
    let mut both = served(
        r#"
[[tool]]
name = "fresh"
wrap = [{ cache = { ttl_ms = 60000 } }]
shell = { command = ["sh", "-c", "echo $1 $$", "--", "{{ answers.n.value }}"] }
ask = [{ n = { form = "n?", fields.value = { type = "integer", required = true } } }]
"#,
    );
    let mut of = |n: u64| {
        let more = json!({ "inputResponses": { "n": form(json!({ "value": n })) } });
        text(&both.stdio.ask(&call("fresh", json!({}), more))).to_owned()
    };
    let one = of(1);
    assert_eq!(of(1), one);
    assert_ne!(of(2), one);
}

#[test]
fn lists_say_nothing_of_it() {
    let mut both = served(DELETE);
    let listed = both.ask(&modern(1, "tools/list", json!({})));
    assert_eq!(listed["result"]["tools"][0]["name"], "delete");
}
