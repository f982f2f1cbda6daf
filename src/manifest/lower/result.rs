//! `result`: how an action's outcome becomes the answer.

use super::Cx;
use super::codes::{CONFLICT, UNREADABLE};
use crate::lang::diag::Diagnostic;
use crate::lang::template::{Names, Template, Tree};
use crate::manifest::read::{At, OUT_OF_RANGE, Table, Templates};
use crate::model::{BlockKind, BlockSpec, MediaSpec, PayloadSpec, ProtocolErrorSpec, ResultSpec};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Reads a tool's `result` table.
pub(super) fn result(cx: &Cx<'_>, table: Table<'_>, names: &Names) -> ResultSpec {
    let templates = Templates::new(names);
    let tree = |key: &'static str| {
        let entry = table.entry(key)?;
        templates.tree(&table, &entry)
    };
    let spec = ResultSpec {
        text: templates.key(&table, "text").map(|read| read.value),
        structured: tree("structured"),
        content: table.has("content").then(|| blocks(cx, &table, &templates)),
        error: templates.key(&table, "error").map(|read| read.value),
        protocol_error: protocol_error(&table, &templates),
        metadata: tree("metadata"),
    };
    if table.has("text") && table.has("content") {
        table.error(
            CONFLICT,
            table.at(),
            "`text` and `content` exclude each other",
        );
    }
    table.finish();
    spec
}

fn protocol_error(table: &Table<'_>, templates: &Templates<'_>) -> Option<ProtocolErrorSpec> {
    let sub = table.table("protocol_error")?;
    let when = templates.key(&sub, "when").map(|read| read.value);
    for key in ["code", "message"] {
        if !sub.has(key) {
            sub.missing(key);
        }
    }
    let code = sub.integer("code", i64::from(i32::MIN)..=i64::from(i32::MAX));
    let message = templates.key(&sub, "message");
    let data = sub
        .entry("data")
        .and_then(|entry| templates.tree(&sub, &entry));
    if let Some(code) = &code
        && (-32099..=-32000).contains(&code.value)
    {
        sub.report(
            Diagnostic::error(
                OUT_OF_RANGE,
                code.at.clone(),
                "codes from -32099 to -32000 are reserved by the protocol",
            )
            .help("use -32602 (invalid params), -32603 (internal error), or a code outside -32768 to -32000"),
        );
    }
    sub.finish();
    Some(ProtocolErrorSpec {
        when,
        code: code?.value,
        message: message?.value,
        data,
    })
}

fn blocks(cx: &Cx<'_>, table: &Table<'_>, templates: &Templates<'_>) -> Vec<BlockSpec> {
    let mut blocks = Vec::new();
    for mut item in table.tables("content") {
        item.set_place(format!("{}, content", table.place()));
        let annotations = super::base::block_annotations(&item);
        let word = item.required_string("type");
        let kind = word.and_then(|word| block(cx, &item, templates, &word));
        item.finish();
        if let Some(kind) = kind {
            blocks.push(BlockSpec { kind, annotations });
        }
    }
    blocks
}

fn block(
    cx: &Cx<'_>,
    item: &Table<'_>,
    templates: &Templates<'_>,
    word: &At<String>,
) -> Option<BlockKind> {
    match word.value.as_str() {
        "text" => Some(BlockKind::Text(required(item, templates, "text")?)),
        "image" => Some(BlockKind::Image(media(cx, item, templates)?)),
        "audio" => Some(BlockKind::Audio(media(cx, item, templates)?)),
        "resource" => resource(cx, item, templates),
        "resource_link" => resource_link(item, templates),
        other => {
            let kinds = ["text", "image", "audio", "resource", "resource_link"];
            let mut diagnostic = Diagnostic::error(
                OUT_OF_RANGE,
                word.at.clone(),
                format!("`{other}` is not a kind of content block"),
            );
            diagnostic = match crate::lang::diag::suggest::closest(other, kinds) {
                Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                None => diagnostic.help(format!("write one of {}", kinds.join(", "))),
            };
            item.report(diagnostic);
            None
        }
    }
}

