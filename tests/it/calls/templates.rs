//! The rules of "Templates and typed values", as a caller and an author see them.

use super::{failure, refused, result, served, text};
use crate::support::{Both, Project, call, modern};
use serde_json::{Value, json};

/// A tool that takes anything.
fn tool(rest: &str) -> String {
    format!(
        "[[tool]]\nname = \"t\"\ninput_schema = '{{\"type\":\"object\",\"properties\":{{\"a\":true,\"b\":true}}}}'\n{rest}\n"
    )
}

#[test]
fn rule_1_a_lone_expression_keeps_its_type_and_any_other_string_is_text() {
    let mut both = served(&tool(
        r#"[tool.result.structured]
           lone = "{{ args.a }}"
           spaced = "{{args.a}}"
           text = "<{{ args.a }}>"
           blank = " {{ args.a }}"
           twice = "{{ args.a }}{{ args.a }}"
           literal = "5"
           number = 5
           float = 30.0
           flag = true"#,
    ));
    for (value, shown) in [
        (json!(30), "30"),
        (json!(30.0), "30"),
        (json!(0.1), "0.1"),
        (json!(1e21), "1000000000000000000000"),
        (json!(true), "true"),
        (json!(null), "null"),
        (json!("30"), "30"),
        (json!([1, "a", null]), "[1,\"a\",null]"),
        (json!({ "b": 1.0, "a": [] }), "{\"b\":1.0,\"a\":[]}"),
    ] {
        let answer = result(&mut both, "t", json!({ "a": value }));
        let given = &answer["structuredContent"];
        assert_eq!(
            *given,
            json!({
                "lone": value,
                "spaced": value,
                "text": format!("<{shown}>"),
                "blank": format!(" {shown}"),
                "twice": format!("{shown}{shown}"),
                "literal": "5",
                "number": 5,
                "float": 30.0,
                "flag": true,
            }),
            "{value}"
        );
        // Digit for digit, and members in their order.
        assert_eq!(given["lone"].to_string(), value.to_string());
    }
}

#[test]
fn rule_1_expressions_keep_types_too() {
    let mut both = served(&tool(
        r#"[tool.result.structured]
           sum = "{{ args.a + 1 }}"
           list = "{{ [args.a, args.b, none] }}"
           map = "{{ {'k': args.a} }}"
           if = "{{ args.a if args.b else none }}"
           or = "{{ args.b or 'none' }}"
           length = "{{ args.b | length }}"
           is = "{{ args.a > 3 }}""#,
    ));
    assert_eq!(
        result(&mut both, "t", json!({ "a": 3, "b": "" }))["structuredContent"],
        json!({
            "sum": 4, "list": [3, "", null], "map": { "k": 3 }, "if": null, "or": "none",
            "length": 0, "is": false,
        })
    );
}

#[test]
fn rule_2_absent_means_absent() {
    let mut both = served(&tool(
        r#"[tool.result.structured]
           kept = 1
           gone = "{{ args.a }}"
           deep = { gone = "{{ args.a.b.c }}", kept = "x" }
           list = ["{{ args.a }}", 2, "{{ args.b }}"]
           if = "{{ 'there' if args.a }}""#,
    ));
    assert_eq!(
        result(&mut both, "t", json!({}))["structuredContent"],
        json!({ "kept": 1, "deep": { "kept": "x" }, "list": [2] })
    );
    assert_eq!(
        result(&mut both, "t", json!({ "a": null, "b": [] }))["structuredContent"],
        json!({ "kept": 1, "gone": null, "deep": { "kept": "x" }, "list": [null, 2, []] })
    );
}

#[test]
fn rule_2_an_absent_argument_is_no_element_of_a_command() {
    let project = Project::with(&tool(
        r#"[tool.shell]
           command = ["sh", "-c", 'for a; do printf "<%s>" "$a"; done; printf "%s" "${V-unset}"', "x", "{{ args.a }}", "{{ args.b }}"]
           env = { V = "{{ args.b }}" }"#,
    ));
    let mut both = Both::of(project);
    assert_eq!(text(&mut both, "t", json!({})), "unset");
    assert_eq!(text(&mut both, "t", json!({ "b": "" })), "<>");
    assert_eq!(
        text(
            &mut both,
            "t",
            json!({ "a": ["x y", "", "z"], "b": "; id" })
        ),
        "<x y><><z><; id>; id"
    );
    assert_eq!(
        text(&mut both, "t", json!({ "a": [], "b": 30.0 })),
        "<30>30"
    );
}

