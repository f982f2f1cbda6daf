//! `result`: how an action's outcome becomes the answer.

use super::Cx;
use super::codes::{CONFLICT, UNREADABLE};
use crate::lang::diag::Diagnostic;
use crate::lang::template::{Names, Template, Tree};
use crate::manifest::read::{At, OUT_OF_RANGE, Table, Templates, WRONG_TYPE};
use crate::model::{BlockKind, BlockSpec, MediaSpec, PayloadSpec, ProtocolErrorSpec, ResultSpec};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use toml::de::DeValue;

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
        error: error(&table, &templates),
        protocol_error: protocol_error(&table, &templates),
        metadata: metadata(&table, &templates),
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

/// `error`: the text of a tool error.
fn error(table: &Table<'_>, templates: &Templates<'_>) -> Option<Template> {
    let entry = table.entry("error")?;
    // `error = false` would be the text `false`, and so an error.
    if matches!(entry.value, DeValue::Boolean(_)) {
        return table.wrong_type(&entry, "a string");
    }
    templates.read(table, &entry).map(|read| read.value)
}

/// `metadata`: the result's `_meta`, by the rules for its keys.
fn metadata(table: &Table<'_>, templates: &Templates<'_>) -> Option<Tree> {
    let entry = table.entry("metadata")?;
    if !matches!(entry.value, DeValue::Table(_)) {
        return table.wrong_type(&entry, "a table");
    }
    for member in entry.members() {
        super::base::check_meta_key(table, &member);
    }
    templates.tree(table, &entry)
}

fn protocol_error(table: &Table<'_>, templates: &Templates<'_>) -> Option<ProtocolErrorSpec> {
    let sub = table.table("protocol_error")?;
    let when = when(&sub, templates);
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
    if let Some(code) = code.as_ref().filter(|code| is_reserved(code.value)) {
        sub.report(
            Diagnostic::error(
                OUT_OF_RANGE,
                code.at.clone(),
                "codes from -32768 to -32000 are reserved by JSON-RPC and the protocol",
            )
            .help(
                "use -32602 (invalid params), -32603 (internal error), or a code outside of these",
            ),
        );
    }
    sub.finish();
    let when = match when {
        When::Always => None,
        When::Is(template) => Some(template),
        When::Never => return None,
    };
    Some(ProtocolErrorSpec {
        when,
        code: code?.value,
        message: message?.value,
        data,
    })
}

/// The two that a tool may have a reason for are left; the others say something of the message or
/// the server that only the server knows (JSON-RPC 2.0 §5.1; specification: basic §Error Codes).
fn is_reserved(code: i64) -> bool {
    (-32768..=-32000).contains(&code) && !matches!(code, -32602 | -32603)
}

/// When something applies.
enum When {
    Always,
    Never,
    Is(Template),
}

/// `when`: a boolean, or one expression. Any other text would always be true.
fn when(table: &Table<'_>, templates: &Templates<'_>) -> When {
    let Some(entry) = table.entry("when") else {
        return When::Always;
    };
    match entry.value {
        DeValue::Boolean(true) => When::Always,
        DeValue::Boolean(false) => When::Never,
        DeValue::String(_) => match templates.read(table, &entry) {
            Some(read) if !read.value.is_native() => {
                table.report(
                    Diagnostic::error(WRONG_TYPE, read.at, "`when` must be one expression")
                        .help("write `{{ … }}` and nothing around it, or true or false"),
                );
                When::Never
            }
            Some(read) => When::Is(read.value),
            None => When::Never,
        },
        _ => {
            let _: Option<()> = table.wrong_type(&entry, "one expression, true or false");
            When::Never
        }
    }
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
    let data = base64(item, templates, "data");
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
    let blob = base64(item, templates, "blob").map(|read| PayloadSpec::Blob(read.value));
    let mut guessed = None;
    let file = item.string("file").and_then(|file| {
        let bytes = read(cx, item, &file)?;
        guessed = mime_guess::from_path(&file.value).first_raw();
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
        mime_type: mime_type.or_else(|| guessed.map(Template::literal_text)),
        payload: given.pop()?,
    })
}

/// Bytes as Base64 text (RFC 4648 §4), which may be broken into lines. A template's is checked when
/// it is rendered.
fn base64(item: &Table<'_>, templates: &Templates<'_>, key: &'static str) -> Option<At<Template>> {
    let read = templates.key(item, key)?;
    if let Some(text) = read.value.literal() {
        let bare: String = text.split_ascii_whitespace().collect();
        if STANDARD.decode(bare).is_err() {
            item.report(
                Diagnostic::error(OUT_OF_RANGE, read.at, format!("`{key}` is not Base64"))
                    .help("name the file instead: `file = \"…\"`"),
            );
            return None;
        }
    }
    Some(read)
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
        let Some(entry) = item.entry(key) else {
            continue;
        };
        let fits = match (key, entry.value) {
            ("size", DeValue::Integer(_)) => item.integer(key, 0..=i64::MAX).is_some(),
            (_, DeValue::String(_)) => true,
            ("size", _) => item
                .wrong_type(&entry, "a number of bytes")
                .unwrap_or(false),
            (_, DeValue::Integer(_) | DeValue::Boolean(_)) => true,
            _ => item.wrong_type(&entry, "a string").unwrap_or(false),
        };
        if !fits {
            return None;
        }
        members.push((name.to_owned(), templates.tree(item, &entry)?));
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
