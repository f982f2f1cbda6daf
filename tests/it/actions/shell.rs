//! `shell`: what a command is given. Requirement "Arguments pasted into a shell line".

use super::{failure, result, text};
use crate::support::{Project, call, text_of};
use serde_json::json;

/// Prints its arguments, each in `<…>`.
const SHOW: &str = r#"#!/bin/sh
for argument; do printf '<%s>' "$argument"; done
"#;

/// A project with the program `show` beside its manifests.
fn showing(manifest: &str) -> Project {
    let project = Project::with(manifest);
    executable(&project, "show", SHOW);
    project
}

/// A program beside the manifests.
fn executable(project: &Project, name: &str, content: &str) {
    let path = project.manifests().join(name);
    std::fs::write(&path, content).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(path, mode).unwrap();
}

#[test]
fn each_argument_is_one_argv_element_and_no_shell_reads_it() {
    let project = showing(
        r#"
        [[tool]]
        name = "show"
        arguments.text = { type = "string", required = true }
        shell = { command = ["./show", "{{ args.text }}", "after"] }
        [[tool]]
        name = "exec"
        arguments.text = { type = "string", required = true }
        shell = { command = ["printf", "%s", "{{ args.text }}"] }
        "#,
    );
    let daemon = project.serve();
    for value in [
        "; id",
        "$(id)",
        "`id`",
        "a && b || c | d > e < f",
        "two\nlines\r\n",
        "'single' \"double\"",
        "",
        " ",
        "*?[a-z]~$HOME${PATH}",
        "\\n\\0",
        "grüße 日本 🦀",
        "\u{1}\u{1b}[31m\u{7f}",
        "%s%n",
    ] {
        let arguments = json!({ "text": value });
        assert_eq!(
            text(&daemon, "show", arguments.clone()),
            format!("<{value}><after>")
        );
        assert_eq!(text(&daemon, "exec", arguments), value);
    }
}

#[test]
fn absent_arguments_disappear_and_lists_splice() {
    let project = showing(
        r#"
        [[tool]]
        name = "show"
        arguments.maybe = { type = "string" }
        arguments.many = { type = "array", items = "string" }
        arguments.count = { type = "integer" }
        arguments.ratio = { type = "number" }
        arguments.flag = { type = "boolean" }
        [tool.shell]
        command = ["./show", "{{ args.maybe }}", "{{ args.many }}", "{{ args.count }}",
                   "{{ args.ratio }}", "{{ args.flag }}", "n={{ args.count or 0 }}", "end"]
        "#,
    );
    let daemon = project.serve();
    for (arguments, expected) in [
        (json!({}), "<n=0><end>"),
        (json!({ "maybe": "" }), "<><n=0><end>"),
        (json!({ "many": [] }), "<n=0><end>"),
        (
            json!({ "many": ["a b", "", "c"], "count": 30 }),
            "<a b><><c><30><n=30><end>",
        ),
        (
            json!({ "ratio": 2.50, "flag": false }),
            "<2.5><false><n=0><end>",
        ),
        (json!({ "ratio": 30.0 }), "<30><n=0><end>"),
    ] {
        assert_eq!(
            text(&daemon, "show", arguments.clone()),
            expected,
            "{arguments}"
        );
    }
}

#[test]
fn an_absent_argument_inside_longer_text_is_an_error_that_names_it() {
    let project = showing(
        r#"
        [[tool]]
        name = "show"
        arguments.since = { type = "string" }
        shell = { command = ["./show", "--since={{ args.since }}"] }
        "#,
    );
    let daemon = project.serve();
    assert_eq!(
        failure(&daemon, "show", json!({})),
        "cannot make `command`: `args.since` is undefined"
    );
    assert_eq!(
        text(&daemon, "show", json!({ "since": "-1 week" })),
        "<--since=-1 week>"
    );
}

