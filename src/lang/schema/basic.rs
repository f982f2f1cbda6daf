//! What the basic validator leaves out.

use super::dialect::Dialect;
use super::document::Document;
use super::{bounds, pointer};
use serde_json::Value;

/// An assertion that only the full validator checks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsupportedAssertion {
    /// JSON Pointer to the keyword.
    pub pointer: String,
    /// The keyword.
    pub keyword: &'static str,
}

/// Assertions outside the basic validator, by dialect: what narrows a value and is none of types,
/// values, sizes, bounds, patterns, formats, members, items and `$ref`.
const OUTSIDE: [&str; 13] = [
    "$dynamicRef",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "contains",
    "propertyNames",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Assertions of draft-07 only that are outside.
const OUTSIDE_DRAFT7: [&str; 2] = ["contentEncoding", "contentMediaType"];

/// The assertions in `schema` that the basic validator ignores, wherever they stand, definitions
/// included. None for a schema too large to look at, or of another dialect: neither compiles.
pub fn unsupported_assertions(schema: &Value) -> Vec<UnsupportedAssertion> {
    let (Ok(()), Ok(dialect)) = (bounds::check(schema), Dialect::of(schema)) else {
        return Vec::new();
    };
    let document = Document::read(schema, dialect, &mut Vec::new());
    let mut found = Vec::new();
    for node in &document.nodes {
        let Value::Object(members) = node.schema else {
            continue;
        };
        let draft7 = dialect == Dialect::Draft7;
        if draft7 && members.contains_key("$ref") {
            continue;
        }
        let own: &[&str] = if draft7 { &OUTSIDE_DRAFT7 } else { &[] };
        for keyword in OUTSIDE.iter().chain(own) {
            let is_known = !draft7
                || !(keyword.starts_with("dependent")
                    || keyword.starts_with("unevaluated")
                    || *keyword == "$dynamicRef");
            if is_known && members.contains_key(*keyword) {
                found.push(UnsupportedAssertion {
                    pointer: pointer::join(&node.pointer, keyword),
                    keyword,
                });
            }
        }
    }
    found
}
