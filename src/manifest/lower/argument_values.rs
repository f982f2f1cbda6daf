//! The keys of an argument that describe its values: bounds, `enum`, `default`, `pattern`.

use super::arguments::Argument;
use super::codes::{CONFLICT, NO_EFFECT};
use crate::lang::diag::Diagnostic;
use crate::lang::template::text_of;
use crate::manifest::read::{
    Entry, NOT_LITERAL, OUT_OF_RANGE, WRONG_TYPE, placeholder, to_json, within,
};
use serde_json::Value;
use std::collections::HashSet;
use toml::de::DeValue;

/// Keys whose values are texts.
pub(super) fn texts(argument: &mut Argument<'_, '_>) {
    let table = argument.table;
    for (key, keyword) in [("title", "title"), ("description", "description")] {
        if let (Some(text), Some(entry)) = (table.prose(key), table.entry(key)) {
            argument.set(keyword, entry, text.into());
        }
    }
    for (key, keyword) in [
        ("format", "format"),
        ("pattern", "pattern"),
        ("header", "x-mcp-header"),
    ] {
        if let (Some(text), Some(entry)) = (table.string(key), table.entry(key)) {
            argument.set(keyword, entry, text.value.into());
        }
    }
}

/// Keys whose values are sizes, and their keywords.
const SIZES: [(&str, &str); 4] = [
    ("min_length", "minLength"),
    ("max_length", "maxLength"),
    ("min_items", "minItems"),
    ("max_items", "maxItems"),
];
/// Keys whose values are numbers, and their keywords.
const NUMBERS: [(&str, &str); 5] = [
    ("minimum", "minimum"),
    ("maximum", "maximum"),
    ("exclusive_minimum", "exclusiveMinimum"),
    ("exclusive_maximum", "exclusiveMaximum"),
    ("multiple_of", "multipleOf"),
];

/// Keys whose values are numbers or flags.
pub(super) fn bounds(argument: &mut Argument<'_, '_>) {
    let table = argument.table;
    some_bounds(argument, |_| true);
    if let (Some(read), Some(entry)) = (table.boolean("unique_items"), table.entry("unique_items"))
    {
        argument.set("uniqueItems", entry, read.value.into());
    }
    contradictions(argument);
}

/// Those of the keys of sizes and numbers that are wanted.
pub(super) fn some_bounds(argument: &mut Argument<'_, '_>, is_wanted: impl Fn(&str) -> bool) {
    let table = argument.table;
    for (key, keyword) in SIZES.into_iter().filter(|(key, _)| is_wanted(key)) {
        let read = table.integer(key, 0..=i64::from(u32::MAX));
        if let (Some(read), Some(entry)) = (read, table.entry(key)) {
            argument.set(keyword, entry, read.value.into());
        }
    }
    for (key, keyword) in NUMBERS.into_iter().filter(|(key, _)| is_wanted(key)) {
        let Some(entry) = table.entry(key) else {
            continue;
        };
        match entry.value {
            DeValue::Integer(_) | DeValue::Float(_) => {
                if let Some(number) = to_json(table, &entry) {
                    argument.set(keyword, entry, number);
                }
            }
            _ => {
                let _: Option<()> = table.wrong_type(&entry, "a number");
            }
        }
    }
}

/// Bounds that leave no value are written in error.
pub(super) fn contradictions(argument: &Argument<'_, '_>) {
    const LOW: [(&str, &str, bool); 2] = [
        ("minimum", "minimum", true),
        ("exclusive_minimum", "exclusiveMinimum", false),
    ];
    const HIGH: [(&str, &str, bool); 2] = [
        ("maximum", "maximum", true),
        ("exclusive_maximum", "exclusiveMaximum", false),
    ];
    for low in LOW {
        for high in HIGH {
            contradiction(argument, low, high, argument.kind == Some("integer"));
        }
    }
    for (low, high) in [
        (("min_length", "minLength"), ("max_length", "maxLength")),
        (("min_items", "minItems"), ("max_items", "maxItems")),
    ] {
        contradiction(argument, (low.0, low.1, true), (high.0, high.1, true), true);
    }
}