#[test]
fn a_value_cannot_become_an_option() {
    let project = showing(
        r#"
        [[tool]]
        name = "guarded"
        arguments.a = { type = "string" }
        arguments.b = { type = "string" }
        arguments.list = { type = "array", items = "string" }
        shell = { command = ["./show", "{{ args.a }}", "{{ args.a or '' }}{{ args.b or '' }}", "{{ args.list }}"] }
        [[tool]]
        name = "after_dashes"
        arguments.a = { type = "string" }
        shell = { command = ["./show", "--", "{{ args.a }}"] }
        [[tool]]
        name = "allowed"
        arguments.a = { type = "string" }
        shell = { command = ["./show", { value = "{{ args.a }}", allow_dash = true }] }
        [[tool]]
        name = "allowed_one"
        arguments.a = { type = "string" }
        shell = { command = ["./show", { value = "x", allow_dash = true }, "{{ args.a }}"] }
        [[tool]]
        name = "inside"
        arguments.a = { type = "string" }
        shell = { command = ["./show", "--author={{ args.a }}", "-n{{ args.a }}", "x{{ args.a }}"] }
        "#,
    );
    let daemon = project.serve();
    for (tool, arguments, source) in [
        ("guarded", json!({ "a": "-x" }), "{{ args.a }}"),
        ("guarded", json!({ "a": "--output=/tmp/x" }), "{{ args.a }}"),
        ("guarded", json!({ "a": "-" }), "{{ args.a }}"),
        (
            "guarded",
            json!({ "b": "-x" }),
            "{{ args.a or '' }}{{ args.b or '' }}",
        ),
        ("guarded", json!({ "list": ["a", "-x"] }), "{{ args.list }}"),
        ("allowed_one", json!({ "a": "-x" }), "{{ args.a }}"),
    ] {
        assert_eq!(
            failure(&daemon, tool, arguments),
            format!("the value of `{source}` begins with `-` and would be read as an option")
        );
    }
    for (tool, expected) in [
        ("after_dashes", "<--><-x>"),
        ("allowed", "<-x>"),
        ("inside", "<--author=-x><-n-x><x-x>"),
    ] {
        assert_eq!(text(&daemon, tool, json!({ "a": "-x" })), expected);
    }
}

#[test]
fn nul_is_refused_in_arguments_and_variables_and_passes_on_stdin() {
    let project = showing(
        r#"
        [[tool]]
        name = "argv"
        arguments.a = { type = "string", required = true }
        shell = { command = ["./show", "--", "x{{ args.a }}"] }
        [[tool]]
        name = "variable"
        arguments.a = { type = "string", required = true }
        shell = { command = ["./show"], env = { VALUE = "{{ args.a }}" } }
        [[tool]]
        name = "input"
        arguments.a = { type = "string", required = true }
        shell = { command = ["cat"], stdin = "{{ args.a }}" }
        "#,
    );
    let daemon = project.serve();
    let arguments = json!({ "a": "a\0b" });
    assert_eq!(
        failure(&daemon, "argv", arguments.clone()),
        "the value of `x{{ args.a }}` holds a NUL character"
    );
    assert_eq!(
        failure(&daemon, "variable", arguments.clone()),
        "environment variable `VALUE` holds a NUL byte, which no program can be given"
    );
    assert_eq!(text(&daemon, "input", arguments), "a\0b");
}

#[test]
fn a_script_is_literal_and_gets_its_values_as_variables() {
    let project = Project::with(
        r#"
        [[tool]]
        name = "script"
        arguments.name = { type = "string", required = true }
        arguments.extra = { type = "string" }
        [tool.shell]
        script = '''
        printf '%s|%s' "$NAME" "${EXTRA-unset}"
        '''
        env = { NAME = "{{ args.name }}", EXTRA = "{{ args.extra }}" }
        [[tool]]
        name = "interpreted"
        arguments.name = { type = "string", required = true }
        [tool.shell]
        interpreter = ["perl", "-e"]
        script = 'print "$ENV{NAME}!" x 2'
        env.NAME = "{{ args.name }}"
        "#,
    );
    let daemon = project.serve();
    let hostile = "\"; id; $(id) `id`\n-x";
    assert_eq!(
        text(&daemon, "script", json!({ "name": hostile })),
        format!("{hostile}|unset")
    );
    assert_eq!(
        text(&daemon, "script", json!({ "name": "-n", "extra": "" })),
        "-n|"
    );
    assert_eq!(
        text(&daemon, "interpreted", json!({ "name": "a'b" })),
        "a'b!a'b!"
    );
}