#[test]
fn rule_2_inside_a_longer_text_it_is_an_error_that_names_the_expression() {
    let project = Project::with(&tool(
        r#"shell = { command = ["echo", "name={{ args.a }}"] }"#,
    ));
    let mut both = Both::of(project);
    assert_eq!(
        failure(&mut both, "t", json!({})),
        "cannot make `command`: `args.a` is undefined"
    );
    assert_eq!(text(&mut both, "t", json!({ "a": "x" })), "name=x\n");
}

#[test]
fn rule_3_what_cannot_work_is_found_when_loaded() {
    let manifest = |template: &str| {
        format!(
            "[[tool]]\nname = \"t\"\narguments.query = {{ type = \"string\" }}\n[tool.result]\ntext = \"{template}\"\n"
        )
    };
    for (template, says, place) in [
        (
            "{{ args.qurey }}",
            "did you mean `args.query`",
            "a.toml:5:17",
        ),
        ("é {{ arg.query }}", "did you mean `args`", "a.toml:5:14"),
        (
            "{{ args.query | uper }}",
            "did you mean `upper`",
            "a.toml:5:25",
        ),
        (
            "{{ args.query is strng }}",
            "did you mean `string`",
            "a.toml:5:",
        ),
        ("{{ secrets.token }}", "`secrets.token`", "a.toml:5:"),
        ("{{ env.HOME }}", "`server.env`", "a.toml:5:"),
        ("{{ output.stdout }}", "`output`", "a.toml:5:"),
        ("{{ args.query", "", "a.toml:5:"),
        ("{{ }}", "", "a.toml:5:"),
        ("{% if args.query %}x", "", "a.toml:5:"),
        ("{{ args.query() }}", "", "a.toml:5:"),
    ] {
        let said = refused(&manifest(template));
        assert!(
            said.contains(says) && said.contains(place),
            "{template}: {said}"
        );
    }
    // Every one of them is told in one run.
    let both = manifest("{{ args.qurey }} {{ args.query | uper }}")
        + "metadata = { a = \"{{ nowhere }}\" }\n";
    let said = refused(&both);
    for name in ["qurey", "uper", "nowhere"] {
        assert!(said.contains(name), "{said}");
    }
}

#[test]
fn rule_5_what_reaches_outside_does_not_exist() {
    for template in [
        "{% include 'x' %}",
        "{% import 'x' as y %}",
        "{% from 'x' import y %}",
        "{% extends 'x' %}",
        "{% macro m() %}{% endmacro %}",
        "{{ load('x') }}",
        "{{ open('/etc/passwd') }}",
    ] {
        let said = refused(&tool(&format!("result.text = \"{template}\"")));
        assert!(said.contains("a.toml:4:"), "{template}: {said}");
    }
}

#[test]
fn rule_5_rendering_is_bounded_and_the_server_goes_on() {
    let manifest = [
        (
            "loop",
            "{% for a in range(100000) %}{% for b in range(100000) %}x{% endfor %}{% endfor %}",
        ),
        (
            "double",
            "{% set ns = 'x' %}{% for a in range(9000) %}{{ args.a }}{% endfor %}",
        ),
        ("repeat", "{{ args.a * 100000000 }}"),
        ("format", "{{ '%0100000000d' | format(5) }}"),
        ("range", "{{ range(1000000000) | list | length }}"),
    ]
    .map(|(name, template)| {
        tool(&format!("result.text = \"{template}\"")).replacen("\"t\"", &format!("\"{name}\""), 1)
    });
    for manifest in manifest {
        let checked = Project::with(&manifest).check(&[]);
        // Refused when loaded, or bounded when rendered.
        if checked.code != 0 {
            continue;
        }
        let mut both = served(&manifest);
        let name = manifest.split('"').nth(1).unwrap().to_owned();
        let answer = both.ask(&call(1, &name, json!({ "a": "x".repeat(10_000) })));
        assert_eq!(
            answer["result"]["isError"],
            true,
            "{manifest}: {:.300}",
            answer.to_string()
        );
        assert!(both.ask(&crate::support::list(2))["result"]["tools"].is_array());
    }
}

