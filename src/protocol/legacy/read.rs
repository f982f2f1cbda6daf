//! A request to what it asks for: the operations all revisions have, and what only these have.

use super::session::Agreed;
use crate::ops::{Caller, Context, Input, LogLevel, OpError, Operation};
use crate::protocol::codes::Fault;
use crate::protocol::face::Face;
use crate::protocol::jsonrpc::Request;
use crate::protocol::request::{self, Params};

/// The level of log messages that a client gets who has not set one (specification: logging leaves
/// it to the server).
const USUAL_LEVEL: LogLevel = LogLevel::Info;

/// What a request asks for.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "it is taken apart where it is made; a box would cost each request an allocation"
)]
pub(in crate::protocol) enum What {
    /// To carry something out.
    Operation(Operation, Context),
    /// A sign of life.
    Ping,
    /// Log messages from this level on, from now on.
    Level(LogLevel),
    /// To be told when the resource of this URI changes.
    Subscribe(String),
    /// To be told no more.
    Unsubscribe(String),
}

/// Reads a request of a client with whom this was agreed.
///
/// # Errors
/// What is wrong with it: the method first.
pub(in crate::protocol) fn read(
    face: &Face,
    caller: &Caller,
    agreed: &Agreed,
    request: &Request<'_>,
    params: &mut Params<'_>,
) -> Result<What, Fault> {
    let subscribes = || face.offer.resources.is_some_and(|kind| kind.subscribe);
    let what = match &*request.method {
        "ping" => What::Ping,
        "logging/setLevel" if face.offer.logging => {
            let raw = params.level.ok_or_else(|| {
                OpError::InvalidParams("`level` must be the name of a level".into())
            })?;
            What::Level(request::level("level", raw)?)
        }
        "resources/subscribe" if subscribes() => {
            What::Subscribe(request::string("uri", params.uri)?)
        }
        "resources/unsubscribe" if subscribes() => {
            What::Unsubscribe(request::string("uri", params.uri)?)
        }
        method => {
            let (method, operation) = request::operation(face, method, params)?;
            let context = Context {
                request_id: request.id.to_text(),
                method,
                client: agreed.client.clone(),
                capabilities: agreed.capabilities,
                progress: params.meta.progress()?,
                log_level: agreed.declared.logging.then_some(USUAL_LEVEL),
                trace: params.meta.trace(),
                caller: caller.clone(),
                asks_in_place: !agreed.capabilities.is_empty(),
                input: Input::default(),
            };
            What::Operation(operation, context)
        }
    };
    Ok(what)
}
