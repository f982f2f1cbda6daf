//! TOML values as JSON values: for schemas, defaults, metadata and the constant parts of results.

use super::entry::Entry;
use super::table::{OUT_OF_RANGE, Table};
use crate::lang::diag::Code;
use crate::lang::template::text_of;
use serde_json::{Map, Number, Value};
use toml::de::DeValue;

/// A TOML value that JSON has no form for.
pub(super) const NOT_JSON: Code = Code("not-json");

/// What `snodo check --explain` prints for the code of this file.
pub(super) const EXPLAIN: &[(Code, &str)] = &[(
    NOT_JSON,
    "The value becomes JSON, and JSON has no form for it: `nan` and `inf` are no JSON numbers. \
     Write a number, or a string.",
)];

/// The JSON form of a value. Dates and times become their text, as TOML writes them.
///
/// Reports and gives `None` for numbers that JSON cannot hold.
pub fn to_json(table: &Table<'_>, entry: &Entry<'_>) -> Option<Value> {
    match entry.value {
        DeValue::String(text) => Some(Value::String(text.clone().into_owned())),
        DeValue::Boolean(value) => Some(Value::Bool(*value)),
        DeValue::Datetime(value) => Some(Value::String(value.to_string())),
        DeValue::Integer(number) => {
            let parsed = i64::from_str_radix(number.as_str(), number.radix());
            if parsed.is_err() {
                table.error(
                    OUT_OF_RANGE,
                    entry.at.clone(),
                    "the integer does not fit in 64 bits",
                );
            }
            parsed.ok().map(Value::from)
        }
        DeValue::Float(number) => {
            let parsed = number.as_str().parse().ok().and_then(Number::from_f64);
            if parsed.is_none() {
                let message = format!("`{}` is not a JSON number", number.as_str());
                table.error(NOT_JSON, entry.at.clone(), message);
            }
            parsed.map(Value::Number)
        }
        DeValue::Array(_) => {
            let items = entry.items();
            let values: Vec<Value> = items
                .iter()
                .filter_map(|item| to_json(table, item))
                .collect();
            (values.len() == items.len()).then_some(Value::Array(values))
        }
        DeValue::Table(_) => {
            let members = entry.members();
            let map: Map<String, Value> = members
                .iter()
                .filter_map(|member| Some((member.key.to_owned(), to_json(table, member)?)))
                .collect();
            (map.len() == members.len()).then_some(Value::Object(map))
        }
    }
}

/// The text that a value that is neither array nor table is in a template's place: a string's own,
/// a number in decimal (`30`, never `30.0`), `true` or `false`, a date as TOML writes it. The outer
/// `None` is for arrays and tables, the inner one for numbers that were refused.
pub fn scalar_text(table: &Table<'_>, entry: &Entry<'_>) -> Option<Option<String>> {
    if let DeValue::Array(_) | DeValue::Table(_) = entry.value {
        return None;
    }
    let value = to_json(table, entry);
    Some(value.map(|value| text_of(&value)))
}
