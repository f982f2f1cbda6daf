//! Secrets: where they come from, and that they never come out.

use super::HELLO;
use crate::support::{Project, call, list, text_of};
use serde_json::json;

const MARKER: &str = "marker-1414213562";

/// A project that uses a secret, declared like this.
fn project(source: &str) -> Project {
    Project::with("[[tool]]\nname = \"length\"\nresult.text = \"{{ secrets.token | length }}\"\n")
        .file(
            "etc/s.toml",
            format!("manifests = [\"../manifests\"]\n[secrets]\ntoken = {source}\n"),
        )
        .arg("--config")
        .arg("etc/s.toml")
}

fn length(project: &Project) -> String {
    let mut stdio = project.stdio();
    text_of(&stdio.ask(&call(1, "length", json!({}))))
}

#[test]
fn a_secret_comes_from_a_variable_a_file_or_a_credential() {
    let project_of = |source: &str| {
        project(source)
            .file("etc/token", format!("{MARKER}\r\n\n"))
            .file("credentials/token", MARKER)
            .env("TOKEN", MARKER)
    };
    let expected = MARKER.len().to_string();
    assert_eq!(length(&project_of("{ env = \"TOKEN\" }")), expected);
    // Relative to the server file; line ends at its end do not belong to it.
    assert_eq!(length(&project_of("{ file = \"token\" }")), expected);
    let project = project_of("{ credential = \"token\" }");
    let folder = project.path().join("credentials");
    let project = project.env("CREDENTIALS_DIRECTORY", folder.to_str().unwrap());
    assert_eq!(length(&project), expected);
}

#[test]
fn a_secret_that_is_missing_is_a_load_error_that_names_it() {
    for (source, message) in [
        ("{ env = \"NOT_SET\" }", "the variable `NOT_SET` is not set"),
        ("{ env = \"EMPTY\" }", "`EMPTY` holds an empty secret"),
        (
            "{ file = \"nowhere\" }",
            "cannot read `etc/nowhere`: there is no such file",
        ),
        ("{ file = \"empty\" }", "`empty` holds an empty secret"),
        (
            "{ file = \"latin\" }",
            "cannot use `etc/latin`: it is not UTF-8",
        ),
        ("{ file = \".\" }", "it is not a regular file"),
        (
            "{ credential = \"token\" }",
            "there are no systemd credentials here: `CREDENTIALS_DIRECTORY` is not set",
        ),
        ("{}", "the secret says not where it comes from"),
        (
            "{ env = \"EMPTY\", file = \"x\" }",
            "`env`, `file` and `credential` exclude each other",
        ),
        ("{ environment = \"X\" }", "unknown key `environment`"),
        ("{ env = 1 }", "`env` must be a string, not an integer"),
        (
            "{ file = \"{{ args.x }}\" }",
            "`file` is taken as it stands",
        ),
    ] {
        let project = project(source)
            .file("etc/empty", "\n")
            .file("etc/latin", b"\xe9")
            .env("EMPTY", "");
        for subcommand in ["check", "stdio"] {
            let output = project.command(subcommand).output().unwrap();
            assert_eq!(output.status.code(), Some(1), "{source}");
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(said.contains(message), "{source}: {said}");
            assert!(said.contains("in secret \"token\""), "{source}: {said}");
        }
    }
    let outside = project("{ credential = \"../x\" }").env("CREDENTIALS_DIRECTORY", "/tmp");
    let said = outside.check(&[]).stderr;
    assert!(said.contains("`../x` is not a credential's name"), "{said}");
}

