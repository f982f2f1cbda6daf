//! Messaging an actor: what a call and a cast come to, and every way in which they fail.

use super::*;
use crate::support::{Both, Fifo, modern, within};
use std::thread;

#[test]
fn a_call_answers_with_the_reply_and_a_cast_with_sent() {
    let manifest = worker("")
        + r#"
[[tool]]
name = "shaped"
arguments.a = { type = "integer", required = true }
arguments.b = { type = "integer", default = 7 }
actor = { target = "a", call = "echo", message = { sum = "{{ args.a + args.b }}", all = "{{ args }}" }, reply = { got = "{{ reply.sum }}", all = "{{ reply.all }}" } }

[[tool]]
name = "listed"
actor = { target = "a", call = "text", reply = { word = "{{ reply }}" } }
result.text = "it said {{ output.reply.word }}"

[[tool]]
name = "told"
actor = { target = "a", cast = "add" }
result.text = "{{ output.sent }}"
"#;
    let mut both = Both::of(project(&manifest));
    let answer = both.ask(&call(1, "shaped", json!({ "a": 1 })));
    let expected = json!({ "got": 8, "all": { "a": 1, "b": 7 } });
    assert_eq!(answer["result"]["structuredContent"], expected);
    let text: Value = serde_json::from_str(&text_of(&answer)).unwrap();
    assert_eq!(text, expected, "the text is the same as JSON");
    let answer = both.ask(&call(2, "add_later", json!({})));
    assert_eq!(
        answer["result"]["structuredContent"],
        json!({ "sent": true })
    );
    assert_eq!(text_of(&answer), "{\"sent\":true}");
    let answer = both.ask(&call(3, "listed", json!({})));
    assert_eq!(text_of(&answer), "it said text");
    let answer = both.ask(&call(4, "told", json!({})));
    assert_eq!(text_of(&answer), "true");
    // Both casts were handled before the next call.
    let answer = both.daemon.ask(&call(5, "add", json!({})));
    assert_eq!(answer["result"]["structuredContent"]["count"], 3);
    both.finish();
}

#[test]
fn what_goes_wrong_is_a_tool_error() {
    let manifest = worker("")
        + r#"
[[tool]]
name = "unmade"
arguments.text = { type = "string" }
actor = { target = "a", call = "echo", message = { n = "{{ args.text | int }}" } }

[[tool]]
name = "absent"
arguments.text = { type = "string" }
actor = { target = "a", call = "echo", message = "{{ args.text }}" }

[[tool]]
name = "unshaped"
actor = { target = "a", call = "echo", message = { a = 1 }, reply = "{{ reply.a }}" }
"#;
    let mut both = Both::of(project(&manifest));
    let mut said = |tool: &str, arguments: Value| {
        let answer = both.ask(&call(1, tool, arguments));
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        text_of(&answer)
    };
    assert_eq!(said("fail", json!({})), "it went wrong");
    let not_an_object = "the reply of the actor `a` is a string, not an object";
    assert_eq!(said("text", json!({})), not_an_object);
    let not_an_object = "the reply of the actor `a` is a number, not an object";
    assert_eq!(said("unshaped", json!({})), not_an_object);
    let unmade = said("unmade", json!({ "text": "x" }));
    assert!(unmade.starts_with("cannot make `message`: "), "{unmade}");
    let absent = said("absent", json!({}));
    assert!(absent.contains("`message`"), "{absent}");
    assert_eq!(
        said("crash", json!({})),
        "the worker of the actor `a` ended with exit code 3 before it answered"
    );
}

#[test]
fn a_call_that_takes_too_long_is_given_up_and_its_late_answer_goes_nowhere() {
    let manifest = worker("")
        + "[[tool]]\nname = \"soon\"\nactor = { target = \"a\", call = \"hold\", timeout_ms = 50 }\n";
    let project = project(&manifest);
    let gate = Fifo::make(project.manifests().join("gate"));
    let daemon = project.serve();
    let said = failed(&daemon, "soon", json!({}));
    assert_eq!(said, "the actor `a` did not answer within 50 ms");
    drop(gate.until_read());
    // The message was begun with, and counts.
    assert_eq!(add(&daemon), 2);
}