#[test]
fn a_placeholder_inside_script_text_is_refused_at_load() {
    for script in ["echo {{ args.name }}", "{% if args.name %}id{% endif %}"] {
        let project = Project::with(&format!(
            r#"
[[tool]]
name = "script"
arguments.name = {{ type = "string" }}
[tool.shell]
script = "{script}"
"#
        ));
        let checked = project.check(&[]);
        assert_eq!(checked.code, 1, "{}", checked.stderr);
        for part in [
            "error: a script's text is taken as it stands and cannot hold a template",
            "--> manifests/a.toml:6:1",
            "pass the value through `env = { NAME = \"{{ … }}\" }` and use \"$NAME\" in the script",
        ] {
            assert!(checked.stderr.contains(part), "{}", checked.stderr);
        }
    }
}

#[test]
fn standard_input_and_folder_are_the_manifests() {
    let project = Project::with(
        r#"
        [[tool]]
        name = "stdin"
        arguments.text = { type = "string" }
        shell = { command = ["cat"], stdin = "{{ args.text }}" }
        [[tool]]
        name = "stdin_json"
        arguments.list = { type = "array", items = "integer" }
        shell = { command = ["cat"], stdin = "{{ args.list }}" }
        [[tool]]
        name = "here"
        shell = { command = ["pwd", "-P"] }
        [[tool]]
        name = "below"
        shell = { command = ["pwd", "-P"], cwd = "../data" }
        "#,
    )
    .file("data/x", "");
    let daemon = project.serve();
    let root = project.path().canonicalize().unwrap();
    let big = "z".repeat(300_000);
    assert_eq!(text(&daemon, "stdin", json!({ "text": big })), big);
    // Without a value there is no input: the end comes at once.
    assert_eq!(text(&daemon, "stdin", json!({})), "");
    assert_eq!(
        text(&daemon, "stdin_json", json!({ "list": [1, 2] })),
        "[1,2]"
    );
    for (tool, folder) in [("here", "manifests"), ("below", "data")] {
        let folder = root.join(folder);
        let expected = format!("{}\n", folder.display());
        assert_eq!(text(&daemon, tool, json!({})), expected);
    }
}

