//! `result`: how an action's outcome becomes the answer.

use super::codes::{CONFLICT, SECRET_SHOWN};
use super::{Cx, base, blocks};
use crate::lang::diag::Diagnostic;
use crate::lang::template::{Names, Template, Tree};
use crate::manifest::read::{OUT_OF_RANGE, Table, Templates, WRONG_TYPE};
use crate::model::{ProtocolErrorSpec, ResultSpec};
use toml::de::DeValue;

/// What a `result` answers with, beside what its action gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answers {
    /// Structured content.
    Structured,
    /// Text or blocks alone.
    Unstructured,
    /// Errors alone.
    Errors,
    /// Nothing.
    Nothing,
}

/// Reads a tool's `result` table.
pub(super) fn result(cx: &Cx<'_>, table: Table<'_>, names: &Names) -> (ResultSpec, Answers) {
    let templates = Templates::shown(
        names,
        SECRET_SHOWN,
        "a secret in a result is shown to every caller",
    );
    let texts = table.alternatives(&["text", "content"]);
    if let [text, content] = texts.as_slice() {
        table.report(
            Diagnostic::error(
                CONFLICT,
                content.key_at.clone(),
                "`text` and `content` exclude each other",
            )
            .related(text.key_at.clone(), "the text"),
        );
    }
    let structured = table.entry("structured");
    let spec = ResultSpec {
        text: templates.key(&table, "text").map(|read| read.value),
        structured: structured
            .as_ref()
            .and_then(|entry| templates.tree(&table, entry)),
        content: table
            .has("content")
            .then(|| blocks::blocks(cx, &table, &templates)),
        error: error(&table, &templates),
        protocol_error: protocol_error(&table, &templates),
        metadata: metadata(&table, &templates),
    };
    let answers = if structured.is_some() {
        Answers::Structured
    } else if !texts.is_empty() {
        Answers::Unstructured
    } else if table.has("error") || table.has("protocol_error") {
        Answers::Errors
    } else {
        Answers::Nothing
    };
    table.finish();
    (spec, answers)
}

/// `error`: the text of a tool error.
fn error(table: &Table<'_>, templates: &Templates<'_>) -> Option<Template> {
    let entry = table.entry("error")?;
    // `error = false` would be the text `false`, and so an error.
    if matches!(entry.value, DeValue::Boolean(_)) {
        let message = "`error` must be a string, not a boolean";
        table.report(
            Diagnostic::error(WRONG_TYPE, entry.at, message)
                .help("write one `{{ … }}` that is absent or empty while nothing is wrong"),
        );
        return None;
    }
    templates.read(table, &entry).map(|read| read.value)
}

/// `metadata`: the `_meta` of the answer, by the rules for its keys.
pub(super) fn metadata(table: &Table<'_>, templates: &Templates<'_>) -> Option<Tree> {
    let members = table.table("metadata")?;
    for member in members.entries() {
        base::is_meta_key(&members, &member);
    }
    templates.tree(table, &table.entry("metadata")?)
}

pub(super) fn protocol_error(
    table: &Table<'_>,
    templates: &Templates<'_>,
) -> Option<ProtocolErrorSpec> {
    let sub = table.table("protocol_error")?;
    let when = condition(&sub, templates, "when");
    for key in ["code", "message"] {
        if !sub.has(key) {
            sub.missing(key);
        }
    }
    let code = sub.integer("code", i64::from(i32::MIN)..=i64::from(i32::MAX));
    let message = templates.key(&sub, "message");
    let data = sub
        .entry("data")
        .and_then(|entry| templates.tree(&sub, &entry));
    // The reserved codes have meanings of their own; these two a tool may well mean.
    let reserved =
        |code: i64| (-32768..=-32000).contains(&code) && !matches!(code, -32602 | -32603);
    if let Some(code) = code.as_ref().filter(|code| reserved(code.value)) {
        sub.report(
            Diagnostic::error(
                OUT_OF_RANGE,
                code.at.clone(),
                "codes from -32768 to -32000 are reserved by the protocol",
            )
            .help("use -32602 (invalid params), -32603 (internal error), or a code outside that range"),
        );
    }
    sub.finish();
    Some(ProtocolErrorSpec {
        when,
        code: code?.value,
        message: message?.value,
        data,
    })
}

/// A condition: true or false, or one expression, since any other text would always hold.
pub(super) fn condition<'a>(
    table: &Table<'a>,
    templates: &Templates<'_>,
    key: &'a str,
) -> Option<Template> {
    let entry = table.entry(key)?;
    if let DeValue::Boolean(value) = entry.value {
        return Template::parse(&format!("{{{{ {value} }}}}")).ok();
    }
    let read = match entry.value {
        DeValue::String(_) => templates.read(table, &entry)?,
        _ => return table.wrong_type(&entry, "one `{{ … }}`, true or false"),
    };
    if !read.value.is_native() {
        let message = format!("`{key}` must be one `{{{{ … }}}}`: any other text always holds");
        table.error(OUT_OF_RANGE, read.at, message);
        return None;
    }
    Some(read.value)
}
