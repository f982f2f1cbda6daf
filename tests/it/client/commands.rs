//! Each command, with its exact output, over every way to a server.

use super::{everywhere, printed, snodo};
use crate::support::Project;
use serde_json::{Value, json};

const MANIFEST: &str = r#"
[[tool]]
name = "greet"
description = """
Greets somebody.
And more."""
result.text = "Hello, {{ args.name }}{{ '!' * args.times }}"
[tool.arguments]
name = { type = "string", required = true }
times = { type = "integer", default = 1 }
tags = { type = "array", items = { type = "string" } }

[[tool]]
name = "sums"
result.structured = { sum = "{{ args.a + args.b }}" }
[tool.arguments]
a = { type = "number", required = true }
b = { type = "number", required = true }

[[tool]]
name = "fails"
shell = { command = ["false"] }

[[tool]]
name = "picture"
[tool.result]
content = [
  { type = "text", text = "here" },
  { type = "image", data = "iVBORw0KGgo=", mime_type = "image/png" },
]

[[resource]]
uri = "docs://one"
name = "one"
title = "The first"
result.text = "one\ntwo\n"

[[resource]]
uri_template = "notes://{year}/{name}"
name = "notes"
result.text = "{{ params.name }} of {{ params.year }}"
complete.year = ["2025", "2026"]

[[prompt]]
name = "review"
description = "Asks for a review"
arguments.language = { required = true, complete = ["Rust", "Ruby", "Go"] }
result.text = "Review this {{ args.language }}"
"#;

fn project() -> Project {
    Project::with(MANIFEST)
}

#[test]
fn list_says_what_is_typed_to_use_what_there_is() {
    let said = everywhere(&project(), &["list"]);
    assert_eq!(
        said.out,
        "tools
  greet name=STRING [times=INTEGER] [tags=ARRAY]
      Greets somebody.
  sums a=NUMBER b=NUMBER
  fails
  picture

resources
  docs://one
      The first

templates
  notes://{year}/{name}

prompts
  review language=STRING
      Asks for a review
"
    );
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    let folder = project();
    let list = |args: &[&str]| {
        let args = [&["list", "--manifests", "manifests"], args].concat();
        printed(folder.path(), &args)
    };
    assert_eq!(
        list(&["resources"]),
        "resources\n  docs://one\n      The first\n"
    );
    let all: Value = serde_json::from_str(&list(&["--output", "json"])).unwrap();
    assert_eq!(all["tools"][0]["name"], "greet");
    assert_eq!(all["templates"][0]["uriTemplate"], "notes://{year}/{name}");
}

#[test]
fn call_types_values_by_the_schema() {
    let project = project();
    let args = ["call", "greet", "name=1", "times=3"];
    let said = everywhere(&project, &args);
    assert_eq!(
        (said.code, said.out.as_str()),
        (0, "Hello, 1!!!\n"),
        "{}",
        said.err
    );
    let said = everywhere(&project, &["call", "sums", "a=1.5", "b=2"]);
    assert_eq!(
        (said.code, said.out.as_str()),
        (0, "{\n  \"sum\": 3.5\n}\n"),
        "{}",
        said.err
    );
    let json = [
        "call",
        "greet",
        "--json",
        r#"{"name":"Ada"}"#,
        "--output",
        "json",
    ];
    let said = everywhere(&project, &json);
    let result: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(
        result["content"],
        json!([{ "type": "text", "text": "Hello, Ada!" }])
    );
}

#[test]
fn a_tool_that_fails_exits_with_1_and_what_it_said() {
    let said = everywhere(&project(), &["call", "fails"]);
    assert_eq!(said.code, 1);
    assert!(said.out.contains("exit code 1"), "{said:?}");
    let said = everywhere(&project(), &["call", "sums", "a=1"]);
    assert_eq!(said.code, 1);
    assert!(said.out.contains("arguments: b\n"), "{said:?}");
}

