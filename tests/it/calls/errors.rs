//! Tool errors and protocol errors that a manifest declares, and their order.

use super::{failure, refused, result, served, text};
use crate::support::{Both, Project, call};
use serde_json::{Value, json};

fn tool(name: &str, rest: &str) -> String {
    format!(
        "[[tool]]\nname = \"{name}\"\ninput_schema = '{{\"type\":\"object\",\"properties\":{{\"v\":true,\"w\":true}}}}'\n{rest}\n"
    )
}

#[test]
fn an_error_is_a_tool_error_when_it_says_something() {
    let manifest = [
        tool("lone", "result.text = \"fine\"\nresult.error = \"{{ args.v }}\""),
        tool("if", "result.text = \"fine\"\nresult.error = \"{{ 'too much' if args.v > 5 }}\""),
        tool(
            "lines",
            "result.text = \"fine\"\nresult.error = \"\"\"\n{% if args.v == 'bad' %}\nit is bad\n{% endif %}\n\"\"\"",
        ),
        tool("always", "result.error = \"not here\""),
    ]
    .concat();
    let mut both = served(&manifest);
    // What an upstream says when nothing is wrong is no error.
    for quiet in [
        json!({}),
        json!({ "v": null }),
        json!({ "v": false }),
        json!({ "v": "" }),
    ] {
        assert_eq!(text(&mut both, "lone", quiet), "fine");
    }
    for quiet in [json!([]), json!({}), json!(0), json!(" \n")] {
        assert_eq!(text(&mut both, "lone", json!({ "v": quiet })), "fine");
    }
    for (value, says) in [
        (json!("broken"), "broken"),
        (json!(["a", 1]), "[\"a\",1]"),
        (json!({ "code": 5 }), "{\"code\":5}"),
        (json!(7), "7"),
        (json!(true), "true"),
    ] {
        assert_eq!(failure(&mut both, "lone", json!({ "v": value })), says);
    }
    assert_eq!(text(&mut both, "if", json!({ "v": 5 })), "fine");
    assert_eq!(failure(&mut both, "if", json!({ "v": 6 })), "too much");
    assert_eq!(text(&mut both, "lines", json!({ "v": "good" })), "fine");
    assert_eq!(
        failure(&mut both, "lines", json!({ "v": "bad" })).trim(),
        "it is bad"
    );
    assert_eq!(failure(&mut both, "always", json!({})), "not here");
}

#[test]
fn an_error_keeps_the_metadata() {
    let mut both = served(&tool(
        "t",
        "result.text = \"fine\"\nresult.error = \"{{ args.v }}\"\nresult.metadata = { w = \"{{ args.w }}\" }",
    ));
    let answer = result(&mut both, "t", json!({ "v": "broken", "w": 5 }));
    assert_eq!(
        (&answer["isError"], &answer["_meta"]["w"]),
        (&json!(true), &json!(5))
    );
}

#[test]
fn a_protocol_error_is_a_json_rpc_error_with_status_200() {
    let manifest = [
        tool(
            "when",
            r#"result.text = "fine"
               [tool.result.protocol_error]
               when = "{{ args.v }}"
               code = -32602
               message = "no such thing: {{ args.w }}"
               data = { w = "{{ args.w }}", absent = "{{ args.x }}", list = [1] }"#,
        )
        .replace("\"w\":true", "\"w\":true,\"x\":true"),
        tool("always", "result.protocol_error = { code = 1042, message = \"gone\" }"),
        tool("true", "result.protocol_error = { when = true, code = 1, message = \"m\" }"),
        tool(
            "false",
            "result.text = \"fine\"\nresult.protocol_error = { when = false, code = 1, message = \"m\" }",
        ),
    ]
    .concat();
    let mut both = served(&manifest);
    let mut error = |tool: &str, arguments: Value| {
        let came = both.send(call("an id", tool, arguments).to_string().as_bytes(), true);
        assert_eq!((came.status, &came.body), (200, &came.line));
        let body = came.body.unwrap();
        assert_eq!(body["id"], "an id");
        body["error"].clone()
    };
    assert_eq!(
        error("when", json!({ "v": true, "w": 5 })),
        json!({ "code": -32602, "message": "no such thing: 5", "data": { "w": 5, "list": [1] } })
    );
    assert_eq!(
        error("always", json!({})),
        json!({ "code": 1042, "message": "gone" })
    );
    assert_eq!(
        error("true", json!({})),
        json!({ "code": 1, "message": "m" })
    );
    for quiet in [
        json!(false),
        json!(null),
        json!(0),
        json!(""),
        json!([]),
        json!({}),
    ] {
        assert_eq!(text(&mut both, "when", json!({ "v": quiet })), "fine");
    }
    assert_eq!(text(&mut both, "when", json!({})), "fine");
    assert_eq!(text(&mut both, "false", json!({})), "fine");
    // What cannot be rendered is the tool's own error, and never an empty message.
    let said = failure(&mut both, "when", json!({ "v": true }));
    assert_eq!(
        said,
        "cannot make `result.protocol_error.message`: `args.w` is undefined"
    );
}

