//! Content blocks, in the form all revisions share (schema: ContentBlock).

use super::json::{self, Members};
use super::pieces::{Cuts, WORTH};
use super::version::Shape;
use crate::ops::{Annotations, Base64, Block, Payload, Role};
use serde_json::{Map, Number, Value};

/// Writes one block.
pub(super) fn block(out: &mut Vec<u8>, block: &Block, shape: Shape, cuts: &mut Cuts) {
    let mut members = Members::open(out);
    let hints = match block {
        Block::Text { text, annotations } => {
            members.text("type", "text");
            members.text("text", text);
            annotations
        }
        Block::Image {
            data,
            mime_type,
            annotations,
        } => media(&mut members, "image", (data, mime_type), annotations, cuts),
        Block::Audio {
            data,
            mime_type,
            annotations,
        } => media(&mut members, "audio", (data, mime_type), annotations, cuts),
        Block::Resource {
            uri,
            mime_type,
            payload,
            annotations,
        } => {
            members.text("type", "resource");
            contents(
                members.member("resource"),
                uri,
                mime_type.as_deref(),
                payload,
                &Map::new(),
                cuts,
            );
            annotations
        }
        Block::ResourceLink {
            resource,
            annotations,
        } => link(&mut members, resource, annotations, shape),
    };
    if let Some(hints) = hints
        .as_ref()
        .filter(|hints| **hints != Annotations::default())
    {
        self::annotations(members.member("annotations"), hints);
    }
    members.close();
}

/// About how many bytes a block takes when written. Escaping can make it more.
pub(super) fn room(block: &Block) -> usize {
    const FRAME: usize = 96;
    FRAME
        + match block {
            Block::Text { text, .. } => text.len(),
            Block::Image { data, .. } | Block::Audio { data, .. } => room_of_base64(data),
            Block::Resource { uri, payload, .. } => uri.len() + room_of_payload(payload),
            Block::ResourceLink { .. } => FRAME,
        }
}

/// The same of a resource's content.
pub(super) fn room_of_payload(payload: &Payload) -> usize {
    match payload {
        Payload::Text(text) => text.len(),
        Payload::Blob(data) => room_of_base64(data),
    }
}

/// None, where it is a piece of its own.
fn room_of_base64(data: &Base64) -> usize {
    Some(data.as_bytes().len())
        .filter(|length| *length < WORTH)
        .unwrap_or_default()
}

fn media<'a>(
    members: &mut Members<'_>,
    kind: &str,
    (data, mime_type): (&Base64, &str),
    annotations: &'a Option<Annotations>,
    cuts: &mut Cuts,
) -> &'a Option<Annotations> {
    members.text("type", kind);
    cuts.base64(members.member("data"), data);
    members.text("mimeType", mime_type);
    annotations
}

/// Writes TextResourceContents or BlobResourceContents.
pub(super) fn contents(
    out: &mut Vec<u8>,
    uri: &str,
    mime_type: Option<&str>,
    payload: &Payload,
    meta: &Map<String, Value>,
    cuts: &mut Cuts,
) {
    let mut members = Members::open(out);
    members.text("uri", uri);
    members.maybe_text("mimeType", mime_type);
    match payload {
        Payload::Text(text) => members.text("text", text),
        Payload::Blob(blob) => cuts.base64(members.member("blob"), blob),
    }
    if !meta.is_empty() {
        json::object(members.member("_meta"), meta);
    }
    members.close();
}

/// The members of a Resource beside `type`; the block's own hints stand for those in it.
fn link<'a>(
    members: &mut Members<'_>,
    resource: &Map<String, Value>,
    annotations: &'a Option<Annotations>,
    shape: Shape,
) -> &'a Option<Annotations> {
    members.text("type", "resource_link");
    for (name, value) in resource {
        let is_known = match name.as_str() {
            "type" => false,
            "annotations" => annotations.is_none(),
            "icons" => shape.icons,
            _ => true,
        };
        if !is_known {
            continue;
        }
        json::value(members.member(name), value);
    }
    annotations
}

pub(super) fn annotations(out: &mut Vec<u8>, hints: &Annotations) {
    let mut members = Members::open(out);
    if !hints.audience.is_empty() {
        json::array(members.member("audience"), &hints.audience, |out, role| {
            json::string(
                out,
                match role {
                    Role::User => "user",
                    Role::Assistant => "assistant",
                },
            );
        });
    }
    if let Some(priority) = hints.priority.and_then(Number::from_f64) {
        json::display(members.member("priority"), priority);
    }
    members.maybe_text("lastModified", hints.last_modified.as_deref());
    members.close();
}
