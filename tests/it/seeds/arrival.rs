//! Any value of an argument reaches argv, a variable, standard input, a file's path, a URL and a JSON
//! body as it was sent, or is refused; it is never read as anything else.

use crate::actions::upstream::Upstream;
use crate::support::{Project, Stdio, call, text_of};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use std::cell::RefCell;

/// Values that some reader on the way could take for something else, and any others.
fn values() -> impl Strategy<Value = String> {
    let awkward = prop::sample::select(vec![
        "",
        " ",
        "-",
        "--",
        "-rf",
        "--help",
        "$(id)",
        "`id`",
        "; id",
        "| id",
        "a b",
        "a\tb",
        "a\nb",
        "'",
        "\"",
        "\\",
        "\\n",
        "%2e%2e",
        "%00",
        "..",
        ".",
        "../x",
        "a/b",
        "a/../b",
        "/etc/passwd",
        "{{ args.v }}",
        "{% raw %}",
        "$HOME",
        "${HOME}",
        "*",
        "~",
        "&",
        "a=b",
        "a&b=c",
        "#x",
        "?x",
        "@x",
        "http://x/",
        "\u{feff}",
        "\u{202e}",
        "é",
        "\u{1f600}",
        "\u{7f}",
        "\u{1}",
        "null",
        "1e999",
        "\r\nX: y",
        "+",
        "%",
        "%zz",
        ";",
        ":",
        "\u{2028}",
    ]);
    prop_oneof![
        3 => awkward.clone().prop_map(str::to_owned),
        2 => (awkward.clone(), awkward).prop_map(|(a, b)| format!("{a}{b}")),
        2 => any::<String>(),
        1 => "[ -~]{0,40}",
    ]
}

struct Server {
    stdio: RefCell<Stdio>,
    _project: Project,
}

impl Server {
    fn of(project: Project) -> Self {
        Self {
            stdio: RefCell::new(project.stdio()),
            _project: project,
        }
    }

    /// What the tool `t` answers to this value: its text, or the text of its error.
    fn give(&self, value: &str) -> Result<String, String> {
        let answer = self
            .stdio
            .borrow_mut()
            .ask(&call(1, "t", json!({ "v": value })));
        match answer["result"]["isError"].as_bool() {
            Some(false) => Ok(text_of(&answer)),
            Some(true) => Err(text_of(&answer)),
            None => panic!("{answer}"),
        }
    }
}

fn tool(action: &str) -> String {
    format!(
        "[[tool]]\nname = \"t\"\narguments.v = {{ type = \"string\", required = true }}\n{action}\n"
    )
}

fn check(test: impl Fn(&str)) {
    let config = Config {
        cases: 150,
        failure_persistence: None,
        ..Config::default()
    };
    let outcome = TestRunner::new(config).run(&values(), |value| {
        test(&value);
        Ok(())
    });
    if let Err(error) = outcome {
        panic!("{error}");
    }
}

/// Unchanged, or refused where this holds.
fn arrives(server: &Server, value: &str, may_be_refused: bool) {
    match server.give(value) {
        Ok(arrived) => assert_eq!(arrived, value),
        Err(text) => assert!(may_be_refused, "{value:?} was refused: {text}"),
    }
}

#[test]
fn in_an_argument_list() {
    let show = r#"shell = { command = ["sh", "-c", 'printf %s "$1"; test $# = 1', "sh", "{{ args.v }}"] }"#;
    let server = Server::of(Project::with(&tool(show)));
    check(|value| {
        arrives(
            &server,
            value,
            value.starts_with('-') || value.contains('\0'),
        )
    });
    let show = r#"shell = { command = ["sh", "-c", 'printf %s "$1"; test $# = 1', "sh", { value = "{{ args.v }}", allow_dash = true }] }"#;
    let server = Server::of(Project::with(&tool(show)));
    check(|value| arrives(&server, value, value.contains('\0')));
}

#[test]
fn in_a_variable_and_on_standard_input() {
    let show = r#"shell = { script = 'printf %s "$V"', env = { V = "{{ args.v }}" } }"#;
    let server = Server::of(Project::with(&tool(show)));
    check(|value| arrives(&server, value, value.contains('\0')));
    let show = r#"shell = { command = ["cat"], stdin = "{{ args.v }}" }"#;
    let server = Server::of(Project::with(&tool(show)));
    check(|value| arrives(&server, value, false));
}

