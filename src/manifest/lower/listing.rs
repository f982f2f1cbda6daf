//! `list`: which files of a folder are resources of their own.

use super::names::PARAMS;
use crate::lang::diag::Diagnostic;
use crate::lang::glob::Glob;
use crate::lang::template::{Key, Template};
use crate::manifest::read::{OUT_OF_RANGE, Table};
use crate::model::ListingSpec;

/// Reads `list`. `path` is the action's, when it is sound.
pub(super) fn listing(table: &Table<'_>, path: Option<&Template>) -> Option<ListingSpec> {
    let read = table.literal("list")?;
    let glob = match Glob::parse(&read.value) {
        Ok(glob) => Some(glob),
        Err(error) => {
            let message = format!("`list` is no pattern of paths: {error}");
            table.report(
                Diagnostic::error(OUT_OF_RANGE, read.at.clone(), message)
                    .help("write for example `**/*.md`"),
            );
            None
        }
    };
    let path = path?;
    let around = table.has("root").then(|| around(path)).flatten();
    let Some((prefix, variable, suffix)) = around else {
        let message = "`list` needs `root`, and a `path` with one variable of the template";
        table.report(
            Diagnostic::error(OUT_OF_RANGE, read.at, message)
                .help("write for example `path = \"{{ params.path }}\"`"),
        );
        return None;
    };
    Some(ListingSpec {
        glob: glob?,
        variable,
        prefix,
        suffix,
    })
}

/// The one variable in a path and the literal text around it.
fn around(path: &Template) -> Option<(String, String, String)> {
    let references = path.references();
    let [reference] = references.as_slice() else {
        return None;
    };
    let (PARAMS, [Key::Name(name)]) = (&*reference.root, reference.keys.as_slice()) else {
        return None;
    };
    let source = path.source();
    let before = source.get(..reference.range.start)?.trim_ascii_end();
    let behind = source.get(reference.range.end..)?.trim_ascii_start();
    let prefix = before.strip_suffix("{{")?;
    let suffix = behind.strip_prefix("}}")?;
    let literal = !prefix.contains(['{', '}']) && !suffix.contains(['{', '}']);
    literal.then(|| (prefix.to_owned(), name.to_string(), suffix.to_owned()))
}
