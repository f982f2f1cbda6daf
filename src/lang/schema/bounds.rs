//! How large a schema may be, and how deep. Checked before anything else walks the document.

use super::error::{SchemaError, SchemaErrorKind};
use super::pointer;
use serde_json::Value;

/// Deepest nesting of objects and arrays, which is 64 nested subschemas under `properties`. It is
/// also as deep as a message from the wire can be.
pub(super) const MAX_DEPTH: usize = 128;

/// Most bytes of a schema, near enough as JSON.
pub(super) const MAX_BYTES: usize = 1024 * 1024;

/// Most subschemas of a document, and most of them that one path through a value is checked
/// against.
pub(super) const MAX_SUBSCHEMAS: usize = 10_000;

/// Whether `schema` is small enough to look at more closely.
pub(super) fn check(schema: &Value) -> Result<(), SchemaError> {
    let mut bytes = 0;
    measure(schema, 0, &mut bytes, &mut String::new())
}

/// Whether `value` nests at most `limit` objects and arrays.
pub(super) fn is_within_depth(value: &Value, limit: usize) -> bool {
    match value {
        Value::Array(items) => {
            limit > 0 && items.iter().all(|item| is_within_depth(item, limit - 1))
        }
        Value::Object(members) => {
            limit > 0
                && members
                    .values()
                    .all(|member| is_within_depth(member, limit - 1))
        }
        _ => true,
    }
}

/// The recursion is bounded by `MAX_DEPTH`: deeper levels are refused, not entered.
fn measure(
    value: &Value,
    depth: usize,
    bytes: &mut usize,
    place: &mut String,
) -> Result<(), SchemaError> {
    *bytes += match value {
        Value::String(text) => text.len() + 3,
        Value::Number(_) => 8,
        _ => 3,
    };
    if *bytes > MAX_BYTES {
        return Err(SchemaError::new(
            SchemaErrorKind::TooLarge,
            "",
            "the schema is larger than 1 MiB",
        ));
    }
    if depth >= MAX_DEPTH && (value.is_object() || value.is_array()) {
        return Err(SchemaError::new(
            SchemaErrorKind::TooLarge,
            place.clone(),
            format!("the schema is nested deeper than {MAX_DEPTH} levels"),
        ));
    }
    let end = place.len();
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                pointer::push(place, &index.to_string());
                measure(item, depth + 1, bytes, place)?;
                place.truncate(end);
            }
        }
        Value::Object(members) => {
            for (key, member) in members {
                *bytes += key.len() + 3;
                pointer::push(place, key);
                measure(member, depth + 1, bytes, place)?;
                place.truncate(end);
            }
        }
        _ => {}
    }
    Ok(())
}
