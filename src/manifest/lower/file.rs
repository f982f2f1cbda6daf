//! `file`: a folder that paths cannot leave and a path below it, or one literal path.

use super::codes::{CONFLICT, MISPLACED, SECRET_SHOWN, UNREADABLE};
use super::{Cx, FROM_FOLDER, listing, names};
use crate::lang::diag::{Diagnostic, Span};
use crate::lang::template::Template;
use crate::manifest::read::{At, MISSING_KEY, OUT_OF_RANGE, Table, Templates};
use crate::model::{Encoding, FileSpec, Window, WindowSpec};
use std::path::{Path, PathBuf};

/// Reads a `file` table.
pub(super) fn file(cx: &Cx<'_>, table: Table<'_>, call: &names::Call) -> Option<FileSpec> {
    let templates = Templates::without_secrets(
        call.names(),
        SECRET_SHOWN,
        "what is asked of a file is shown in logs and errors: it cannot hold a secret",
    );
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
    let path = place.as_ref().map(|place| &place.path);
    let listing = match call.is_read() {
        true => listing::listing(&table, path),
        false => {
            refuse_of_resources(&table);
            None
        }
    };
    let watch = table.boolean("watch").is_some_and(|read| read.value);
    table.finish();
    let Place {
        root,
        path,
        is_literal,
    } = place?;
    Some(FileSpec {
        root,
        path,
        literal_path: is_literal,
        max_bytes: max_bytes
            .and_then(|read| u64::try_from(read.value).ok())
            .unwrap_or(10 << 20),
        window,
        encoding: encoding.map_or(Encoding::Auto, |read| read.value),
        list_directories,
        listing,
        watch,
    })
}

/// Refuses what only a resource's file can have.
fn refuse_of_resources(table: &Table<'_>) {
    for key in ["list", "watch"] {
        if let Some(entry) = table.entry(key) {
            let message = format!("only the file of a resource can say `{key}`");
            table.error(MISPLACED, entry.key_at, message);
        }
    }
}

struct Place {
    root: PathBuf,
    path: Template,
    is_literal: bool,
}

fn root_and_path(cx: &Cx<'_>, table: &Table<'_>, templates: &Templates<'_>) -> Option<Place> {
    let root = table.literal("root");
    if !table.has("path") {
        table.missing("path");
    }
    let path = templates.key(table, "path");
    if table.has("root") {
        let root = root?;
        let folder = cx.resolve(&root.value);
        let is_here = is_folder(cx, table, &root, &folder);
        return is_here.then_some(Place {
            root: folder,
            path: path?.value,
            is_literal: false,
        });
    }
    let path = path?;
    let Some(literal) = path.value.literal() else {
        let message = "missing key `root`: without it `path` must be literal text";
        table.report(
            Diagnostic::error(MISSING_KEY, path.at, message)
                .help("add `root`, the folder that a call's path cannot leave"),
        );
        return None;
    };
    literal_path(cx, table, literal, path.at.clone())
}

fn is_folder(cx: &Cx<'_>, table: &Table<'_>, root: &At<String>, folder: &Path) -> bool {
    let shown = cx.shown(&root.value);
    let why = match std::fs::metadata(folder) {
        Ok(found) if found.is_dir() => return true,
        Ok(_) => format!("`{}` is not a folder", shown.display()),
        Err(_) => format!("the folder `{}` is not here", shown.display()),
    };
    let found = Diagnostic::error(UNREADABLE, root.at.clone(), why);
    table.report(found.help(FROM_FOLDER));
    false
}

/// One file, by the manifest's own word: it is opened by its name in its folder.
fn literal_path(cx: &Cx<'_>, table: &Table<'_>, literal: &str, at: Span) -> Option<Place> {
    let whole = cx.resolve(literal);
    let shown = cx.shown(literal);
    let (Some(folder), Some(name)) = (whole.parent(), whole.file_name()) else {
        table.error(UNREADABLE, at, "`path` does not name a file");
        return None;
    };
    if !folder.is_dir() {
        let folder = shown.parent().unwrap_or(&shown);
        let message = format!("the folder `{}` is not here", folder.display());
        table.report(Diagnostic::error(UNREADABLE, at, message).help(FROM_FOLDER));
        return None;
    }
    if std::fs::metadata(&whole).is_err() {
        let message = format!("`{}` is not here", shown.display());
        table.report(
            Diagnostic::warning(UNREADABLE, at, message)
                .help("until it is, the answer is an error"),
        );
    }
    Some(Place {
        root: folder.to_owned(),
        path: Template::literal_text(name.to_string_lossy().into_owned()),
        is_literal: true,
    })
}

fn window(table: &Table<'_>, templates: &Templates<'_>) -> WindowSpec {
    let lines = templates.key(table, "lines");
    let offset = templates.key(table, "offset");
    let length = templates.key(table, "length");
    if let Some(lines) = &lines {
        check_lines(table, lines);
    }
    for (key, read) in [("offset", &offset), ("length", &length)] {
        if let Some(read) = read {
            check_number(table, key, read);
        }
    }
    if let Some(entry) = table.entry("lines")
        && (table.has("offset") || table.has("length"))
    {
        table.error(
            CONFLICT,
            entry.key_at,
            "`lines` excludes `offset` and `length`",
        );
    }
    match (lines, offset, length) {
        (Some(lines), _, _) => WindowSpec::Lines(lines.value),
        (None, None, None) => WindowSpec::Whole,
        (None, offset, length) => WindowSpec::Bytes {
            offset: offset.map(|read| read.value),
            length: length.map(|read| read.value),
        },
    }
}

fn check_lines(table: &Table<'_>, read: &At<Template>) {
    let parsed = read.value.literal().map(Window::parse_lines);
    if let Some(Err(error)) = parsed {
        table.report(
            Diagnostic::error(OUT_OF_RANGE, read.at.clone(), error.to_string())
                .help("write `5`, `3-9`, `3-` or `-9`, counted from 1"),
        );
    }
}

fn check_number(table: &Table<'_>, key: &str, read: &At<Template>) {
    let is_wrong = |text: &str| text.trim().parse::<u64>().is_err();
    if read.value.literal().is_some_and(is_wrong) {
        let message = format!("`{key}` must be a number of bytes, 0 or more");
        table.error(OUT_OF_RANGE, read.at.clone(), message);
    }
}
