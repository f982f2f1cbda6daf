//! Input and output schemas: declared, or raw in one of three forms; compiled, and what the
//! compiler finds said at the key that wrote it.

use super::arguments::{Declared, additional, object};
use super::codes::{BAD_JSON, CONFLICT, UNSUPPORTED_ASSERTION};
use super::schema_place::{Origin, say, say_at};
use super::wrap::asks_an_actor;
use super::{Cx, outside_file, read_named};
use crate::lang::diag::Diagnostic;
use crate::lang::schema::{Root, Schema, Validation, header_params, unsupported_assertions};
use crate::manifest::read::{At, Entry, Table, span, to_json, within};
use serde_json::{Map, Value};
use std::sync::Arc;
use toml::de::DeValue;

/// A tool's input schema.
pub(super) struct Input {
    /// The schema as it is written, wrong or not: which arguments there are. `None` when it cannot be
    /// read.
    pub(super) json: Option<Arc<Value>>,
    /// The schema, when nothing is wrong with it.
    pub(super) schema: Option<Arc<Schema>>,
}

/// A tool's input schema: `arguments`, or `input_schema`. `defaults` is the file's `[defaults]`.
pub(super) fn input<'a>(cx: &Cx<'a>, table: &Table<'a>, defaults: Option<&Table<'a>>) -> Input {
    let raw = table.entry("input_schema");
    let declared = table.table("arguments");
    let closed = additional(table);
    let has_closed = table.has("additional_properties");
    if let (Some(raw), Some(_)) = (&raw, &declared) {
        table.error(
            CONFLICT,
            raw.key_at.clone(),
            "`input_schema` and `arguments` exclude each other",
        );
    }
    if let (Some(raw), Some((closed, _))) = (&raw, &closed) {
        table.report(
            Diagnostic::error(
                CONFLICT,
                closed.key_at.clone(),
                "`additional_properties` belongs to `arguments`; a raw schema says it itself",
            )
            .related(raw.key_at.clone(), "the raw schema"),
        );
    }
    let at = declared.as_ref().map_or_else(|| table.at(), Table::at);
    let described = declared.map(|declared| object(cx, &declared, "argument"));
    if let Some(raw) = raw {
        let Some((json, origin)) = raw_schema(cx, table, raw) else {
            return Input {
                json: None,
                schema: None,
            };
        };
        let json = Arc::new(json);
        let schema = compile_input(cx, table, &json, &origin, defaults);
        return Input {
            json: Some(json),
            schema: schema.filter(|_| described.is_none() && !has_closed),
        };
    }
    let Declared { members, places } = described.unwrap_or_else(|| {
        let mut empty = Declared::default();
        let properties = Value::Object(Map::new());
        empty.members.insert("properties".into(), properties);
        empty
    });
    let mut json = Map::new();
    json.insert("type".into(), "object".into());
    json.extend(members);
    if let Some((_, closed)) = closed {
        json.insert("additionalProperties".into(), closed);
    }
    let origin = Origin::Declared {
        places,
        noun: "argument",
        at,
    };
    let json = Arc::new(Value::Object(json));
    Input {
        schema: compile_input(cx, table, &json, &origin, defaults),
        json: Some(json),
    }
}

/// A tool's output schema: `returns`, or `output_schema`. The outer `None` means that it is broken.
pub(super) fn output<'a>(cx: &Cx<'a>, table: &Table<'a>) -> Option<Option<Arc<Schema>>> {
    let validation = cx.settings.server.validation;
    let raw = table.entry("output_schema");
    let declared = table.table("returns");
    let is_twice = raw.is_some() && declared.is_some();
    if let Some(raw) = raw.as_ref().filter(|_| is_twice) {
        table.error(
            CONFLICT,
            raw.key_at.clone(),
            "`output_schema` and `returns` exclude each other: a tool has one output schema",
        );
    }
    let declared = declared.map(|declared| {
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
        compile(
            cx,
            table,
            &Arc::new(Value::Object(json)),
            &origin,
            Root::Output,
            validation,
        )
    });
    let raw = raw.map(|raw| {
        let (json, origin) = raw_schema(cx, table, raw)?;
        compile(
            cx,
            table,
            &Arc::new(json),
            &origin,
            Root::Output,
            validation,
        )
    });
    match (raw, declared) {
        (None, None) => Some(None),
        (Some(schema), None) | (None, Some(schema)) => schema.map(Some),
        (Some(_), Some(_)) => None,
    }
}

