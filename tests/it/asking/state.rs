//! The state that goes with questions.

use super::{answered, call, form, questions, served, shared, text};
use crate::support::Project;
use serde_json::{Value, json};

const SEALED: &str = r#"
[[tool]]
name = "drop_table"
state = "sealed"
arguments.table = { type = "string", required = true }
result.text = "dropped {{ args.table }}"

[[tool.ask]]
confirm = { form = "Drop {{ args.table }}?", fields.ok = { type = "boolean", required = true } }

[[tool]]
name = "drop_view"
state = "sealed"
arguments.table = { type = "string", required = true }
result.text = "dropped {{ args.table }}"

[[tool.ask]]
confirm = { form = "Drop {{ args.table }}?", fields.ok = { type = "boolean", required = true } }
"#;

fn ok() -> Value {
    json!({ "confirm": form(json!({ "ok": true })) })
}

fn table(name: &str) -> Value {
    json!({ "table": name })
}

#[test]
fn what_one_process_asks_another_with_the_same_secret_completes() {
    let mut both = served(SEALED);
    let asked = both.stdio.ask(&call("drop_table", table("a"), json!({})));
    questions(&asked);
    // The daemon, another process, was never asked anything.
    let request = call("drop_table", table("a"), answered(&asked, ok()));
    let done = both.daemon.connect().post(&request).json();
    assert_eq!(text(&done), "dropped a");
}

#[test]
fn a_secret_can_be_exchanged_while_states_are_about() {
    let mut before = served(SEALED);
    let asked = before.stdio.ask(&call("drop_table", table("a"), json!({})));
    let request = call("drop_table", table("a"), answered(&asked, ok()));
    let exchanged = |earlier: &str| {
        Project::with(SEALED)
            .env("NEW", "another secret for all")
            .env("SEAL", earlier)
            .set("server.secret={ env = \"NEW\" }")
            .set("server.earlier_secrets=[{ env = \"SEAL\" }]")
    };
    let project = exchanged("the same for all");
    assert_eq!(text(&project.stdio().ask(&request)), "dropped a");
    let project = exchanged("nobody had this");
    let refused = project.stdio().ask(&request);
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
}

#[test]
fn each_state_is_new() {
    let mut both = served(SEALED);
    let mut state = || {
        both.stdio.ask(&call("drop_table", table("a"), json!({})))["result"]["requestState"].clone()
    };
    let first = state();
    assert!(first.is_string());
    assert_ne!(first, state());
}

#[test]
fn an_answer_without_the_state_does_not_count() {
    let mut both = served(SEALED);
    let more = json!({ "inputResponses": ok() });
    let again = both.stdio.ask(&call("drop_table", table("a"), more));
    assert!(questions(&again)["confirm"].is_object());
}

#[test]
fn a_state_is_of_one_call_alone() {
    let mut both = served(SEALED);
    let asked = both.stdio.ask(&call("drop_table", table("a"), json!({})));
    let more = answered(&asked, ok());
    for (tool, arguments) in [("drop_table", table("b")), ("drop_view", table("a"))] {
        let refused = both.ask(&call(tool, arguments, more.clone()));
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
        let said = refused["error"]["message"].as_str().unwrap();
        assert!(said.contains("of another request"), "{said}");
    }
}

#[test]
fn a_state_that_was_changed_or_made_up_is_an_error() {
    let mut both = served(SEALED);
    let asked = both.stdio.ask(&call("drop_table", table("a"), json!({})));
    let state = asked["result"]["requestState"].as_str().unwrap().to_owned();
    let half = &state[..state.len() / 2];
    for wrong in [
        format!("{state}-TAMPERED"),
        format!("A{}", &state[1..]),
        half.to_owned(),
        String::new(),
        "é".into(),
    ] {
        let more = json!({ "inputResponses": ok(), "requestState": wrong });
        let refused = both.ask(&call("drop_table", table("a"), more));
        assert_eq!(refused["error"]["code"], -32602, "{wrong}: {refused}");
    }
    // Another server's is not this one's.
    let project = Project::with(SEALED);
    let mut other = project.stdio();
    let more = json!({ "inputResponses": ok(), "requestState": state });
    let refused = other.ask(&call("drop_table", table("a"), more));
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
}

#[test]
fn a_state_holds_for_so_long() {
    let project = shared(SEALED).set("server.ask_ttl_ms=1000");
    let mut server = project.stdio();
    let asked = server.ask(&call("drop_table", table("a"), json!({})));
    let more = answered(&asked, ok());
    let request = call("drop_table", table("a"), more);
    // It ends by itself; until then it holds.
    loop {
        let answer = server.ask(&request);
        if answer["error"].is_object() {
            let said = answer["error"]["message"].as_str().unwrap();
            assert!(said.contains("has expired"), "{said}");
            break;
        }
        assert_eq!(text(&answer), "dropped a");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

#[test]
fn a_component_that_asks_nothing_looks_at_no_state() {
    let mut both = served("[[tool]]\nname = \"t\"\nresult.text = \"x\"\n");
    let done = both.ask(&call(
        "t",
        json!({}),
        json!({ "requestState": "left over" }),
    ));
    assert_eq!(text(&done), "x");
}