#[test]
fn what_cannot_be_meant_is_said_with_what_could() {
    let project = project();
    for (args, error) in [
        (
            vec!["call", "gret"],
            "error: there is no tool `gret`\n  = help: did you mean `greet`?\n",
        ),
        (
            vec!["call", "greet", "nam=x"],
            "error: there is no argument `nam`\n  = help: did you mean `name`?\n",
        ),
        (
            vec!["call", "greet", "times=x"],
            "error: `times` must be an integer, and `x` is not\n",
        ),
        (
            vec!["call", "greet", "--json", "[1]"],
            "error: --json takes an object: '{\"key\": \"value\"}'\n",
        ),
        (
            vec!["list", "--protocol", "1999-01-01"],
            "error: `1999-01-01` is no revision that is spoken here\n  = help: they are 2026-07-28, \
             2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05\n",
        ),
        (
            vec!["list", "--timeout", "0"],
            "error: --timeout is a number of seconds above 0\n",
        ),
    ] {
        let args = [args, vec!["--manifests", "manifests"]].concat();
        let said = snodo(project.path(), &args);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{args:?}");
        assert_eq!(said.err, error, "{args:?}");
    }
}

#[test]
fn images_are_named_or_kept() {
    let project = project();
    let said = everywhere(&project, &["call", "picture"]);
    assert_eq!(
        said.out,
        "here\n[image: image/png, 8 bytes; --save DIR keeps it]\n"
    );
    let args = [
        "call",
        "picture",
        "--save",
        "kept",
        "--manifests",
        "manifests",
    ];
    for number in 1..=2 {
        let line = format!("here\n[image: image/png, saved as kept/picture-{number}.png]\n");
        assert_eq!(printed(project.path(), &args), line);
        let file = project.path().join(format!("kept/picture-{number}.png"));
        assert_eq!(std::fs::read(file).unwrap(), b"\x89PNG\r\n\x1a\n");
    }
}

#[test]
fn resources_prompts_and_completions_are_printed_as_text() {
    let project = project();
    for (args, out) in [
        (vec!["read", "docs://one"], "one\ntwo\n"),
        (vec!["read", "notes://2026/x"], "x of 2026\n"),
        (
            vec!["prompt", "review", "language=Go"],
            "user:\nReview this Go\n",
        ),
        (vec!["complete", "review", "language=Ru"], "Rust\nRuby\n"),
        (
            vec!["complete", "notes://{year}/{name}", "year="],
            "2025\n2026\n",
        ),
        (vec!["complete", "review", "language=x"], ""),
    ] {
        let said = everywhere(&project, &args);
        assert_eq!(
            (said.code, said.out.as_str()),
            (0, out),
            "{args:?}: {}",
            said.err
        );
    }
    for (args, err) in [
        (
            ["read", "docs://onne"],
            "error: there is no resource `docs://onne`\n  = help: did you mean `docs://one`?\n",
        ),
        (
            ["prompt", "reviev"],
            "error: there is no prompt `reviev`\n  = help: did you mean `review`?\n",
        ),
    ] {
        let said = everywhere(&project, &args);
        assert_eq!((said.code, said.err.as_str()), (2, err));
    }
    let said = everywhere(&project, &["read", "elsewhere://things"]);
    assert_eq!((said.code, said.out.as_str()), (3, ""));
    assert!(
        said.err
            .starts_with("error: the server refused `resources/read`: "),
        "{said:?}"
    );
}

#[test]
fn a_folder_that_is_broken_says_so() {
    let project = Project::with("[[tool]]\nname = \"x\"\n");
    let said = snodo(project.path(), &["list", "--manifests", "manifests"]);
    assert_eq!((said.code, said.out.as_str()), (3, ""));
    assert!(said.err.contains("manifests/a.toml:1:1"), "{}", said.err);
    let last = "error: the server `snodo stdio manifests` ended before it answered: exit code 1\n  = help: what it wrote to standard error stands above\n";
    assert!(said.err.ends_with(last), "{}", said.err);
}