/// Each bound is its key, its keyword, and whether the value it names is allowed itself.
fn contradiction(
    argument: &Argument<'_, '_>,
    (low_key, low, with_low): (&'static str, &str, bool),
    (high_key, high, with_high): (&'static str, &str, bool),
    is_whole: bool,
) {
    let number = |keyword: &str| argument.schema.get(keyword).and_then(Value::as_f64);
    let (Some(from), Some(to)) = (number(low), number(high)) else {
        return;
    };
    let leaves_none = match is_whole {
        // The least and the greatest whole number.
        true => {
            let least = if with_low {
                from.ceil()
            } else {
                from.floor() + 1.0
            };
            let greatest = if with_high {
                to.floor()
            } else {
                to.ceil() - 1.0
            };
            least > greatest
        }
        false => from > to || from == to && !(with_low && with_high),
    };
    let entries = (
        argument.table.entry(low_key),
        argument.table.entry(high_key),
    );
    if let (true, (Some(low), Some(high))) = (leaves_none, entries) {
        let message = format!("`{low_key}` and `{high_key}` leave no value");
        argument.table.report(
            Diagnostic::error(CONFLICT, high.key_at, message)
                .related(low.key_at, "the other bound"),
        );
    }
}

/// `enum` and `default`.
pub(super) fn values(argument: &mut Argument<'_, '_>) {
    let table = argument.table;
    if let Some(entry) = table.entry("enum") {
        match entry.value {
            DeValue::Array(items) if items.is_empty() => table.error(
                OUT_OF_RANGE,
                entry.at,
                "`enum` must list at least one value",
            ),
            DeValue::Array(_) => {
                if let Some(values) = to_json(table, &entry) {
                    check_enum(argument, &entry.items(), &values);
                    argument.set("enum", entry, values);
                }
            }
            _ => {
                let _: Option<()> = table.wrong_type(&entry, "an array");
            }
        }
    }
    let Some(entry) = table.entry("default") else {
        return;
    };
    if let DeValue::String(text) = entry.value
        && let Some(range) = placeholder(text)
    {
        table.report(Diagnostic::warning(
            NOT_LITERAL,
            within(&entry.at, range),
            "`default` is taken as it stands: nothing is filled in",
        ));
    }
    if let Some(value) = to_json(table, &entry) {
        argument.set("default", entry, value);
    }
}

/// Values that stand twice, and values that their own type refuses.
fn check_enum(argument: &Argument<'_, '_>, items: &[Entry<'_>], values: &Value) {
    let mut seen = HashSet::new();
    for (item, value) in items.iter().zip(values.as_array().into_iter().flatten()) {
        let table = argument.table;
        // Numbers are the same by their value: 1 is 1.0.
        let same = match value {
            Value::Number(_) => text_of(value),
            other => other.to_string(),
        };
        if !seen.insert(same) {
            table.error(
                OUT_OF_RANGE,
                item.at.clone(),
                format!("{} stands twice in `enum`", item.text()),
            );
        } else if let Some(kind) = argument.kind
            && !is_of(kind, value)
        {
            table.error(
                WRONG_TYPE,
                item.at.clone(),
                format!(
                    "{} is not of type `{kind}`, so no call could give it",
                    item.text()
                ),
            );
        }
    }
}

fn is_of(kind: &str, value: &Value) -> bool {
    match kind {
        "string" => value.is_string(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => value.is_null(),
    }
}

/// A bound on a type that it cannot bind is written in error more often than not.
pub(super) fn warn_without_effect(argument: &Argument<'_, '_>) {
    let Some(kind) = argument.kind else { return };
    const STRING: &[&str] = &["min_length", "max_length", "pattern", "format"];
    const ARRAY: &[&str] = &["min_items", "max_items", "unique_items"];
    const NUMBER: &[&str] = &[
        "minimum",
        "maximum",
        "exclusive_minimum",
        "exclusive_maximum",
        "multiple_of",
    ];
    for (keys, kinds) in [
        (STRING, &["string"][..]),
        (ARRAY, &["array"][..]),
        (NUMBER, &["integer", "number"][..]),
    ] {
        if kinds.contains(&kind) {
            continue;
        }
        for key in keys {
            if let Some(entry) = argument.table.entry(key) {
                argument.table.report(Diagnostic::warning(
                    NO_EFFECT,
                    entry.key_at,
                    format!("`{key}` has no effect on type `{kind}`"),
                ));
            }
        }
    }
}
