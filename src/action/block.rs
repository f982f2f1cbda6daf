//! The content blocks of a `result`.
//!
//! A block is there when what it holds is: the text, the bytes, the link's URI. What describes it
//! is left out when it is absent, or is an error where the protocol needs it. Where the protocol has
//! no place for a null, `null` is absent.

use super::{Failure, render};
use crate::lang::template::{Scope, Template, Tree, text_of};
use crate::model::{Annotations, BlockKind, BlockSpec, MediaSpec, PayloadSpec};
use crate::ops::{Base64, Block, Payload};
use serde_json::{Map, Value};

/// Makes one block; `None` when what it holds is absent.
///
/// # Errors
/// A template that cannot be rendered, a part the protocol needs that is absent, bytes that are not
/// Base64, a size that is no number.
pub(super) fn made(spec: &BlockSpec, scope: &Scope) -> Result<Option<Block>, Failure> {
    let annotations = spec.annotations.clone();
    Ok(match &spec.kind {
        BlockKind::Text(text) => render::text("result.content.text", text, scope)?
            .map(|text| Block::Text { text, annotations }),
        BlockKind::Image(spec) => media(spec, scope)?.map(|(data, mime_type)| Block::Image {
            data,
            mime_type,
            annotations,
        }),
        BlockKind::Audio(spec) => media(spec, scope)?.map(|(data, mime_type)| Block::Audio {
            data,
            mime_type,
            annotations,
        }),
        BlockKind::Resource {
            uri,
            mime_type,
            payload,
        } => resource(uri, mime_type.as_ref(), payload, annotations, scope)?,
        BlockKind::ResourceLink(tree) => link(tree, scope)?.map(|resource| Block::ResourceLink {
            resource,
            annotations,
        }),
    })
}

/// The data and type of an image or a sound.
fn media(spec: &MediaSpec, scope: &Scope) -> Result<Option<(Base64, String)>, Failure> {
    let Some(data) = base64("result.content.data", &spec.data, scope)? else {
        return Ok(None);
    };
    let mime_type = present("result.content.mime_type", &spec.mime_type, scope)?;
    Ok(Some((data, needed("mime_type", mime_type)?)))
}

fn resource(
    uri: &Template,
    mime_type: Option<&Template>,
    payload: &PayloadSpec,
    annotations: Option<Annotations>,
    scope: &Scope,
) -> Result<Option<Block>, Failure> {
    let payload = match payload {
        PayloadSpec::Text(text) => {
            render::text("result.content.text", text, scope)?.map(Payload::Text)
        }
        PayloadSpec::Blob(blob) => base64("result.content.blob", blob, scope)?.map(Payload::Blob),
    };
    let Some(payload) = payload else {
        return Ok(None);
    };
    Ok(Some(Block::Resource {
        uri: needed("uri", present("result.content.uri", uri, scope)?)?,
        mime_type: match mime_type {
            Some(mime_type) => present("result.content.mime_type", mime_type, scope)?,
            None => None,
        },
        payload,
        annotations,
    }))
}

/// The members of a linked Resource: texts, whatever type the template gave, and a size.
fn link(tree: &Tree, scope: &Scope) -> Result<Option<Map<String, Value>>, Failure> {
    let Some(Value::Object(members)) = render::tree("result.content", tree, scope)? else {
        return Ok(None);
    };
    let mut resource = Map::with_capacity(members.len());
    for (name, value) in members {
        if value.is_null() {
            continue;
        }
        let value = match name.as_str() {
            "size" => size(&value)?.into(),
            _ => Value::String(text_of(&value)),
        };
        resource.insert(name, value);
    }
    if !resource.contains_key("uri") {
        return Ok(None);
    }
    if !resource.contains_key("name") {
        return Err(absent("name"));
    }
    Ok(Some(resource))
}

/// A number of bytes, also as text: what commands print is text.
fn size(value: &Value) -> Result<u64, Failure> {
    let size = match value {
        Value::Number(_) | Value::String(_) => text_of(value).trim().parse().ok(),
        _ => None,
    };
    size.ok_or_else(|| {
        Failure("cannot make `result.content.size`: its value is not a number of bytes".into())
    })
}

/// Base64 text (RFC 4648 §4), as it stands on the wire: without the line breaks that programs put
/// into it.
pub(super) fn base64(
    key: &str,
    template: &Template,
    scope: &Scope,
) -> Result<Option<Base64>, Failure> {
    let Some(mut text) = present(key, template, scope)? else {
        return Ok(None);
    };
    if text.contains(|letter: char| letter.is_ascii_whitespace()) {
        text.retain(|letter| !letter.is_ascii_whitespace());
    }
    let data = Base64::read(text);
    let data = data.ok_or_else(|| Failure(format!("cannot make `{key}`: its value is not Base64")));
    data.map(Some)
}

/// A text that is there and not null.
pub(super) fn present(
    key: &str,
    template: &Template,
    scope: &Scope,
) -> Result<Option<String>, Failure> {
    if !template.is_native() {
        return render::text(key, template, scope);
    }
    let value = render::value(key, template, scope)?;
    Ok(value
        .filter(|value| !value.is_null())
        .map(|value| match value {
            Value::String(text) => text,
            other => text_of(&other),
        }))
}

fn needed(key: &str, text: Option<String>) -> Result<String, Failure> {
    text.ok_or_else(|| absent(key))
}

fn absent(key: &str) -> Failure {
    render::absent(&format!("result.content.{key}"))
}
