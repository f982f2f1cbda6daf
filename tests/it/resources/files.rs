//! Resources that are files, and the lists of a folder's files.

use super::{contents, list, not_found, read};
use crate::support::{Both, Project, modern};
use serde_json::{Value, json};
use std::os::unix::fs::{PermissionsExt as _, symlink};

const DOCS: &str = r#"
[[resource]]
uri_template = "docs://h/{+path}"
name = "docs"
annotations = { audience = ["assistant"] }
file = { root = "../docs", path = "{{ params.path }}", list = "**/*.{md,bin}" }

[[resource]]
uri = "docs://h/a.md"
name = "the first"
result.text = "exact"
"#;

fn docs() -> Project {
    Project::with(DOCS)
        .file("docs/a.md", "# a")
        .file("docs/sub/b c?.md", "# b")
        .file("docs/sub/data.bin", [0xff, 0x00])
        .file("docs/other.txt", "other")
        .file("docs/.hidden/c.md", "# c")
        .file("docs/.d.md", "# d")
        .file("outside.md", "out")
}

fn listed(both: &mut Both) -> Vec<Value> {
    let answer = both.ask(&list(None));
    answer["result"]["resources"].as_array().unwrap().clone()
}

#[test]
fn the_files_of_a_folder_are_resources_with_size_type_and_time() {
    let project = docs();
    symlink("a.md", project.path().join("docs/link.md")).unwrap();
    symlink("../outside.md", project.path().join("docs/out.md")).unwrap();
    symlink("sub", project.path().join("docs/folder.md")).unwrap();
    let mut both = Both::of(project);
    let listed = listed(&mut both);
    let uris: Vec<&str> = listed
        .iter()
        .map(|item| item["uri"].as_str().unwrap())
        .collect();
    assert_eq!(
        uris,
        [
            "docs://h/link.md",
            "docs://h/sub/b%20c%3F.md",
            "docs://h/sub/data.bin",
            // The exact one stands where it is declared, and once.
            "docs://h/a.md",
        ]
    );
    let file = &listed[1];
    assert_eq!(file["name"], "sub/b c?.md");
    assert_eq!(file["size"], 3);
    assert_eq!(file["mimeType"], "text/markdown");
    assert_eq!(file["annotations"]["audience"], json!(["assistant"]));
    let modified = file["annotations"]["lastModified"].as_str().unwrap();
    assert!(
        modified.ends_with('Z') && modified.len() == 20,
        "{modified}"
    );
    // Each that is listed can be read.
    for uri in uris {
        assert!(contents(&mut both, uri)[0].is_object());
    }
    let expected =
        json!([{ "uri": "docs://h/sub/b%20c%3F.md", "mimeType": "text/markdown", "text": "# b" }]);
    assert_eq!(contents(&mut both, "docs://h/sub/b%20c%3F.md"), expected);
    let blob = contents(&mut both, "docs://h/sub/data.bin");
    assert_eq!(blob[0]["blob"], "/wA=");
    assert_eq!(contents(&mut both, "docs://h/a.md")[0]["text"], "exact");
}

#[test]
fn what_is_outside_or_no_file_is_not_found_and_says_nothing() {
    let project = docs();
    symlink("../outside.md", project.path().join("docs/out.md")).unwrap();
    let mut both = Both::of(project);
    for path in [
        "gone.md",
        "out.md",
        "../outside.md",
        "..%2Foutside.md",
        "%2E%2E/outside.md",
        "sub/../../outside.md",
        "%2Fetc%2Fpasswd",
        "a.md%00",
        "%00",
        "sub",
        ".",
        "..",
        "a.md/b",
    ] {
        not_found(&mut both, &format!("docs://h/{path}"));
    }
    // Dots that stay inside lead where they lead.
    assert_eq!(
        contents(&mut both, "docs://h/sub/../other.txt")[0]["text"],
        "other"
    );
}

#[test]
fn a_name_that_is_no_name_is_not_found() {
    let project = Project::with(
        r#"
[[resource]]
uri_template = "guide://{name}"
name = "guide"
file = { root = "../docs", path = "{{ params.name }}.md", list = "**" }

[[resource]]
uri_template = "any://h{/name}{?q}"
name = "any"
file = { root = "../docs", path = "{{ params.name or params.q }}" }

[[resource]]
uri_template = "said://{name}"
name = "said"
result.text = "{{ params.name }}"
"#,
    )
    .file("docs/intro.md", "intro")
    .file("docs/sub/deep.md", "deep")
    .file("docs/..md", "dots");
    let mut both = Both::of(project);
    assert_eq!(contents(&mut both, "guide://intro")[0]["text"], "intro");
    for uri in [
        "guide://sub%2Fdeep",
        "guide://sub%5Cdeep",
        "guide://.%2Fintro",
        "guide://.",
        "guide://..",
        "guide://%2e",
        "guide://intro%00",
        "any://h/sub%2Fdeep.md",
        "any://h/..",
    ] {
        not_found(&mut both, uri);
    }
    assert_eq!(contents(&mut both, "any://h/intro.md")[0]["text"], "intro");
    // A query's value is no segment: the folder is its bound.
    assert_eq!(
        contents(&mut both, "any://h?q=sub/deep.md")[0]["text"],
        "deep"
    );
    // Where no file is meant, a value is what it is.
    assert_eq!(contents(&mut both, "said://a%2Fb")[0]["text"], "a/b");
    let listed = listed(&mut both);
    let uris: Vec<&Value> = listed.iter().map(|item| &item["uri"]).collect();
    assert_eq!(uris, ["guide://intro"]);
}

