//! Values as text: a number is decimal (`30`, never `30.0`), a boolean `true` or `false`, null
//! `null`, a list or object its compact JSON.

use std::fmt::Write as _;

use minijinja::Value as Engine;
use minijinja::value::ValueKind;
use serde_json::{Number, Value};

use super::MAX_OUTPUT_BYTES;
use super::convert;
use super::error::Failure;
use super::path::Found;

/// A JSON value as the text that a template puts in its place.
pub fn text_of(value: &Value) -> String {
    let mut out = String::new();
    push_json(&mut out, value);
    out
}

pub(super) fn push_found(out: &mut String, found: Found<'_>) -> Result<(), Failure> {
    match found {
        Found::Value(value) => push_json(out, value),
        // Writing a `Map` cannot fail: its keys are strings and a `String` takes every byte.
        Found::Object(members) => {
            out.push_str(&serde_json::to_string(members).unwrap_or_default());
        }
        Found::Char(c) => out.push(c),
    }
    within_bound(out)
}

fn push_json(out: &mut String, value: &Value) {
    match value {
        Value::String(text) => out.push_str(text),
        Value::Number(number) => push_number(out, number),
        other => {
            let _ = write!(out, "{other}");
        }
    }
}

fn push_number(out: &mut String, number: &Number) {
    match number.as_f64() {
        Some(float) if number.is_f64() => push_float(out, float),
        _ => {
            let _ = write!(out, "{number}");
        }
    }
}

/// The shortest decimal that reads back as the same float, never with an exponent.
fn push_float(out: &mut String, float: f64) {
    // Zero has one text: `-0` would be read as something else by whoever parses it.
    let float = if float == 0.0 { 0.0 } else { float };
    let _ = write!(out, "{float}");
}

/// An engine value as text.
pub(super) fn push_engine(out: &mut String, value: &Engine) -> Result<(), Failure> {
    match value.kind() {
        ValueKind::String => out.push_str(value.as_str().unwrap_or_default()),
        ValueKind::None => out.push_str("null"),
        ValueKind::Bool => out.push_str(if value.is_true() { "true" } else { "false" }),
        ValueKind::Number if value.is_integer() => {
            let _ = write!(out, "{value}");
        }
        ValueKind::Number => match f64::try_from(value.clone()) {
            Ok(float) if float.is_finite() => push_float(out, float),
            _ => return Err(not_finite()),
        },
        _ => push_json(out, &convert::to_json(value)?),
    }
    within_bound(out)
}

pub(super) fn not_finite() -> Failure {
    Failure::Operation("a calculation gives no finite number".into())
}

pub(super) fn within_bound(out: &str) -> Result<(), Failure> {
    if out.len() > MAX_OUTPUT_BYTES {
        return Err(Failure::Output);
    }
    Ok(())
}
