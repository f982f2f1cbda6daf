//! What a component is known by: its name, and the digests that tell whether it is still the same.

use super::Cx;
use super::codes::{AWKWARD_NAME, BAD_NAME};
use crate::lang::diag::Diagnostic;
use crate::lang::schema::Schema;
use crate::manifest::read::{At, Digest, Table};
use crate::model::Kind;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::fmt;

/// Reads the name that a tool or a prompt is asked for by, and checks its characters and length: what
/// the MCP specification says of tools (tools, "Tool Names"), since clients make identifiers and
/// commands of both.
pub(super) fn name(table: &mut Table<'_>, kind: Kind) -> Option<At<String>> {
    table.set_place(format!("in {}", kind.one()));
    let name = table
        .required_string("name")
        .filter(|name| check_name(table, kind, name));
    table.set_place(match &name {
        Some(name) => format!("in {kind} \"{}\"", name.value),
        None => format!("in {} without a usable name", kind.one()),
    });
    name
}

fn check_name(table: &Table<'_>, kind: Kind, name: &At<String>) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    if name.value.is_empty() || name.value.len() > 128 || !name.value.bytes().all(allowed) {
        let message = match name.value.len() {
            0..=128 => format!(
                "`{}` cannot be {}'s name",
                name.value.escape_debug(),
                kind.one()
            ),
            long => format!("a text of {long} bytes cannot be {}'s name", kind.one()),
        };
        table.report(
            Diagnostic::error(BAD_NAME, name.at.clone(), message)
                .help("use 1 to 128 letters, digits, `_`, `-` and `.`"),
        );
        return false;
    }
    let awkward = if kind == Kind::Actor {
        // No client sees it.
        None
    } else if name.value.contains('.') {
        Some(format!(
            "several clients do not take a `.` in a {kind}'s name"
        ))
    } else if name.value.len() > 64 {
        Some(format!(
            "several clients do not take a {kind}'s name of more than 64 characters"
        ))
    } else {
        None
    };
    if let Some(why) = awkward {
        table.report(Diagnostic::warning(AWKWARD_NAME, name.at.clone(), why));
    }
    true
}

/// A digest of everything that is shown; schemas are told by theirs.
pub(super) fn fingerprint(declaration: &impl fmt::Debug, schemas: &[Option<&Schema>]) -> String {
    let mut digest = Digest::default();
    digest.bytes(format!("{declaration:?}").as_bytes());
    for schema in schemas {
        digest.bytes(schema.map_or(&[][..], |schema| schema.digest()));
    }
    STANDARD.encode(digest.finish())
}

/// A digest of everything that makes the component what it is: its own table, its file's defaults, the
/// folder that relative paths count from, and the files that were read for it. Its tests do
/// not.
pub(super) fn definition(
    cx: &Cx<'_>,
    table: &Table<'_>,
    defaults: Option<&Table<'_>>,
    outside_before: usize,
) -> [u8; 32] {
    let mut digest = Digest::default();
    digest.table_without(table, &["test"]);
    if let Some(defaults) = defaults {
        digest.table(defaults);
    }
    digest.bytes(cx.folder.path().as_os_str().as_encoded_bytes());
    for outside in cx.outside.borrow().iter().skip(outside_before) {
        digest.bytes(outside.path.as_os_str().as_encoded_bytes());
        digest.bytes(outside.digest.as_ref().map_or(&[], <[u8; 32]>::as_slice));
    }
    digest.finish()
}