#[test]
fn a_file_that_may_not_be_read_is_an_error_without_its_path() {
    let project = docs();
    let secret = project.path().join("docs/secret.md");
    std::fs::write(&secret, "x").unwrap();
    std::fs::set_permissions(&secret, std::fs::Permissions::from_mode(0o000)).unwrap();
    let readable = std::fs::read(&secret).is_ok();
    let mut both = Both::of(project);
    let answer = both.ask(&read("docs://h/secret.md"));
    // Root may read everything.
    if !readable {
        let expected = json!({ "code": -32603, "message": "the file cannot be read" });
        assert_eq!(answer["error"], expected);
    }
}

#[test]
fn a_file_that_comes_or_goes_is_seen_and_expires_the_cursors() {
    let project = docs().set("server.page_size=2");
    let mut both = Both::of(project);
    let root = both.project.path().join("docs");
    let first = both.stdio.ask(&list(None))["result"].clone();
    let cursor = first["nextCursor"].as_str().unwrap().to_owned();
    let second = both.stdio.ask(&list(Some(&cursor)));
    assert_eq!(second["result"]["resources"].as_array().unwrap().len(), 1);
    assert_eq!(second["result"].get("nextCursor"), None);
    // Writing to a file makes no other list.
    std::fs::write(root.join("sub/b c?.md"), "longer than before").unwrap();
    let second = both.stdio.ask(&list(Some(&cursor)));
    assert!(second["error"].is_null(), "{second}");
    std::fs::write(root.join("new.md"), "new").unwrap();
    let stale = both.stdio.ask(&list(Some(&cursor)));
    assert_eq!(stale["error"]["code"], -32602, "{stale}");
    let now = both.stdio.ask(&list(None))["result"]["resources"].clone();
    assert_eq!(now[0]["uri"], "docs://h/new.md");
    std::fs::remove_file(root.join("new.md")).unwrap();
    let gone = both.stdio.ask(&read("docs://h/new.md"));
    assert_eq!(gone["error"]["code"], -32602);
}

#[test]
fn one_literal_file_is_an_exact_resource() {
    let project = Project::with(
        r#"
[[resource]]
uri = "repo://readme"
name = "README.md"
file = { path = "../README.md" }
"#,
    )
    .file("README.md", "# hi");
    let mut both = Both::of(project);
    let expected = json!([{ "uri": "repo://readme", "mimeType": "text/markdown", "text": "# hi" }]);
    assert_eq!(contents(&mut both, "repo://readme"), expected);
    std::fs::remove_file(both.project.path().join("README.md")).unwrap();
    not_found(&mut both, "repo://readme");
}

#[test]
fn variables_are_completed_from_the_folder_or_a_list() {
    let manifest = format!(
        "{DOCS}{}",
        r#"
[[resource]]
uri_template = "hex://{name}{/version}"
name = "hex"
complete.name = ["jason", "plug", "phoenix"]
complete.version = { shell = { command = ["printf", "1.%s\n2.%s\n", "{{ params.name }}", "{{ params.name }}"], parse = "lines" } }
result.text = "x"
"#
    );
    let project = docs().manifest("a.toml", &manifest);
    let mut both = Both::of(project);
    let mut complete = |uri: &str, variable: &str, typed: &str| {
        let params = json!({
            "ref": { "type": "ref/resource", "uri": uri },
            "argument": { "name": variable, "value": typed },
            "context": { "arguments": { "name": "jason" } },
        });
        both.ask(&modern(1, "completion/complete", params))
    };
    let answer = complete("docs://h/{+path}", "path", "b");
    assert_eq!(
        answer["result"]["completion"]["values"],
        json!(["sub/b c?.md", "sub/data.bin"])
    );
    // What begins with it comes first.
    let answer = complete("DOCS://H/{+path}", "path", "a.");
    let values = json!(["a.md", "sub/data.bin"]);
    assert_eq!(answer["result"]["completion"]["values"], values);
    let answer = complete("hex://{name}{/version}", "name", "p");
    assert_eq!(
        answer["result"]["completion"]["values"],
        json!(["plug", "phoenix"])
    );
    let answer = complete("hex://{name}{/version}", "version", "2");
    assert_eq!(answer["result"]["completion"]["values"], json!(["2.jason"]));
    let unknown = complete("docs://h/{+path}", "nothing", "");
    assert_eq!(unknown["error"]["code"], -32602);
    let unknown = complete("docs://other", "path", "");
    assert_eq!(unknown["error"]["code"], -32602);
}
