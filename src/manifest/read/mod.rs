//! Reading TOML with positions: tables key by key, values as JSON, templates in strings. This is
//! the only view of TOML; what lies above sees values and where they stand.

mod digest;
mod entry;
mod findings;
mod json;
mod json_text;
mod literal;
mod placeholder;
mod syntax;
mod table;
mod template;
mod typed;

pub use digest::Digest;
pub use entry::{At, Entry, span, type_name};
pub use findings::Findings;
pub use json::{scalar_text, to_json};
pub use json_text::member as json_member;
pub use literal::within;
pub use placeholder::placeholder;
pub use syntax::{SYNTAX, parse};
pub use table::{Layer, MISSING_KEY, OUT_OF_RANGE, Table, UNKNOWN_KEY, WRONG_TYPE};
pub use template::{BAD_TEMPLATE, Templates};
pub use typed::NOT_LITERAL;

use crate::lang::diag::Code;

/// What `snodo check --explain` prints for the codes of this folder.
pub fn explanations() -> impl Iterator<Item = (Code, &'static str)> {
    [
        syntax::EXPLAIN,
        table::EXPLAIN,
        typed::EXPLAIN,
        json::EXPLAIN,
        template::EXPLAIN,
    ]
    .into_iter()
    .flatten()
    .copied()
}
