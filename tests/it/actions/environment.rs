//! `shell`: a command's environment. Requirement "Children inherit every secret".

use super::text;
use crate::support::{Project, call, text_of};
use serde_json::{Value, json};

#[test]
fn a_childs_environment_is_exactly_what_is_listed() {
    let passed = [
        ("HOME", "/home/of-nobody"),
        ("USER", "somebody"),
        ("LANG", "C.UTF-8"),
        ("LC_ALL", "C"),
        ("LC_CTYPE", "C"),
        ("LC_TIME", "C"),
        ("TZ", "UTC"),
        ("TMPDIR", "/tmp"),
    ];
    let mut project = Project::with(
        r#"
        [[tool]]
        name = "env"
        shell = { command = ["env", "-0"], env = { ADDED = "1", TZ = "Europe/Berlin" } }
        [[tool]]
        name = "some"
        shell = { command = ["env", "-0"], pass_env = ["OTHER", "UNSET"], max_cpu_seconds = 9 }
        [[tool]]
        name = "none"
        shell = { command = ["env", "-0"], pass_env = [] }
        "#,
    )
    .file("snodo.toml", "manifests = [\"manifests\"]\n[secrets]\ntoken = { env = \"TOKEN\" }\n[server]\nenv = [\"SHOWN\"]\n")
    .arg("--config")
    .arg("snodo.toml")
    .env("TOKEN", "a-secret")
    .env("SHOWN", "only to templates")
    .env("OTHER", "value")
    .env("SNODO_ANYTHING", "x")
    .env("LC_SMUGGLED", "x")
    .env("LD_PRELOAD", "")
    .env("NOTIFY_SOCKET", "/nonexistent");
    for (name, value) in passed {
        project = project.env(name, value);
    }
    let daemon = project.serve();
    let variables = |tool| {
        let text = text(&daemon, tool, json!({}));
        let mut list: Vec<String> = text.split_terminator('\0').map(str::to_owned).collect();
        list.sort();
        list
    };
    let path = std::env::var("PATH").unwrap();
    let mut expected: Vec<String> = passed
        .iter()
        .filter(|(name, _)| *name != "TZ")
        .map(|(name, value)| format!("{name}={value}"))
        .chain([
            format!("PATH={path}"),
            "ADDED=1".to_owned(),
            "TZ=Europe/Berlin".to_owned(),
        ])
        .collect();
    expected.sort();
    assert_eq!(variables("env"), expected);
    assert_eq!(variables("some"), ["OTHER=value"]);
    assert_eq!(variables("none"), Vec::<String>::new());
}

#[test]
fn a_secret_or_variable_that_is_not_there_is_a_load_error() {
    let project = Project::with("[[tool]]\nname = \"a\"\nresult.text = \"x\"\n")
        .file(
            "snodo.toml",
            "manifests = [\"manifests\"]\n[secrets]\ntoken = { env = \"NOT_SET_HERE\" }\n[server]\nenv = [\"NOR_THIS\"]\n",
        )
        .arg("--config")
        .arg("snodo.toml");
    let checked = project.check(&[]);
    assert_eq!(checked.code, 1);
    for name in ["NOT_SET_HERE", "NOR_THIS"] {
        let message = format!("the variable `{name}` is not set");
        assert!(checked.stderr.contains(&message), "{}", checked.stderr);
    }
}

#[test]
fn the_callers_trace_reaches_a_command() {
    let project = Project::with(
        r#"
        [[tool]]
        name = "trace"
        shell = { script = 'printf "%s|%s" "${TRACEPARENT-}" "${TRACESTATE-}"' }
        [[tool]]
        name = "own"
        shell = { script = 'printf "%s" "$TRACEPARENT"', env.TRACEPARENT = "mine" }
        "#,
    );
    let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let traced = |tool: &str, parent: &str| {
        let mut request = call(1, tool, json!({}));
        request["params"]["_meta"]["traceparent"] = parent.into();
        request["params"]["_meta"]["tracestate"] = "vendor=1".into();
        request
    };
    let daemon = project.serve();
    let mut stdio = project.stdio();
    let mut ask = |request: &Value| {
        let over_http = text_of(&daemon.ask(request));
        assert_eq!(text_of(&stdio.ask(request)), over_http);
        over_http
    };
    assert_eq!(ask(&traced("trace", parent)), format!("{parent}|vendor=1"));
    assert_eq!(ask(&traced("trace", "nonsense")), "|");
    assert_eq!(ask(&call(1, "trace", json!({}))), "|");
    assert_eq!(ask(&traced("own", parent)), "mine");
}