#[test]
fn a_protocol_error_comes_before_an_error_and_an_error_before_content() {
    let mut both = served(
        &tool(
            "t",
            r#"result.text = "content {{ args.missing_is_not_looked_at }}"
           result.error = "{{ args.w }}"
           result.protocol_error = { when = "{{ args.v }}", code = 7, message = "protocol" }"#,
        )
        .replace("\"w\":true", "\"w\":true,\"missing_is_not_looked_at\":true"),
    );
    let protocol = both.ask(&call(1, "t", json!({ "v": true, "w": "error" })));
    assert_eq!(protocol["error"]["message"], "protocol");
    assert_eq!(
        failure(&mut both, "t", json!({ "v": false, "w": "error" })),
        "error"
    );
    let said = failure(&mut both, "t", json!({}));
    assert!(said.contains("missing_is_not_looked_at"), "{said}");
}

#[test]
fn a_failed_action_is_an_error_whatever_the_result_says() {
    let project = Project::with(
        r#"
        [[tool]]
        name = "fails"
        shell = { script = "echo out; echo why >&2; exit 3" }
        [tool.result]
        text = "fine"
        protocol_error = { code = 1, message = "m" }

        [[tool]]
        name = "counts"
        shell = { script = "echo why >&2; exit 3", success = [0, 3] }
        [tool.result]
        text = "{{ output.exit_code }}"
        error = "{{ output.stderr if output.exit_code == 3 }}"
        "#,
    );
    let mut both = Both::of(project);
    assert_eq!(
        failure(&mut both, "fails", json!({})),
        "the command failed with exit code 3\nwhy"
    );
    assert_eq!(failure(&mut both, "counts", json!({})), "why\n");
}

#[test]
fn bad_arguments_come_before_everything_a_result_says() {
    let mut both = served(
        r#"
        [[tool]]
        name = "t"
        arguments.a = { type = "integer", required = true }
        result.protocol_error = { code = 1, message = "m" }
        "#,
    );
    assert_eq!(
        failure(&mut both, "t", json!({})),
        "Missing required arguments: a"
    );
}

#[test]
fn codes_that_the_protocol_keeps_for_itself_are_refused_when_loaded() {
    let manifest = |code: &str| {
        format!(
            "[[tool]]\nname = \"t\"\n[tool.result.protocol_error]\ncode = {code}\nmessage = \"m\"\n"
        )
    };
    for code in [
        "-32768", "-32700", "-32600", "-32601", "-32604", "-32604", "-32500", "-32100", "-32099",
        "-32042", "-32022", "-32021", "-32020", "-32002", "-32001", "-32000",
    ] {
        let said = refused(&manifest(code));
        assert!(
            said.contains("reserved") && said.contains("a.toml:4:8"),
            "{code}: {said}"
        );
    }
    for code in ["1.5", "\"1\"", "2147483648", "-2147483649"] {
        refused(&manifest(code));
    }
    for code in [
        "-32602",
        "-32603",
        "-32769",
        "-31999",
        "-1",
        "0",
        "1",
        "2147483647",
    ] {
        let checked = Project::with(&manifest(code)).check(&[]);
        assert_eq!(checked.code, 0, "{code}: {}", checked.stdout);
    }
}

#[test]
fn a_condition_is_an_expression_or_a_boolean() {
    for when in [
        "\"args.v\"",
        "\"yes\"",
        "\"{{ args.v }} \"",
        "\"{{ args.v }}{{ args.v }}\"",
        "\"\"",
        "5",
    ] {
        let said = refused(&format!(
            "[[tool]]\nname = \"t\"\narguments.v = {{ type = \"string\" }}\n[tool.result.protocol_error]\nwhen = {when}\ncode = 1\nmessage = \"m\"\n"
        ));
        assert!(
            said.contains("`when`") && said.contains("a.toml:5:8"),
            "{when}: {said}"
        );
    }
}

#[test]
fn a_protocol_error_needs_its_code_and_message() {
    let said = refused("[[tool]]\nname = \"t\"\n[tool.result.protocol_error]\nwhen = true\n");
    assert!(
        said.contains("`code`") && said.contains("`message`"),
        "{said}"
    );
    let said = refused("[[tool]]\nname = \"t\"\n[tool.result]\nerror = true\ntext = \"x\"\n");
    assert!(said.contains("`error`"), "{said}");
}