fn required(item: &Table<'_>, templates: &Templates<'_>, key: &'static str) -> Option<Template> {
    if !item.has(key) {
        item.missing(key);
    }
    Some(templates.key(item, key)?.value)
}

fn media(cx: &Cx<'_>, item: &Table<'_>, templates: &Templates<'_>) -> Option<MediaSpec> {
    let file = item.string("file");
    let data = templates.key(item, "data");
    let mime_type = templates.key(item, "mime_type");
    let (data, guessed) = match (file, data) {
        (Some(file), None) => {
            let bytes = read(cx, item, &file)?;
            let guessed = mime_guess::from_path(&file.value).first_raw();
            (Template::literal_text(STANDARD.encode(bytes)), guessed)
        }
        (None, Some(data)) => (data.value, None),
        (Some(file), Some(_)) => {
            item.error(CONFLICT, file.at, "`file` and `data` exclude each other");
            return None;
        }
        (None, None) => {
            item.missing("data");
            return None;
        }
    };
    let mime_type = match (mime_type, guessed) {
        (Some(mime_type), _) => mime_type.value,
        (None, Some(guessed)) => Template::literal_text(guessed.to_owned()),
        (None, None) => {
            item.missing("mime_type");
            return None;
        }
    };
    Some(MediaSpec { data, mime_type })
}

fn resource(cx: &Cx<'_>, item: &Table<'_>, templates: &Templates<'_>) -> Option<BlockKind> {
    let uri = required(item, templates, "uri");
    let mime_type = templates.key(item, "mime_type").map(|read| read.value);
    let text = templates
        .key(item, "text")
        .map(|read| PayloadSpec::Text(read.value));
    let blob = templates
        .key(item, "blob")
        .map(|read| PayloadSpec::Blob(read.value));
    let file = item.string("file").and_then(|file| {
        let bytes = read(cx, item, &file)?;
        Some(match String::from_utf8(bytes) {
            Ok(text) => PayloadSpec::Text(Template::literal_text(text)),
            Err(bytes) => {
                PayloadSpec::Blob(Template::literal_text(STANDARD.encode(bytes.as_bytes())))
            }
        })
    });
    let mut given: Vec<PayloadSpec> = [text, blob, file].into_iter().flatten().collect();
    if given.len() > 1 {
        item.error(
            CONFLICT,
            item.at(),
            "`text`, `blob` and `file` exclude each other",
        );
        return None;
    }
    if !["text", "blob", "file"].iter().any(|key| item.has(key)) {
        item.missing("text");
    }
    Some(BlockKind::Resource {
        uri: uri?,
        mime_type,
        payload: given.pop()?,
    })
}

/// The members of a Resource, in the specification's names.
fn resource_link(item: &Table<'_>, templates: &Templates<'_>) -> Option<BlockKind> {
    let mut members = Vec::new();
    for (key, name) in [
        ("uri", "uri"),
        ("name", "name"),
        ("title", "title"),
        ("description", "description"),
        ("mime_type", "mimeType"),
        ("size", "size"),
    ] {
        if let Some(entry) = item.entry(key) {
            members.push((name.to_owned(), templates.tree(item, &entry)?));
        }
    }
    for key in ["uri", "name"] {
        if !item.has(key) {
            item.missing(key);
            return None;
        }
    }
    Tree::map(members).ok().map(BlockKind::ResourceLink)
}

fn read(cx: &Cx<'_>, item: &Table<'_>, file: &At<String>) -> Option<Vec<u8>> {
    match cx.read_outside(&cx.resolve(&file.value)) {
        Ok(bytes) => Some(bytes),
        Err(error) => {
            item.error(
                UNREADABLE,
                file.at.clone(),
                format!("cannot read `{}`: {error}", file.value),
            );
            None
        }
    }
}
