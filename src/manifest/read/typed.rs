//! Reading values of one type: texts, numbers, words from a list, literal texts.

use super::entry::{At, Entry};
use super::placeholder::placeholder;
use super::table::{MISSING_KEY, OUT_OF_RANGE, Table};
use super::within;
use crate::lang::diag::suggest::did_you_mean;
use crate::lang::diag::{Code, Diagnostic};
use std::ops::RangeInclusive;
use std::time::Duration;
use toml::de::DeValue;

/// A template where only literal text is taken.
pub const NOT_LITERAL: Code = Code("literal-only");

/// What `snodo check --explain` prints for the code of this file.
pub(super) const EXPLAIN: &[(Code, &str)] = &[(
    NOT_LITERAL,
    "This text is taken as it stands, so a `{{ … }}` in it would never be filled in. Templates are \
     for what a call decides: the strings of `http`, `shell`, `file` and `result`. Folders, programs \
     and names are the author's own. A script's text in particular is never built from arguments, \
     since that is how commands are injected: pass values through `env` and read them as variables \
     (`\"$NAME\"`). In a description this is a warning, for there braces may be meant.",
)];

impl<'a> Table<'a> {
    /// Reads a text.
    pub fn string(&self, key: &'a str) -> Option<At<String>> {
        let entry = self.entry(key)?;
        self.as_string(&entry)
    }

    /// Reads a text that must be there.
    pub fn required_string(&self, key: &'a str) -> Option<At<String>> {
        if !self.has(key) {
            self.missing(key);
        }
        self.string(key)
    }

    /// An entry's value as text.
    pub fn as_string(&self, entry: &Entry<'a>) -> Option<At<String>> {
        match entry.value {
            DeValue::String(text) => Some(entry.with(text.clone().into_owned())),
            _ => self.wrong_type(entry, "a string"),
        }
    }

    /// Reads a text in which nothing is filled in.
    pub fn literal(&self, key: &'a str) -> Option<At<String>> {
        let entry = self.entry(key)?;
        self.as_literal(&entry)
    }

    /// An entry's value as a text in which nothing is filled in.
    pub fn as_literal(&self, entry: &Entry<'a>) -> Option<At<String>> {
        let read = self.as_string(entry)?;
        let Some(range) = placeholder(&read.value) else {
            return Some(read);
        };
        let message = format!(
            "{} is taken as it stands: it cannot hold a template",
            entry.name()
        );
        self.report(
            Diagnostic::error(NOT_LITERAL, within(&read.at, range), message)
                .help("only the author chooses this; write the text itself"),
        );
        None
    }

    /// Reads an array of texts in which nothing is filled in.
    pub fn literals(&self, key: &'a str) -> Option<Vec<At<String>>> {
        let items = self.array(key)?;
        let literals = items.iter().filter_map(|item| self.as_literal(item));
        Some(literals.collect())
    }

    /// Reads a text for people. Nothing in it is filled in, which is said when it looks as if it were
    /// meant to be.
    pub fn prose(&self, key: &'a str) -> Option<String> {
        let read = self.string(key)?;
        if let Some(range) = placeholder(&read.value) {
            let message = format!("`{key}` is taken as it stands: nothing is filled in");
            self.report(Diagnostic::warning(
                NOT_LITERAL,
                within(&read.at, range),
                message,
            ));
        }
        Some(read.value)
    }

    /// Reads a boolean.
    pub fn boolean(&self, key: &'a str) -> Option<At<bool>> {
        let entry = self.entry(key)?;
        match entry.value {
            DeValue::Boolean(value) => Some(entry.with(*value)),
            _ => self.wrong_type(&entry, "true or false"),
        }
    }

    /// Reads an integer inside these bounds.
    pub fn integer(&self, key: &'a str, bounds: RangeInclusive<i64>) -> Option<At<i64>> {
        let entry = self.entry(key)?;
        self.as_integer(&entry, bounds)
    }

    /// An entry's value as an integer inside these bounds.
    pub fn as_integer(&self, entry: &Entry<'a>, bounds: RangeInclusive<i64>) -> Option<At<i64>> {
        let DeValue::Integer(number) = entry.value else {
            return self.wrong_type(entry, "an integer");
        };
        match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(value) if bounds.contains(&value) => Some(entry.with(value)),
            _ => {
                let (low, high) = bounds.into_inner();
                let message = format!("{} must be from {low} to {high}", entry.name());
                self.error(OUT_OF_RANGE, entry.at.clone(), message);
                None
            }
        }
    }

    /// Reads a length of time in milliseconds.
    pub fn millis(&self, key: &'a str, bounds: RangeInclusive<i64>) -> Option<At<Duration>> {
        let read = self.integer(key, bounds)?;
        Some(At {
            value: Duration::from_millis(u64::try_from(read.value).unwrap_or(0)),
            at: read.at,
        })
    }

    /// Reads a size or a count.
    pub fn count(&self, key: &'a str, bounds: RangeInclusive<i64>) -> Option<At<usize>> {
        let read = self.integer(key, bounds)?;
        Some(At {
            value: usize::try_from(read.value).unwrap_or(0),
            at: read.at,
        })
    }

    /// Reads one of these words.
    pub fn word<T: Copy>(&self, key: &'a str, words: &[(&'static str, T)]) -> Option<At<T>> {
        let read = self.string(key)?;
        self.as_word(key, read, words)
    }

    /// A text that must be one of these words; `what` names it.
    pub fn as_word<T: Copy>(
        &self,
        what: &str,
        read: At<String>,
        words: &[(&'static str, T)],
    ) -> Option<At<T>> {
        if let Some((_, value)) = words.iter().find(|(word, _)| *word == read.value) {
            return Some(At {
                value: *value,
                at: read.at,
            });
        }
        let all = || words.iter().map(|(word, _)| *word);
        let listed: Vec<String> = all().map(|word| format!("`{word}`")).collect();
        let message = format!("`{what}` must be one of {}", listed.join(", "));
        let diagnostic = Diagnostic::error(OUT_OF_RANGE, read.at, message);
        self.report(match did_you_mean(&read.value, all()) {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        });
        None
    }

    /// Reads an array of texts.
    pub fn strings(&self, key: &'a str) -> Option<Vec<At<String>>> {
        let items = self.array(key)?;
        let strings = items.iter().filter_map(|item| self.as_string(item));
        Some(strings.collect())
    }

    /// Reads an array; each item is an entry that bears the array's key.
    pub fn array(&self, key: &'a str) -> Option<Vec<Entry<'a>>> {
        let entry = self.entry(key)?;
        match entry.value {
            DeValue::Array(_) => Some(entry.items()),
            _ => self.wrong_type(&entry, "an array"),
        }
    }

    /// Says that one of these keys must be there; `help` shows how.
    pub fn missing_with(&self, key: &str, help: impl Into<String>) {
        let message = format!("missing key `{key}`");
        self.report(Diagnostic::error(MISSING_KEY, self.at(), message).help(help));
    }
}
