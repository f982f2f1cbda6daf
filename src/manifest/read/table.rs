//! A TOML table read key by key. What is read is known; what is left over at the end is an
//! unknown key. A table has layers: a component's own table before its file's defaults, or the
//! command line's settings before the server file's, so that "the first that says it wins" is
//! written once.

use super::entry::{Entry, span, type_name};
use super::findings::Findings;
use crate::lang::diag::suggest::did_you_mean;
use crate::lang::diag::{Code, Diagnostic, SourceFile, Span};
use std::cell::{OnceCell, RefCell};
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;
use toml::de::{DeTable, DeValue};

/// A key that the language does not know.
pub const UNKNOWN_KEY: Code = Code("unknown-key");
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
        "The key takes a value of another type. Numbers and booleans are written without quotes \
         (`timeout_ms = 5000`); text is written with them; several values stand in an array. The \
         values of `enum` are of the argument's own type: no call could give another.",
    ),
    (
        OUT_OF_RANGE,
        "The value is of the right type but outside what the key allows. The message names the \
         bounds or the allowed words.",
    ),
    (
        MISSING_KEY,
        "A key that this table needs is not there: a tool has a `name`, an argument a `type`, an \
         `http` action a `url`. The message names the key; it may also stand in the file's \
         `[defaults]`, where the table has defaults.",
    ),
];

/// A table with so many keys at the most is searched key by key.
const FEW: usize = 12;

/// One TOML table of one file.
#[derive(Clone, Debug)]
pub struct Layer<'a> {
    /// The file.
    pub file: &'a Arc<SourceFile>,
    /// The table.
    pub table: &'a DeTable<'a>,
    /// Where it stands: its header, its key, or its braces.
    pub span: Range<usize>,
    /// The dotted name of the defaults that it is, `defaults.http`; `None` for a component's own.
    pub inherited: Option<String>,
}

impl<'a> Layer<'a> {
    /// The key's entry.
    fn find(&self, key: &str) -> Option<Entry<'a>> {
        let (key, value) = match self.table.len() {
            // Comparing is cheaper than hashing, and most keys that are asked for are not there.
            0..=FEW => self.table.iter().find(|(known, _)| known.get_ref() == key),
            _ => self.table.get_key_value(key),
        }?;
        Some(Entry::new(self.file, key, value))
    }

    fn entries(&self) -> impl Iterator<Item = Entry<'a>> {
        let file = self.file;
        let pairs = self.table.iter();
        pairs.map(move |(key, value)| Entry::new(file, key, value))
    }

    /// True when the place is one of this table's keys or values.
    fn holds(&self, at: &Span) -> bool {
        let holds = |range: Range<usize>| range.start <= at.start && at.end <= range.end;
        Arc::ptr_eq(self.file, &at.file)
            && self
                .table
                .iter()
                .any(|(key, value)| holds(key.span()) || holds(value.span()))
    }
}

/// A table being read.
#[derive(Debug)]
pub struct Table<'a> {
    layers: Vec<Layer<'a>>,
    findings: &'a Findings,
    /// The component: `in tool "order"`.
    place: String,
    /// The way down from it: `http.retry`.
    path: String,
    known: RefCell<Vec<&'a str>>,
    used: RefCell<Vec<&'static str>>,
}

impl<'a> Table<'a> {
    /// Begins to read. `place` names the table in diagnostics: `in tool "order"`.
    pub fn new(layers: Vec<Layer<'a>>, findings: &'a Findings, place: impl Into<String>) -> Self {
        Self {
            layers,
            findings,
            place: place.into(),
            path: String::new(),
            known: RefCell::new(Vec::with_capacity(32)),
            used: RefCell::default(),
        }
    }

