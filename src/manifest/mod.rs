//! TOML to model: discover files, parse them with positions, lower what they say, check what only
//! the whole set can show. It never sees running state, and it returns everything it found wrong.

pub mod discover;
pub mod environment;
pub mod expand;
pub mod load;
pub mod lower;
mod overlap;
pub mod read;
pub mod regular;
pub mod schema;
pub mod settings;
mod write;

use crate::lang::diag::Code;

/// Every code that a check can report, with what it means, in the order of their names.
pub fn explanations() -> Vec<(Code, &'static str)> {
    let mut all: Vec<(Code, &'static str)> = read::explanations()
        .chain(lower::codes::EXPLAIN.iter().copied())
        .chain(discover::EXPLAIN.iter().copied())
        .chain(settings::EXPLAIN.iter().copied())
        .chain(load::EXPLAIN.iter().copied())
        .collect();
    all.sort_by_key(|(code, _)| *code);
    all
}
