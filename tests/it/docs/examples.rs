//! Every example is loaded, called or run.

use super::blocks::{self, Block};
use crate::support::{Project, Stdio, call, modern};
use serde_json::Value;
use std::process::{Command, Stdio as Io};

/// A project in which the examples' files, secret and variable are, and the files that the page shows.
fn project(blocks: &[Block]) -> Project {
    let shown = blocks
        .iter()
        .filter_map(|block| Some((block.file()?, block)));
    shown.fold(around(), |project, (name, block)| {
        project.file(&format!("manifests/{name}"), &block.text)
    })
}

fn around() -> Project {
    let key = rcgen::KeyPair::generate().unwrap();
    let certificate = rcgen::CertificateParams::new(vec!["localhost".to_owned()])
        .unwrap()
        .self_signed(&key)
        .unwrap();
    Project::new()
        .file(
            "manifests/notes/today.txt",
            "first line\nsecond line\nthird line\n",
        )
        .file("manifests/notes/old/last.txt", "gone\n")
        .file(
            "manifests/search.schema.json",
            r#"{ "type": "object", "properties": { "q": { "type": "string" } } }"#,
        )
        .file("manifests/beep.wav", "RIFF")
        .file("manifests/ca.pem", certificate.pem())
        .file("manifests/client.pem", certificate.pem())
        .file("manifests/client.key", key.serialize_pem())
        .file("tls/ca.pem", certificate.pem())
        .file("tls/cert.pem", certificate.pem())
        .file("tls/key.pem", key.serialize_pem())
        .file("secrets/token", "a secret\n")
        .env("API_TOKEN", "a secret")
        .env("REGION", "eu")
        .env("NO_COLOR", "1")
}

/// What a manifest's example is served with.
fn with_values(project: Project) -> Project {
    project
        .set("secrets.api_token={ env = \"API_TOKEN\" }")
        .set("server.env=[\"REGION\"]")
        .set("server.state_dir=\"states\"")
}

/// The block below, which must be `text`: what is printed.
fn printed(blocks: &[Block], index: usize) -> &str {
    let below = blocks.get(index + 1).filter(|below| below.is("text"));
    let below = below.unwrap_or_else(|| panic!("{}: no `text` block below", blocks[index].at));
    &below.text
}

/// Checks one example and what is said of it.
fn check(project: &Project, blocks: &[Block], index: usize, kind: &str) {
    let block = &blocks[index];
    match kind {
        "" => {
            let checked = project.check(&["--deny-warnings"]);
            assert_eq!(checked.code, 0, "{}\n{}", block.at, checked.stderr);
            let tested = project.test(&[]);
            assert_eq!(tested.code, 0, "{}\n{}", block.at, tested.stdout);
        }
        "fails" => {
            let checked = project.check(&["--deny-warnings"]);
            assert_eq!(checked.code, 0, "{}\n{}", block.at, checked.stderr);
            let tested = project.test(&[]);
            let expected = printed(blocks, index);
            assert_eq!(
                tested.stdout.trim_end(),
                expected.trim_end(),
                "{}",
                block.at
            );
            assert_eq!(tested.code, 1, "{}", block.at);
        }
        "warns" | "wrong" => {
            let checked = project.check(&[]);
            assert_eq!(
                checked.stderr.trim_end(),
                printed(blocks, index).trim_end(),
                "{}",
                block.at
            );
            assert_eq!(checked.code, i32::from(kind == "wrong"), "{}", block.at);
        }
        other => panic!("{}: `{other}` is no kind of example", block.at),
    }
}

#[test]
fn every_manifest_on_every_page_loads_or_fails_as_it_says() {
    let mut seen = 0;
    for page in super::docs() {
        let blocks = blocks::of(&page);
        for (index, block) in blocks.iter().enumerate() {
            let Some(kind) = block.info.strip_prefix("toml").map(str::trim) else {
                continue;
            };
            if kind.starts_with("server") {
                continue;
            }
            let project = with_values(project(&blocks)).manifest("example.toml", &block.text);
            check(&project, &blocks, index, kind);
            seen += 1;
        }
    }
    assert!(seen > 15, "{seen} examples were found");
}