    /// The same tables, read anew, reporting elsewhere and under another name.
    pub fn anew<'b>(&self, findings: &'b Findings, place: impl Into<String>) -> Table<'b>
    where
        'a: 'b,
    {
        let layers = self.layers.iter().map(|layer| Layer {
            file: layer.file,
            table: layer.table,
            span: layer.span.clone(),
            inherited: layer.inherited.clone(),
        });
        Table::new(layers.collect(), findings, place)
    }

    /// How diagnostics name the component that this table belongs to.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Names the table anew, once its own name has been read.
    pub fn set_place(&mut self, place: impl Into<String>) {
        self.place = place.into();
        self.path = String::new();
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
            None => {
                let label = self.label(diagnostic.at.as_ref());
                diagnostic.label(label)
            }
        });
    }

    /// What a place in this table is: `in tool "order", http.retry`.
    fn label(&self, at: Option<&Span>) -> String {
        let below = self.layers.iter().filter(|layer| layer.inherited.is_some());
        let inherited = at.and_then(|at| below.clone().find(|layer| layer.holds(at)));
        if let Some(name) = inherited.and_then(|layer| layer.inherited.as_deref()) {
            let whose = self.place.strip_prefix("in ").unwrap_or(&self.place);
            return format!("in [{name}], for {whose}");
        }
        if self.path.is_empty() {
            self.place.clone()
        } else {
            format!("{}, {}", self.place, self.path)
        }
    }

    /// Whether any layer has the key; it is not read by that.
    pub fn has(&self, key: &str) -> bool {
        self.layers.iter().any(|layer| layer.find(key).is_some())
    }

    /// Says that a key exists here, whether or not it is read.
    pub fn knows(&self, key: &'a str) {
        self.known.borrow_mut().push(key);
    }

    /// Reads a key as it stands.
    pub fn entry(&self, key: &'a str) -> Option<Entry<'a>> {
        self.knows(key);
        self.layers.iter().find_map(|layer| layer.find(key))
    }

    /// Reads a key of the first layer alone, not of the defaults below it.
    pub fn own_entry(&self, key: &'a str) -> Option<Entry<'a>> {
        self.knows(key);
        self.layers.first().and_then(|layer| layer.find(key))
    }

    /// Reads a key of the layers below the first alone.
    pub fn inherited_entry(&self, key: &'a str) -> Option<Entry<'a>> {
        self.knows(key);
        let mut below = self.layers.iter().skip(1);
        below.find_map(|layer| layer.find(key))
    }

    /// Reads keys of which only one may be given: those of the first layer that has any, since
    /// what a component says of a thing replaces what its defaults say of the same thing.
    pub fn alternatives(&self, keys: &[&'a str]) -> Vec<Entry<'a>> {
        self.known.borrow_mut().extend(keys);
        let given = |layer: &Layer<'a>| -> Vec<Entry<'a>> {
            keys.iter().filter_map(|key| layer.find(key)).collect()
        };
        let mut layers = self.layers.iter().map(given);
        layers
            .find(|entries| !entries.is_empty())
            .unwrap_or_default()
    }

    /// Reads a table; the layers below it are merged in by key.
    pub fn table(&self, key: &'a str) -> Option<Table<'a>> {
        self.knows(key);
        let mut layers = Vec::new();
        for layer in &self.layers {
            let Some(entry) = layer.find(key) else {
                continue;
            };
            match entry.value {
                DeValue::Table(table) => layers.push(Layer {
                    file: layer.file,
                    table,
                    span: entry.key_at.start..entry.key_at.end,
                    inherited: layer.inherited.as_ref().map(|path| format!("{path}.{key}")),
                }),
                _ => {
                    let _: Option<()> = self.wrong_type(&entry, "a table");
                }
            }
        }
        (!layers.is_empty()).then(|| self.below(key, layers))
    }

    /// Reads a table with the same table of `defaults` below it.
    pub fn table_over(&self, key: &'static str, defaults: Option<&Table<'a>>) -> Option<Table<'a>> {
        let own = self.table(key);
        let below = defaults.and_then(|defaults| {
            defaults.used.borrow_mut().push(key);
            defaults.table(key)
        });
        let below = below.map(|below| below.layers).unwrap_or_default();
        let layers = below.into_iter().map(|layer| Layer {
            inherited: Some(format!("defaults.{key}")),
            ..layer
        });
        match own {
            Some(mut own) => {
                own.layers.extend(layers);
                Some(own)
            }
            None if layers.len() == 0 => None,
            None => Some(self.below(key, layers.collect())),
        }
    }

    /// Reads an array of tables of these defaults, for a component that has none of its own.
    pub fn default_tables(&self, key: &'static str) -> Vec<Table<'a>> {
        self.used.borrow_mut().push(key);
        self.tables(key)
    }

    /// Reads an array of these defaults, for a component that has none of its own.
    pub fn default_array(&self, key: &'static str) -> Option<Vec<Entry<'a>>> {
        self.used.borrow_mut().push(key);
        self.array(key)
    }

    /// Reads an array of tables (`[[key]]`). A single table (`[key]`) is refused, and read.
    pub fn tables(&self, key: &'a str) -> Vec<Table<'a>> {
        let Some(entry) = self.entry(key) else {
            return Vec::new();
        };
        if let DeValue::Array(_) = entry.value {
            let items = entry.items();
            let tables = items.iter().filter_map(|item| self.sub_table(item));
            return tables.collect();
        }
        let mut diagnostic = Diagnostic::error(
            WRONG_TYPE,
            entry.key_at.clone(),
            format!(
                "`{key}` must be an array of tables, not {}",
                type_name(entry.value)
            ),
        );
        // `[tool.search]` is no tool but a name in the wrong place: what is in it says nothing.
        let members = entry.members();
        let is_setting = |member: &Entry<'_>| !matches!(member.value, DeValue::Table(_));
        let is_one = members.iter().any(is_setting);
        if let DeValue::Table(_) = entry.value {
            let written = entry.text();
            diagnostic = diagnostic.help(match members.first() {
                _ if written.starts_with('{') => format!("write `{key} = [{{ … }}]`"),
                _ if is_one && !written.starts_with('[') => format!("write `{key} = [{{ … }}]`"),
                Some(first) if !is_one => {
                    format!("write `[[{key}]]` and below it `name = \"{}\"`", first.key)
                }
                _ if written.starts_with('[') => format!("write `[{written}]` with two brackets"),
                _ => format!("write `[[{key}]]` with two brackets"),
            });
        }
        self.report(diagnostic);
        let one = is_one.then(|| self.sub_table(&entry)).flatten();
        one.into_iter().collect()
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
                Some(self.below(entry.key, vec![layer]))
            }
            _ => self.wrong_type(entry, "a table"),
        }
    }

    fn below(&self, key: &str, layers: Vec<Layer<'a>>) -> Table<'a> {
        let mut table = Table::new(layers, self.findings, self.place.clone());
        table.path = match self.path.as_str() {
            "" => key.to_owned(),
            path => format!("{path}.{key}"),
        };
        table
    }

    /// All keys of a table whose keys are the author's own (`arguments`, `env`, `headers`), those
    /// of the first layer first. Nothing in it is unknown.
    pub fn entries(&self) -> Vec<Entry<'a>> {
        let all = self.layers.iter().flat_map(Layer::entries);
        if self.layers.len() < 2 {
            return all.collect();
        }
        let mut seen = HashSet::new();
        all.filter(|entry| seen.insert(entry.key)).collect()
    }

    /// All keys of every layer, each with its layer's number, the first layer's first: for keys that
    /// can be the same in more than one spelling.
    pub fn layered_entries(&self) -> Vec<(usize, Entry<'a>)> {
        let layers = self.layers.iter().enumerate();
        let all = layers.flat_map(|(at, layer)| layer.entries().map(move |entry| (at, entry)));
        all.collect()
    }

    /// The name of the defaults that a layer is; `None` for a component's own.
    pub fn inherited_name(&self, layer: usize) -> Option<&str> {
        self.layers.get(layer)?.inherited.as_deref()
    }

    /// Says that a key is missing.
    pub fn missing(&self, key: &str) {
        self.error(MISSING_KEY, self.at(), format!("missing key `{key}`"));
    }

    /// Says that a value is of another type than its key takes.
    pub fn wrong_type<T>(&self, entry: &Entry<'a>, wanted: &str) -> Option<T> {
        let message = format!(
            "{} must be {wanted}, not {}",
            entry.name(),
            type_name(entry.value)
        );
        let diagnostic = Diagnostic::error(WRONG_TYPE, entry.at.clone(), message);
        self.report(match retyped(entry, wanted) {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        });
        None
    }

    /// Ends the reading: what was not read is not known.
    pub fn finish(self) {
        let known = self.known.borrow();
        let unknown = self.layers.iter().flat_map(Layer::entries);
        let unknown = unknown.filter(|entry| !known.contains(&entry.key));
        let keys = OnceCell::new();
        for (count, entry) in unknown.enumerate() {
            let message = format!("unknown key `{}`", entry.key);
            let diagnostic = Diagnostic::error(UNKNOWN_KEY, entry.key_at, message);
            // A table with this many was meant for another program.
            let help = (count < MAX_GUESSES)
                .then(|| {
                    did_you_mean(entry.key, known.iter().copied())
                        .or_else(|| meant(entry.key, &known))
                })
                .flatten()
                .unwrap_or_else(|| keys.get_or_init(|| list(&known)).clone());
            self.report(diagnostic.help(help));
        }
    }
}

/// Unknown keys of one table whose meaning is guessed at.
const MAX_GUESSES: usize = 100;

/// How a value of the wrong type is written right, where that is plain.
fn retyped(entry: &Entry<'_>, wanted: &str) -> Option<String> {
    let written = Some(entry.text()).filter(|text| text.len() <= 40 && !text.contains('\n'))?;
    let is_plain = !matches!(entry.value, DeValue::Array(_) | DeValue::Table(_));
    match (wanted, entry.value) {
        ("a string", value) if is_plain && !matches!(value, DeValue::String(_)) => {
            Some(format!("write `\"{written}\"`"))
        }
        ("a table", DeValue::Array(_)) => {
            let inside = written.strip_prefix("[[")?.strip_suffix("]]")?;
            Some(format!("write `[{inside}]` with one bracket"))
        }
        ("an array", _) if is_plain => Some(format!("write `[{written}]`")),
        ("an integer" | "a number" | "true or false", DeValue::String(text))
            if text.parse::<f64>().is_ok() || matches!(&**text, "true" | "false") =>
        {
            Some(format!("write `{text}` without quotes"))
        }
        _ => None,
    }
}

/// Other programs' words for the language's keys.
const SYNONYMS: [(&str, &str); 20] = [
    ("argv", "command"),
    ("cmd", "command"),
    ("dir", "cwd"),
    ("directory", "root"),
    ("environment", "env"),
    ("exec", "command"),
    ("exit_codes", "success"),
    ("folder", "root"),
    ("input", "stdin"),
    ("max_size", "max_bytes"),
    ("meta", "metadata"),
    ("output", "result"),
    ("parameters", "arguments"),
    ("params", "arguments"),
    ("properties", "arguments"),
    ("run", "command"),
    ("summary", "description"),
    ("uri", "url"),
    ("workdir", "cwd"),
    ("working_directory", "cwd"),
];

fn meant(word: &str, known: &[&str]) -> Option<String> {
    let (_, key) = SYNONYMS.iter().find(|(other, _)| *other == word)?;
    known
        .contains(key)
        .then(|| format!("did you mean `{key}`?"))
}

fn list(keys: &[&str]) -> String {
    let mut keys: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
    keys.sort();
    keys.dedup();
    format!("the keys here are {}", keys.join(", "))
}
