//! A method and its parameters to an operation: what the revisions have in common.

use super::Params;
use super::arguments::{self, Read};
use super::complete::complete;
use crate::ops::{Arguments, OpError, Operation, Texts};
use crate::protocol::codes::excerpt;
use crate::protocol::face::{Behaviour, Face};
use crate::protocol::jsonrpc::text;
use serde_json::value::RawValue;

/// The method, by its own name, and what it asks for. A call's arguments are taken out of `params`.
///
/// # Errors
/// It is none that all revisions know, its kind is not offered, or its parameters are not of its form.
pub(in crate::protocol) fn operation(
    face: &Face,
    method: &str,
    params: &mut Params<'_>,
) -> Result<(&'static str, Operation), OpError> {
    let offered = |kind: Option<Behaviour>| {
        kind.map(|_| ())
            .ok_or_else(|| OpError::MethodNotFound(method.into()))
    };
    match method {
        "tools/list" => {
            offered(face.offer.tools)?;
            let cursor = cursor(params)?;
            Ok(("tools/list", Operation::ListTools { cursor }))
        }
        "tools/call" => {
            offered(face.offer.tools)?;
            let name = string("name", params.name)?;
            let arguments = arguments::object(params.arguments.take())?;
            Ok(("tools/call", Operation::CallTool { name, arguments }))
        }
        "resources/list" => {
            offered(face.offer.resources)?;
            let cursor = cursor(params)?;
            Ok(("resources/list", Operation::ListResources { cursor }))
        }
        "resources/templates/list" => {
            offered(face.offer.resources)?;
            let cursor = cursor(params)?;
            let operation = Operation::ListResourceTemplates { cursor };
            Ok(("resources/templates/list", operation))
        }
        "resources/read" => {
            offered(face.offer.resources)?;
            let uri = string("uri", params.uri)?;
            Ok(("resources/read", Operation::ReadResource { uri }))
        }
        "prompts/list" => {
            offered(face.offer.prompts)?;
            let cursor = cursor(params)?;
            Ok(("prompts/list", Operation::ListPrompts { cursor }))
        }
        "prompts/get" => {
            offered(face.offer.prompts)?;
            let name = string("name", params.name)?;
            let arguments = arguments::texts(params.arguments.take())?;
            Ok(("prompts/get", Operation::GetPrompt { name, arguments }))
        }
        "completion/complete" => {
            if !face.offer.completions {
                return Err(OpError::MethodNotFound(method.into()));
            }
            Ok(("completion/complete", complete(params)?))
        }
        _ => Err(OpError::MethodNotFound(excerpt(method).into())),
    }
}

/// The cursor of a list, when there is one. An empty one is one.
fn cursor(params: &Params<'_>) -> Result<Option<String>, OpError> {
    params
        .cursor
        .map(|raw| string("cursor", Some(raw)))
        .transpose()
}

pub(in crate::protocol) fn string(name: &str, raw: Option<&RawValue>) -> Result<String, OpError> {
    raw.and_then(text)
        .map(String::from)
        .ok_or_else(|| OpError::InvalidParams(format!("`{name}` must be a string")))
}

/// An object. Absent and `null` are the empty one.
pub(in crate::protocol) fn object(
    name: &str,
    raw: Option<&RawValue>,
) -> Result<Arguments, OpError> {
    let Some(raw) = raw else {
        return Ok(Arguments::new());
    };
    if !raw.get().starts_with('{') {
        return Err(OpError::InvalidParams(format!(
            "`{name}` must be an object"
        )));
    }
    serde_json::from_str(raw.get())
        .map(|Read(members)| members)
        .map_err(|error| OpError::InvalidParams(format!("`{name}`: {error}")))
}

/// An object of texts; absent is empty.
pub(in crate::protocol) fn texts(name: &str, raw: Option<&RawValue>) -> Result<Texts, OpError> {
    let Some(raw) = raw else {
        return Ok(Texts::new());
    };
    let texts = Some(raw.get()).filter(|text| text.starts_with('{'));
    texts
        .and_then(|text| serde_json::from_str(text).ok())
        .ok_or_else(|| OpError::InvalidParams(format!("`{name}` must be an object of strings")))
}
