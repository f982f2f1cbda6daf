//! Input and output schemas: declared, or raw in one of three forms; compiled, and what the
//! compiler finds said at the line that wrote it.

use super::Cx;
use super::arguments::{ArgumentPlace, Declared, object};
use super::codes::{BAD_DEFAULT, BAD_JSON, BAD_SCHEMA, CONFLICT, UNREADABLE};
use crate::lang::diag::{Code, Diagnostic, Severity, Span};
use crate::lang::schema::{Root, Schema, SchemaError, SchemaErrorKind, header_params};
use crate::manifest::read::{Entry, Table, to_json};
use serde_json::{Map, Value};
use std::sync::Arc;
use toml::de::DeValue;

/// Where the parts of a schema were written.
enum Origin<'a> {
    /// In `arguments` or `returns`.
    Declared {
        places: Vec<ArgumentPlace>,
        noun: &'static str,
        at: Span,
    },
    /// In a TOML table.
    Table(Entry<'a>),
    /// In a string or a file: one place for all of it.
    Text { at: Span, file: Option<String> },
}

/// A tool's input schema: `arguments`, or `input_schema`.
pub(super) fn input(cx: &Cx<'_>, table: &Table<'_>) -> Option<Arc<Schema>> {
    let raw = table.entry("input_schema");
    let declared = table.table("arguments");
    let additional = table.entry("additional_properties");
    if let (Some(raw), Some(_)) = (&raw, &declared) {
        table.error(
            CONFLICT,
            raw.key_at.clone(),
            "`input_schema` and `arguments` exclude each other",
        );
    }
    if let (Some(raw), Some(additional)) = (&raw, &additional) {
        table.report(
            Diagnostic::error(
                CONFLICT,
                additional.key_at.clone(),
                "`additional_properties` belongs to `arguments`; a raw schema says it itself",
            )
            .related(raw.key_at.clone(), "the raw schema"),
        );
        return None;
    }
    if let Some(raw) = raw {
        let (json, origin) = raw_schema(cx, table, raw)?;
        return compile(cx, table, json, &origin, Root::Input);
    }
    let at = declared.as_ref().map_or_else(|| table.at(), Table::at);
    let Declared { members, places } = match declared {
        Some(declared) => object(cx, &declared, "argument"),
        None => {
            let mut empty = Declared::default();
            empty
                .members
                .insert("properties".into(), Value::Object(Map::new()));
            empty
        }
    };
    let mut json = Map::new();
    json.insert("type".into(), "object".into());
    json.extend(members);
    if let Some(additional) = additional {
        match additional.value {
            DeValue::Boolean(_) | DeValue::Table(_) => {
                if let Some(value) = to_json(&additional, cx.findings) {
                    json.insert("additionalProperties".into(), value);
                }
            }
            _ => return table.wrong_type(&additional, "true, false or a schema table"),
        }
    }
    let origin = Origin::Declared {
        places,
        noun: "argument",
        at,
    };
    compile(cx, table, Value::Object(json), &origin, Root::Input)
}

/// A tool's output schema: `returns`, or `output_schema`. The outer `None` means that it is broken.
pub(super) fn output(cx: &Cx<'_>, table: &Table<'_>) -> Option<Option<Arc<Schema>>> {
    let raw = table.entry("output_schema");
    let declared = table.table("returns");
    match (raw, declared) {
        (None, None) => Some(None),
        (Some(raw), Some(_)) => {
            table.error(
                CONFLICT,
                raw.key_at,
                "`output_schema` and `returns` exclude each other: a tool has one output schema",
            );
            None
        }
        (Some(raw), None) => {
            let (json, origin) = raw_schema(cx, table, raw)?;
            compile(cx, table, json, &origin, Root::Output).map(Some)
        }
        (None, Some(declared)) => {
            let at = declared.at();
            let Declared { members, places } = object(cx, &declared, "return value");
            let mut json = Map::new();
            json.insert("type".into(), "object".into());
            json.extend(members);
            let origin = Origin::Declared {
                places,
                noun: "return value",
                at,
            };
            compile(cx, table, Value::Object(json), &origin, Root::Output).map(Some)
        }
    }
}

