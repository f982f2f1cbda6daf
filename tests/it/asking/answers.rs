//! Answers that do not fit, and answers that nobody asked for.

use super::{answered, call, form, questions, served, text};
use crate::support::modern;
use serde_json::{Value, json};

const TWO: &str = r#"
[[tool]]
name = "two"
result.text = "{{ answers.a.x }} {{ answers.b.x }} {{ answers.c.x }}"

[[tool.ask]]
a = { form = "A", fields.x = { type = "integer", required = true } }
b = { form = "B", fields.x = { type = "integer", required = true } }

[[tool.ask]]
c = { form = "C", fields.x = { type = "integer", required = true } }
"#;

fn x(n: u64) -> Value {
    form(json!({ "x": n }))
}

fn names(answer: &Value) -> Vec<&str> {
    let questions = questions(answer).as_object().unwrap();
    questions.keys().map(String::as_str).collect()
}

#[test]
fn only_what_is_missing_is_asked_again() {
    let mut both = served(TWO);
    for wrong in [
        json!(null),
        json!(12345),
        json!("yes"),
        json!([]),
        json!({}),
        x(1)["content"].clone(),
        json!({ "action": "maybe" }),
        json!({ "action": "accept" }),
    ] {
        let more = json!({ "inputResponses": { "a": x(1), "b": wrong } });
        let again = both.stdio.ask(&call("two", json!({}), more));
        assert_eq!(names(&again), ["b"], "{wrong}");
        // What was answered is held until then.
        let more = answered(&again, json!({ "b": x(2) }));
        let next = both.stdio.ask(&call("two", json!({}), more));
        assert_eq!(names(&next), ["c"]);
        let more = answered(&next, json!({ "c": x(3) }));
        let done = both.ask(&call("two", json!({}), more));
        assert_eq!(text(&done), "1 2 3");
    }
}

#[test]
fn what_nobody_asked_for_is_passed_over() {
    let mut both = served(TWO);
    let all = json!({ "a": x(1), "b": x(2), "c": x(3), "d": x(4), "e": 5 });
    // The last round has not been asked, so its answer does not count.
    let asked = both
        .stdio
        .ask(&call("two", json!({}), json!({ "inputResponses": all })));
    assert_eq!(names(&asked), ["c"]);
    // What the state holds is not answered anew.
    let more = answered(&asked, json!({ "a": x(9), "c": x(3), "d": x(4) }));
    let done = both.ask(&call("two", json!({}), more));
    assert_eq!(text(&done), "1 2 3");
}

#[test]
fn what_is_no_answers_at_all_is_an_error() {
    let mut both = served(TWO);
    for wrong in [json!([]), json!("x"), json!(1)] {
        let refused = both.ask(&call("two", json!({}), json!({ "inputResponses": wrong })));
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
    let refused = both.ask(&call("two", json!({}), json!({ "requestState": 5 })));
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    let asked = both.ask(&call(
        "two",
        json!({}),
        json!({ "inputResponses": null, "requestState": null }),
    ));
    assert_eq!(names(&asked), ["a", "b"]);
}

#[test]
fn requests_that_never_ask_do_not_look_at_answers() {
    let mut both = served(TWO);
    let params = json!({ "inputResponses": 5, "requestState": {} });
    let listed = both.ask(&modern(1, "tools/list", params));
    assert!(listed["result"]["tools"].is_array(), "{listed}");
}