#[test]
fn a_secret_never_appears_in_what_a_check_prints() {
    // Everything that could repeat it is wrong somewhere.
    let manifest = r#"
[defaults.http]
url = "https://{{ secrets.token }}.example.com"
headers = { Authorization = "{{ secrets.token }}", "b d" = "{{ secrets.token }}" }
[[tool]]
name = "a"
http = { url = "/{{ secrets.token | raw }}", json = { t = "{{ secrets.token }}" } }
[[tool]]
name = "b"
shell = { command = ["echo", "{{ secrets.token }}"], env = { T = "{{ secrets.token }}" }, stdin = "{{ secrets.token | nofilter }}" }
[[tool]]
name = "c"
file = { root = ".", path = "{{ secrets.token }}" }
result.structured = { a = "{{ secrets.tokn }}", b = "{{ secrets }}" }
"#;
    let project = Project::with(manifest)
        .file(
            "s.toml",
            "manifests = [\"manifests\"]\n[server]\nsecret = { env = \"TOKEN\" }\npage_size = 0\n[secrets]\ntoken = { env = \"TOKEN\", x = 1 }\n",
        )
        .arg("--config")
        .arg("s.toml")
        .env("TOKEN", MARKER);
    for args in [
        &[][..],
        &["--format", "json"],
        &["--format", "sarif"],
        &["--expand", "all"],
    ] {
        let said = project.check(args);
        assert_eq!(said.code, 1);
        assert!(said.stdout.len() + said.stderr.len() > 1000);
        assert!(
            !said.stdout.contains(MARKER) && !said.stderr.contains(MARKER),
            "{args:?}"
        );
    }
}

#[test]
fn a_secret_written_in_the_server_file_is_shown_as_stars() {
    let said = project(&format!("\"{MARKER}\"")).check(&[]).stderr;
    assert!(
        said.contains("`token` must say where the secret comes from"),
        "{said}"
    );
    assert!(said.contains("3 | token = *******************\n"), "{said}");
    assert!(!said.contains(MARKER), "{said}");
}

#[test]
fn a_secret_never_appears_in_answers_or_in_the_log_at_its_most_verbose() {
    let manifest = r#"
[[tool]]
name = "undefined"
arguments.x = { type = "string" }
result.text = "{{ secrets.token }} {{ args.x }}"
[[tool]]
name = "operation"
result.text = "{{ secrets.token / 2 }}"
[[tool]]
name = "header"
http = { url = "http://127.0.0.1:1/{{ secrets.token }}", headers = { A = "{{ secrets.token }}\n{{ secrets.token }}" } }
[[tool]]
name = "unreachable"
http = { url = "http://127.0.0.1:1/?key={{ secrets.token }}", headers = { A = "{{ secrets.token }}" } }
[[tool]]
name = "command"
shell = { command = ["no-such-program-here", "{{ secrets.token }}"], env = { T = "{{ secrets.token }}" } }
[[tool]]
name = "dash"
shell = { command = ["true", "-{{ secrets.token }}"] }
"#;
    let project = Project::with(manifest)
        .set("secrets.token.env=TOKEN")
        .set("log.level=trace")
        .env("TOKEN", MARKER);
    let mut stdio = project.stdio();
    let listed = stdio.ask(&list(1));
    let names: Vec<String> = listed["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(names.len(), 6);
    assert!(!listed.to_string().contains(MARKER));
    for (n, name) in names.iter().enumerate() {
        let answer = stdio.ask(&call(n + 2, name, json!({})));
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        assert!(!answer.to_string().contains(MARKER), "{answer}");
    }
    stdio.close();
    assert!(stdio.wait().success());
    stdio.wait_for_log("stopped");
    let log = stdio.stderr();
    assert!(log.contains("TRACE") || log.contains("DEBUG"), "{log}");
    assert!(!log.contains(MARKER), "{log}");
}

#[test]
fn a_secret_that_a_manifest_does_not_declare_is_unknown() {
    let said = Project::with(&format!(
        "{HELLO}[[tool]]\nname = \"b\"\nresult.text = \"{{{{ secrets.x }}}}\"\n"
    ))
    .check(&[])
    .stderr;
    assert!(said.contains("unknown name `secrets.x`"), "{said}");
    assert!(
        said.contains("help: declare it in `[secrets]` of the server file"),
        "{said}"
    );
}