/// A raw schema: a table, a string of JSON, or `{ file = "…" }`.
fn raw_schema<'a>(cx: &Cx<'_>, table: &Table<'a>, entry: Entry<'a>) -> Option<(Value, Origin<'a>)> {
    match entry.value {
        DeValue::String(text) => {
            let json = parse_json(table, &entry, text, entry.key)?;
            let origin = Origin::Text {
                at: entry.at.clone(),
                file: None,
            };
            Some((json, origin))
        }
        DeValue::Table(_) => {
            let members = entry.members();
            if let [only] = members.as_slice()
                && only.key == "file"
                && let DeValue::String(path) = only.value
            {
                let file = cx.resolve(path.as_ref());
                let bytes = match cx.read_outside(&file) {
                    Ok(bytes) => bytes,
                    Err(error) => {
                        table.error(
                            UNREADABLE,
                            only.at.clone(),
                            format!("cannot read `{path}`: {error}"),
                        );
                        return None;
                    }
                };
                let text = String::from_utf8_lossy(&bytes);
                let json = parse_json(table, only, &text, path)?;
                let origin = Origin::Text {
                    at: only.at.clone(),
                    file: Some(path.clone().into_owned()),
                };
                return Some((json, origin));
            }
            Some((to_json(&entry, cx.findings)?, Origin::Table(entry)))
        }
        _ => table.wrong_type(
            &entry,
            "a schema table, a string of JSON, or `{ file = \"…\" }`",
        ),
    }
}

fn parse_json(table: &Table<'_>, entry: &Entry<'_>, text: &str, name: &str) -> Option<Value> {
    match serde_json::from_str(text) {
        Ok(json) => Some(json),
        Err(error) => {
            table.error(
                BAD_JSON,
                entry.at.clone(),
                format!("`{name}` is not JSON: {error}"),
            );
            None
        }
    }
}

fn compile(
    cx: &Cx<'_>,
    table: &Table<'_>,
    json: Value,
    origin: &Origin<'_>,
    root: Root,
) -> Option<Arc<Schema>> {
    let before = cx.findings.errors();
    if root == Root::Input
        && let Err(errors) = header_params(&json)
    {
        for error in &errors {
            say(table, error, origin, BAD_SCHEMA, Severity::Error);
        }
    }
    match cx
        .schemas
        .get_or_compile(&Arc::new(json), root, cx.settings.server.validation)
    {
        Ok(schema) => {
            for warning in schema.warnings() {
                say(table, warning, origin, code_of(warning), Severity::Warning);
            }
            (cx.findings.errors() == before).then_some(schema)
        }
        Err(errors) => {
            for error in &errors {
                let severity = if error.kind.is_warning() {
                    Severity::Warning
                } else {
                    Severity::Error
                };
                say(table, error, origin, code_of(error), severity);
            }
            None
        }
    }
}

fn code_of(error: &SchemaError) -> Code {
    match error.kind {
        SchemaErrorKind::Default => BAD_DEFAULT,
        _ => BAD_SCHEMA,
    }
}

/// Reports what the schema compiler found, at the nearest place that wrote it.
fn say(
    table: &Table<'_>,
    error: &SchemaError,
    origin: &Origin<'_>,
    code: Code,
    severity: Severity,
) {
    let (at, label, inside) = match origin {
        Origin::Declared { places, noun, at } => {
            let nearest = places
                .iter()
                .filter(|place| is_prefix(&place.pointer, &error.pointer))
                .max_by_key(|place| place.pointer.len());
            match nearest {
                Some(place) => (
                    place.at.clone(),
                    Some(format!("{}, {noun} \"{}\"", table.place(), place.path)),
                    error
                        .pointer
                        .get(place.pointer.len()..)
                        .unwrap_or("")
                        .to_owned(),
                ),
                None => (at.clone(), None, error.pointer.clone()),
            }
        }
        Origin::Table(entry) => (descend(entry, &error.pointer), None, error.pointer.clone()),
        Origin::Text { at, file } => (
            at.clone(),
            file.as_ref()
                .map(|file| format!("{}, file `{file}`", table.place())),
            error.pointer.clone(),
        ),
    };
    let message = if inside.is_empty() {
        error.message.clone()
    } else {
        format!("{} (at `{inside}`)", error.message)
    };
    let mut diagnostic = match severity {
        Severity::Error => Diagnostic::error(code, at, message),
        Severity::Warning => Diagnostic::warning(code, at, message),
    };
    if let Some(label) = label {
        diagnostic = diagnostic.label(label);
    }
    if let Some(help) = &error.help {
        diagnostic = diagnostic.help(help.clone());
    }
    table.report(diagnostic);
}

fn is_prefix(prefix: &str, pointer: &str) -> bool {
    pointer
        .strip_prefix(prefix)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The place of the deepest part of a TOML table that a JSON pointer reaches.
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
