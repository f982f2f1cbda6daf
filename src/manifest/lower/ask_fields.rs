//! `fields`: a form, in the few shapes that clients can show (specification: client, Elicitation,
//! "Requested Schema"): texts, numbers, yes or no, one of several, some of several.

use super::argument_values::{contradictions, some_bounds};
use super::arguments::{Argument, TYPES, escape};
use super::codes::{CONFLICT, MISPLACED};
use super::schema_place::{Origin, SchemaPlace};
use super::{Cx, schema};
use crate::lang::diag::Diagnostic;
use crate::lang::schema::{Root, Validation};
use crate::lang::template::Template;
use crate::manifest::read::{Entry, MISSING_KEY, OUT_OF_RANGE, Table, WRONG_TYPE, to_json};
use crate::model::FormSpec;
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::sync::Arc;
use toml::de::DeValue;

const FORMATS: [(&str, &str); 4] = [
    ("email", "email"),
    ("uri", "uri"),
    ("date", "date"),
    ("date-time", "date-time"),
];
/// The types that a field may have.
const KINDS: [&str; 5] = ["string", "integer", "number", "boolean", "array"];

/// Reads the fields of a form, and gives their names too.
pub(super) fn fields<'a>(
    cx: &Cx<'a>,
    table: &Table<'a>,
    message: Option<Template>,
) -> (Option<FormSpec>, Vec<String>) {
    if !table.has("fields") {
        let help = "write for example `fields.ok = { type = \"boolean\", required = true }`";
        table.missing_with("fields", help);
    }
    let Some(declared) = table.table("fields") else {
        return (None, Vec::new());
    };
    let before = cx.findings.errors();
    let mut properties = Map::new();
    let mut required = Vec::new();
    let mut places = Vec::new();
    for entry in declared.entries() {
        if let Some((schema, is_required)) = field(&declared, &entry, &mut places) {
            properties.insert(entry.key.to_owned(), Value::Object(schema));
            if is_required {
                required.push(Value::from(entry.key));
            }
        }
    }
    let names = declared.entries().into_iter();
    let names = names.map(|entry| entry.key.to_owned()).collect();
    let mut form = Map::new();
    form.insert("type".into(), "object".into());
    form.insert("properties".into(), Value::Object(properties));
    if !required.is_empty() {
        form.insert("required".into(), Value::Array(required));
    }
    let shown = Value::Object(form);
    let checked = Arc::new(without_names(shown.clone()));
    let origin = Origin::Declared {
        places,
        noun: "field",
        at: declared.at(),
    };
    let schema = schema::compile(cx, table, &checked, &origin, Root::Input, Validation::Full);
    let form = (cx.findings.errors() == before).then_some(()).and(schema);
    let form = form.zip(message).map(|(schema, message)| FormSpec {
        message,
        shown: Arc::new(shown),
        schema,
    });
    (form, names)
}

/// The form without `enumNames`, which is no keyword of JSON Schema.
fn without_names(mut form: Value) -> Value {
    let properties = form.get_mut("properties").and_then(Value::as_object_mut);
    for (_, field) in properties.into_iter().flatten() {
        if let Some(field) = field.as_object_mut() {
            field.shift_remove("enumNames");
        }
    }
    form
}

/// One field's schema, and whether it is required.
fn field<'a>(
    declared: &Table<'a>,
    entry: &Entry<'a>,
    places: &mut Vec<SchemaPlace<'a>>,
) -> Option<(Map<String, Value>, bool)> {
    let mut table = declared.sub_table(entry)?;
    table.set_place(format!("{}, field \"{}\"", declared.place(), entry.key));
    let kind = kind(&table)?;
    let is_required = table.boolean("required").is_some_and(|read| read.value);
    let pointer = format!("/properties/{}", escape(entry.key));
    places.push(SchemaPlace {
        pointer: pointer.clone(),
        path: entry.key.to_owned(),
        at: entry.key_at.clone(),
        value: None,
    });
    let mut field = Argument::new(&table, Some(kind), &pointer, entry.key);
    if let Some(entry) = table.entry("type") {
        field.set("type", entry, kind.into());
    }
    for key in ["title", "description"] {
        if let (Some(text), Some(entry)) = (table.prose(key), table.entry(key)) {
            field.set(key, entry, text.into());
        }
    }
    match kind {
        "string" => text(&mut field),
        "integer" | "number" => of_these(&mut field, &["minimum", "maximum"]),
        "array" => {
            of_these(&mut field, &["min_items", "max_items"]);
            choices(&mut field);
            if !table.has("enum") {
                let help = "a list is some of several: write `enum = [\"a\", \"b\"]`";
                table.missing_with("enum", help);
            }
        }
        _ => {}
    }
    contradictions(&field);
    if let Some(entry) = table.entry("default")
        && let Some(value) = to_json(&table, &entry)
    {
        field.set("default", entry, value);
    }
    let schema = field.end(places);
    table.finish();
    Some((schema, is_required))
}

