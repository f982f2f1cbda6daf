//! `progress` of a command: `"lines"`, or a pattern.

use super::codes::{BAD_PATTERN, NO_EFFECT};
use crate::lang::diag::Diagnostic;
use crate::lang::diag::suggest::did_you_mean;
use crate::manifest::read::{OUT_OF_RANGE, Table};
use crate::model::{PatternError, ProgressPattern, ProgressSpec};
use toml::de::DeValue;

/// Reads `progress`.
pub(super) fn progress(table: &Table<'_>) -> Option<ProgressSpec> {
    let entry = table.entry("progress")?;
    match entry.value {
        DeValue::String(word) if word.as_ref() == "lines" => Some(ProgressSpec::Lines),
        DeValue::String(word) => {
            let message = format!("`progress` cannot be `{}`", word.escape_debug());
            let help = "write \"lines\", or `{ pattern = '…' }` with a pattern that has a group \
                        `(?<progress>…)`";
            table.report(Diagnostic::error(OUT_OF_RANGE, entry.at, message).help(help));
            None
        }
        DeValue::Table(_) => {
            let below = table.table("progress")?;
            let pattern = pattern(&below);
            below.finish();
            pattern.map(ProgressSpec::Pattern)
        }
        _ => table.wrong_type(&entry, "\"lines\" or a table"),
    }
}

fn pattern(table: &Table<'_>) -> Option<ProgressPattern> {
    let read = table.required_string("pattern")?;
    let pattern = match ProgressPattern::new(&read.value) {
        Ok(pattern) => pattern,
        Err(error) => {
            let help = match &error {
                PatternError::NoProgress => {
                    "name the group that holds how much is done: `(?<progress>\\d+)`"
                }
                PatternError::TooLarge => "repeat less in it: `{1000}` writes its part 1000 times",
                PatternError::Syntax(_) => {
                    "it is matched in linear time, so it knows no look-around and no \
                     backreference; the syntax is that of https://docs.rs/regex"
                }
            };
            let found = Diagnostic::error(BAD_PATTERN, read.at, error.to_string());
            table.report(found.help(help));
            return None;
        }
    };
    for name in pattern.strange_groups() {
        let message = format!("the group `{name}` has no meaning here");
        let help = did_you_mean(name, ProgressPattern::GROUPS)
            .unwrap_or_else(|| "the groups are `progress`, `total` and `message`".to_owned());
        table.report(Diagnostic::warning(NO_EFFECT, read.at.clone(), message).help(help));
    }
    Some(pattern)
}
