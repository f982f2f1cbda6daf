//! What a resource holds: from its `result`, or by default what its action gives.

use super::answer::{DECLINED, NoAnswer, declared, holds};
use super::{Failure, Output, block, metadata, render};
use crate::lang::template::Scope;
use crate::model::{Cache, ContentData, ContentSpec, PayloadSpec, Resource, ResourceResultSpec};
use crate::ops::{Block, OpError, Payload, ResourceContent, ResourceOutcome};
use serde_json::{Map, Value};
use std::sync::Arc;

/// The contents of a resource at the requested URI. `cache` is how long and for whom they may be
/// kept.
///
/// # Errors
/// There is no such resource: its `missing` holds, or nothing is left of what it holds. A template
/// that cannot be rendered; an action whose own answer is an error; a declared protocol error.
pub fn contents(
    resource: &Resource,
    uri: &str,
    scope: Scope,
    output: Option<Arc<dyn Output>>,
    cache: Cache,
) -> Result<ResourceOutcome, OpError> {
    let made = match &resource.result {
        Some(result) => {
            let scope = render::with_output(scope, output.as_ref());
            made(resource, result, uri, &scope, output.as_deref())
        }
        None => of_output(resource, uri, output.as_deref())
            .map(|contents| (contents, Map::new()))
            .map_err(NoAnswer::from),
    };
    outcome(made, uri, cache)
}

/// The contents of a resource whose user declines: those of its `refused`.
///
/// # Errors
/// It has none, or they are absent; a template that cannot be rendered; a declared protocol error.
pub fn refused(
    resource: &Resource,
    uri: &str,
    scope: &Scope,
    cache: Cache,
) -> Result<ResourceOutcome, OpError> {
    match &resource.refused {
        Some(refused) => outcome(made(resource, refused, uri, scope, None), uri, cache),
        None => Err(OpError::Failed(DECLINED.into())),
    }
}

fn outcome(
    made: Result<Made, NoAnswer>,
    uri: &str,
    cache: Cache,
) -> Result<ResourceOutcome, OpError> {
    let (contents, meta) = made.map_err(|error| match error {
        NoAnswer::Failed(Failure(text)) => OpError::Failed(text),
        NoAnswer::Declared(error) => error,
    })?;
    if contents.is_empty() {
        return Err(OpError::ResourceNotFound(uri.to_owned()));
    }
    Ok(ResourceOutcome {
        contents,
        cache,
        meta,
    })
}

/// What a resource holds when something else than its action gives it: a text, or any other value
/// as JSON.
pub fn given(resource: &Resource, uri: &str, given: Value, cache: Cache) -> ResourceOutcome {
    let declared = resource.declaration.mime_type.clone();
    let (text, mime_type) = match given {
        Value::String(text) => (text, declared),
        json => {
            let mime_type = declared.unwrap_or_else(|| "application/json".to_owned());
            (json.to_string(), Some(mime_type))
        }
    };
    ResourceOutcome {
        contents: vec![ResourceContent {
            uri: uri.to_owned(),
            mime_type,
            payload: Payload::Text(text),
            meta: Map::new(),
        }],
        cache,
        meta: Map::new(),
    }
}

type Made = (Vec<ResourceContent>, Map<String, Value>);

fn made(
    resource: &Resource,
    result: &ResourceResultSpec,
    uri: &str,
    scope: &Scope,
    output: Option<&dyn Output>,
) -> Result<Made, NoAnswer> {
    if let Some(missing) = &result.missing
        && render::value("result.missing", missing, scope)?.is_some_and(|value| holds(&value))
    {
        return Err(NoAnswer::Declared(OpError::ResourceNotFound(
            uri.to_owned(),
        )));
    }
    if let Some(error) = &result.protocol_error {
        declared(error, scope)?;
    }
    let contents = match &result.contents {
        Some(specs) => {
            let made = specs.iter().map(|spec| content(resource, spec, uri, scope));
            made.filter_map(Result::transpose)
                .collect::<Result<_, Failure>>()?
        }
        None => of_output(resource, uri, output)?,
    };
    Ok((contents, metadata(result.metadata.as_ref(), scope)?))
}

/// One content; `None` when what it holds is absent.
fn content(
    resource: &Resource,
    spec: &ContentSpec,
    uri: &str,
    scope: &Scope,
) -> Result<Option<ResourceContent>, Failure> {
    let payload = match &spec.data {
        ContentData::Payload(PayloadSpec::Text(text)) => {
            render::text("result.text", text, scope)?.map(Payload::Text)
        }
        ContentData::Payload(PayloadSpec::Blob(blob)) => {
            block::base64("result.blob", blob, scope)?.map(Payload::Blob)
        }
        ContentData::Json(tree) => {
            render::tree("result.json", tree, scope)?.map(|value| Payload::Text(value.to_string()))
        }
    };
    let Some(payload) = payload else {
        return Ok(None);
    };
    let own = |key, template: &Option<_>| match template {
        Some(template) => block::present(key, template, scope),
        None => Ok(None),
    };
    let mime_type = own("result.contents.mime_type", &spec.mime_type)?;
    let is_json = matches!(spec.data, ContentData::Json(_));
    Ok(Some(ResourceContent {
        uri: own("result.contents.uri", &spec.uri)?.unwrap_or_else(|| uri.to_owned()),
        mime_type: mime_type
            .or_else(|| resource.declaration.mime_type.clone())
            .or_else(|| is_json.then(|| "application/json".to_owned())),
        payload,
        meta: metadata(spec.metadata.as_ref(), scope)?,
    }))
}

/// What the action gave, each block as a content; nothing without an action.
fn of_output(
    resource: &Resource,
    uri: &str,
    output: Option<&dyn Output>,
) -> Result<Vec<ResourceContent>, Failure> {
    let Some(output) = output else {
        return Ok(Vec::new());
    };
    let answer = output.answer()?;
    let is_error = answer.is_error;
    let declared = &resource.declaration.mime_type;
    let mut contents = Vec::with_capacity(answer.content.len());
    for block in answer.content {
        let (own, payload) = match block {
            Block::Text { text, .. } if is_error => return Err(Failure(text)),
            Block::Text { text, .. } => (output.media_type(), Payload::Text(text)),
            Block::Image {
                data, mime_type, ..
            }
            | Block::Audio {
                data, mime_type, ..
            } => (Some(mime_type), Payload::Blob(data)),
            Block::Resource {
                mime_type, payload, ..
            } => (mime_type, payload),
            // It leads elsewhere and holds nothing.
            Block::ResourceLink { .. } => continue,
        };
        contents.push(ResourceContent {
            uri: uri.to_owned(),
            mime_type: declared.clone().or(own),
            payload,
            meta: Map::new(),
        });
    }
    Ok(contents)
}
