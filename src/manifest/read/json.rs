//! TOML values as JSON values: for schemas, defaults, metadata and the constant parts of results.

use super::entry::Entry;
use super::findings::Findings;
use super::table::OUT_OF_RANGE;
use crate::lang::diag::{Code, Diagnostic};
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
pub fn to_json(entry: &Entry<'_>, findings: &Findings) -> Option<Value> {
    match entry.value {
        DeValue::String(text) => Some(Value::String(text.clone().into_owned())),
        DeValue::Boolean(value) => Some(Value::Bool(*value)),
        DeValue::Datetime(value) => Some(Value::String(value.to_string())),
        DeValue::Integer(number) => {
            let parsed = i64::from_str_radix(number.as_str(), number.radix());
            if parsed.is_err() {
                findings.push(Diagnostic::error(
                    OUT_OF_RANGE,
                    entry.at.clone(),
                    "the integer does not fit in 64 bits",
                ));
            }
            parsed.ok().map(Value::from)
        }
        DeValue::Float(number) => {
            let parsed = number.as_str().parse().ok().and_then(Number::from_f64);
            if parsed.is_none() {
                findings.push(Diagnostic::error(
                    NOT_JSON,
                    entry.at.clone(),
                    format!("`{}` is not a JSON number", number.as_str()),
                ));
            }
            parsed.map(Value::Number)
        }
        DeValue::Array(_) => {
            let items = entry.items();
            let values: Vec<Value> = items
                .iter()
                .filter_map(|item| to_json(item, findings))
                .collect();
            (values.len() == items.len()).then_some(Value::Array(values))
        }
        DeValue::Table(_) => {
            let members = entry.members();
            let map: Map<String, Value> = members
                .iter()
                .filter_map(|member| Some((member.key.to_owned(), to_json(member, findings)?)))
                .collect();
            (map.len() == members.len()).then_some(Value::Object(map))
        }
    }
}
