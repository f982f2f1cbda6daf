//! README's commands, its manifest and its call.

use super::{beside, blocks, pages, root, text};
use crate::support::{Connection, Daemon, Project, call, text_of};
use serde_json::{Value, json};
use std::process::Command;

/// README's manifest of one's own.
pub(super) fn manifest() -> String {
    let blocks = blocks::of("README.md");
    let manifest = blocks.iter().find(|block| block.is("toml"));
    manifest.expect("README has a manifest").text.clone()
}

/// README's command that holds this.
fn command(part: &str) -> String {
    let blocks = blocks::of("README.md");
    let lines: Vec<&str> = blocks
        .iter()
        .filter(|block| block.is("sh"))
        .flat_map(|block| block.text.lines())
        .filter(|line| line.contains(part))
        .collect();
    let [line] = lines.as_slice() else {
        panic!("README has {} commands with `{part}`", lines.len());
    };
    line.split(" #").next().unwrap().trim().to_owned()
}

#[test]
fn the_test_command_of_readme_is_what_ci_runs() {
    let command = command("cargo test");
    assert_eq!(command, "cargo test --locked");
    let ci = text(".ci/run");
    assert!(ci.lines().any(|line| line.trim() == command), "{ci}");
    assert!(text("justfile").contains(&command));
}

#[test]
fn the_first_command_of_readme_serves_the_samples_where_it_says() {
    assert_eq!(command("cargo run"), "cargo run --release -- serve");
    // What `serve` finds in this folder by itself.
    let server = text("config/snodo.toml");
    assert!(server.contains("listen = [\"127.0.0.1:4000\"]"), "{server}");
    assert!(text("README.md").contains("http://127.0.0.1:4000/mcp"));
}

/// The samples, as README's first command serves them, on a free port.
fn samples() -> Daemon {
    Daemon::start(
        Command::new(env!("CARGO_BIN_EXE_snodo"))
            .args(["serve", "--set", "http.listen=[\"127.0.0.1:0\"]"])
            .current_dir(root()),
    )
}

#[test]
fn readmes_curl_gets_an_answer() {
    let blocks = blocks::of("README.md");
    let curl = blocks.iter().find(|block| block.text.starts_with("curl "));
    let curl = &curl.expect("README has a call").text;
    let quoted: Vec<&str> = curl.split('\'').skip(1).step_by(2).collect();
    let (body, headers) = quoted.split_last().unwrap();
    let headers: Vec<(&str, &str)> = headers
        .iter()
        .filter_map(|header| header.split_once(": "))
        .filter(|(name, _)| !["content-type", "accept"].contains(name))
        .collect();
    assert!(curl.contains("http://127.0.0.1:4000/mcp"));
    let daemon = samples();
    let reply = Connection::to(daemon.address()).post_with(&headers, body.as_bytes());
    assert_eq!(reply.status, 200, "{reply:?}");
    let reply = reply.json();
    assert_eq!(reply["result"]["isError"], json!(false), "{reply}");
    assert_eq!(text_of(&reply).trim().lines().count(), 3, "{reply}");
}

#[test]
fn readmes_manifest_is_sound_and_answers() {
    let project = Project::with(&manifest());
    let checked = project.check(&["--deny-warnings"]);
    assert_eq!(checked.code, 0, "{}", checked.stderr);
    let answer = project
        .stdio()
        .ask(&call(1, "hello", json!({ "name": "Ada" })));
    assert_eq!(text_of(&answer), "Hello, Ada\n", "{answer}");
    let refused = project.stdio().ask(&call(1, "hello", json!({})));
    assert_eq!(refused["result"]["isError"], json!(true), "{refused}");
}

#[test]
fn readmes_configurations_of_clients_are_json() {
    let blocks = blocks::of("README.md");
    let clients: Vec<Value> = blocks
        .iter()
        .filter(|block| block.is("json"))
        .map(|block| serde_json::from_str(&block.text).unwrap())
        .collect();
    assert_eq!(clients.len(), 2);
    assert_eq!(clients[0]["mcpServers"]["my-tools"]["args"][0], "stdio");
    assert_eq!(
        clients[1]["mcpServers"]["my-tools"]["url"],
        "http://127.0.0.1:4000/mcp"
    );
}

#[test]
fn readme_names_the_versions_of_the_clients_that_ci_runs() {
    let readme = text("README.md");
    let python = text("tests/clients/python/requirements.txt");
    let python = python.trim().split_once("==").unwrap().1.to_owned();
    let node: Value = serde_json::from_str(&text("tests/clients/typescript/package.json")).unwrap();
    let node = node["dependencies"]["@modelcontextprotocol/client"]
        .as_str()
        .unwrap();
    assert!(readme.contains(&format!("Python SDK {python}")), "{python}");
    assert!(
        readme.contains(&format!("TypeScript client {node}")),
        "{node}"
    );
}

#[test]
fn every_page_is_linked_from_readme_and_every_link_leads_somewhere() {
    let readme = text("README.md");
    for page in super::docs() {
        assert!(readme.contains(&format!("]({page})")), "{page}");
    }
    for page in pages() {
        for link in text(&page).split("](").skip(1) {
            let link = link.split(')').next().unwrap();
            if link.contains("://") {
                continue;
            }
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if path.is_empty() {
                root().join(&page)
            } else {
                beside(&page, path)
            };
            assert!(target.exists(), "{page} links to {link}");
            if !anchor.is_empty() {
                let target = std::fs::read_to_string(target).unwrap();
                let found = target
                    .lines()
                    .filter(|line| line.starts_with('#'))
                    .any(|line| slug(line) == anchor);
                assert!(found, "{page} links to {link}");
            }
        }
    }
}

/// A heading's anchor, as Git hosts make it.
fn slug(heading: &str) -> String {
    let heading = heading.trim_start_matches('#').trim().to_lowercase();
    heading
        .chars()
        .filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'))
        .map(|letter| if letter == ' ' { '-' } else { letter })
        .collect()
}
