//! `snodo check --expand`: components with their file's defaults filled in.

use crate::support::{Project, list};
use serde_json::Value;

const WEB: &str = r#"[defaults.http]
url = "https://api.example.com/v1/"
headers = { Authorization = "Bearer {{ secrets.token }}", accept = "application/json" }
timeout_ms = 5000
retry = { attempts = 2, on = [503] }
json = { version = 1, who = { kind = "tool", name = "x" } }

[defaults.shell]
interpreter = ["/bin/bash", "-c"]
env = { A = "1", B = "2" }
script = "true"

[defaults.annotations]
read_only = true

[[tool]]
name = "search"
description = "Search"
arguments.q = { type = "string", required = true }

[tool.http]
url = "/search"
query = { q = "{{ args.q }}" }
headers = { authorization = "mine" }
retry = { on = [502] }
json = { who = { name = "search" } }
method = "POST"

[[tool]]
name = "form"
http = { method = "POST", form = { a = "b" }, url = "https://other.example/x" }
annotations = { read_only = false, title = "Form" }

[[tool]]
name = "run"
shell = { command = ["true"], env = { B = "3" } }

[[tool]]
name = "text"
result.text = """
two
lines"""
"#;

fn project() -> Project {
    Project::with(WEB)
        .file(
            "s.toml",
            "manifests = [\"manifests\"]\n[secrets]\ntoken = { env = \"TOKEN\" }\n",
        )
        .arg("--config")
        .arg("s.toml")
        .env("TOKEN", "marker-2718281828")
}

#[test]
fn a_component_is_printed_with_what_its_defaults_say() {
    let said = project().check(&["--expand", "search"]);
    assert_eq!((said.code, said.stderr.as_str()), (0, ""));
    assert_eq!(
        said.stdout,
        r#"# manifests/a.toml:16
[[tool]]
name = "search"
description = "Search"

[tool.arguments.q]
type = "string"
required = true

[tool.http]
url = "https://api.example.com/v1/search"  # from [defaults.http]
method = "POST"
timeout_ms = 5000  # from [defaults.http]

[tool.http.query]
q = "{{ args.q }}"

[tool.http.headers]
authorization = "mine"
accept = "application/json"  # from [defaults.http.headers]

[tool.http.retry]
on = [502]
attempts = 2  # from [defaults.http.retry]

[tool.http.json]
version = 1  # from [defaults.http.json]

[tool.http.json.who]
name = "search"
kind = "tool"  # from [defaults.http.json.who]

[tool.annotations]
read_only = true  # from [defaults.annotations]
"#
    );
}

#[test]
fn what_a_component_says_replaces_what_means_the_same() {
    let said = project().check(&["--expand", "form", "run", "text"]).stdout;
    assert_eq!(
        said,
        r#"# manifests/a.toml:29
[[tool]]
name = "form"

[tool.http]
method = "POST"
url = "https://other.example/x"
timeout_ms = 5000  # from [defaults.http]

[tool.http.form]
a = "b"

[tool.http.headers]
Authorization = "Bearer {{ secrets.token }}"  # from [defaults.http.headers]
accept = "application/json"  # from [defaults.http.headers]

[tool.http.retry]
attempts = 2  # from [defaults.http.retry]
on = [503]  # from [defaults.http.retry]

[tool.annotations]
read_only = false
title = "Form"

# manifests/a.toml:34
[[tool]]
name = "run"

[tool.shell]
command = ["true"]

[tool.shell.env]
B = "3"
A = "1"  # from [defaults.shell.env]

[tool.annotations]
read_only = true  # from [defaults.annotations]

# manifests/a.toml:38
[[tool]]
name = "text"

[tool.result]
text = '''
two
lines'''

[tool.annotations]
read_only = true  # from [defaults.annotations]
"#
    );
}

#[test]
fn what_is_printed_means_the_same_without_defaults() {
    let before = project();
    let expanded = before.check(&["--expand", "all"]).stdout;
    assert!(!expanded.contains("marker-2718281828"));
    let after = project().manifest("a.toml", &expanded);
    let again = after.check(&["--expand", "all"]);
    assert_eq!((again.code, again.stderr.as_str()), (0, ""));
    let without_comments = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| !line.starts_with("# "));
        lines
            .map(|line| line.split("  # from").next().unwrap().to_owned())
            .collect()
    };
    assert_eq!(without_comments(&again.stdout), without_comments(&expanded));
    let tools = |project: &Project| -> Value {
        let mut stdio = project.stdio();
        stdio.ask(&list(1))["result"]["tools"].clone()
    };
    assert_eq!(tools(&after), tools(&before));
}

#[test]
fn a_name_that_no_component_has_is_answered_with_the_nearest() {
    let said = project().check(&["--expand", "search", "serach"]);
    assert_eq!((said.code, said.stdout.as_str()), (2, ""));
    assert_eq!(
        said.stderr,
        "error: there is no component `serach`\n  = help: did you mean `search`?\n"
    );
}

#[test]
fn findings_are_told_beside_what_is_printed() {
    let said = Project::with("[[tool]]\nname = \"a\"\nfoo = 1\nresult.text = \"x\"\n")
        .check(&["--expand", "a"]);
    assert_eq!(said.code, 1);
    assert!(said.stderr.contains("unknown key `foo`"), "{}", said.stderr);
    assert!(said.stdout.contains("\nfoo = 1\n"), "{}", said.stdout);
}
