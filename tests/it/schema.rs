//! The JSON Schemas that `snodo schema` prints are right: what loads validates, a key that the reader
//! does not know does not, and for every table the schema's keys are those that the reader asks for.
//! Whoever serves a new key finds here that the schema lacks it.

mod keys;
mod walk;

use crate::check::fixtures;
use crate::docs::{self, blocks};
use serde_json::{Map, Value};
use std::path::Path;
use std::process::Command;

/// Where a schema stands in the sources.
const MANIFEST: &str = "src/manifest/schema/manifest.json";
const CONFIG: &str = "src/manifest/schema/config.json";

/// A text of TOML that the program was asked about.
struct Document {
    /// Where it is from.
    at: String,
    text: String,
    /// Whether it loads, with warnings or without.
    loads: bool,
    /// Whether a key in it is unknown.
    has_unknown: bool,
}

fn schema(path: &str) -> Value {
    serde_json::from_str(&docs::text(path)).unwrap()
}

/// TOML as JSON; `None` when it is none.
fn json(text: &str) -> Option<Value> {
    toml::from_str::<toml::Table>(text)
        .ok()
        .map(|table| table_to_json(&table))
}

fn table_to_json(table: &toml::Table) -> Value {
    let members = table.iter();
    let members: Map<String, Value> = members
        .map(|(key, value)| (key.clone(), to_json(value)))
        .collect();
    Value::Object(members)
}

fn to_json(value: &toml::Value) -> Value {
    match value {
        toml::Value::String(text) => text.as_str().into(),
        toml::Value::Integer(number) => (*number).into(),
        toml::Value::Float(number) => (*number).into(),
        toml::Value::Boolean(yes) => (*yes).into(),
        toml::Value::Datetime(time) => time.to_string().into(),
        toml::Value::Array(items) => items.iter().map(to_json).collect(),
        toml::Value::Table(table) => table_to_json(table),
    }
}

/// The fixtures of `snodo check`; what their snapshots say is tested beside them.
fn fixtures() -> Vec<Document> {
    let names = fixtures::manifests().into_iter();
    let documents = names.map(|name| {
        let at = fixtures::folder().join(&name);
        let said = std::fs::read_to_string(at.with_extension("snap")).unwrap();
        Document {
            text: std::fs::read_to_string(at).unwrap(),
            at: name,
            loads: said.starts_with("exit code 0\n"),
            has_unknown: said.contains("unknown key"),
        }
    });
    documents.collect()
}

/// The examples of the manual: of manifests, or of server files.
fn examples(of_server: bool) -> Vec<Document> {
    let mut documents = Vec::new();
    for page in docs::pages() {
        let blocks = blocks::of(&page);
        for (index, block) in blocks.iter().enumerate() {
            let Some(kind) = block.info.strip_prefix("toml").map(str::trim) else {
                continue;
            };
            let server = kind.strip_prefix("server").map(str::trim);
            if server.is_some() != of_server {
                continue;
            }
            let loads = server.unwrap_or(kind) != "wrong";
            let said = blocks.get(index + 1).filter(|_| !loads);
            documents.push(Document {
                at: block.at.clone(),
                text: block.text.clone(),
                loads,
                has_unknown: said.is_some_and(|said| said.text.contains("unknown key")),
            });
        }
    }
    documents
}

/// Files of this repository that load.
fn samples(folder: &str) -> Vec<Document> {
    let files = std::fs::read_dir(docs::root().join(folder)).unwrap();
    let files = files.map(|file| file.unwrap().path());
    let files = files.filter(|file| file.extension().is_some_and(|end| end == "toml"));
    let documents = files.map(|file| Document {
        at: file.display().to_string(),
        text: std::fs::read_to_string(&file).unwrap(),
        loads: true,
        has_unknown: false,
    });
    documents.collect()
}

/// Tables of which the manual shows only some.
const MORE: &str = r#"
[[tool]]
name = "a"
result.text = "x"
[[tool.test]]
name = "b"
expect.content = [
  { type = "text" }, { type = "image" }, { type = "audio" }, { type = "resource" }, { type = "resource_link" },
]
"#;

