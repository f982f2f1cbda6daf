//! Words that look like keywords and are none. JSON Schema ignores them, so that a slip of the pen
//! allows more than its author meant.

use super::dialect::Dialect;
use super::document::Document;
use super::error::{MAX_ERRORS, SchemaError, SchemaErrorKind, quote};
use super::pointer;
use serde_json::Value;

/// Keywords of both dialects.
const COMMON: [&str; 38] = [
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "contains",
    "contentEncoding",
    "contentMediaType",
    "default",
    "definitions",
    "dependencies",
    "description",
    "else",
    "enum",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "if",
    "items",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "pattern",
    "patternProperties",
    "properties",
    "propertyNames",
    "required",
    "then",
    "type",
    "uniqueItems",
];

/// Keywords of 2020-12 alone.
const MODERN: [&str; 8] = [
    "contentSchema",
    "dependentRequired",
    "dependentSchemas",
    "maxContains",
    "minContains",
    "prefixItems",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Keywords that mean something elsewhere, and words close to a keyword that are meant.
const OTHER: [&str; 6] = [
    "additionalItems",
    "deprecated",
    "example",
    "readOnly",
    "title",
    "writeOnly",
];

/// Longest unknown word compared, in bytes.
const MAX_WORD: usize = 40;

/// Warns of unknown keywords that are a slip away from a known one.
pub(super) fn check(document: &Document<'_>, findings: &mut Vec<SchemaError>) {
    let modern: &[&str] = match document.dialect {
        Dialect::Draft202012 => &MODERN,
        Dialect::Draft7 => &[],
    };
    let known = || COMMON.iter().chain(modern).copied();
    let mut left = MAX_ERRORS;
    for node in &document.nodes {
        let Value::Object(members) = node.schema else {
            continue;
        };
        for word in members.keys() {
            let is_known = known().any(|keyword| keyword == word)
                || MODERN.contains(&word.as_str())
                || OTHER.contains(&word.as_str());
            if is_known || word.len() > MAX_WORD || word.starts_with(['$', 'x']) || left == 0 {
                continue;
            }
            if let Some(meant) = known().find(|keyword| is_slip(word, keyword)) {
                left -= 1;
                findings.push(
                    SchemaError::new(
                        SchemaErrorKind::UnknownKeyword,
                        pointer::join(&node.pointer, word),
                        format!("`{}` is no keyword and checks nothing", quote(word)),
                    )
                    .help(format!("did you mean `{meant}`?")),
                );
            }
        }
    }
}

/// Whether `word` is `keyword` in another case or with underscores, or a letter or two away.
fn is_slip(word: &str, keyword: &str) -> bool {
    let plain: String = word.chars().filter(|c| !matches!(c, '_' | '-')).collect();
    let allowed = match keyword.len() {
        0..5 => 0,
        5..9 => 1,
        _ => 2,
    };
    plain.eq_ignore_ascii_case(keyword) || strsim::damerau_levenshtein(word, keyword) <= allowed
}