/// `type`: of the JSON types those that a form can show.
fn kind(table: &Table<'_>) -> Option<&'static str> {
    let words = KINDS.map(|name| (name, name));
    if !table.has("type") {
        let help = format!("write one of {}", KINDS.join(", "));
        table.report(Diagnostic::error(MISSING_KEY, table.at(), "missing key `type`").help(help));
    }
    let read = table.string("type")?;
    let is_nested = TYPES.contains(&read.value.as_str()) && !KINDS.contains(&read.value.as_str());
    if is_nested {
        let message = format!("a form has no field of type `{}`", read.value);
        let help = "forms are flat: texts, numbers, yes or no, and choices";
        table.report(Diagnostic::error(OUT_OF_RANGE, read.at, message).help(help));
        return None;
    }
    table.as_word("type", read, &words).map(|read| read.value)
}

fn of_these(field: &mut Argument<'_, '_>, keys: &[&str]) {
    some_bounds(field, |key| keys.contains(&key));
}

/// A text, or one of several.
fn text(field: &mut Argument<'_, '_>) {
    let table = field.table;
    of_these(field, &["min_length", "max_length"]);
    if let (Some(format), Some(entry)) = (table.word("format", &FORMATS), table.entry("format")) {
        field.set("format", entry, format.value.into());
    }
    choices(field);
    names(field);
    let Some(entry) = table.entry("enum") else {
        return;
    };
    for key in ["min_length", "max_length", "format"] {
        if let Some(bound) = table.entry(key) {
            let message = format!("`{key}` and `enum` exclude each other");
            table.report(
                Diagnostic::error(CONFLICT, bound.key_at, message)
                    .related(entry.key_at.clone(), "the choices"),
            );
        }
    }
}

/// `enum_names`: titles for clients that know no others.
fn names(field: &mut Argument<'_, '_>) {
    let table = field.table;
    let (Some(names), Some(entry)) = (table.strings("enum_names"), table.entry("enum_names"))
    else {
        return;
    };
    let values = field.schema.get("enum").and_then(Value::as_array);
    if values.map(Vec::len) != Some(names.len()) {
        let message = "`enum_names` has one name for each text of `enum`";
        table.error(OUT_OF_RANGE, entry.at, message);
        return;
    }
    let names = names.into_iter().map(|name| name.value.into());
    field.set("enumNames", entry, Value::Array(names.collect()));
}

/// `enum`: texts, or `{ value, title }`.
fn choices(field: &mut Argument<'_, '_>) {
    let table = field.table;
    let Some(entry) = table.entry("enum") else {
        return;
    };
    let Some(items) = table.array("enum") else {
        return;
    };
    let mut values = Vec::new();
    let mut titles = Vec::new();
    let mut seen = HashSet::new();
    for item in &items {
        let Some((value, title)) = choice(table, item) else {
            return;
        };
        if !seen.insert(value.clone()) {
            let message = format!("\"{value}\" stands twice in `enum`");
            table.error(OUT_OF_RANGE, item.at.clone(), message);
        }
        values.push(value);
        titles.extend(title);
    }
    if values.is_empty() {
        let message = "`enum` must list at least one value";
        table.error(OUT_OF_RANGE, entry.at, message);
        return;
    }
    if !titles.is_empty() && titles.len() != values.len() {
        let message = "all choices of a field have a title, or none";
        table.error(MISPLACED, entry.at, message);
        return;
    }
    let is_list = field.kind == Some("array");
    let (keyword, value) = match (titles.is_empty(), is_list) {
        (true, false) => ("enum", json!(values)),
        (true, true) => ("items", json!({ "type": "string", "enum": values })),
        (false, is_list) => {
            let pairs = values.iter().zip(&titles);
            let pairs: Vec<Value> = pairs
                .map(|(value, title)| json!({ "const": value, "title": title }))
                .collect();
            match is_list {
                true => ("items", json!({ "anyOf": pairs })),
                false => ("oneOf", Value::Array(pairs)),
            }
        }
    };
    field.set(keyword, entry, value);
}

fn choice<'a>(table: &Table<'a>, item: &Entry<'a>) -> Option<(String, Option<String>)> {
    match item.value {
        DeValue::String(text) => Some((text.clone().into_owned(), None)),
        DeValue::Table(_) => {
            let choice = table.sub_table(item)?;
            for key in ["value", "title"] {
                if !choice.has(key) {
                    choice.missing(key);
                }
            }
            let value = choice.string("value");
            let title = choice.string("title");
            choice.finish();
            Some((value?.value, Some(title?.value)))
        }
        _ => {
            let message = "a choice is a text, or `{ value = \"…\", title = \"…\" }`";
            table.error(WRONG_TYPE, item.at.clone(), message);
            None
        }
    }
}
