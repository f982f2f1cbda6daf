//! An actor as a wrapper: what it is told, what it decides, and what becomes of the call.

use super::*;
use crate::support::{Both, modern};

/// Tells what it was told, by refusing.
const TELLING: &str = r#"
[[actor]]
name = "p"
[actor.on.tell]
reply = { refuse = "{{ msg | tojson }}" }
[actor.on.go]
reply = { continue = true }
"#;

fn told(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

pub fn said(both: &mut Both, method: &str, params: Value) -> String {
    let answer = both.ask(&modern(1, method, params));
    match answer.get("error") {
        Some(error) => {
            assert_eq!(error["code"], -32603, "{answer}");
            error["message"].as_str().unwrap().to_owned()
        }
        None => {
            assert_eq!(answer["result"]["isError"], true, "{answer}");
            text_of(&answer)
        }
    }
}

#[test]
fn it_is_told_of_tools_resources_prompts_and_completion() {
    let manifest = TELLING.to_owned()
        + r#"
[defaults]
wrap = [{ actor = { target = "p", call = "tell" } }]

[[tool]]
name = "t"
arguments.a = { type = "integer", required = true }
arguments.b = { type = "integer", default = 2 }
result.text = "x"

[[resource]]
uri_template = "r://{x}"
name = "r"
result.text = "x"

[[prompt]]
name = "q"
arguments.a.complete = { values = "{{ ['x'] }}" }
arguments.b = {}
result.text = "x"
"#;
    let mut both = Both::of(Project::with(&manifest));
    let caller = json!({ "client": { "name": "it", "version": "1" } });
    let text = said(
        &mut both,
        "tools/call",
        json!({ "name": "t", "arguments": { "a": 1 } }),
    );
    let expected = json!({
        "component": "t", "kind": "tool", "operation": "tools/call",
        "arguments": { "a": 1, "b": 2 }, "caller": caller,
    });
    assert_eq!(told(&text), expected);
    // Who sent what is not valid has not come this far.
    let text = said(&mut both, "tools/call", json!({ "name": "t" }));
    assert!(text.starts_with("Missing required"), "{text}");
    let text = said(&mut both, "resources/read", json!({ "uri": "r://one" }));
    let expected = json!({
        "component": "r://{x}", "kind": "resource", "operation": "resources/read",
        "arguments": { "x": "one", "uri": "r://one" }, "caller": caller,
    });
    assert_eq!(told(&text), expected);
    let text = said(
        &mut both,
        "prompts/get",
        json!({ "name": "q", "arguments": { "b": "y" } }),
    );
    let expected = json!({
        "component": "q", "kind": "prompt", "operation": "prompts/get",
        "arguments": { "b": "y" }, "caller": caller,
    });
    assert_eq!(told(&text), expected);
    let complete = json!({
        "ref": { "type": "ref/prompt", "name": "q" }, "argument": { "name": "a", "value": "x" },
        "context": { "arguments": { "b": "y" } },
    });
    let text = said(&mut both, "completion/complete", complete);
    let expected = json!({
        "component": "q", "kind": "prompt", "operation": "completion/complete", "completing": "a",
        "arguments": { "a": "x", "b": "y" }, "caller": caller,
    });
    assert_eq!(told(&text), expected);
    both.finish();
}

/// A tool around which an actor stands that replies with `reply`.
fn replying(reply: &str) -> Both {
    Both::of(Project::with(&format!(
        r#"
[[actor]]
name = "p"
[actor.on.check]
reply = {reply}

[[tool]]
name = "t"
arguments.a = {{ type = "integer", required = true, minimum = 1 }}
arguments.b = {{ type = "integer", default = 2 }}
returns.a = {{ type = "integer", required = true }}
wrap = [{{ actor = {{ target = "p", call = "check" }} }}]
result.structured = {{ a = "{{{{ args.a }}}}", b = "{{{{ args.b }}}}" }}
"#
    )))
}

#[test]
fn what_it_replies_is_what_becomes_of_the_call() {
    let undecided = "the actor `p` decided neither to continue, nor to refuse, nor to answer";
    for (reply, expected) in [
        ("{ continue = true }", Ok(json!({ "a": 1, "b": 2 }))),
        ("{ continue = { a = 5 } }", Ok(json!({ "a": 5, "b": 2 }))),
        (
            "{ continue = { a = \"{{ msg.arguments.a + 1 }}\", b = 7 } }",
            Ok(json!({ "a": 2, "b": 7 })),
        ),
        (
            "{ continue = { a = 0 } }",
            Err("the actor `p` went on with other arguments: Invalid arguments at /a"),
        ),
        (
            "{ continue = {} }",
            Err("the actor `p` went on with other arguments: Missing required arguments: a"),
        ),
        (
            "{ continue = { a = 1, c = 1 }, refuse = \"{{ none }}\" }",
            Ok(json!({ "a": 1, "b": 2 })),
        ),
        ("{ refuse = \"not {{ msg.arguments.a }}\" }", Err("not 1")),
        ("{ answer = { a = 9 } }", Ok(json!({ "a": 9 }))),
        // The output schema holds for it too.
        (
            "{ answer = { b = 9 } }",
            Err("the tool's output does not match its output schema"),
        ),
        (
            "{ answer = \"a text\" }",
            Err("the tool has an output schema"),
        ),
        (
            "{ answer = 7 }",
            Err("the actor `p` gave an answer that is neither an object nor a text"),
        ),
        ("{ continue = true, refuse = \"x\" }", Err(undecided)),
        ("{ continue = false }", Err(undecided)),
        ("{ refuse = 7 }", Err(undecided)),
        ("{}", Err(undecided)),
        ("\"continue\"", Err(undecided)),
        ("\"{{ msg.arguments.a / 0 }}\"", Err("cannot make `reply`")),
    ] {
        let mut both = replying(reply);
        let answer = both.ask(&call(1, "t", json!({ "a": 1 })));
        match expected {
            Ok(structured) => {
                assert_eq!(
                    answer["result"]["structuredContent"], structured,
                    "{reply}: {answer}"
                );
            }
            Err(text) => {
                assert_eq!(answer["result"]["isError"], true, "{reply}: {answer}");
                let said = text_of(&answer);
                assert!(said.starts_with(text), "{reply}: {said}");
            }
        }
    }
}

#[test]
fn resources_prompts_and_completions_go_on_or_are_answered() {
    let manifest = r#"
[[actor]]
name = "p"
[actor.on.go]
reply = { continue = { x = "two", uri = "r://other" } }
[actor.on.stray]
reply = { continue = { y = "two" } }
[actor.on.answer]
reply = { answer = "{{ { 'n': 1 } if msg.kind == 'resource' else ('hello' if msg.completing is undefined else ['b', 'a']) }}" }
[actor.on.messages]
reply = { answer = { messages = [{ role = "assistant", content = "yes" }], description = "d" } }

[[resource]]
uri_template = "r://{x}"
name = "r"
wrap = [{ actor = { target = "p", call = "go" } }]
result.text = "{{ params.x }} of {{ params.uri }}"
[[resource]]
uri_template = "s://{x}"
name = "s"
wrap = [{ actor = { target = "p", call = "stray" } }]
result.text = "x"
[[resource]]
uri = "u://x"
name = "u"
wrap = [{ actor = { target = "p", call = "answer" } }]
result.text = "x"
[[prompt]]
name = "q"
arguments.a.complete = { values = "{{ ['x'] }}" }
wrap = [{ actor = { target = "p", call = "answer" } }]
result.text = "x"
[[prompt]]
name = "m"
wrap = [{ actor = { target = "p", call = "messages" } }]
result.text = "x"
"#;
    let mut both = Both::of(Project::with(manifest));
    let answer = both.ask(&modern(1, "resources/read", json!({ "uri": "r://one" })));
    let text = &answer["result"]["contents"][0]["text"];
    assert_eq!(text, "two of r://one", "{answer}");
    let text = said(&mut both, "resources/read", json!({ "uri": "s://one" }));
    assert_eq!(
        text,
        "the actor `p` went on with `y`, which is no variable of the template"
    );
    let answer = both.ask(&modern(1, "resources/read", json!({ "uri": "u://x" })));
    let expected = json!({ "uri": "u://x", "mimeType": "application/json", "text": "{\"n\":1}" });
    assert_eq!(answer["result"]["contents"][0], expected, "{answer}");
    let answer = both.ask(&modern(1, "prompts/get", json!({ "name": "q" })));
    let message = json!({ "role": "user", "content": { "type": "text", "text": "hello" } });
    assert_eq!(answer["result"]["messages"], json!([message]), "{answer}");
    let answer = both.ask(&modern(1, "prompts/get", json!({ "name": "m" })));
    let message = json!({ "role": "assistant", "content": { "type": "text", "text": "yes" } });
    assert_eq!(answer["result"]["messages"], json!([message]), "{answer}");
    assert_eq!(answer["result"]["description"], "d");
    let complete = json!({
        "ref": { "type": "ref/prompt", "name": "q" }, "argument": { "name": "a", "value": "x" },
    });
    let answer = both.ask(&modern(1, "completion/complete", complete));
    assert_eq!(
        answer["result"]["completion"]["values"],
        json!(["b", "a"]),
        "{answer}"
    );
    both.finish();
}

#[test]
fn whoever_cannot_decide_refuses() {
    let manifest = worker("restart = \"temporary\"")
        + r#"
[[tool]]
name = "guarded"
wrap = [{ actor = { target = "a", call = "crash" } }]
result.text = "done"

[[tool]]
name = "slow"
wrap = [{ actor = { target = "a", call = "hold", timeout_ms = 20 } }]
result.text = "done"
"#;
    let project = project(&manifest);
    let daemon = project.serve();
    crate::support::Fifo::make(project.manifests().join("gate"));
    let said = failed(&daemon, "slow", json!({}));
    assert_eq!(said, "the actor `a` did not answer within 20 ms");
    drop(crate::support::Fifo::at(project.manifests().join("gate")).until_read());
    let said = failed(&daemon, "guarded", json!({}));
    assert!(said.contains("ended with exit code 3"), "{said}");
    crate::support::within("it is down", || {
        failed(&daemon, "guarded", json!({}))
            .contains("is down")
            .then_some(())
    });
}

#[test]
fn the_order_is_kept_and_inner_wrappers_see_the_new_arguments() {
    let manifest = r#"
[[actor]]
name = "p"
state = { asked = 0 }
[actor.on.check]
set.asked = "{{ state.asked + 1 }}"
reply = { continue = { key = "same", n = "{{ state.asked }}" } }
[actor.on.get]
reply = { count = "{{ state.asked }}" }

[[tool]]
name = "outside"
arguments = { key = { type = "string" }, n = { type = "integer" } }
wrap = [{ actor = { target = "p", call = "check" } }, { cache = { ttl_ms = 600000, key = "{{ args.key }}" } }]
result.structured.n = "{{ args.n }}"

[[tool]]
name = "inside"
arguments = { key = { type = "string" }, n = { type = "integer" } }
wrap = [{ cache = { ttl_ms = 600000, key = "{{ args.key }}" } }, { actor = { target = "p", call = "check" } }]
result.structured.n = "{{ args.n }}"

[[tool]]
name = "get"
actor = { target = "p", call = "get" }
"#;
    let project = Project::with(manifest).set("reload.debounce_ms=20");
    let daemon = project.serve();
    // Asked each time, and then the same key for the cache.
    assert_eq!(
        ok(&daemon, "outside", json!({ "key": "a" })),
        json!({ "n": 1 })
    );
    assert_eq!(
        ok(&daemon, "outside", json!({ "key": "b" })),
        json!({ "n": 1 })
    );
    assert_eq!(ok(&daemon, "get", json!({})), json!({ "count": 2 }));
    // Asked once for each key.
    for _ in 0..3 {
        assert_eq!(
            ok(&daemon, "inside", json!({ "key": "a" })),
            json!({ "n": 3 })
        );
    }
    assert_eq!(
        ok(&daemon, "inside", json!({ "key": "b" })),
        json!({ "n": 4 })
    );
    // The actor and the cache live through a reload that leaves them alone.
    project.save(
        "manifests/b.toml",
        "[[tool]]\nname = \"more\"\nresult.text = \"x\"\n",
    );
    daemon.wait_for_log("added=\"more\"");
    assert_eq!(
        ok(&daemon, "inside", json!({ "key": "b" })),
        json!({ "n": 4 })
    );
    assert_eq!(ok(&daemon, "get", json!({})), json!({ "count": 4 }));
}
