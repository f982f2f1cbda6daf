//! What a caller may send, and what it is told of what it may not.

use super::{failure, result, served, text};
use crate::support::{Both, Project, call, modern};
use serde_json::{Value, json};

const ORDER: &str = r#"
[[tool]]
name = "order"
additional_properties = false
result.structured = "{{ args }}"

[tool.arguments.customer]
type = "string"
required = true
min_length = 2
max_length = 10
pattern = "^[a-z]+$"

[tool.arguments.count]
type = "integer"
minimum = 1
maximum = 5

[tool.arguments.kind]
type = "string"
enum = ["new", "old"]

[tool.arguments.lines]
type = "array"
items = "object"
min_items = 1
additional_properties = false
arguments.sku = { type = "string", required = true }
arguments.quantity = { type = "integer", minimum = 1 }

[[tool]]
name = "free"
result.structured = "{{ args }}"
arguments.a = { type = "integer" }
"#;

#[test]
fn absent_null_and_empty_arguments_are_the_same() {
    let mut both = served(ORDER);
    for params in [
        json!({ "name": "free" }),
        json!({ "name": "free", "arguments": null }),
        json!({ "name": "free", "arguments": {} }),
    ] {
        let answer = both.ask(&modern(1, "tools/call", params.clone()));
        assert_eq!(answer["result"]["structuredContent"], json!({}), "{params}");
        // A tool that needs one names it, and it is the tool's error, not the protocol's.
        let mut params = params;
        params["name"] = "order".into();
        let answer = both.ask(&modern(1, "tools/call", params));
        assert_eq!(answer["result"]["isError"], true);
        assert_eq!(
            answer["result"]["content"],
            json!([{ "type": "text", "text": "Missing required arguments: customer" }])
        );
    }
}

#[test]
fn a_null_argument_is_judged_by_the_schema() {
    let mut both = served(ORDER);
    assert_eq!(
        failure(&mut both, "free", json!({ "a": null })),
        "Invalid arguments at /a: value is not one of the declared JSON types"
    );
    // Declared null, or not declared at all, it is a value like another.
    assert_eq!(
        result(&mut both, "free", json!({ "b": null }))["structuredContent"],
        json!({ "b": null })
    );
}

#[test]
fn bad_arguments_are_tool_errors_that_name_the_place_and_the_rule() {
    let mut both = served(ORDER);
    for (arguments, expected) in [
        (json!({ "customer": 5 }), "/customer"),
        (json!({ "customer": "a" }), "/customer"),
        (json!({ "customer": "abcdefghijk" }), "/customer"),
        (json!({ "customer": "ABC" }), "/customer"),
        (json!({ "customer": "abc", "count": 0 }), "/count"),
        (json!({ "customer": "abc", "count": 6 }), "/count"),
        (json!({ "customer": "abc", "count": 1.5 }), "/count"),
        (json!({ "customer": "abc", "count": "1" }), "/count"),
        (json!({ "customer": "abc", "kind": "other" }), "/kind"),
        (json!({ "customer": "abc", "lines": [] }), "/lines"),
        (json!({ "customer": "abc", "lines": {} }), "/lines"),
        (json!({ "customer": "abc", "lines": [{}] }), "/lines/0"),
        (
            json!({ "customer": "abc", "lines": [{ "sku": "a", "quantity": 0 }] }),
            "/lines/0/quantity",
        ),
        (
            json!({ "customer": "abc", "lines": [{ "sku": "a", "more": 1 }] }),
            "/lines/0",
        ),
        (json!({ "customer": "abc", "more": 1 }), "/"),
    ] {
        let said = failure(&mut both, "order", arguments.clone());
        let start = format!("Invalid arguments at {expected}");
        assert!(said.starts_with(&start), "{arguments}: {said}");
        assert!(!said.contains('\n'), "{arguments}: {said}");
    }
    // 1.0 is an integer to JSON Schema.
    let given =
        json!({ "customer": "abc", "count": 1.0, "kind": "new", "lines": [{ "sku": "a" }] });
    assert_eq!(result(&mut both, "order", given)["isError"], false);
}

#[test]
fn every_violation_is_told_and_never_a_value() {
    let mut both = served(ORDER);
    let secret = "HUNTER2";
    let said = failure(
        &mut both,
        "order",
        json!({
            "count": secret,
            "kind": secret,
            "lines": [{ "sku": { "deep": secret }, "quantity": -765_432 }, secret],
        }),
    );
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[0], "Missing required arguments: customer");
    for place in [
        "/count:",
        "/kind:",
        "/lines/0/sku:",
        "/lines/0/quantity:",
        "/lines/1:",
    ] {
        let told = lines
            .iter()
            .any(|line| line.contains(&format!(" at {place}")));
        assert!(told, "{place}: {said}");
    }
    assert!(!said.contains(secret) && !said.contains("765"), "{said}");
}

