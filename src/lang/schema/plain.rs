//! Plain keywords: in both dialects they lead nowhere else in the document, and need nothing but their
//! value. Schemas of declared arguments are made of them, and so are most others.

use super::dialect::Dialect;
use serde_json::Value;

/// What both meta-schemas want as the value of a plain keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wants {
    Anything,
    /// The URI of a dialect.
    Dialect,
    Text,
    Flag,
    /// A whole number, 0 or more.
    Count,
    Number,
    /// A number greater than 0.
    Positive,
    List,
    /// A list of different texts.
    Names,
    Type,
    Schema,
    /// A list of schemas, at least one.
    Schemas,
    /// An object whose values are schemas.
    Members,
}

/// What a plain keyword wants; `None` for every other keyword.
pub(super) fn wants(keyword: &str) -> Option<Wants> {
    Some(match keyword {
        "const" | "default" | "x-mcp-header" => Wants::Anything,
        "$schema" => Wants::Dialect,
        "$comment" | "description" | "format" | "pattern" | "title" => Wants::Text,
        "deprecated" | "readOnly" | "uniqueItems" | "writeOnly" => Wants::Flag,
        "maxItems" | "maxLength" | "maxProperties" | "minItems" | "minLength" | "minProperties" => {
            Wants::Count
        }
        "exclusiveMaximum" | "exclusiveMinimum" | "maximum" | "minimum" => Wants::Number,
        "multipleOf" => Wants::Positive,
        "enum" | "examples" => Wants::List,
        "required" => Wants::Names,
        "type" => Wants::Type,
        "additionalProperties" | "items" => Wants::Schema,
        "prefixItems" => Wants::Schemas,
        "properties" => Wants::Members,
        _ => return None,
    })
}

impl Wants {
    /// Whether a value is what is wanted for sure. Some rare values are and are not taken for it:
    /// a list of types, `1.0` as a count.
    pub(super) fn surely_takes(self, value: &Value) -> bool {
        let is_schema = |value: &Value| value.is_object() || value.is_boolean();
        match (self, value) {
            (Self::Anything, _)
            | (Self::Text, Value::String(_))
            | (Self::Flag, Value::Bool(_))
            | (Self::Number, Value::Number(_))
            | (Self::List, Value::Array(_)) => true,
            (Self::Dialect, Value::String(uri)) => Dialect::from_uri(uri).is_some(),
            (Self::Count, value) => value.is_u64(),
            (Self::Positive, value) => value.as_f64().is_some_and(|number| number > 0.0),
            (Self::Names, Value::Array(names)) => are_names(names),
            (Self::Type, Value::String(name)) => matches!(
                &**name,
                "array" | "boolean" | "integer" | "null" | "number" | "object" | "string"
            ),
            (Self::Schema, value) => is_schema(value),
            (Self::Schemas, Value::Array(schemas)) => {
                !schemas.is_empty() && schemas.iter().all(is_schema)
            }
            (Self::Members, Value::Object(members)) => members.values().all(is_schema),
            _ => false,
        }
    }
}

/// Whether these are different texts, and few enough to say so by comparing each with each.
fn are_names(names: &[Value]) -> bool {
    const FEW: usize = 32;
    let different = |(place, name): (usize, &Value)| {
        name.is_string() && names.iter().take(place).all(|other| other != name)
    };
    names.len() <= FEW && names.iter().enumerate().all(different)
}
