//! `completion/complete` for prompt arguments.

use super::{complete, served};
use crate::support::modern;
use serde_json::{Value, json};

fn completion(answer: &Value) -> Value {
    answer["result"]["completion"].clone()
}

#[test]
fn a_list_offers_what_begins_with_the_text_and_then_what_holds_it() {
    let mut both = served(
        r#"
[[prompt]]
name = "p"
arguments.package = { complete = ["jason", "plug", "phoenix", "ex_plug"] }
arguments.free = {}
result.text = "x"
"#,
    );
    for (typed, values) in [
        ("plu", json!(["plug", "ex_plug"])),
        ("", json!(["jason", "plug", "phoenix", "ex_plug"])),
        ("zz", json!([])),
    ] {
        let total = values.as_array().unwrap().len();
        let answer = both.ask(&complete("p", "package", typed, json!({})));
        let expected = json!({ "values": values, "total": total, "hasMore": false });
        assert_eq!(completion(&answer), expected, "{typed}");
        assert_eq!(answer["result"]["resultType"], "complete");
    }
    // An argument that nothing completes has no values; one that does not exist is refused.
    let answer = both.ask(&complete("p", "free", "x", json!({})));
    assert_eq!(completion(&answer)["values"], json!([]));
    let answer = both.ask(&complete("p", "nope", "x", json!({})));
    assert_eq!(answer["error"]["code"], -32602);
    let answer = both.ask(&complete("q", "package", "x", json!({})));
    assert_eq!(answer["error"]["message"], "Unknown prompt: q");
}

#[test]
fn at_most_a_hundred_are_given_and_all_are_counted() {
    let names: Vec<String> = (0..130).map(|n| format!("\"v{n}\"")).collect();
    let list = names.join(", ");
    let mut both = served(&format!(
        "[[prompt]]\nname = \"p\"\narguments.a = {{ complete = [{list}] }}\nresult.text = \"x\"\n"
    ));
    let all = completion(&both.ask(&complete("p", "a", "v", json!({}))));
    assert_eq!(all["values"].as_array().unwrap().len(), 100);
    assert_eq!(
        (&all["total"], &all["hasMore"]),
        (&json!(130), &json!(true))
    );
}

#[test]
fn live_values_come_from_an_action_that_sees_the_other_arguments() {
    let mut both = served(
        r#"
[[prompt]]
name = "live"
arguments.kind = {}
arguments.lines = { complete = { shell = { command = ["printf", "%s\n", "{{ args.kind }}-one", "{{ args.kind }}-two", "other"] } } }
arguments.json = { complete = { shell = { command = ["echo", '{"names":["b1","a1"]}'], parse = "json" }, values = "{{ output.json.names }}" } }
arguments.made = { complete = { values = "{{ [args.made, args.kind] }}" } }
arguments.raw = { complete = { shell = { command = ["echo", "unlike"] }, filter = false } }
arguments.fails = { complete = { shell = { command = ["false"] } } }
result.text = "x"
"#,
    );
    let with = json!({ "kind": "k" });
    for (argument, typed, values) in [
        ("lines", "k-", json!(["k-one", "k-two"])),
        ("lines", "two", json!(["k-two"])),
        ("json", "1", json!(["b1", "a1"])),
        ("made", "k", json!(["k"])),
        ("raw", "zz", json!(["unlike"])),
    ] {
        let answer = both.ask(&complete("live", argument, typed, with.clone()));
        assert_eq!(
            completion(&answer)["values"],
            values,
            "{argument} {typed}: {answer}"
        );
    }
    let answer = both.ask(&complete("live", "fails", "", with));
    assert_eq!(answer["error"]["code"], -32603, "{answer}");
}

#[test]
fn parameters_of_the_wrong_form_are_refused_by_name() {
    let mut both = served(
        "[[prompt]]\nname = \"p\"\narguments.a = { complete = [\"x\"] }\nresult.text = \"x\"\n",
    );
    let good = json!({
        "ref": { "type": "ref/prompt", "name": "p" },
        "argument": { "name": "a", "value": "" },
    });
    for (member, wrong, said) in [
        ("ref", json!(null), "`ref` must be an object"),
        ("ref", json!("p"), "`ref` must be an object"),
        ("ref", json!({ "name": "p" }), "`ref.type` must be a string"),
        (
            "ref",
            json!({ "type": "ref/other" }),
            "`ref.type` is `ref/other`",
        ),
        (
            "ref",
            json!({ "type": "ref/prompt" }),
            "`ref.name` must be a string",
        ),
        ("argument", json!([]), "`argument` must be an object"),
        (
            "argument",
            json!({ "name": "a" }),
            "`argument.value` must be a string",
        ),
        (
            "argument",
            json!({ "name": 1, "value": "" }),
            "`argument.name` must be a string",
        ),
        ("context", json!([]), "`context` must be an object"),
        (
            "context",
            json!({ "arguments": { "b": 1 } }),
            "`context.arguments` must be an object of strings",
        ),
    ] {
        let mut params = good.clone();
        params[member] = wrong;
        let answer = both.ask(&modern(1, "completion/complete", params));
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains(said), "{message}");
    }
    let mut params = good;
    params["context"] = json!(null);
    let answer = both.ask(&modern(1, "completion/complete", params));
    assert_eq!(completion(&answer)["values"], json!(["x"]));
}