#[test]
fn the_action_is_not_reached_by_bad_arguments() {
    let project = Project::with(
        r#"
        [[tool]]
        name = "touch"
        arguments.name = { type = "string", pattern = "^[a-z]+$" }
        shell = { command = ["touch", "{{ args.name }}"], cwd = ".." }
        "#,
    );
    let mut both = Both::of(project);
    failure(&mut both, "touch", json!({ "name": "Touched" }));
    failure(&mut both, "touch", json!({ "name": ["touched"] }));
    assert!(!both.project.path().join("Touched").exists());
    assert!(!both.project.path().join("touched").exists());
    text(&mut both, "touch", json!({ "name": "touched" }));
    assert!(both.project.path().join("touched").exists());
}

#[test]
fn the_server_says_how_much_of_a_schema_is_checked() {
    let manifest = r#"
        [[tool]]
        name = "t"
        result.text = "called"
        [tool.input_schema]
        type = "object"
        required = ["a"]
        [tool.input_schema.properties]
        a = { type = "integer", maximum = 5 }
        b = { oneOf = [{ type = "integer" }, { type = "string", maxLength = 2 }] }
        c = { type = "object", required = ["d"] }
        "#;
    let good = json!({ "a": 1, "b": "xx", "c": { "d": 1 } });
    let missing = json!({});
    let wrong_type = json!({ "a": "x" });
    let too_much = json!({ "a": 6 });
    let nested = json!({ "a": 1, "c": {} });
    let one_of = json!({ "a": 1, "b": "xxx" });
    for (validation, refused) in [
        (
            "full",
            &[&missing, &wrong_type, &too_much, &nested, &one_of][..],
        ),
        ("basic", &[&missing, &wrong_type, &too_much, &nested]),
        ("none", &[&missing]),
    ] {
        let project = Project::with(manifest).set(&format!("server.validation={validation}"));
        let mut both = Both::of(project);
        assert_eq!(text(&mut both, "t", good.clone()), "called");
        for arguments in [&missing, &wrong_type, &too_much, &nested, &one_of] {
            let result = result(&mut both, "t", arguments.clone());
            let expected = refused.contains(&arguments);
            assert_eq!(result["isError"], expected, "{validation}: {arguments}");
        }
    }
}

#[test]
fn numbers_arrive_as_they_were_sent() {
    let mut both = served(ORDER);
    for number in [
        "0",
        "-1",
        "9007199254740993",
        "9223372036854775807",
        "-9223372036854775808",
        "18446744073709551615",
        "0.1",
        "30.0",
        "1e-7",
    ] {
        let request = call(1, "free", json!({ "n": "here" })).to_string();
        let request = request.replacen("\"here\"", number, 1);
        both.stdio.send_raw(format!("{request}\n").as_bytes());
        let line = String::from_utf8(both.stdio.line().unwrap()).unwrap();
        let expected = format!(r#""structuredContent":{{"n":{number}}}"#);
        assert!(line.contains(&expected), "{line}");
    }
    // What no number of this program holds is refused rather than changed to infinity.
    let request = call(1, "free", json!({ "n": "here" })).to_string();
    let request = request.replacen("\"here\"", "1e999", 1);
    let came = both.send(request.as_bytes(), true);
    assert_eq!(came.line.unwrap()["error"]["code"], -32602);
}

#[test]
fn arguments_may_hold_any_text_and_keep_their_order() {
    let mut both = served(ORDER);
    let arguments = json!({
        "z": "\u{0}\u{1f}\"\\\n\r\t\u{2028}é🦀",
        "m": ["", "{{ args.b }}", "{% raw %}"],
        "": { "": null },
    });
    let answer = both.ask(&call(1, "free", arguments.clone()));
    let given = &answer["result"]["structuredContent"];
    assert_eq!(*given, arguments);
    let names: Vec<&String> = given.as_object().unwrap().keys().collect();
    assert_eq!(names, ["z", "m", ""]);
    // The text is the same JSON.
    let text: Value = serde_json::from_str(&crate::support::text_of(&answer)).unwrap();
    assert_eq!(text, arguments);
}
