//! For every table of every example the program is asked, by a key that it cannot know, which keys it
//! knows there; the schema must list the same.

use super::walk::{Schema, known};
use super::{CONFIG, Document, MANIFEST, json, manifests, schema, server_files};
use crate::support::{Checked, Project};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A key that is near no other.
const PROBE: &str = "zzzzzzzzzzzz";

/// The document with a probe in every table, as TOML, and what the schema lists for each.
struct Probed {
    text: String,
    expected: Vec<Option<(String, BTreeSet<String>)>>,
}

fn probed(schema: &Schema<'_>, document: &Document) -> Option<Probed> {
    let mut value = json(&document.text)?;
    let mut expected = Vec::new();
    schema.tables(&schema.root(), &mut value, &mut |nodes, members| {
        members.insert(format!("{PROBE}{}", expected.len()), true.into());
        expected.push(known(nodes).map(|(at, keys)| (at.to_owned(), keys)));
    });
    let members = value.as_object().unwrap().iter();
    let lines = members.map(|(key, value)| format!("{} = {}\n", quoted(key), inline(value)));
    Some(Probed {
        text: lines.collect(),
        expected,
    })
}

/// A JSON string is a TOML string, but for one character.
fn quoted(text: &str) -> String {
    Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

fn inline(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let pairs = members.iter();
            let pairs = pairs.map(|(key, value)| format!("{} = {}", quoted(key), inline(value)));
            format!("{{ {} }}", pairs.collect::<Vec<_>>().join(", "))
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(inline).collect();
            format!("[{}]", items.join(", "))
        }
        Value::String(text) => quoted(text),
        other => other.to_string(),
    }
}

/// The keys that are listed for each probe, by its number.
fn answers(checked: &Checked) -> BTreeMap<usize, BTreeSet<String>> {
    let report: Value = serde_json::from_str(&checked.stdout).unwrap();
    let mut answers = BTreeMap::new();
    for finding in report.as_array().unwrap() {
        let message = finding["message"].as_str().unwrap();
        let number = message
            .strip_prefix("unknown key `")
            .and_then(|rest| rest.strip_prefix(PROBE))
            .and_then(|rest| rest.strip_suffix('`'));
        let Some(number) = number.and_then(|number| number.parse().ok()) else {
            continue;
        };
        let help = finding["help"].as_str().unwrap();
        let list = help.strip_prefix("the keys here are ").unwrap_or_default();
        let keys = list.split(", ").filter(|key| !key.is_empty());
        let keys = keys.map(|key| key.trim_matches('`').to_owned());
        answers.insert(number, keys.collect());
    }
    answers
}

/// Asks for every document, and compares.
fn compare(path: &str, documents: &[Document], check: impl Fn(&str) -> Checked) {
    let schema = schema(path);
    let schema = Schema(&schema);
    let mut asked: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut wrong = BTreeSet::new();
    for document in documents.iter().filter(|document| document.loads) {
        let Some(probed) = probed(&schema, document) else {
            continue;
        };
        for (number, keys) in answers(&check(&probed.text)) {
            let Some((at, listed)) = &probed.expected[number] else {
                wrong.insert(format!(
                    "{}: no keys are listed where there are {keys:?}",
                    document.at
                ));
                continue;
            };
            for key in keys.difference(listed) {
                wrong.insert(format!("#{at}: `{key}` is missing"));
            }
            asked.entry(at.clone()).or_default().extend(keys);
        }
    }
    for (at, listed) in schema.listed() {
        match asked.get(&at) {
            None => {
                wrong.insert(format!(
                    "#{at}: no example in docs/ or the fixtures has such a table"
                ));
            }
            Some(asked) => {
                for key in listed.difference(asked) {
                    wrong.insert(format!(
                        "#{at}: `{key}` is no key that the program asks for"
                    ));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{path} is not what the program reads: {wrong:#?}"
    );
}

#[test]
fn of_manifests() {
    compare(MANIFEST, &manifests(), |text| {
        Project::with(text).check(&["--format", "json"])
    });
}

#[test]
fn of_server_files() {
    compare(CONFIG, &server_files(), |text| {
        let project = Project::with("").file("snodo.toml", text);
        let project = project.arg("--config").arg("snodo.toml").arg("manifests");
        project.check(&["--format", "json"])
    });
}
