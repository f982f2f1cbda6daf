//! Resources: their two lists, and what is read of them (specification: resources).

use super::declare::{cacheable, icon, page};
use super::outcome::{FRAME, meta};
use crate::model::{Annotations, Cache, ResourceDeclaration};
use crate::ops::{Payload, ResourceContent, ResourceOutcome};
use crate::protocol::content;
use crate::protocol::face::Face;
use crate::protocol::json::{self, Members};
use crate::protocol::jsonrpc::{self, Id};
use bytes::Bytes;

/// One page of `resources/list` (schema: ListResourcesResult).
pub(in crate::protocol) fn resources_page(
    face: &Face,
    resources: &[&ResourceDeclaration],
    next_cursor: Option<&str>,
    cache: Cache,
) -> Bytes {
    let write = |out: &mut Vec<u8>, item: &ResourceDeclaration| declaration(out, "uri", item);
    page(face, "resources", resources, write, next_cursor, cache)
}

/// One page of `resources/templates/list` (schema: ListResourceTemplatesResult).
pub(in crate::protocol) fn templates_page(
    face: &Face,
    templates: &[&ResourceDeclaration],
    next_cursor: Option<&str>,
    cache: Cache,
) -> Bytes {
    let write = |out: &mut Vec<u8>, item: &ResourceDeclaration| {
        declaration(out, "uriTemplate", item);
    };
    page(
        face,
        "resourceTemplates",
        templates,
        write,
        next_cursor,
        cache,
    )
}

/// Writes a Resource or a ResourceTemplate; `address` is the member that says where it is.
fn declaration(out: &mut Vec<u8>, address: &str, item: &ResourceDeclaration) {
    let mut members = Members::open(out);
    members.text("name", &item.name);
    members.maybe_text("title", item.title.as_deref());
    if !item.icons.is_empty() {
        json::array(members.member("icons"), &item.icons, icon);
    }
    members.text(address, &item.uri);
    members.maybe_text("description", item.description.as_deref());
    members.maybe_text("mimeType", item.mime_type.as_deref());
    let hints = item.annotations.as_ref();
    if let Some(hints) = hints.filter(|hints| **hints != Annotations::default()) {
        content::annotations(members.member("annotations"), hints);
    }
    if let Some(size) = item.size {
        json::display(members.member("size"), size);
    }
    if !item.metadata.is_empty() {
        json::object(members.member("_meta"), &item.metadata);
    }
    members.close();
}

/// The response to `resources/read` (schema: ReadResourceResult).
pub(in crate::protocol) fn resource_response(
    face: &Face,
    id: &Id,
    outcome: &ResourceOutcome,
) -> Bytes {
    let contents: usize = outcome.contents.iter().map(room).sum();
    let room = FRAME + face.server_info.len() + contents + contents / 16;
    let mut out = jsonrpc::begin_result(id, room);
    let mut result = Members::open(&mut out);
    result.text("resultType", "complete");
    json::array(result.member("contents"), &outcome.contents, |out, item| {
        content::contents(out, &item.uri, item.mime_type.as_deref(), &item.payload);
    });
    cacheable(&mut result, outcome.cache);
    meta(face, &mut result, &outcome.meta);
    result.close();
    out.push(b'}');
    out.into()
}

fn room(content: &ResourceContent) -> usize {
    let (Payload::Text(payload) | Payload::Blob(payload)) = &content.payload;
    FRAME + content.uri.len() + payload.len()
}
