//! Reading a TOML table key by key. What is read is known; what is left over at the end is an
//! unknown key. A table has layers: a component's own table before its file's defaults, or the
//! command line's settings before the server file's, so that "the first that says it wins" is
//! written once.

use super::entry::{At, Entry, span, type_name};
use super::findings::Findings;
use crate::lang::diag::{Code, Diagnostic, SourceFile, Span};
use std::cell::RefCell;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;
use std::time::Duration;
use toml::de::{DeTable, DeValue};

/// A key that the language does not know.
pub(super) const UNKNOWN_KEY: Code = Code("unknown-key");
/// A value of another type than the key takes.
pub const WRONG_TYPE: Code = Code("wrong-type");
/// A number outside its bounds, or a word that is not one of those allowed.
pub const OUT_OF_RANGE: Code = Code("out-of-range");
/// A key that must be there and is not.
pub const MISSING_KEY: Code = Code("missing-key");

/// What `snodo check --explain` prints for the codes of this file.
pub(super) const EXPLAIN: &[(Code, &str)] = &[
    (
        UNKNOWN_KEY,
        "The table has a key that the manifest language does not know. Unknown keys are refused, \
         because a misspelt limit or guard that is silently ignored is worse than an error. \
         Correct the spelling; docs/manifest.md lists the keys of every table.",
    ),
    (
        WRONG_TYPE,
        "The key takes a value of another TOML type. Numbers and booleans are written without \
         quotes (`timeout_ms = 5000`); text is written with them; several values stand in an array.",
    ),
    (
        OUT_OF_RANGE,
        "The value is of the right type but outside what the key allows. The message names the \
         bounds or the allowed words.",
    ),
    (
        MISSING_KEY,
        "A key that this table needs is not there. Add it; the message names it.",
    ),
];

/// One TOML table of one file.
#[derive(Clone, Debug)]
pub struct Layer<'a> {
    /// The file.
    pub file: &'a Arc<SourceFile>,
    /// The table.
    pub table: &'a DeTable<'a>,
    /// Where it stands: its header, or its braces.
    pub span: Range<usize>,
    /// How diagnostics name it when it is not the component's own: `in [defaults.http]`.
    pub inherited: Option<String>,
}

/// A table being read.
#[derive(Debug)]
pub struct Table<'a> {
    layers: Vec<Layer<'a>>,
    findings: &'a Findings,
    place: String,
    known: RefCell<Vec<&'static str>>,
    used: RefCell<Vec<&'static str>>,
}

impl<'a> Table<'a> {
    /// Begins to read. `place` names the table in diagnostics: `in tool "order"`.
    pub fn new(layers: Vec<Layer<'a>>, findings: &'a Findings, place: impl Into<String>) -> Self {
        Self {
            layers,
            findings,
            place: place.into(),
            known: RefCell::default(),
            used: RefCell::default(),
        }
    }

    /// How diagnostics name this table.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Names the table anew, once its own name has been read.
    pub fn set_place(&mut self, place: impl Into<String>) {
        self.place = place.into();
    }

    /// Where the table stands.
    pub fn at(&self) -> Span {
        match self.layers.first() {
            Some(layer) => span(layer.file, layer.span.clone()),
            None => span(&SourceFile::new("", ""), 0..0),
        }
    }

    /// Reports an error in this table.
    pub fn error(&self, code: Code, at: Span, message: impl Into<String>) {
        self.report(Diagnostic::error(code, at, message));
    }

    /// Reports a finding, labelled with this table's place unless it has a label of its own.
    pub fn report(&self, diagnostic: Diagnostic) {
        self.findings.push(match diagnostic.label {
            Some(_) => diagnostic,
            None => diagnostic.label(self.place.clone()),
        });
    }

