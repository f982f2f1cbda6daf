//! What holds whenever an actor is asked: its text shows no secret, and what reaches it was checked.

use super::policy::said;
use super::*;
use crate::support::Both;

#[test]
fn no_secret_stands_in_a_refusal() {
    let manifest = r#"
[[actor]]
name = "p"
[actor.process]
env = { WORD = "{{ secrets.word }}" }
script = '''
while read -r line; do
    id=${line#*:}; id=${id%%,*}
    case $line in
        *'"call":"fail"'*) printf '{"id":%s,"error":"failed with %s"}\n' "$id" "$WORD" ;;
        *) printf '{"id":%s,"reply":{"refuse":"refused with %s"}}\n' "$id" "$WORD" ;;
    esac
done
'''
[[tool]]
name = "refused"
wrap = [{ actor = { target = "p", call = "refuse" } }]
result.text = "x"
[[tool]]
name = "failed"
wrap = [{ actor = { target = "p", call = "fail" } }]
result.text = "x"
[[tool]]
name = "messaged"
actor = { target = "p", call = "fail" }
[[resource]]
uri = "r://refused"
name = "r"
wrap = [{ actor = { target = "p", call = "refuse" } }]
result.text = "x"
[[resource]]
uri = "r://messaged"
name = "m"
actor = { target = "p", call = "fail" }
[[prompt]]
name = "q"
arguments.a.complete = { actor = { target = "p", call = "fail" }, values = "{{ [] }}" }
wrap = [{ actor = { target = "p", call = "refuse" } }]
result.text = "x"
[[prompt]]
name = "completed"
arguments.a.complete = { actor = { target = "p", call = "fail" }, values = "{{ [] }}" }
result.text = "x"
"#;
    let project = Project::with(manifest)
        .set("secrets.word={ env = \"WORD\" }")
        .env("WORD", "marker-3141592653");
    let mut both = Both::of(project);
    let complete = |prompt| {
        let reference = json!({ "type": "ref/prompt", "name": prompt });
        json!({ "ref": reference, "argument": { "name": "a", "value": "" } })
    };
    for (method, params, text) in [
        (
            "tools/call",
            json!({ "name": "refused" }),
            "refused with [secret]",
        ),
        (
            "tools/call",
            json!({ "name": "failed" }),
            "failed with [secret]",
        ),
        (
            "tools/call",
            json!({ "name": "messaged" }),
            "failed with [secret]",
        ),
        (
            "resources/read",
            json!({ "uri": "r://refused" }),
            "refused with [secret]",
        ),
        (
            "resources/read",
            json!({ "uri": "r://messaged" }),
            "failed with [secret]",
        ),
        (
            "prompts/get",
            json!({ "name": "q" }),
            "refused with [secret]",
        ),
        (
            "completion/complete",
            complete("q"),
            "refused with [secret]",
        ),
        (
            "completion/complete",
            complete("completed"),
            "failed with [secret]",
        ),
    ] {
        assert_eq!(said(&mut both, method, params), text);
    }
    both.finish();
}

#[test]
fn who_asks_an_actor_is_checked_even_without_validation() {
    let manifest = r#"
[[actor]]
name = "p"
[actor.on.go]
reply = { continue = true }

[[tool]]
name = "asks"
wrap = [{ actor = { target = "p", call = "go" } }]
arguments.n = { type = "integer", maximum = 5 }
result.text = "{{ args.n }}"
[[tool]]
name = "does_not"
arguments.n = { type = "integer", maximum = 5 }
wrap = [{ timeout_ms = 1000 }]
result.text = "{{ args.n }}"
# What the basic validator leaves out is no error: the tool itself messages nobody.
[[tool]]
name = "rich"
wrap = [{ actor = { target = "p", call = "go" } }]
result.text = "{{ args.n }}"
[tool.input_schema]
type = "object"
properties.n.oneOf = [{ type = "integer" }, { type = "boolean" }]
"#;
    let inherited = r#"
[defaults]
wrap = [{ actor = { target = "p", call = "go" } }]
[[tool]]
name = "inherits"
arguments.n = { type = "integer", maximum = 5 }
result.text = "{{ args.n }}"
[[tool]]
name = "has_none"
arguments.n = { type = "integer", maximum = 5 }
wrap = []
result.text = "{{ args.n }}"
"#;
    let project = Project::with(manifest).manifest("b.toml", inherited);
    let project = project.set("server.validation=\"none\"");
    let daemon = project.serve();
    for (tool, n, checked) in [
        ("asks", json!(9), true),
        ("asks", json!("x"), true),
        ("inherits", json!(9), true),
        ("does_not", json!(9), false),
        ("has_none", json!(9), false),
        ("rich", json!("x"), false),
    ] {
        let answer = daemon.ask(&call(1, tool, json!({ "n": n })));
        assert_eq!(answer["result"]["isError"], checked, "{tool}: {answer}");
    }
}
