//! `expect` of a test: what must come of the call.

use super::test::{exclude, json};
use super::{Cx, base};
use crate::lang::diag::Diagnostic;
use crate::manifest::read::{At, MISSING_KEY, OUT_OF_RANGE, Table, to_json};
use crate::model::{Ending, Expectation, ProtocolErrorExpectation};
use regex::{Regex, RegexBuilder};
use serde_json::{Map, Value};
use toml::de::DeValue;

/// Bytes of a compiled pattern.
const MAX_PATTERN: usize = 1 << 20;

/// The kinds of blocks, each with its members.
const BLOCKS: [(&str, &[&str]); 5] = [
    ("text", &["text"]),
    ("image", &["data", "mime_type"]),
    ("audio", &["data", "mime_type"]),
    ("resource", &["uri", "mime_type", "text", "blob"]),
    (
        "resource_link",
        &["uri", "name", "title", "description", "mime_type", "size"],
    ),
];

/// Reads `expect`. `None` when something is wrong with it.
pub(super) fn expectation(cx: &Cx<'_>, table: Table<'_>) -> Option<Expectation> {
    let before = cx.findings.errors();
    if table.entries().is_empty() {
        let found = Diagnostic::error(MISSING_KEY, table.at(), "`expect` says nothing");
        table.report(found.help("`is_error = false` is enough where the answer may be anything"));
    }
    let is_error = table.boolean("is_error").map(|read| read.value);
    let error_contains = parts(&table, "error_contains");
    let protocol_error = protocol_error(&table);
    let value = |key| {
        let entry = table.entry(key)?;
        json(&table, &entry)
    };
    let expectation = Expectation {
        ending: match (protocol_error, is_error) {
            (Some(error), _) => Ending::ProtocolError(error),
            (None, Some(true)) => Ending::Error,
            (None, None) if !error_contains.is_empty() => Ending::Error,
            (None, _) => Ending::Success,
        },
        text: table.string("text").map(|read| read.value),
        text_matches: pattern(&table, "text_matches"),
        text_contains: parts(&table, "text_contains"),
        error_contains,
        structured: value("structured"),
        structured_matches: value("structured_matches"),
        content: content(&table),
        metadata: table
            .table("metadata")
            .and_then(|_| to_json(&table, &table.entry("metadata")?)),
    };
    check_contradictions(&table, is_error);
    table.finish();
    (cx.findings.errors() == before).then_some(expectation)
}

fn check_contradictions(table: &Table<'_>, is_error: Option<bool>) {
    const OF_A_RESULT: [&str; 9] = [
        "is_error",
        "error_contains",
        "text",
        "text_matches",
        "text_contains",
        "structured",
        "structured_matches",
        "content",
        "metadata",
    ];
    exclude(
        table,
        "protocol_error",
        &OF_A_RESULT,
        ": a protocol error has no result",
    );
    exclude(table, "text", &["text_matches", "text_contains"], "");
    exclude(table, "structured", &["structured_matches"], "");
    let structured = ["structured", "structured_matches"];
    let unstructured = ": an error has no structured content";
    match is_error {
        Some(true) => exclude(table, "is_error", &structured, unstructured),
        Some(false) => exclude(
            table,
            "is_error",
            &["error_contains"],
            " while `is_error` is false",
        ),
        None => exclude(table, "error_contains", &structured, unstructured),
    }
}

/// A text, or several, each of which must be found.
fn parts<'a>(table: &Table<'a>, key: &'a str) -> Vec<String> {
    let Some(entry) = table.entry(key) else {
        return Vec::new();
    };
    let read: Vec<At<String>> = match entry.value {
        DeValue::String(_) => table.as_string(&entry).into_iter().collect(),
        DeValue::Array(_) => {
            let items = entry.items();
            let texts = items.iter().filter_map(|item| table.as_string(item));
            texts.collect()
        }
        _ => {
            return table
                .wrong_type(&entry, "a string or an array of strings")
                .unwrap_or_default();
        }
    };
    let is_empty_list = matches!(entry.value, DeValue::Array(_)) && entry.items().is_empty();
    if is_empty_list || read.iter().any(|text| text.value.is_empty()) {
        let message = format!("`{key}` is empty: it would hold of every text");
        table.error(OUT_OF_RANGE, entry.at.clone(), message);
    }
    read.into_iter().map(|text| text.value).collect()
}

fn pattern<'a>(table: &Table<'a>, key: &'a str) -> Option<Regex> {
    let read = table.string(key)?;
    match RegexBuilder::new(&read.value)
        .size_limit(MAX_PATTERN)
        .build()
    {
        Ok(pattern) => Some(pattern),
        Err(error) => {
            // The engine draws a picture above its last line.
            let error = error.to_string();
            let last = error.lines().last().unwrap_or(&error).trim();
            let reason = last.trim_start_matches("error: ");
            let message = format!("`{key}` is not a regular expression: {reason}");
            table.error(OUT_OF_RANGE, read.at, message);
            None
        }
    }
}

fn protocol_error(table: &Table<'_>) -> Option<ProtocolErrorExpectation> {
    let sub = table.table("protocol_error")?;
    if sub.entries().is_empty() {
        sub.missing_with("code", "write `code`, `message` or `data`");
    }
    let code = sub.integer("code", i64::from(i32::MIN)..=i64::from(i32::MAX));
    let error = ProtocolErrorExpectation {
        code: code.map(|read| read.value),
        message: sub.string("message").map(|read| read.value),
        data: sub.entry("data").and_then(|entry| json(&sub, &entry)),
    };
    sub.finish();
    Some(error)
}

/// The blocks, as `result.content` writes them.
fn content(table: &Table<'_>) -> Option<Vec<Map<String, Value>>> {
    if !table.has("content") {
        return None;
    }
    let blocks = table.tables("content");
    Some(blocks.into_iter().filter_map(block).collect())
}

fn block(item: Table<'_>) -> Option<Map<String, Value>> {
    if !item.has("type") {
        let words: Vec<&str> = BLOCKS.iter().map(|(word, _)| *word).collect();
        item.missing_with("type", format!("write one of {}", words.join(", ")));
    }
    let members = item.word("type", &BLOCKS)?.value;
    let mut block = Map::new();
    if let Some(entry) = item.entry("type") {
        block.insert("type".into(), to_json(&item, &entry)?);
    }
    for key in members {
        let Some(entry) = item.entry(key) else {
            continue;
        };
        let value = match *key {
            "size" => item
                .as_integer(&entry, 0..=i64::MAX)
                .map(|read| Value::from(read.value)),
            _ => item.as_string(&entry).map(|read| Value::from(read.value)),
        };
        block.extend(value.map(|value| ((*key).to_owned(), value)));
    }
    if base::block_annotations(&item).is_some()
        && let Some(entry) = item.entry("annotations")
    {
        block.insert("annotations".into(), to_json(&item, &entry)?);
    }
    item.finish();
    Some(block)
}
