//! `content`: the blocks of an answer.

use super::codes::{BAD_DATA, BAD_URL, CONFLICT};
use super::{Cx, base, read_named};
use crate::lang::diag::Diagnostic;
use crate::lang::template::{Template, Tree};
use crate::manifest::read::{Table, Templates};
use crate::model::{BlockKind, BlockSpec, MediaSpec, PayloadSpec};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use toml::de::DeValue;

#[derive(Clone, Copy)]
enum Kind {
    Text,
    Image,
    Audio,
    Resource,
    ResourceLink,
}

const KINDS: [(&str, Kind); 5] = [
    ("text", Kind::Text),
    ("image", Kind::Image),
    ("audio", Kind::Audio),
    ("resource", Kind::Resource),
    ("resource_link", Kind::ResourceLink),
];

/// Reads `content`.
pub(super) fn blocks<'a>(
    cx: &Cx<'_>,
    table: &Table<'a>,
    templates: &Templates<'_>,
) -> Vec<BlockSpec> {
    let items = table.tables("content").into_iter();
    items
        .filter_map(|item| block(cx, item, templates))
        .collect()
}

/// Reads one block.
pub(super) fn block(cx: &Cx<'_>, item: Table<'_>, templates: &Templates<'_>) -> Option<BlockSpec> {
    let annotations = base::block_annotations(&item);
    if !item.has("type") {
        let words: Vec<&str> = KINDS.iter().map(|(word, _)| *word).collect();
        item.missing_with("type", format!("write one of {}", words.join(", ")));
    }
    // Without it, which keys belong to the block is not known.
    let word = item.word("type", &KINDS)?;
    let kind = match word.value {
        Kind::Text => required(&item, templates, "text").map(BlockKind::Text),
        Kind::Image => media(cx, &item, templates).map(BlockKind::Image),
        Kind::Audio => media(cx, &item, templates).map(BlockKind::Audio),
        Kind::Resource => resource(cx, &item, templates),
        Kind::ResourceLink => resource_link(&item, templates),
    };
    item.finish();
    Some(BlockSpec {
        kind: kind?,
        annotations,
    })
}

fn required<'a>(item: &Table<'a>, templates: &Templates<'_>, key: &'a str) -> Option<Template> {
    if !item.has(key) {
        item.missing(key);
    }
    Some(templates.key(item, key)?.value)
}

fn media(cx: &Cx<'_>, item: &Table<'_>, templates: &Templates<'_>) -> Option<MediaSpec> {
    let source = item.alternatives(&["file", "data"]);
    let data = base64(item, templates, "data");
    let bytes = item.literal("file").and_then(|file| {
        let guessed = mime_guess::from_path(&file.value).first_raw();
        Some((read_named(cx, item, &file)?, guessed))
    });
    let mime_type = mime_type(item, templates);
    match source.as_slice() {
        [] => item.missing_with("data", "write base64 in `data`, or a path in `file`"),
        [_] => {}
        [file, ..] => item.error(
            CONFLICT,
            file.key_at.clone(),
            "`file` and `data` exclude each other",
        ),
    }
    let guessed = bytes.as_ref().and_then(|(_, guessed)| *guessed);
    let is_guessed = guessed.is_some() && !item.has("mime_type");
    // Of a file that cannot be read the type is not known either.
    let is_unread = bytes.is_none() && item.has("file");
    if !item.has("mime_type") && !is_guessed && !is_unread && !source.is_empty() {
        item.missing_with("mime_type", "write for example `mime_type = \"image/png\"`");
    }
    Some(MediaSpec {
        data: match bytes {
            Some((bytes, _)) => Template::literal_text(STANDARD.encode(bytes)),
            None => data?,
        },
        mime_type: match guessed.filter(|_| is_guessed) {
            Some(guessed) => Template::literal_text(guessed.to_owned()),
            None => mime_type?,
        },
    })
}

/// A template that gives base64, which may be broken into lines; what is literal is looked at.
pub(super) fn base64<'a>(
    item: &Table<'a>,
    templates: &Templates<'_>,
    key: &'a str,
) -> Option<Template> {
    let read = templates.key(item, key)?;
    let is_base64 = |text: &str| {
        let bare: String = text.split_ascii_whitespace().collect();
        STANDARD.decode(bare).is_ok()
    };
    if read.value.literal().is_some_and(|text| !is_base64(text)) {
        item.report(
            Diagnostic::error(BAD_DATA, read.at.clone(), format!("`{key}` is not base64"))
                .help("name the file itself in `file`"),
        );
    }
    Some(read.value)
}

