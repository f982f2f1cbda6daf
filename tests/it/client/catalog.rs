//! `snodo catalog`: the same document over every way to a server, and files kept up to date with it.

use super::{everywhere, printed, snodo};
use crate::support::Project;
use serde_json::Value;

const MANIFEST: &str = r##"
[[tool]]
name = "search"
title = "Search"
description = """
Finds | things.

# Not a heading"""
annotations = { read_only = true }
result.structured = { count = 1 }
[tool.arguments]
query = { type = "string", required = true, min_length = 1, description = "What | for" }
limit = { type = "integer", default = 5, minimum = 1, maximum = 9 }
filter = { type = "object", arguments = { year = { type = "integer", description = "Of" } } }
[tool.output_schema]
type = "object"
required = ["count"]
properties.count = { type = "integer", description = "How many" }

[[tool]]
name = "bare"
result.text = "x"

[[resource]]
uri = "docs://one"
name = "one"
description = "The first"
mime_type = "text/plain"
result.text = "one"

[[resource]]
uri_template = "notes://{year}"
name = "notes"
result.text = "x"

[[prompt]]
name = "review"
description = "Asks for a review"
arguments.language = { required = true, description = "In which" }
result.text = "x"
"##;

const DOCUMENT: &str = r"# manifests

`manifests` VERSION, protocol 2026-07-28

## Tools

### `search`

**Search**

Finds | things.

**Not a heading**

*changes nothing*

| argument | type | required | default | description | constraints |
|---|---|---|---|---|---|
| `query` | string | yes |  | What \| for | at least 1 character |
| `limit` | integer | no | `5` |  | 1 to 9 |
| `filter` | object | no |  |  |  |
| `filter.year` | integer | no |  | Of |  |

Structured result:

| field | type | required | default | description | constraints |
|---|---|---|---|---|---|
| `count` | integer | yes |  | How many |  |

### `bare`

No arguments.

## Resources

| URI | name | type | description |
|---|---|---|---|
| `docs://one` | one | text/plain | The first |

## Resource templates

| URI template | name | type | description |
|---|---|---|---|
| `notes://{year}` | notes |  |  |

## Prompts

### `review`

Asks for a review

| argument | required | description |
|---|---|---|
| `language` | yes | In which |

## Coverage

| | all | with a description |
|---|---|---|
| tools | 2 | 1 |
| tool arguments | 4 | 2 |
| resources | 1 | 1 |
| templates | 1 | 0 |
| prompts | 1 | 1 |
| prompt arguments | 1 | 1 |
| together | 10 | 6 (60 %) |

Without a description:

- tool `search`, argument `limit`
- tool `search`, argument `filter`
- tool `bare`
- template `notes://{year}`
";

fn document() -> String {
    DOCUMENT.replace("VERSION", env!("CARGO_PKG_VERSION"))
}

#[test]
fn the_document_is_what_a_client_sees_over_every_way() {
    let said = everywhere(&Project::with(MANIFEST), &["catalog"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    assert_eq!(said.out, document());
}

#[test]
fn as_json_it_holds_what_the_server_sent_and_the_coverage() {
    let said = everywhere(&Project::with(MANIFEST), &["catalog", "--format", "json"]);
    let catalog: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(catalog["tools"][0]["inputSchema"]["required"][0], "query");
    assert_eq!(catalog["tools"][0]["annotations"]["readOnlyHint"], true);
    assert_eq!(catalog["templates"][0]["uriTemplate"], "notes://{year}");
    assert_eq!(catalog["coverage"]["percent"], 60);
    assert_eq!(catalog["coverage"]["gaps"][2], "tool `bare`");
    assert_eq!(catalog["protocol"], "2026-07-28");
}

#[test]
fn a_file_is_written_and_later_found_out_of_date() {
    let project = Project::with(MANIFEST);
    let at = project.path();
    let catalog = |args: &[&str]| {
        snodo(
            at,
            &[&["catalog", "--manifests", "manifests"], args].concat(),
        )
    };
    let written = catalog(&["--output", "T.md"]);
    assert_eq!(
        (written.code, written.out.as_str(), written.err.as_str()),
        (0, "", "")
    );
    assert_eq!(
        std::fs::read_to_string(at.join("T.md")).unwrap(),
        document()
    );
    let checked = catalog(&["--check", "T.md", "--min-coverage", "60"]);
    assert_eq!(
        (checked.code, checked.out.as_str(), checked.err.as_str()),
        (0, "", "")
    );
    project.write(
        "manifests/a.toml",
        MANIFEST.replace("The first", "The only"),
    );
    let checked = catalog(&["--check", "T.md"]);
    assert_eq!((checked.code, checked.out.as_str()), (1, ""));
    assert_eq!(
        checked.err,
        "error: `T.md` is out of date
  line 38 is:    | `docs://one` | one | text/plain | The first |
  and would be: | `docs://one` | one | text/plain | The only |
  = help: write it again with --output T.md
"
    );
    assert_eq!(
        std::fs::read_to_string(at.join("T.md")).unwrap(),
        document()
    );
    let missing = catalog(&["--check", "none.md"]);
    assert_eq!(missing.code, 2, "{missing:?}");
}

#[test]
fn too_little_coverage_fails_and_names_each_gap() {
    let project = Project::with(MANIFEST);
    let args = [
        "catalog",
        "--manifests",
        "manifests",
        "--min-coverage",
        "61",
    ];
    let said = snodo(project.path(), &args);
    assert_eq!((said.code, said.out), (1, document()));
    assert_eq!(
        said.err,
        "error: 60 % has a description, and 61 % is wanted
  without: tool `search`, argument `limit`
           tool `search`, argument `filter`
           tool `bare`
           template `notes://{year}`
"
    );
    let described =
        Project::with("[[tool]]\nname = \"a\"\ndescription = \"A\"\nresult.text = \"\"\n");
    let args = [
        "catalog",
        "--manifests",
        "manifests",
        "--min-coverage",
        "100",
    ];
    assert!(printed(described.path(), &args).ends_with("| together | 1 | 1 (100 %) |\n"));
}
