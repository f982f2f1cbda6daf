//! Words of the violations: counts, options, the name that was meant.

use super::ObjectRule;
use crate::lang::schema::error::clip;
use serde_json::Value;

/// Options listed of an `enum`, and the characters spent on them.
const MAX_OPTIONS: usize = 20;
const MAX_OPTIONS_TEXT: usize = 300;

/// The declared property that `key` looks like.
pub(super) fn similar<'r>(key: &str, rule: &'r ObjectRule) -> Option<&'r str> {
    const COMPARED: usize = 1_000;
    let size = key.chars().take(65).count();
    if size > 64 {
        return None;
    }
    let near = |name: &&String| name.len() <= 4 * 64;
    let distances = rule.properties.keys().take(COMPARED).filter(near);
    let distances = distances.map(|name| (strsim::damerau_levenshtein(key, name), name));
    let (distance, name) = distances.min()?;
    (distance <= 1 + size / 5).then_some(name.as_str())
}

/// `1 item`, `2 items`.
pub(super) fn counted(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

pub(super) fn properties(count: u64) -> String {
    match count {
        1 => "1 property".to_owned(),
        count => format!("{count} properties"),
    }
}

pub(super) fn option_text(option: &Value) -> String {
    clip(&option.to_string(), MAX_OPTIONS_TEXT)
}

pub(super) fn options_text(options: &[Value]) -> String {
    let mut text = String::new();
    for (index, option) in options.iter().enumerate() {
        if index == MAX_OPTIONS || text.len() > MAX_OPTIONS_TEXT {
            return format!("{text} and {} more", options.len() - index);
        }
        if index > 0 {
            text.push_str(", ");
        }
        text.push_str(&option_text(option));
    }
    text
}
