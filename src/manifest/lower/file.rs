//! `file`: a folder that paths cannot leave and a path below it, or one literal path.

use super::Cx;
use super::codes::{CONFLICT, NOT_LITERAL, UNREADABLE};
use crate::lang::diag::Diagnostic;
use crate::lang::template::{Names, Template};
use crate::manifest::read::{Table, Templates};
use crate::model::{Encoding, FileSpec, WindowSpec};
use std::path::PathBuf;

/// Reads a `file` table.
pub(super) fn file(cx: &Cx<'_>, table: Table<'_>, names: &Names) -> Option<FileSpec> {
    let templates = Templates::new(names);
    let place = root_and_path(cx, &table, &templates);
    let max_bytes = table.integer("max_bytes", 1..=1 << 30);
    let window = window(&table, &templates);
    let encoding = table.word(
        "encoding",
        &[
            ("auto", Encoding::Auto),
            ("text", Encoding::Text),
            ("base64", Encoding::Base64),
        ],
    );
    let list_directories = table
        .boolean("list_directories")
        .is_some_and(|read| read.value);
    super::base::refuse_unserved(&table, &["list", "watch"]);
    table.finish();
    let (root, path, literal_path) = place?;
    Some(FileSpec {
        root,
        path,
        literal_path,
        max_bytes: max_bytes
            .and_then(|read| u64::try_from(read.value).ok())
            .unwrap_or(10 << 20),
        window,
        encoding: encoding.map_or(Encoding::Auto, |read| read.value),
        list_directories,
    })
}

fn root_and_path(
    cx: &Cx<'_>,
    table: &Table<'_>,
    templates: &Templates<'_>,
) -> Option<(PathBuf, Template, bool)> {
    let root = table.string("root");
    if !table.has("path") {
        table.missing("path");
    }
    let path = templates.key(table, "path");
    if let Some(root) = root {
        let folder = cx.resolve(&root.value);
        if !folder.is_dir() {
            table.report(
                Diagnostic::error(
                    UNREADABLE,
                    root.at,
                    format!("the folder `{}` is not here", folder.display()),
                )
                .help("relative paths count from the manifest's folder"),
            );
            return None;
        }
        return Some((folder, path?.value, false));
    }
    let path = path?;
    let Some(literal) = path.value.literal() else {
        table.report(
            Diagnostic::error(
                NOT_LITERAL,
                path.at,
                "without `root`, `path` must be literal text",
            )
            .help("add `root`, the folder that a call's path cannot leave"),
        );
        return None;
    };
    let whole = cx.resolve(literal);
    let (Some(folder), Some(name)) = (whole.parent(), whole.file_name()) else {
        table.error(UNREADABLE, path.at, "`path` does not name a file");
        return None;
    };
    if !folder.is_dir() {
        table.error(
            UNREADABLE,
            path.at,
            format!("the folder `{}` is not here", folder.display()),
        );
        return None;
    }
    Some((
        folder.to_owned(),
        Template::literal_text(name.to_string_lossy().into_owned()),
        true,
    ))
}

fn window(table: &Table<'_>, templates: &Templates<'_>) -> WindowSpec {
    let lines = templates.key(table, "lines");
    let offset = templates.key(table, "offset");
    let length = templates.key(table, "length");
    match (lines, offset, length) {
        (Some(lines), None, None) => WindowSpec::Lines(lines.value),
        (None, None, None) => WindowSpec::Whole,
        (Some(lines), _, _) => {
            table.error(CONFLICT, lines.at, "`lines` excludes `offset` and `length`");
            WindowSpec::Whole
        }
        (None, offset, length) => WindowSpec::Bytes {
            offset: offset.map(|read| read.value),
            length: length.map(|read| read.value),
        },
    }
}