/// A raw schema: a table, a string of JSON, or `{ file = "…" }`.
fn raw_schema<'a>(cx: &Cx<'_>, table: &Table<'a>, entry: Entry<'a>) -> Option<(Value, Origin<'a>)> {
    match entry.value {
        DeValue::String(text) => {
            json_text(table, &entry, text).map(|json| (json, Origin::Text(entry)))
        }
        DeValue::Table(_) => match entry.members().as_slice() {
            [only] if only.key == "file" => {
                let path = table.as_literal(only)?;
                schema_file(cx, table, path)
            }
            _ => Some((to_json(table, &entry)?, Origin::Table(entry))),
        },
        _ => table.wrong_type(
            &entry,
            "a schema table, a string of JSON, or `{ file = \"…\" }`",
        ),
    }
}

/// A string of JSON; says what keeps it from being one.
pub(super) fn json_text(table: &Table<'_>, entry: &Entry<'_>, text: &str) -> Option<Value> {
    match serde_json::from_str(text) {
        Ok(json) => Some(json),
        Err(error) => {
            let at = byte_of(text, &error);
            let place = within(&entry.at, at..at);
            let message = format!("`{}` is not JSON: {}", entry.key, reason(&error));
            table.error(BAD_JSON, place, message);
            None
        }
    }
}

fn schema_file<'a>(
    cx: &Cx<'_>,
    table: &Table<'a>,
    file: At<String>,
) -> Option<(Value, Origin<'a>)> {
    let bytes = read_named(cx, table, &file)?;
    let At { value: path, at } = file;
    let Ok(text) = String::from_utf8(bytes) else {
        table.error(BAD_JSON, at, format!("`{path}` is not UTF-8"));
        return None;
    };
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text).to_owned();
    let file = outside_file(cx, &path, text);
    match serde_json::from_str(file.text()) {
        Ok(json) => Some((json, Origin::File { file, at })),
        Err(error) => {
            let byte = byte_of(file.text(), &error);
            let message = format!("`{path}` is not JSON: {}", reason(&error));
            table.report(
                Diagnostic::error(BAD_JSON, span(&file, byte..byte), message)
                    .related(at, "named here"),
            );
            None
        }
    }
}

/// The byte that an error of the JSON parser is about.
fn byte_of(text: &str, error: &serde_json::Error) -> usize {
    let before = error.line().saturating_sub(1);
    let lines = text.split_inclusive('\n').take(before);
    let at = lines.map(str::len).sum::<usize>() + error.column().saturating_sub(1);
    text.floor_char_boundary(at)
}

/// The error without its place.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let end = text.rfind(" at line ").unwrap_or(text.len());
    let text = text.get(..end).unwrap_or_default();
    text.replacen("EOF", "the text ends", 1)
}

/// Says which assertions the basic validator leaves out.
fn say_unsupported(table: &Table<'_>, json: &Value, origin: &Origin<'_>) {
    for found in unsupported_assertions(json) {
        let message = format!(
            "`{}` is not checked for a tool that messages an actor",
            found.keyword
        );
        say_at(
            table,
            &found.pointer,
            UNSUPPORTED_ASSERTION,
            &message,
            origin,
        );
    }
}

/// Compiles a tool's input schema. What reaches an actor is always checked, be it the tool's own or one
/// that decides over its calls; of its own no assertion may be left out.
fn compile_input<'a>(
    cx: &Cx<'a>,
    table: &Table<'a>,
    json: &Arc<Value>,
    origin: &Origin<'_>,
    defaults: Option<&Table<'a>>,
) -> Option<Arc<Schema>> {
    let is_sent = table.has("actor");
    let validation = match cx.settings.server.validation {
        Validation::None if is_sent || asks_an_actor(table, defaults) => Validation::Basic,
        validation => validation,
    };
    let before = cx.findings.errors();
    if is_sent {
        say_unsupported(table, json, origin);
    }
    let schema = compile(cx, table, json, origin, Root::Input, validation);
    schema.filter(|_| cx.findings.errors() == before)
}

/// Compiles a schema, and says what is wrong with it where that was written.
pub(super) fn compile(
    cx: &Cx<'_>,
    table: &Table<'_>,
    json: &Arc<Value>,
    origin: &Origin<'_>,
    root: Root,
    validation: Validation,
) -> Option<Arc<Schema>> {
    let before = cx.findings.errors();
    if root == Root::Input
        && let Err(errors) = header_params(json)
    {
        for error in &errors {
            say(table, error, origin);
        }
    }
    match cx.schemas.get_or_compile(json, root, validation) {
        Ok(schema) => {
            for warning in schema.warnings() {
                say(table, warning, origin);
            }
            (cx.findings.errors() == before).then_some(schema)
        }
        Err(errors) => {
            for error in &errors {
                say(table, error, origin);
            }
            None
        }
    }
}
