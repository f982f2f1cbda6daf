//! A resource's `result`: what it holds, and when it is not there.

use super::codes::{CONFLICT, SECRET_SHOWN};
use super::{Cx, blocks, result};
use crate::lang::diag::Diagnostic;
use crate::lang::template::{Names, Template};
use crate::manifest::read::{Entry, Table, Templates};
use crate::model::{ContentData, ContentSpec, PayloadSpec, ResourceResultSpec};

/// Reads a resource's `result` table.
pub(super) fn contents(cx: &Cx<'_>, table: Table<'_>, names: &Names) -> ResourceResultSpec {
    let templates = Templates::shown(
        names,
        SECRET_SHOWN,
        "a secret in a resource is shown to every caller",
    );
    let given = table.alternatives(&["text", "json", "blob", "contents"]);
    refuse_several(&table, &given, "`text`, `json`, `blob` and `contents`");
    let one = data(&table, &templates).map(|data| {
        vec![ContentSpec {
            uri: None,
            mime_type: None,
            data,
            metadata: None,
        }]
    });
    let several = table.has("contents").then(|| {
        let items = table.tables("contents").into_iter();
        items
            .filter_map(|item| content(cx, item, &templates))
            .collect()
    });
    let spec = ResourceResultSpec {
        missing: result::condition(&table, &templates, "missing"),
        protocol_error: result::protocol_error(&table, &templates),
        contents: one.or(several),
        metadata: result::metadata(&table, &templates),
    };
    table.finish();
    spec
}

/// One of `contents`: `{ uri, mime_type, metadata, text | json | blob | file }`.
fn content(cx: &Cx<'_>, item: Table<'_>, templates: &Templates<'_>) -> Option<ContentSpec> {
    let uri = blocks::given_uri(&item, templates);
    let mime_type = blocks::mime_type(&item, templates);
    let given = item.alternatives(&["text", "json", "blob", "file"]);
    refuse_several(&item, &given, "`text`, `json`, `blob` and `file`");
    if given.is_empty() {
        item.missing_with("text", "write `text`, `json`, `blob` (base64) or `file`");
    }
    let data = data(&item, templates);
    let (file, guessed) = blocks::file_payload(cx, &item).unzip();
    let metadata = result::metadata(&item, templates);
    item.finish();
    Some(ContentSpec {
        uri,
        mime_type: mime_type.or_else(|| guessed.flatten().map(Template::literal_text)),
        data: data.or_else(|| file.map(ContentData::Payload))?,
        metadata,
    })
}

/// `text`, `json` or `blob`.
fn data(table: &Table<'_>, templates: &Templates<'_>) -> Option<ContentData> {
    let text = templates.key(table, "text");
    let json = table
        .entry("json")
        .and_then(|entry| templates.tree(table, &entry));
    let blob = blocks::base64(table, templates, "blob");
    text.map(|read| ContentData::Payload(PayloadSpec::Text(read.value)))
        .or_else(|| json.map(ContentData::Json))
        .or_else(|| blob.map(|blob| ContentData::Payload(PayloadSpec::Blob(blob))))
}

fn refuse_several(table: &Table<'_>, given: &[Entry<'_>], keys: &str) {
    if let [first, second, ..] = given {
        table.report(
            Diagnostic::error(
                CONFLICT,
                second.key_at.clone(),
                format!("{keys} exclude each other"),
            )
            .related(first.key_at.clone(), "one of them"),
        );
    }
}
