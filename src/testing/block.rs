//! Content blocks as tests write them: by the manifest's names.

use crate::ops::{Annotations, Block, Payload, Role};
use serde_json::{Map, Value};

/// A block's members.
pub(super) fn members(block: &Block) -> Value {
    let mut members = Map::new();
    let mut text = |key: &str, value: &str| members.insert(key.into(), value.into());
    let annotations = match block {
        Block::Text {
            text: value,
            annotations,
        } => {
            text("type", "text");
            text("text", value);
            annotations
        }
        Block::Image {
            data,
            mime_type,
            annotations,
        } => {
            text("type", "image");
            text("data", data.as_str());
            text("mime_type", mime_type);
            annotations
        }
        Block::Audio {
            data,
            mime_type,
            annotations,
        } => {
            text("type", "audio");
            text("data", data.as_str());
            text("mime_type", mime_type);
            annotations
        }
        Block::Resource {
            uri,
            mime_type,
            payload,
            annotations,
        } => {
            text("type", "resource");
            text("uri", uri);
            if let Some(mime_type) = mime_type {
                text("mime_type", mime_type);
            }
            match payload {
                Payload::Text(value) => text("text", value),
                Payload::Blob(value) => text("blob", value.as_str()),
            };
            annotations
        }
        Block::ResourceLink {
            resource,
            annotations,
        } => {
            text("type", "resource_link");
            for (key, value) in resource {
                let key = match key.as_str() {
                    "mimeType" => "mime_type",
                    key => key,
                };
                members.insert(key.to_owned(), value.clone());
            }
            annotations
        }
    };
    if let Some(annotations) = annotations {
        members.insert("annotations".into(), hints(annotations));
    }
    Value::Object(members)
}

fn hints(annotations: &Annotations) -> Value {
    let mut hints = Map::new();
    if !annotations.audience.is_empty() {
        let audience = annotations.audience.iter().map(|role| match role {
            Role::User => "user",
            Role::Assistant => "assistant",
        });
        hints.insert("audience".into(), audience.collect());
    }
    if let Some(priority) = annotations.priority {
        hints.insert("priority".into(), priority.into());
    }
    if let Some(time) = &annotations.last_modified {
        hints.insert("last_modified".into(), time.as_str().into());
    }
    Value::Object(hints)
}