pub(super) fn mime_type(item: &Table<'_>, templates: &Templates<'_>) -> Option<Template> {
    let read = templates.key(item, "mime_type")?;
    if let Some(text) = read.value.literal() {
        base::check_media_type(item, text, &read.at);
    }
    Some(read.value)
}

/// `uri`; a literal one must be absolute.
fn uri(item: &Table<'_>, templates: &Templates<'_>) -> Option<Template> {
    if !item.has("uri") {
        item.missing("uri");
    }
    given_uri(item, templates)
}

/// `uri`, when it is there.
pub(super) fn given_uri(item: &Table<'_>, templates: &Templates<'_>) -> Option<Template> {
    let read = templates.key(item, "uri")?;
    if let Some(text) = read.value.literal()
        && url::Url::parse(text).is_err()
    {
        let message = format!("`{}` is not an absolute URI", text.escape_debug());
        item.error(BAD_URL, read.at.clone(), message);
    }
    Some(read.value)
}

fn resource(cx: &Cx<'_>, item: &Table<'_>, templates: &Templates<'_>) -> Option<BlockKind> {
    let uri = uri(item, templates);
    let mime_type = mime_type(item, templates);
    let given = item.alternatives(&["text", "blob", "file"]);
    let text = templates
        .key(item, "text")
        .map(|read| PayloadSpec::Text(read.value));
    let blob = base64(item, templates, "blob").map(PayloadSpec::Blob);
    let (file, guessed) = file_payload(cx, item).unzip();
    match given.as_slice() {
        [] => item.missing_with("text", "write `text`, `blob` (base64) or `file`"),
        [_] => {}
        [_, second, ..] => item.error(
            CONFLICT,
            second.key_at.clone(),
            "`text`, `blob` and `file` exclude each other",
        ),
    }
    Some(BlockKind::Resource {
        uri: uri?,
        mime_type: mime_type.or_else(|| guessed.flatten().map(Template::literal_text)),
        payload: text.or(blob).or(file)?,
    })
}

/// The content of the file that `file` names, and its type by its name.
pub(super) fn file_payload(
    cx: &Cx<'_>,
    item: &Table<'_>,
) -> Option<(PayloadSpec, Option<&'static str>)> {
    let file = item.literal("file")?;
    let payload = match String::from_utf8(read_named(cx, item, &file)?) {
        Ok(text) => PayloadSpec::Text(Template::literal_text(text)),
        Err(bytes) => PayloadSpec::Blob(Template::literal_text(STANDARD.encode(bytes.as_bytes()))),
    };
    Some((payload, mime_guess::from_path(&file.value).first_raw()))
}

/// The members of a Resource, in the specification's names.
fn resource_link(item: &Table<'_>, templates: &Templates<'_>) -> Option<BlockKind> {
    let uri = uri(item, templates);
    let mime_type = mime_type(item, templates);
    if !item.has("name") {
        item.missing("name");
    }
    let mut members = Vec::new();
    if let Some(uri) = &uri {
        members.push(("uri".to_owned(), Tree::template(uri.clone())));
    }
    for key in ["name", "title", "description"] {
        if let Some(read) = templates.key(item, key) {
            members.push((key.to_owned(), Tree::template(read.value)));
        }
    }
    if let Some(mime_type) = mime_type {
        members.push(("mimeType".to_owned(), Tree::template(mime_type)));
    }
    if let Some(entry) = item.entry("size") {
        let size = match entry.value {
            DeValue::Integer(_) => {
                let read = item.as_integer(&entry, 0..=i64::MAX);
                read.map(|read| Tree::constant(read.value.into()))
            }
            DeValue::String(_) => templates.tree(item, &entry),
            _ => item.wrong_type(&entry, "a number of bytes"),
        };
        members.push(("size".to_owned(), size?));
    }
    uri?;
    Tree::map(members).ok().map(BlockKind::ResourceLink)
}