#[test]
fn in_a_files_path() {
    let project = Project::with(&tool(
        "file = { root = \"root\", path = \"{{ args.v }}\" }\nresult.text = \"{{ output.text }}\"",
    ))
    .file("manifests/secret", "outside")
    .file("manifests/x", "outside")
    .file("manifests/root/a/b", "a/b")
    .file("manifests/root/b", "b")
    .file("manifests/root/$HOME", "$HOME")
    .file("manifests/root/-rf", "-rf")
    .file("manifests/root/%2e%2e", "%2e%2e")
    .file("manifests/root/a b", "a b");
    let server = Server::of(project);
    for known in ["a/b", "b", "$HOME", "-rf", "%2e%2e", "a b"] {
        assert_eq!(server.give(known), Ok(known.to_owned()));
    }
    // Each file holds its own name below the root.
    check(|value| {
        if let Ok(name) = server.give(value) {
            let mut parts: Vec<&str> = Vec::new();
            for part in value.split('/').filter(|part| !matches!(*part, "" | ".")) {
                match part {
                    ".." => drop(parts.pop()),
                    part => parts.push(part),
                }
            }
            assert_eq!(parts.join("/"), name, "{value:?}");
        }
    });
}

/// Sends each value to an upstream that answers with what `read` finds in the request.
fn upstream(
    action: &str,
    read: fn(&crate::actions::upstream::Request) -> String,
) -> (Upstream, Server) {
    let upstream = Upstream::new(move |request| {
        // JSON, for a text of its own may begin with a byte order mark.
        let body = json!({ "v": read(request) }).to_string();
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        [head.into_bytes(), body.into_bytes()].concat()
    });
    let action = action.replace("URL", &upstream.url());
    let manifest = tool(&format!(
        "{action}\nresult.text = \"{{{{ output.json.v }}}}\""
    ));
    let server = Server::of(Project::with(&manifest));
    (upstream, server)
}

fn decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(text)
        .decode_utf8()
        .unwrap()
        .into_owned()
}

#[test]
fn in_a_url_and_its_query() {
    let (_upstream, server) = upstream("http = { url = \"URL/a/{{ args.v }}/b\" }", |request| {
        let path = request
            .target()
            .strip_prefix("/a/")
            .and_then(|rest| rest.strip_suffix("/b"));
        let path = path.unwrap_or_else(|| panic!("{}", request.target()));
        assert!(!path.contains(['/', '?', '#']), "{path}");
        decoded(path)
    });
    check(|value| arrives(&server, value, matches!(value, "." | ".." | "")));
    let (_upstream, server) = upstream(
        "http = { url = \"URL/\", query = { first = \"1\", v = \"{{ args.v }}\", last = \"2\" } }",
        |request| {
            let query = request.target().strip_prefix("/?first=1&v=");
            let value = query.and_then(|query| query.strip_suffix("&last=2"));
            let value = value.unwrap_or_else(|| panic!("{}", request.target()));
            decoded(&value.replace('+', "%20"))
        },
    );
    check(|value| arrives(&server, value, false));
}

#[test]
fn in_a_json_body_and_in_a_header() {
    let (_upstream, server) = upstream(
        "http = { method = \"POST\", url = \"URL/\", json = { v = \"{{ args.v }}\" } }",
        |request| {
            let body: Value = serde_json::from_str(&request.text()).unwrap();
            assert_eq!(body.as_object().unwrap().len(), 1);
            body["v"].as_str().unwrap().to_owned()
        },
    );
    check(|value| arrives(&server, value, false));
    // A field's value has no blanks at its ends (RFC 9110 §5.5), and no control characters. The
    // upstream here takes blanks to be what Unicode does.
    let (_upstream, server) = upstream(
        "http = { url = \"URL/\", headers = { x-v = \"{{ args.v }}\" } }",
        |request| request.header("x-v").unwrap().to_owned(),
    );
    check(|value| match server.give(value) {
        Ok(arrived) => assert_eq!(arrived, value.trim()),
        Err(text) => assert!(
            value.contains(|letter: char| letter.is_control() || !letter.is_ascii()),
            "{value:?} was refused: {text}"
        ),
    });
}