#[test]
fn a_full_mailbox_refuses_at_once() {
    let project = project(&worker("mailbox = 2"));
    let gate = Fifo::make(project.manifests().join("gate"));
    let daemon = project.serve();
    thread::scope(|scope| {
        let held = scope.spawn(|| ok(&daemon, "hold", json!({})));
        let open = gate.until_read();
        for _ in 0..2 {
            ok(&daemon, "add_later", json!({}));
        }
        let full = "the mailbox of the actor `a` is full: 2 messages wait";
        assert_eq!(failed(&daemon, "add_later", json!({})), full);
        assert_eq!(failed(&daemon, "add", json!({})), full);
        drop(open);
        assert_eq!(held.join().unwrap()["count"], 1);
    });
    assert_eq!(add(&daemon), 4, "what was refused was not handled");
}

#[test]
fn an_actor_that_is_down_says_why() {
    let project = project(&worker("restart = \"temporary\""));
    let daemon = project.serve();
    assert_eq!(
        failed(&daemon, "leave", json!({})),
        "the worker of the actor `a` ended with exit code 0 before it answered"
    );
    within("the actor is down", || {
        let said = failed(&daemon, "add", json!({}));
        (said == "the actor `a` is down: its worker ended with exit code 0").then_some(())
    });
    assert!(failed(&daemon, "add_later", json!({})).contains("is down"));
}

#[test]
fn arguments_are_checked_whatever_the_server_says() {
    let manifest = "[[actor]]\nname = \"a\"\n[actor.on.take]\nreply = \"{{ msg }}\"\n\
                    [[tool]]\nname = \"take\"\nadditional_properties = false\n\
                    arguments.n = { type = \"integer\", required = true, minimum = 1 }\n\
                    actor = { target = \"a\", call = \"take\" }\n";
    let project = Project::with(manifest).set("server.validation=\"none\"");
    let mut both = Both::of(project);
    for arguments in [
        json!({ "n": 0 }),
        json!({ "n": "1" }),
        json!({ "n": 1, "m": 1 }),
    ] {
        let answer = both.ask(&call(1, "take", arguments));
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        assert!(
            text_of(&answer).starts_with("Invalid arguments"),
            "{answer}"
        );
    }
    let answer = both.ask(&call(1, "take", json!({ "n": 1 })));
    assert_eq!(answer["result"]["structuredContent"], json!({ "n": 1 }));
    both.finish();
}

#[test]
fn resources_prompts_and_completion_message_actors_too() {
    let manifest = worker("process.env.WORD = \"oh\"")
        + r#"
[[resource]]
uri_template = "echo://{word}/{other}"
name = "echo"
actor = { target = "a", call = "echo" }

[[resource]]
uri = "broken://x"
name = "broken"
actor = { target = "a", call = "fail" }

[[prompt]]
name = "say"
arguments.word.complete = { actor = { target = "a", call = "echo", message = { words = ["one", "once", "two"] } }, values = "{{ output.reply.words }}" }
actor = { target = "a", call = "echo" }
result.text = "say {{ output.reply.word }}"
"#;
    let mut both = Both::of(project(&manifest));
    let read = modern(1, "resources/read", json!({ "uri": "echo://a/b" }));
    let content = both.ask(&read)["result"]["contents"][0].clone();
    assert_eq!(content["mimeType"], "application/json");
    let text: Value = serde_json::from_str(content["text"].as_str().unwrap()).unwrap();
    assert_eq!(
        text,
        json!({ "uri": "echo://a/b", "word": "a", "other": "b" })
    );
    let read = modern(1, "resources/read", json!({ "uri": "broken://x" }));
    let error = both.ask(&read)["error"].clone();
    assert_eq!(error["code"], -32603, "{error}");
    assert!(error["message"].as_str().unwrap().contains("it went wrong"));
    let get = json!({ "name": "say", "arguments": { "word": "hello" } });
    let answer = both.ask(&modern(1, "prompts/get", get));
    let message = &answer["result"]["messages"][0];
    assert_eq!(message["content"]["text"], "say hello", "{answer}");
    let complete = json!({
        "ref": { "type": "ref/prompt", "name": "say" },
        "argument": { "name": "word", "value": "on" },
    });
    let answer = both.ask(&modern(1, "completion/complete", complete));
    let values = &answer["result"]["completion"]["values"];
    assert_eq!(values, &json!(["one", "once"]), "{answer}");
    both.finish();
}