#[test]
fn every_server_file_on_every_page_loads_or_fails_as_it_says() {
    let mut seen = 0;
    for page in super::docs() {
        let blocks = blocks::of(&page);
        for (index, block) in blocks.iter().enumerate() {
            let Some(kind) = block.info.strip_prefix("toml server").map(str::trim) else {
                continue;
            };
            let project = project(&blocks)
                .manifest(
                    "example.toml",
                    "[[tool]]\nname = \"x\"\nresult.text = \"x\"\n",
                )
                .file(
                    "more/example.toml",
                    "[[tool]]\nname = \"y\"\nresult.text = \"y\"\n",
                )
                .file("snodo.toml", &block.text)
                .env("CREDENTIALS_DIRECTORY", "secrets")
                .arg("--config")
                .arg("snodo.toml");
            check(&project, &blocks, index, kind);
            seen += 1;
        }
    }
    assert!(seen > 3, "{seen} server files were found");
}

#[test]
fn every_call_on_every_page_gives_the_answer_below_it() {
    let mut seen = 0;
    for page in super::docs() {
        let blocks = blocks::of(&page);
        let mut served: Option<Stdio> = None;
        let mut manifest: Option<(Project, &Block)> = None;
        for (index, block) in blocks.iter().enumerate() {
            if block.is("toml") || block.is("toml warns") {
                let project = with_values(project(&blocks)).manifest("example.toml", &block.text);
                manifest = Some((project, block));
                served = None;
            }
            let mut request = match (block.call(), block.request()) {
                (Some(tool), _) => call(1, tool, parse(block)),
                (None, Some(method)) => modern(1, method, parse(block)),
                (None, None) => continue,
            };
            request["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = able();
            let (project, _) = manifest.as_ref().expect("a manifest stands above a call");
            let server = served.get_or_insert_with(|| project.stdio());
            let answer = plain(server.ask(&request));
            let below = blocks
                .get(index + 1)
                .filter(|below| below.is("json answer"));
            let below = below.unwrap_or_else(|| panic!("{}: no answer below", block.at));
            assert_eq!(answer, parse(below), "{}: it answers {answer:#}", below.at);
            seen += 1;
        }
    }
    assert!(seen > 20, "{seen} calls were found");
}

#[test]
fn every_script_on_every_page_prints_what_stands_below_it() {
    let manifest = super::readme::manifest();
    let mut seen = 0;
    for page in super::pages() {
        let blocks = blocks::of(&page);
        for (index, block) in blocks.iter().enumerate() {
            if !block.is("sh run") {
                continue;
            }
            let project = Project::new().file("tools/hello.toml", &manifest);
            let output = Command::new("sh")
                .arg("-c")
                .arg(format!("exec 2>&1\n{}", block.text))
                .current_dir(project.path())
                .env("PATH", path())
                .env("NO_COLOR", "1")
                .stdin(Io::null())
                .output()
                .unwrap();
            let output = String::from_utf8(output.stdout).unwrap();
            let expected = printed(&blocks, index);
            assert_eq!(output.trim_end(), expected.trim_end(), "{}", block.at);
            seen += 1;
        }
    }
    assert!(seen > 3, "{seen} scripts were found");
}

/// PATH with the program that is tested first.
pub(super) fn path() -> std::ffi::OsString {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_snodo"));
    let own = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(program.parent().unwrap().to_owned());
    std::env::join_paths(folders.chain(std::env::split_paths(&own))).unwrap()
}

fn parse(block: &Block) -> Value {
    serde_json::from_str(&block.text).unwrap_or_else(|error| panic!("{}: {error}", block.at))
}

/// The client of pages can be asked anything.
fn able() -> Value {
    serde_json::json!({ "elicitation": { "form": {}, "url": {} }, "sampling": {}, "roots": {} })
}

/// A response as pages show it.
fn plain(mut response: Value) -> Value {
    if let Some(error) = response.get("error") {
        return serde_json::json!({ "error": error });
    }
    let result = response["result"].as_object_mut().unwrap();
    if result["resultType"] == "complete" {
        result.remove("resultType");
    }
    if result.contains_key("requestState") {
        result["requestState"] = "(sealed)".into();
    }
    if result.get("isError") == Some(&Value::Bool(false)) {
        result.remove("isError");
    }
    let meta = result["_meta"].as_object_mut().unwrap();
    meta.remove("io.modelcontextprotocol/serverInfo");
    if meta.is_empty() {
        result.remove("_meta");
    }
    Value::Object(std::mem::take(result))
}
