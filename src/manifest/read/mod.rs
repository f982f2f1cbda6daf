//! Reading TOML with positions: tables key by key, values as JSON, templates in strings. This is
//! the only view of TOML; what lies above sees values and where they stand.

mod digest;
mod entry;
mod findings;
mod json;
mod literal;
mod table;
mod template;

pub use digest::Digest;
pub use entry::{At, Entry, span, type_name};
pub use findings::Findings;
pub use json::to_json;
pub use table::{Layer, MISSING_KEY, OUT_OF_RANGE, Table, WRONG_TYPE};
pub use template::Templates;

use crate::lang::diag::{Code, Diagnostic, SourceFile};
use std::sync::Arc;
use toml::de::DeTable;

/// Text that is not TOML.
pub const SYNTAX: Code = Code("toml-syntax");

/// What `snodo check --explain` prints for the codes of this folder.
pub fn explanations() -> impl Iterator<Item = (Code, &'static str)> {
    let own = [(
        SYNTAX,
        "The file is not valid TOML. The message says what the parser met; often it is a missing \
         quote or bracket on this line or the one before, or a key that is written twice.",
    )];
    own.into_iter()
        .chain(table::EXPLAIN.iter().copied())
        .chain(json::EXPLAIN.iter().copied())
        .chain(template::EXPLAIN.iter().copied())
}

/// Parses a file. Every syntax error is reported; `None` when there was one, since what a broken
/// line was meant to say is a guess.
pub fn parse<'a>(file: &'a Arc<SourceFile>, findings: &Findings) -> Option<DeTable<'a>> {
    let (document, errors) = DeTable::parse_recoverable(file.text());
    for error in &errors {
        let range = error.span().unwrap_or(0..0);
        findings.push(Diagnostic::error(
            SYNTAX,
            span(file, clamp(file.text(), range)),
            lower_first(error.message()),
        ));
    }
    errors.is_empty().then(|| document.into_inner())
}

fn clamp(text: &str, range: std::ops::Range<usize>) -> std::ops::Range<usize> {
    let floor = |mut at: usize| {
        at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = floor(range.start);
    start..floor(range.end).max(start)
}

fn lower_first(message: &str) -> String {
    let mut letters = message.chars();
    match letters.next() {
        Some(first) => first.to_lowercase().chain(letters).collect(),
        None => String::new(),
    }
}
