//! Where the parts of a schema were written, and what the schema check finds said there.

use crate::lang::diag::{Code, Diagnostic, Severity, SourceFile, Span};
use crate::lang::schema::{SchemaError, SchemaErrorKind};
use crate::manifest::lower::codes::{BAD_DEFAULT, BAD_SCHEMA};
use crate::manifest::read::{Entry, Table, json_member, span, within};
use std::sync::Arc;
use toml::de::DeValue;

/// Where one argument, or one of its keywords, was written.
#[derive(Debug)]
pub(super) struct SchemaPlace<'a> {
    /// JSON pointer of the part, from the root.
    pub(super) pointer: String,
    /// The argument's dotted path: `lines.sku`.
    pub(super) path: String,
    /// The key that wrote it.
    pub(super) at: Span,
    /// What the key holds, when deeper parts of the schema stand in it as they are.
    pub(super) value: Option<Entry<'a>>,
}

/// Where the parts of a schema were written.
pub(super) enum Origin<'a> {
    /// In `arguments` or `returns`.
    Declared {
        places: Vec<SchemaPlace<'a>>,
        noun: &'static str,
        at: Span,
    },
    /// In a TOML table.
    Table(Entry<'a>),
    /// In a string of JSON.
    Text(Entry<'a>),
    /// In a file of its own; `at` is where the manifest names it.
    File { file: Arc<SourceFile>, at: Span },
}

/// Reports what the schema check found, at the nearest place that wrote it.
pub(super) fn say(table: &Table<'_>, error: &SchemaError, origin: &Origin<'_>) {
    let place = place(table, origin, &error.pointer);
    let message = match place.rest.as_str() {
        "" => error.message.clone(),
        rest => format!("{} (at `{rest}`)", error.message),
    };
    let (code, severity) = kind(error, origin);
    let mut diagnostic = match severity {
        Severity::Error => Diagnostic::error(code, place.at, message),
        Severity::Warning => Diagnostic::warning(code, place.at, message),
    };
    if let Some(label) = place.label {
        diagnostic = diagnostic.label(label);
    }
    if let Origin::File { at, .. } = origin {
        diagnostic = diagnostic.related(at.clone(), "named here");
    }
    if let Some(help) = &error.help {
        diagnostic = diagnostic.help(help.clone());
    }
    table.report(diagnostic);
}

/// Reports an error of the language's own about a part of a schema, at the nearest place that wrote it.
pub(super) fn say_at(
    table: &Table<'_>,
    pointer: &str,
    code: Code,
    message: &str,
    origin: &Origin<'_>,
) {
    let place = place(table, origin, pointer);
    let mut diagnostic = Diagnostic::error(code, place.at, message);
    if let Some(label) = place.label {
        diagnostic = diagnostic.label(label);
    }
    if let Origin::File { at, .. } = origin {
        diagnostic = diagnostic.related(at.clone(), "named here");
    }
    table.report(diagnostic);
}

/// A declared default is the author's word, and one that its own schema refuses is an error. A raw
/// schema often comes from elsewhere, where such defaults are common (`"default": null`).
fn kind(error: &SchemaError, origin: &Origin<'_>) -> (Code, Severity) {
    match error.kind {
        SchemaErrorKind::Default if matches!(origin, Origin::Declared { .. }) => {
            (BAD_DEFAULT, Severity::Error)
        }
        SchemaErrorKind::Default => (BAD_DEFAULT, Severity::Warning),
        kind if kind.is_warning() => (BAD_SCHEMA, Severity::Warning),
        _ => (BAD_SCHEMA, Severity::Error),
    }
}

struct Place {
    at: Span,
    label: Option<String>,
    /// The part of the pointer that the place does not show.
    rest: String,
}

fn place(table: &Table<'_>, origin: &Origin<'_>, pointer: &str) -> Place {
    match origin {
        Origin::Declared { places, noun, at } => {
            let nearest = places
                .iter()
                .filter(|place| is_prefix(&place.pointer, pointer))
                .max_by_key(|place| place.pointer.len());
            let Some(nearest) = nearest else {
                return Place {
                    at: at.clone(),
                    label: None,
                    rest: pointer.to_owned(),
                };
            };
            let rest = pointer.get(nearest.pointer.len()..).unwrap_or("");
            let label = format!("{}, {noun} \"{}\"", table.place(), nearest.path);
            match &nearest.value {
                Some(entry) => Place {
                    at: descend(entry, rest),
                    label: Some(label),
                    rest: String::new(),
                },
                None => Place {
                    at: nearest.at.clone(),
                    label: Some(label),
                    rest: rest.to_owned(),
                },
            }
        }
        Origin::Table(entry) => Place {
            at: descend(entry, pointer),
            label: None,
            rest: pointer.to_owned(),
        },
        Origin::Text(entry) => Place {
            at: match entry.value {
                DeValue::String(text) => within(&entry.at, json_member(text, pointer)),
                _ => entry.at.clone(),
            },
            label: None,
            rest: pointer.to_owned(),
        },
        Origin::File { file, .. } => Place {
            at: span(file, json_member(file.text(), pointer)),
            label: None,
            rest: pointer.to_owned(),
        },
    }
}

fn is_prefix(prefix: &str, pointer: &str) -> bool {
    pointer
        .strip_prefix(prefix)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The place of the deepest part of a TOML value that a JSON pointer reaches.
fn descend(entry: &Entry<'_>, pointer: &str) -> Span {
    let mut here = entry.clone();
    let mut at = entry.key_at.clone();
    for token in pointer.split('/').skip(1) {
        let token = token.replace("~1", "/").replace("~0", "~");
        let next = match here.value {
            DeValue::Table(_) => here
                .members()
                .into_iter()
                .find(|member| member.key == token),
            DeValue::Array(_) => token
                .parse::<usize>()
                .ok()
                .and_then(|index| here.items().into_iter().nth(index)),
            _ => None,
        };
        let Some(next) = next else { break };
        at = match here.value {
            DeValue::Table(_) => next.key_at.clone(),
            _ => next.at.clone(),
        };
        here = next;
    }
    at
}