    /// The findings that this table reports to.
    pub fn findings(&self) -> &'a Findings {
        self.findings
    }

    /// The first layer's value for a key, without reading it.
    pub fn has(&self, key: &str) -> bool {
        self.layers
            .iter()
            .any(|layer| layer.table.get(key).is_some())
    }

    /// Reads a key as it stands.
    pub fn entry(&self, key: &'static str) -> Option<Entry<'a>> {
        self.known.borrow_mut().push(key);
        self.layers.iter().find_map(|layer| find(layer, key))
    }

    /// Reads a key of the first layer alone, not of the defaults below it.
    pub fn own_entry(&self, key: &'static str) -> Option<Entry<'a>> {
        self.known.borrow_mut().push(key);
        self.layers.first().and_then(|layer| find(layer, key))
    }

    /// Reads a key of the layers below the first alone.
    pub fn inherited_entry(&self, key: &'static str) -> Option<Entry<'a>> {
        self.known.borrow_mut().push(key);
        self.layers
            .iter()
            .skip(1)
            .find_map(|layer| find(layer, key))
    }

    /// Reads a text.
    pub fn string(&self, key: &'static str) -> Option<At<String>> {
        let entry = self.entry(key)?;
        self.as_string(&entry)
    }

    /// Reads a text that must be there.
    pub fn required_string(&self, key: &'static str) -> Option<At<String>> {
        if !self.has(key) {
            self.missing(key);
        }
        self.string(key)
    }

    /// Says that a key is missing.
    pub fn missing(&self, key: &str) {
        self.error(MISSING_KEY, self.at(), format!("missing key `{key}`"));
    }

    /// Reads a boolean.
    pub fn boolean(&self, key: &'static str) -> Option<At<bool>> {
        let entry = self.entry(key)?;
        match entry.value {
            DeValue::Boolean(value) => Some(entry.with(*value)),
            _ => self.wrong_type(&entry, "true or false"),
        }
    }

    /// Reads an integer inside these bounds.
    pub fn integer(&self, key: &'static str, bounds: RangeInclusive<i64>) -> Option<At<i64>> {
        let entry = self.entry(key)?;
        let DeValue::Integer(number) = entry.value else {
            return self.wrong_type(&entry, "an integer");
        };
        match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(value) if bounds.contains(&value) => Some(entry.with(value)),
            _ => {
                let (low, high) = bounds.into_inner();
                self.error(
                    OUT_OF_RANGE,
                    entry.at,
                    format!("`{key}` must be from {low} to {high}"),
                );
                None
            }
        }
    }

    /// Reads a length of time in milliseconds.
    pub fn millis(&self, key: &'static str, bounds: RangeInclusive<i64>) -> Option<At<Duration>> {
        let read = self.integer(key, bounds)?;
        Some(At {
            value: Duration::from_millis(u64::try_from(read.value).unwrap_or(0)),
            at: read.at,
        })
    }

    /// Reads a size or a count.
    pub fn count(&self, key: &'static str, bounds: RangeInclusive<i64>) -> Option<At<usize>> {
        let read = self.integer(key, bounds)?;
        Some(At {
            value: usize::try_from(read.value).unwrap_or(0),
            at: read.at,
        })
    }

    /// Reads one of these words.
    pub fn word<T: Copy>(&self, key: &'static str, words: &[(&'static str, T)]) -> Option<At<T>> {
        let read = self.string(key)?;
        match words.iter().find(|(word, _)| *word == read.value) {
            Some((_, value)) => Some(At {
                value: *value,
                at: read.at,
            }),
            None => {
                let all: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                let listed: Vec<String> = all.iter().map(|word| format!("`{word}`")).collect();
                let mut diagnostic = Diagnostic::error(
                    OUT_OF_RANGE,
                    read.at,
                    format!("`{key}` must be one of {}", listed.join(", ")),
                );
                if let Some(near) = crate::lang::diag::suggest::closest(&read.value, all) {
                    diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
                }
                self.report(diagnostic);
                None
            }
        }
    }

    /// Reads an array of texts.
    pub fn strings(&self, key: &'static str) -> Option<Vec<At<String>>> {
        let items = self.array(key)?;
        Some(
            items
                .iter()
                .filter_map(|item| self.as_string(item))
                .collect(),
        )
    }

    /// Reads an array; each item is an entry that bears the array's key.
    pub fn array(&self, key: &'static str) -> Option<Vec<Entry<'a>>> {
        let entry = self.entry(key)?;
        match entry.value {
            DeValue::Array(_) => Some(entry.items()),
            _ => self.wrong_type(&entry, "an array"),
        }
    }

    /// Reads a table; the layers below it are merged in by key.
    pub fn table(&self, key: &'static str) -> Option<Table<'a>> {
        self.known.borrow_mut().push(key);
        let mut layers = Vec::new();
        for layer in &self.layers {
            let Some(entry) = find(layer, key) else {
                continue;
            };
            match entry.value {
                DeValue::Table(table) => layers.push(Layer {
                    file: layer.file,
                    table,
                    span: entry.key_at.start..entry.key_at.end,
                    inherited: layer.inherited.clone(),
                }),
                _ if layers.is_empty() => return self.wrong_type(&entry, "a table"),
                _ => {}
            }
        }
        (!layers.is_empty()).then(|| Table::new(layers, self.findings, self.place.clone()))
    }

    /// Reads a table with the same table of `defaults` below it.
    pub fn table_over(&self, key: &'static str, defaults: Option<&Table<'a>>) -> Option<Table<'a>> {
        let own = self.table(key);
        let below = defaults.and_then(|defaults| {
            defaults.used.borrow_mut().push(key);
            defaults.table(key)
        });
        let (mut own, below) = match (own, below) {
            (Some(own), Some(below)) => (own, below),
            (own, below) => return own.or(below),
        };
        own.layers
            .extend(below.layers.into_iter().map(|layer| Layer {
                inherited: Some(format!("in [defaults.{key}]")),
                ..layer
            }));
        Some(own)
    }

    /// Reads an array of tables (`[[key]]`).
    pub fn tables(&self, key: &'static str) -> Vec<Table<'a>> {
        let Some(entry) = self.entry(key) else {
            return Vec::new();
        };
        let DeValue::Array(_) = entry.value else {
            self.report(
                Diagnostic::error(
                    WRONG_TYPE,
                    entry.key_at.clone(),
                    format!(
                        "`{key}` must be an array of tables, not {}",
                        type_name(entry.value)
                    ),
                )
                .help(format!("write `[[{key}]]` with two brackets")),
            );
            return Vec::new();
        };
        let items = entry.items();
        items
            .iter()
            .filter_map(|item| self.sub_table(item))
            .collect()
    }

    /// True when a component took this table of these defaults.
    pub fn was_used(&self, key: &str) -> bool {
        self.used.borrow().contains(&key)
    }

    /// An entry's value as a table of its own.
    pub fn sub_table(&self, entry: &Entry<'a>) -> Option<Table<'a>> {
        match entry.value {
            DeValue::Table(table) => {
                let layer = Layer {
                    file: entry.file,
                    table,
                    span: entry.at.start..entry.at.end,
                    inherited: None,
                };
                Some(Table::new(vec![layer], self.findings, self.place.clone()))
            }
            _ => self.wrong_type(entry, "a table"),
        }
    }

    /// All keys of a table whose keys are the author's own (`arguments`, `env`, `headers`), those
    /// of the first layer first. Nothing in it is unknown.
    pub fn entries(&self) -> Vec<Entry<'a>> {
        let mut entries: Vec<Entry<'a>> = Vec::new();
        for (entry, _) in self.placed_entries() {
            if !entries.iter().any(|seen| seen.key == entry.key) {
                entries.push(entry);
            }
        }
        entries
    }

    /// An entry's value as text.
    pub fn as_string(&self, entry: &Entry<'a>) -> Option<At<String>> {
        match entry.value {
            DeValue::String(text) => Some(entry.with(text.clone().into_owned())),
            _ => self.wrong_type(entry, "a string"),
        }
    }

    /// Says that a value is of another type than its key takes.
    pub fn wrong_type<T>(&self, entry: &Entry<'a>, wanted: &str) -> Option<T> {
        self.error(
            WRONG_TYPE,
            entry.at.clone(),
            format!(
                "`{}` must be {wanted}, not {}",
                entry.key,
                type_name(entry.value)
            ),
        );
        None
    }

    /// Ends the reading: what was not read is not known.
    pub fn finish(self) {
        let known = self.known.borrow();
        for (entry, inherited) in self.placed_entries() {
            if known.contains(&entry.key) {
                continue;
            }
            let mut diagnostic = Diagnostic::error(
                UNKNOWN_KEY,
                entry.key_at,
                format!("unknown key `{}`", entry.key),
            );
            diagnostic = match crate::lang::diag::suggest::closest(entry.key, known.iter().copied())
            {
                Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                None => diagnostic.help(format!("the keys here are {}", list(&known))),
            };
            self.report(match inherited {
                Some(place) => diagnostic.label(place),
                None => diagnostic,
            });
        }
    }

    /// The entries of every layer, each with its layer's name when that is an inherited one.
    fn placed_entries(&self) -> Vec<(Entry<'a>, Option<&str>)> {
        let mut placed = Vec::new();
        for layer in &self.layers {
            let entries = layer.table.iter().map(|(key, value)| Entry {
                key: key.get_ref().as_ref(),
                key_at: span(layer.file, key.span()),
                value: value.get_ref(),
                at: span(layer.file, value.span()),
                file: layer.file,
            });
            placed.extend(entries.map(|entry| (entry, layer.inherited.as_deref())));
        }
        placed
    }
}

fn find<'a>(layer: &Layer<'a>, key: &str) -> Option<Entry<'a>> {
    let (key, value) = layer.table.get_key_value(key)?;
    Some(Entry {
        key: key.get_ref().as_ref(),
        key_at: span(layer.file, key.span()),
        value: value.get_ref(),
        at: span(layer.file, value.span()),
        file: layer.file,
    })
}

fn list(keys: &[&str]) -> String {
    let mut keys: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
    keys.sort();
    keys.dedup();
    keys.join(", ")
}
