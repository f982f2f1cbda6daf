//! Keys and values with their places.

use crate::lang::diag::{SourceFile, Span};
use std::ops::Range;
use std::sync::Arc;
use toml::Spanned;
use toml::de::{DeString, DeValue};

/// A value and where it stands.
#[derive(Clone, Debug)]
pub struct At<T> {
    /// The value.
    pub value: T,
    /// Where it stands.
    pub at: Span,
}

/// One key of a table.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    /// The key's name.
    pub key: &'a str,
    /// Where the key stands.
    pub key_at: Span,
    /// The value.
    pub value: &'a DeValue<'a>,
    /// Where the value stands.
    pub at: Span,
    pub(super) file: &'a Arc<SourceFile>,
    /// It is an item of the key's array.
    is_item: bool,
}

impl<'a> Entry<'a> {
    pub(super) fn new(
        file: &'a Arc<SourceFile>,
        key: &'a Spanned<DeString<'a>>,
        value: &'a Spanned<DeValue<'a>>,
    ) -> Self {
        Self {
            key: key.get_ref().as_ref(),
            key_at: span(file, key.span()),
            value: value.get_ref(),
            at: span(file, value.span()),
            file,
            is_item: false,
        }
    }

    /// How a message names it: `` `key` ``.
    pub fn name(&self) -> String {
        match self.is_item {
            true => format!("an item of `{}`", self.key),
            false => format!("`{}`", self.key),
        }
    }

    /// The value as it is written; a table's header where it has one.
    pub fn text(&self) -> &'a str {
        let text = self.file.text().get(self.at.start..self.at.end);
        text.unwrap_or_default()
    }

    /// A value that stands where this entry's does.
    pub fn with<T>(&self, value: T) -> At<T> {
        At {
            value,
            at: self.at.clone(),
        }
    }

    /// An array's items, each bearing the array's key; empty when it is no array.
    pub fn items(&self) -> Vec<Entry<'a>> {
        let DeValue::Array(items) = self.value else {
            return Vec::new();
        };
        items
            .iter()
            .map(|item| Entry {
                key: self.key,
                key_at: self.key_at.clone(),
                value: item.get_ref(),
                at: span(self.file, item.span()),
                file: self.file,
                is_item: true,
            })
            .collect()
    }

    /// A table's entries; empty when it is no table.
    pub fn members(&self) -> Vec<Entry<'a>> {
        let DeValue::Table(table) = self.value else {
            return Vec::new();
        };
        let pairs = table.iter();
        pairs
            .map(|(key, value)| Entry::new(self.file, key, value))
            .collect()
    }
}

/// A value's TOML type with its article, for a message.
pub fn type_name(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a float",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date or time",
        DeValue::Array(_) => "an array",
        DeValue::Table(_) => "a table",
    }
}

/// A byte range of a file.
pub fn span(file: &Arc<SourceFile>, range: Range<usize>) -> Span {
    Span {
        file: Arc::clone(file),
        start: range.start,
        end: range.end,
    }
}