#[test]
fn templates_see_the_request_and_its_client() {
    let mut both = served(&tool(
        r#"[tool.result.structured]
           id = "{{ request.id }}"
           method = "{{ request.method }}"
           name = "{{ client.name }}"
           version = "{{ client.version }}"
           principal = "{{ auth.principal }}""#,
    ));
    let answer = both.ask(&call("an id", "t", json!({})));
    assert_eq!(
        answer["result"]["structuredContent"],
        json!({ "id": "an id", "method": "tools/call", "name": "it", "version": "1" })
    );
    // A caller need not say who it is; then it is absent.
    let mut nameless = modern(7, "tools/call", json!({ "name": "t" }));
    let meta = nameless["params"]["_meta"].as_object_mut().unwrap();
    meta.remove("io.modelcontextprotocol/clientInfo");
    assert_eq!(
        both.ask(&nameless)["result"]["structuredContent"],
        json!({ "id": "7", "method": "tools/call" })
    );
}

#[test]
fn templates_see_the_variables_and_secrets_that_the_server_lists() {
    let project = Project::with(&tool(
        r#"[tool.result.structured]
           region = "{{ env.REGION }}"
           length = "{{ secrets.token | length }}""#,
    ))
    .env("REGION", "north")
    .env("TOKEN", "hunter2")
    .set("server.env=[\"REGION\"]")
    .set("secrets.token={ env = \"TOKEN\" }");
    let mut both = Both::of(project);
    assert_eq!(
        result(&mut both, "t", json!({}))["structuredContent"],
        json!({ "region": "north", "length": 7 })
    );
}

#[test]
fn text_in_arguments_is_never_read_as_a_template() {
    let mut both = served(&tool(
        "result.structured = [\"{{ args.a }}\", \"<{{ args.a }}>\"]",
    ));
    for hostile in [
        "{{ secrets }}",
        "{% for a in range(9) %}x{% endfor %}",
        "{# x #}",
        "${HOME}",
    ] {
        let answer = result(&mut both, "t", json!({ "a": hostile }));
        let expected: Value = json!([hostile, format!("<{hostile}>")]);
        assert_eq!(answer["structuredContent"], expected);
    }
}

/// What a template repeats or pads is refused before it is made, also where everything is constant.
#[test]
fn what_would_be_large_is_refused_before_it_takes_memory() {
    let templates = [
        "{{ 'x' * 10**8 }}",
        "{{ 10**8 * 'x' }}",
        "{{ ('x' * 10**8) | length }}",
        "{{ 'x' * 1000 * 1000 * 100 }}",
        "{{ 'x' ~ 'y' * 10**8 }}",
        "{{ [0] * 10**8 }}",
        "{{ (1, 2) * 10**7 }}",
        "{{ [[0] * 10000] * 10000 == 1 }}",
        "{{ '%100000000d' | format(1) }}",
        "{{ '%.100000000f' | format(1.0) }}",
        "{{ 'x' | indent(100000000) }}",
        "{{ 'x' | replace('', 'y' * 10**8) }}",
        "{{ [1] | batch(10**8, 'x') }}",
        "{{ [1] | slice(10**8) }}",
    ];
    let tools = templates.iter().enumerate().map(|(i, template)| {
        format!(
            "[[tool]]\nname = \"t{i}\"\nresult.text = {}\n",
            json!(template)
        )
    });
    let daemon = Project::with(&tools.collect::<String>());
    let daemon = daemon.serve();
    let peak = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", daemon.pid())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM:"));
        let kib = line.unwrap().split_whitespace().nth(1).unwrap();
        kib.parse::<u64>().unwrap()
    };
    let before = peak();
    for (i, template) in templates.iter().enumerate() {
        let answer = daemon.ask(&call(1, &format!("t{i}"), json!({})));
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str().unwrap_or_default();
        assert!(
            result["isError"] == true
                && (text.ends_with(" takes too much work to render")
                    || text.ends_with(" gives more than 1000000 values")),
            "{template}: {answer}"
        );
        let grown = peak().saturating_sub(before);
        assert!(grown < 32 * 1024, "{template} took {grown} KiB");
    }
}