fn manifests() -> Vec<Document> {
    let mut all = samples("manifests");
    all.push(Document {
        at: "MORE".to_owned(),
        text: MORE.to_owned(),
        loads: true,
        has_unknown: false,
    });
    all.extend(fixtures());
    all.extend(examples(false));
    all
}

fn server_files() -> Vec<Document> {
    let mut all = samples("config");
    all.extend(examples(true));
    all
}

/// Holds every document to the schema; gives how many loaded and how many have unknown keys.
fn hold(path: &str, documents: &[Document]) -> (usize, usize) {
    let schema = schema(path);
    jsonschema::draft7::meta::validate(&schema).unwrap();
    let validator = jsonschema::draft7::new(&schema).unwrap();
    let (mut loaded, mut unknown) = (0, 0);
    for document in documents {
        let Some(value) = json(&document.text) else {
            assert!(!document.loads, "{} is no TOML", document.at);
            continue;
        };
        let errors: Vec<String> = validator
            .iter_errors(&value)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        if document.loads {
            loaded += 1;
            assert!(errors.is_empty(), "{}: {errors:#?}", document.at);
        }
        if document.has_unknown {
            unknown += 1;
            assert!(!errors.is_empty(), "{} has an unknown key", document.at);
        }
    }
    (loaded, unknown)
}

#[test]
fn manifests_that_load_validate_and_unknown_keys_do_not() {
    let (loaded, unknown) = hold(MANIFEST, &manifests());
    assert!(loaded > 40 && unknown > 5, "{loaded}, {unknown}");
}

#[test]
fn server_files_that_load_validate_and_unknown_keys_do_not() {
    let mut files = server_files();
    files.push(Document {
        at: "an unknown key".to_owned(),
        text: "[server]\nnaem = \"x\"\n".to_owned(),
        loads: false,
        has_unknown: true,
    });
    let (loaded, unknown) = hold(CONFIG, &files);
    assert!(loaded > 3 && unknown > 0, "{loaded}, {unknown}");
}

#[test]
fn keys_that_are_not_served_are_no_keys_of_the_schema() {
    let refused = fixtures()
        .into_iter()
        .find(|one| one.at == "not-served.toml");
    let value = json(&refused.unwrap().text).unwrap();
    assert!(!jsonschema::draft7::is_valid(&schema(MANIFEST), &value));
}

#[test]
fn the_program_prints_the_schemas() {
    for (kind, path) in [("manifest", MANIFEST), ("config", CONFIG)] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_snodo"));
        let printed = command.args(["schema", kind]).output().unwrap();
        assert_eq!(String::from_utf8(printed.stdout).unwrap(), docs::text(path));
    }
}

/// The first line of a file names a schema that is there and is the right one.
fn names_its_schema(file: &Path, of: &str) {
    let text = std::fs::read_to_string(file).unwrap();
    let named = text.lines().next().unwrap().strip_prefix("#:schema ");
    let named = named.unwrap_or_else(|| panic!("{} names no schema", file.display()));
    let named = std::fs::read_to_string(file.parent().unwrap().join(named)).unwrap();
    assert_eq!(named, docs::text(of), "{}", file.display());
}

#[test]
fn samples_and_new_projects_name_their_schema() {
    for (folder, of) in [("manifests", MANIFEST), ("config", CONFIG)] {
        for sample in samples(folder) {
            names_its_schema(Path::new(&sample.at), of);
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let mut init = Command::new(env!("CARGO_BIN_EXE_snodo"));
    let made = init.arg("init").arg(folder.path()).output().unwrap();
    assert!(made.status.success());
    names_its_schema(&folder.path().join("snodo.toml"), CONFIG);
    names_its_schema(&folder.path().join("manifests/hello.toml"), MANIFEST);
    for (file, of) in [("snodo.toml", CONFIG), ("manifests/hello.toml", MANIFEST)] {
        let text = std::fs::read_to_string(folder.path().join(file)).unwrap();
        assert!(
            jsonschema::draft7::is_valid(&schema(of), &json(&text).unwrap()),
            "{file}"
        );
    }
}
