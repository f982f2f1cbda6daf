//! A request to an operation, with every check the revision asks for, in a fixed order: which
//! revision it is of and whether that is served, the headers, what every request carries, the
//! method, the method's parameters, and those of them that stand in headers too.

use super::complete::complete;
use super::headers;
use super::listen;
use super::mirrored;
use super::params::Params;
use crate::ops::{Arguments, Caller, Context, Filter, OpError, Operation, Texts};
use crate::protocol::codes::{Fault, excerpt};
use crate::protocol::face::{Behaviour, Face};
use crate::protocol::jsonrpc::{Request, text};
use crate::protocol::version::{self, Revision};
use http::HeaderMap;
use serde_json::value::RawValue;

/// What a request asks for.
#[derive(Debug)]
pub(in crate::protocol) enum What {
    /// To carry something out.
    Operation(Operation),
    /// To be told of changes.
    Listen(Filter),
}

/// Reads a request. `headers` are those it came with over HTTP.
///
/// # Errors
/// What is wrong with it first, in the order above.
pub(in crate::protocol) fn read(
    face: &Face,
    caller: &Caller,
    headers: Option<&HeaderMap>,
    request: &Request<'_>,
    params: &Params<'_>,
) -> Result<(What, Context), Fault> {
    let version = params.meta.version()?;
    if let Some(headers) = headers {
        headers::check_version(headers, &version)?;
    }
    match Revision::find(&version) {
        Some(Revision::V2026_07_28) => {}
        None => {
            return Err(Fault::UnsupportedVersion {
                requested: version.into_owned(),
            });
        }
    }
    if let Some(headers) = headers {
        let name = mirrored_name(&request.method, params).and_then(text);
        headers::check_target(headers, &request.method, name.as_deref())?;
    }
    params.meta.check_capabilities()?;
    let (method, what) = match &*request.method {
        "subscriptions/listen" => {
            let filter = listen::filter(face.offer, params)?;
            ("subscriptions/listen", What::Listen(filter))
        }
        method => {
            let (method, operation) = operation(face, method, params)?;
            (method, What::Operation(operation))
        }
    };
    if let (Some(headers), What::Operation(Operation::CallTool { name, arguments })) =
        (headers, &what)
    {
        mirrored::check(headers, face.mirrored(name, caller), arguments)?;
    }
    let context = Context {
        request_id: request.id.to_text(),
        method,
        client: params.meta.client()?,
        progress: params.meta.progress()?,
        log_level: params.meta.log_level()?,
        trace: params.meta.trace(),
        caller: caller.clone(),
    };
    Ok((what, context))
}

/// The parameter that `Mcp-Name` mirrors.
fn mirrored_name<'a>(method: &str, params: &Params<'a>) -> Option<&'a RawValue> {
    match method {
        "tools/call" | "prompts/get" => params.name,
        "resources/read" => params.uri,
        _ => None,
    }
}

/// The method, by its own name, and what it asks for.
fn operation(
    face: &Face,
    method: &str,
    params: &Params<'_>,
) -> Result<(&'static str, Operation), OpError> {
    let offered = |kind: Option<Behaviour>| {
        kind.map(|_| ())
            .ok_or_else(|| OpError::MethodNotFound(method.into()))
    };
    match method {
        "server/discover" => Ok(("server/discover", Operation::Discover)),
        "tools/list" => {
            offered(face.offer.tools)?;
            let cursor = cursor(params)?;
            Ok(("tools/list", Operation::ListTools { cursor }))
        }
        "tools/call" => {
            offered(face.offer.tools)?;
            let name = string("name", params.name)?;
            let arguments = arguments(params.arguments)?;
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
            let arguments = texts("arguments", params.arguments)?;
            Ok(("prompts/get", Operation::GetPrompt { name, arguments }))
        }
        "completion/complete" => {
            if !face.offer.completions {
                return Err(OpError::MethodNotFound(method.into()));
            }
            Ok(("completion/complete", complete(params)?))
        }
        // Not a method of this revision; its sender may have no other way to learn what is.
        "initialize" => Err(OpError::MethodNotFound(format!(
            "initialize (this server speaks {}, which needs none)",
            version::sentence()
        ))),
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

pub(super) fn string(name: &str, raw: Option<&RawValue>) -> Result<String, OpError> {
    raw.and_then(text)
        .map(String::from)
        .ok_or_else(|| OpError::InvalidParams(format!("`{name}` must be a string")))
}

/// A tool's arguments. Absent and `null` are the empty object.
fn arguments(raw: Option<&RawValue>) -> Result<Arguments, OpError> {
    let Some(raw) = raw else {
        return Ok(Arguments::new());
    };
    if !raw.get().starts_with('{') {
        return Err(OpError::InvalidParams(
            "`arguments` must be an object".into(),
        ));
    }
    serde_json::from_str(raw.get())
        .map_err(|error| OpError::InvalidParams(format!("`arguments`: {error}")))
}

/// An object of texts; absent is empty.
pub(super) fn texts(name: &str, raw: Option<&RawValue>) -> Result<Texts, OpError> {
    let Some(raw) = raw else {
        return Ok(Texts::new());
    };
    let texts = Some(raw.get()).filter(|text| text.starts_with('{'));
    texts
        .and_then(|text| serde_json::from_str(text).ok())
        .ok_or_else(|| OpError::InvalidParams(format!("`{name}` must be an object of strings")))
}
