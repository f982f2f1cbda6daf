//! A request to an operation, with every check the revision asks for, in a fixed order: which
//! revision it is of and whether that is served, the headers, what every request carries, the
//! method, the method's parameters, and those of them that stand in headers too.

use super::headers::Mirrors;
use super::listen;
use super::mirrored;
use crate::ops::{Caller, Context, Filter, Input, OpError, Operation};
use crate::protocol::codes::Fault;
use crate::protocol::face::Face;
use crate::protocol::jsonrpc::{Request, text};
use crate::protocol::request::{self, Params};
use crate::protocol::version::Revision;
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
    params: &mut Params<'_>,
) -> Result<(What, Context), Fault> {
    let version = params.meta.version()?;
    let mirrors = headers.map(Mirrors::find);
    if let Some(mirrors) = &mirrors {
        mirrors.check_version(&version)?;
    }
    // One of an older revision has no `_meta` that says so: its client is told what to begin with.
    if face.protocols.find(&version) != Some(Revision::V2026_07_28) {
        return Err(Fault::UnsupportedVersion {
            requested: version.into_owned(),
            supported: face.protocols,
        });
    }
    if let Some(mirrors) = &mirrors {
        let name = mirrored_name(&request.method, params).and_then(text);
        mirrors.check_target(&request.method, name.as_deref())?;
    }
    let capabilities = params.meta.capabilities()?;
    let (method, what) = match &*request.method {
        "subscriptions/listen" => {
            let filter = listen::filter(face.offer, params)?;
            ("subscriptions/listen", What::Listen(filter))
        }
        "server/discover" => ("server/discover", What::Operation(Operation::Discover)),
        // Not a method of this revision; its sender may have no other way to learn what is.
        "initialize" => {
            return Err(OpError::MethodNotFound(format!(
                "initialize (a request with `io.modelcontextprotocol/protocolVersion` in its `_meta` \
                 needs none; this server speaks {})",
                face.protocols
            ))
            .into());
        }
        method => {
            let (method, operation) = request::operation(face, method, params)?;
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
        capabilities,
        progress: params.meta.progress()?,
        log_level: params.meta.log_level()?,
        trace: params.meta.trace(),
        caller: caller.clone(),
        asks_in_place: false,
        input: input(method, params)?,
    };
    Ok((what, context))
}

/// What the request brings for questions that it was asked. Only some methods ask any.
fn input(method: &str, params: &Params<'_>) -> Result<Input, OpError> {
    if !matches!(method, "tools/call" | "prompts/get" | "resources/read") {
        return Ok(Input::default());
    }
    Ok(Input {
        responses: request::object("inputResponses", params.input_responses)?,
        state: match params.request_state {
            Some(raw) => Some(request::string("requestState", Some(raw))?),
            None => None,
        },
    })
}

/// The parameter that `Mcp-Name` mirrors.
fn mirrored_name<'a>(method: &str, params: &Params<'a>) -> Option<&'a RawValue> {
    match method {
        "tools/call" | "prompts/get" => params.name,
        "resources/read" => params.uri,
        _ => None,
    }
}