#[test]
fn a_command_that_cannot_be_run_is_a_tool_error_that_names_it() {
    let project = Project::with(
        r#"
        [[tool]]
        name = "missing"
        shell = { command = ["no-such-program-anywhere", "x"] }
        [[tool]]
        name = "missing_path"
        shell = { command = ["./nothing"] }
        [[tool]]
        name = "not_executable"
        shell = { command = ["./a.toml"] }
        [[tool]]
        name = "no_format"
        shell = { command = ["./garbage"] }
        [[tool]]
        name = "no_format_limited"
        shell = { command = ["./garbage"], nice = 1 }
        [[tool]]
        name = "lost_interpreter"
        shell = { command = ["./lost"] }
        [[tool]]
        name = "lost_interpreter_limited"
        shell = { command = ["./lost"], max_cpu_seconds = 1 }
        [[tool]]
        name = "limited"
        shell = { command = ["no-such-program-anywhere"], nice = 1 }
        [[tool]]
        name = "no_folder"
        shell = { command = ["true"], cwd = "../gone" }
        [[tool]]
        name = "no_interpreter"
        shell = { script = "x", interpreter = ["no-such-interpreter"] }
        "#,
    );
    for (name, content) in [("garbage", "\x01\x02"), ("lost", "#!/nonexistent/sh\n")] {
        executable(&project, name, content);
    }
    // Their absence is a warning when loaded.
    let checked = project.check(&[]);
    assert_eq!(checked.code, 0, "{}", checked.stderr);
    assert!(
        checked
            .stderr
            .contains("the command `no-such-program-anywhere` is not here")
    );
    let daemon = project.serve();
    for (tool, expected) in [
        (
            "missing",
            "program `no-such-program-anywhere` is in no folder of the command's PATH",
        ),
        (
            "limited",
            "program `no-such-program-anywhere` is in no folder of the command's PATH",
        ),
        (
            "no_interpreter",
            "program `no-such-interpreter` is in no folder of the command's PATH",
        ),
    ] {
        assert_eq!(failure(&daemon, tool, json!({})), expected);
    }
    for (tool, begin, end) in [
        ("missing_path", "program `", "nothing` does not exist"),
        ("not_executable", "`", "a.toml` is not an executable file"),
        (
            "no_format",
            "`",
            "garbage` is not a program this system can run, nor a script that begins with `#!`",
        ),
        (
            "no_format_limited",
            "`",
            "garbage` is not a program this system can run, nor a script that begins with `#!`",
        ),
        (
            "lost_interpreter",
            "the interpreter that `",
            "lost` asks for does not exist",
        ),
        (
            "lost_interpreter_limited",
            "the interpreter that `",
            "lost` asks for does not exist",
        ),
        (
            "no_folder",
            "the command's folder `",
            "gone` does not exist",
        ),
    ] {
        let text = failure(&daemon, tool, json!({}));
        assert!(text.starts_with(begin) && text.ends_with(end), "{text}");
    }
}

#[test]
fn fifty_calls_at_once_each_get_their_own_answer() {
    let project = Project::with(
        r#"
        [[tool]]
        name = "echo"
        arguments.n = { type = "integer", required = true }
        [tool.shell]
        script = 'cat; printf " %s" "$N"'
        stdin = "in {{ args.n }}"
        env.N = "{{ args.n }}"
        "#,
    );
    let daemon = project.serve();
    std::thread::scope(|scope| {
        let calls: Vec<_> = (0..50)
            .map(|n| {
                let daemon = &daemon;
                scope.spawn(move || result(daemon, "echo", json!({ "n": n })))
            })
            .collect();
        for (n, call) in calls.into_iter().enumerate() {
            let result = call.join().unwrap();
            assert_eq!(result["content"][0]["text"], format!("in {n} {n}"));
        }
    });
    let mut stdio = project.stdio();
    for n in 0..50 {
        stdio.send(&call(n, "echo", json!({ "n": n })));
    }
    let mut seen: Vec<i64> = (0..50)
        .map(|_| {
            let answer = stdio.receive();
            let id = answer["id"].as_i64().unwrap();
            assert_eq!(text_of(&answer), format!("in {id} {id}"));
            id
        })
        .collect();
    seen.sort_unstable();
    assert_eq!(seen, (0..50).collect::<Vec<_>>());
}

#[test]
fn a_timeout_longer_than_any_request_is_a_warning() {
    let project = Project::with(
        r#"
        [[tool]]
        name = "long"
        shell = { command = ["true"], timeout_ms = 60000 }
        [[tool]]
        name = "short"
        shell = { command = ["true"], timeout_ms = 59999 }
        "#,
    );
    let checked = project.check(&["--format", "json"]);
    let found: serde_json::Value = serde_json::from_str(&checked.stdout).unwrap();
    let text = found.to_string();
    assert_eq!(
        text.matches("every request ends after 60 s").count(),
        1,
        "{text}"
    );
    let longer = project.check(&["--set", "http.request_timeout_ms=60001", "--deny-warnings"]);
    assert_eq!(longer.code, 0, "{}", longer.stderr);
}
