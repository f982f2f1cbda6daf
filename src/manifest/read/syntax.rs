//! From a file's text to its table, or to every syntax error in it.

use super::entry::span;
use super::findings::Findings;
use crate::lang::diag::{Code, Diagnostic, SourceFile, Span};
use std::ops::Range;
use std::sync::Arc;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Error};

/// Text that is not TOML.
pub const SYNTAX: Code = Code("toml-syntax");

/// What `snodo check --explain` prints for the code of this file.
pub(super) const EXPLAIN: &[(Code, &str)] = &[(
    SYNTAX,
    "The file is not valid TOML. The message says what the parser met; often it is a missing quote \
     or bracket on this line or the one before, or a key that is written twice. What else is wrong \
     with the file is said once it is TOML.",
)];

/// The parser's bound on brackets within brackets, and on the parts of a dotted key.
const MAX_KEY_PARTS: usize = 80;
/// Tables and arrays inside one another.
const MAX_DEPTH: usize = 128;

/// Parses a file. Every syntax error is reported; `None` when there was one, since what a broken
/// line was meant to say is a guess.
pub fn parse<'a>(file: &'a Arc<SourceFile>, findings: &Findings) -> Option<DeTable<'a>> {
    let (document, errors) = DeTable::parse_recoverable(file.text());
    let document = document.into_inner();
    if errors.is_empty() {
        // Dotted keys in nested tables multiply the parser's own bound.
        let Some(deep) = deepest_but(&document, MAX_DEPTH) else {
            return Some(document);
        };
        let message = format!("nested deeper than {MAX_DEPTH} levels");
        findings.push(Diagnostic::error(SYNTAX, span(file, deep), message));
        return None;
    }
    for found in distinct(file, &errors) {
        findings.push(found);
    }
    None
}

/// Where something lies deeper than this; looked for without recursion.
fn deepest_but(document: &DeTable<'_>, most: usize) -> Option<Range<usize>> {
    let mut open: Vec<(&Spanned<DeValue<'_>>, usize)> =
        document.values().map(|value| (value, 1)).collect();
    while let Some((value, depth)) = open.pop() {
        if depth > most {
            return Some(value.span());
        }
        match value.get_ref() {
            DeValue::Table(table) => open.extend(table.values().map(|below| (below, depth + 1))),
            DeValue::Array(items) => open.extend(items.iter().map(|below| (below, depth + 1))),
            _ => {}
        }
    }
    None
}

/// The errors, less those that only follow from one before: more in the same line, and what an
/// array without its end makes of everything below it.
fn distinct(file: &Arc<SourceFile>, errors: &[Error]) -> Vec<Diagnostic> {
    let text = file.text();
    let mut errors: Vec<(Range<usize>, &str)> = errors
        .iter()
        .map(|error| (place(text, error), error.message()))
        .collect();
    // That a key is there twice often follows from what else is wrong with its line.
    let is_twice = |message: &str| message.starts_with("duplicate key");
    errors.sort_by_key(|(range, message)| {
        let line = line_start(text, range.start);
        (line, is_twice(message), range.start)
    });
    let mut found: Vec<Diagnostic> = Vec::new();
    let mut last_line = None;
    for (range, message) in errors {
        let line = line_start(text, range.start);
        if last_line == Some(line) {
            continue;
        }
        last_line = Some(line);
        let is_unclosed = message.starts_with("missing comma between array")
            && begins_a_statement(text.get(range.start..).unwrap_or_default())
            && text
                .get(line..range.start)
                .unwrap_or_default()
                .trim()
                .is_empty();
        let at = span(file, range);
        if is_unclosed {
            let message = "an array above is not closed";
            found.push(Diagnostic::error(SYNTAX, at, message).help("write the missing `]`"));
            break;
        }
        found.push(explained(text, at, message));
    }
    found
}

/// Whether a line goes on as no item of an array does: `key =`, `[table]`.
fn begins_a_statement(text: &str) -> bool {
    let line = text.lines().next().unwrap_or_default();
    let is_key = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '"' | '\'' | ' ');
    let rest = line.trim_start_matches(is_key);
    rest.starts_with('=') || line.starts_with('[')
}

/// Where an error is. Of keys with too many parts the parser does not say it.
fn place(text: &str, error: &Error) -> Range<usize> {
    match error.span() {
        Some(range) => clamp(text, range),
        None => {
            let line = text
                .split_inclusive('\n')
                .scan(0, |at, line| {
                    let start = *at;
                    *at += line.len();
                    Some((start, line))
                })
                .find(|(_, line)| line.matches('.').count() >= MAX_KEY_PARTS);
            let start = line.map_or(0, |(start, _)| start);
            start..start
        }
    }
}

fn explained(text: &str, at: Span, message: &str) -> Diagnostic {
    let here = text.get(at.start..).unwrap_or_default();
    let line = line_start(text, at.start);
    let before = text.get(line..at.start).unwrap_or_default();
    let help = if message.starts_with("duplicate key") && before.starts_with('[') {
        Some("a table is written once; an array of tables is `[[name]]`, each time")
    } else if message.starts_with("duplicate key") {
        Some("a key is written once in a table")
    } else if here.starts_with(['“', '”', '‘', '’']) {
        Some("TOML's quotes are `\"` and `'`")
    } else {
        None
    };
    let message = match message {
        "recursion limit" => format!("nested deeper than {MAX_KEY_PARTS} levels"),
        message => lower_first(message),
    };
    let diagnostic = Diagnostic::error(SYNTAX, at, message);
    match help {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    }
}

fn line_start(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    before.rfind('\n').map_or(0, |at| at + 1)
}

fn clamp(text: &str, range: Range<usize>) -> Range<usize> {
    let start = text.floor_char_boundary(range.start);
    start..text.floor_char_boundary(range.end).max(start)
}

fn lower_first(message: &str) -> String {
    let mut letters = message.chars();
    match letters.next() {
        Some(first) => first.to_lowercase().chain(letters).collect(),
        None => String::new(),
    }
}
