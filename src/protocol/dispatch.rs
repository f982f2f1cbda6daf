//! One message in: what is to be done. One outcome in: the answer's bytes.

use super::codes::{self, Fault};
use super::face::Face;
use super::jsonrpc::{self, Id, Malformed, Message, Notification, Request};
use super::version::Dialect;
use super::{json, modern, version};
use crate::ops::{
    Answer, Caller, Change, Context, Filter, Notice, OpError, Operation, ProgressToken,
};
use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::sync::Arc;

/// How a message came.
#[derive(Debug)]
pub enum Carrier<'a> {
    /// As the body of an HTTP POST with these headers.
    Http(&'a HeaderMap),
    /// In a stream of messages: the standard streams.
    Stream(&'a mut Conversation),
}

/// What the messages of one stream have agreed on so far. Nothing, in a revision where every
/// request stands alone; a revision with a handshake keeps here what came of it.
#[derive(Debug, Default)]
pub struct Conversation {}

/// What is to be done about a message.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "it is taken apart where it is received; a box would cost each request an allocation"
)]
pub enum Step {
    /// Nothing: a notification that asks for nothing here, or a response.
    Nothing,
    /// The request of this id is no longer wanted.
    Cancel(Id),
    /// This is to be sent.
    Reply(Response),
    /// This is to be carried out.
    Call(Call),
    /// This is to be listened for.
    Listen(Listen),
}

/// A request to be told of changes.
#[derive(Debug)]
pub struct Listen {
    /// Of which.
    pub filter: Filter,
    /// Where they go.
    pub reply_to: ReplyTo,
}

/// A request, read and ready to be carried out.
#[derive(Debug)]
pub struct Call {
    /// What is asked for.
    pub operation: Operation,
    /// What came beside it.
    pub context: Context,
    /// Where the outcome goes.
    pub reply_to: ReplyTo,
}

/// Writes the answer to one request, and what is said before it, in the dialect the request was in.
#[derive(Clone, Debug)]
pub struct ReplyTo {
    dialect: Dialect,
    id: Id,
}

/// One JSON-RPC response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The status it has over HTTP.
    pub status: StatusCode,
    /// Its bytes: one line of JSON without a line feed.
    pub body: Bytes,
    /// The code, when it is an error.
    pub code: Option<i64>,
    /// The scopes that it takes, when it is refused because the caller lacks some.
    pub forbidden: Option<Arc<[String]>>,
}

/// Reads one message of this caller and says what is to be done about it.
pub fn receive(face: &Face, caller: &Caller, carrier: Carrier<'_>, bytes: &[u8]) -> Step {
    match jsonrpc::decode(bytes) {
        Ok(Message::Request(request)) => self::request(face, caller, carrier, request),
        Ok(Message::Notification(notification)) => notify(carrier, &notification),
        Ok(Message::Response) => match carrier {
            Carrier::Stream(_) => Step::Nothing,
            Carrier::Http(_) => Step::Reply(refuse(&Fault::InvalidRequest(
                "a client sends requests and notifications, not responses".into(),
            ))),
        },
        Err(malformed) => {
            let Malformed {
                id,
                fault,
                notification,
            } = *malformed;
            match carrier {
                Carrier::Stream(_) if notification => Step::Nothing,
                // What is wrong with it is wrong in every dialect.
                _ => Step::Reply(error(Dialect::Modern, id.as_ref(), &fault)),
            }
        }
    }
}

/// The answer to a message whose id could not be read: it has none.
pub fn refuse(fault: &Fault) -> Response {
    error(Dialect::Modern, None, fault)
}

impl ReplyTo {
    /// The request's id.
    pub fn id(&self) -> &Id {
        &self.id
    }

    /// The answer to the request.
    pub fn answer(&self, face: &Face, outcome: Result<Answer, OpError>) -> Response {
        let body = match outcome {
            Ok(Answer::Ready(ready)) => match ready.get(self.dialect as usize) {
                Some(result) => jsonrpc::result(&self.id, result),
                None => {
                    return self
                        .refuse(&OpError::Internal("no answer in this dialect".into()).into());
                }
            },
            Ok(Answer::Tool(outcome)) => match self.dialect {
                Dialect::Modern => modern::tool_response(face, &self.id, &outcome),
            },
            Ok(Answer::Resource(outcome)) => match self.dialect {
                Dialect::Modern => modern::resource_response(face, &self.id, &outcome),
            },
            Ok(Answer::Prompt(outcome)) => match self.dialect {
                Dialect::Modern => modern::prompt_response(face, &self.id, &outcome),
            },
            Ok(Answer::Completion(completion)) => match self.dialect {
                Dialect::Modern => modern::completion_response(face, &self.id, &completion),
            },
            Err(error) => return self.refuse(&error.into()),
        };
        Response {
            status: StatusCode::OK,
            body,
            code: None,
            forbidden: None,
        }
    }

    /// What is said before the answer: one line of JSON. `token` is the one the request brought.
    pub fn notice(&self, token: Option<&ProgressToken>, notice: &Notice) -> Bytes {
        match self.dialect {
            Dialect::Modern => modern::notice(token, notice),
        }
    }

    /// The first message to who listens: what is listened for.
    pub fn acknowledged(&self, filter: &Filter) -> Bytes {
        match self.dialect {
            Dialect::Modern => modern::acknowledged(&self.id, filter),
        }
    }

    /// A change, for who listens.
    pub fn change(&self, change: &Change) -> Bytes {
        match self.dialect {
            Dialect::Modern => modern::change(&self.id, change),
        }
    }

    /// The listening is ended by the server; [`ReplyTo::listened`] comes after it.
    pub fn cancelled(&self) -> Bytes {
        match self.dialect {
            Dialect::Modern => modern::cancelled(&self.id),
        }
    }

    /// The answer to a request to listen, once it is over.
    pub fn listened(&self, face: &Face) -> Response {
        Response {
            status: StatusCode::OK,
            body: match self.dialect {
                Dialect::Modern => modern::listen_response(face, &self.id),
            },
            code: None,
            forbidden: None,
        }
    }

    /// The answer that the request is refused, over HTTP because the client takes no stream
    /// (specification: streamable-http §Sending Messages).
    pub fn refuse_without_stream(&self) -> Response {
        let why = "the answer is a stream: accept `text/event-stream` too".to_owned();
        Response {
            status: StatusCode::NOT_ACCEPTABLE,
            ..self.refuse(&Fault::InvalidRequest(why))
        }
    }

    /// The answer that the request is refused.
    pub fn refuse(&self, fault: &Fault) -> Response {
        error(self.dialect, Some(&self.id), fault)
    }
}

/// Reads a request in its dialect.
fn request(face: &Face, caller: &Caller, carrier: Carrier<'_>, request: Request<'_>) -> Step {
    let headers = match carrier {
        Carrier::Http(headers) => Some(headers),
        Carrier::Stream(_) => None,
    };
    let dialect = Dialect::Modern;
    let read = match modern::Params::read(request.params) {
        // Where a dialect with a handshake is served, it is chosen here: by what the request
        // lacks, by `initialize`, and by what the conversation or the headers say came of one.
        Ok(params) if !params.names_version() && request.method == "initialize" => {
            Err(handshake(request.params))
        }
        Ok(params) => modern::read(face, caller, headers, &request, &params),
        Err(fault) => Err(fault),
    };
    let reply_to = ReplyTo {
        dialect,
        id: request.id,
    };
    match read {
        Ok((modern::What::Operation(operation), context)) => Step::Call(Call {
            operation,
            context,
            reply_to,
        }),
        Ok((modern::What::Listen(filter), _)) => Step::Listen(Listen { filter, reply_to }),
        Err(fault) => Step::Reply(reply_to.refuse(&fault)),
    }
}

/// What a notification asks for. In a stream it never has an answer; over HTTP one that is named
/// like a request is a request without its id, and is refused.
fn notify(carrier: Carrier<'_>, notification: &Notification<'_>) -> Step {
    match carrier {
        Carrier::Stream(_) if notification.method == "notifications/cancelled" => {
            cancelled(notification.params).map_or(Step::Nothing, Step::Cancel)
        }
        Carrier::Http(_) if !notification.method.starts_with("notifications/") => Step::Reply(
            refuse(&Fault::InvalidRequest("a request must have an `id`".into())),
        ),
        _ => Step::Nothing,
    }
}

/// The id a cancellation names; `None` when it is malformed, which is to be ignored (specification:
/// cancellation §Error Handling).
fn cancelled(params: Option<&RawValue>) -> Option<Id> {
    #[derive(Deserialize)]
    struct Cancelled<'a> {
        #[serde(borrow, rename = "requestId")]
        request_id: &'a RawValue,
    }
    let Cancelled { request_id } = serde_json::from_str(params?.get()).ok()?;
    Id::read(request_id)
}

/// The fault of an `initialize` that nobody here understands.
fn handshake(params: Option<&RawValue>) -> Fault {
    #[derive(Deserialize)]
    struct Initialize {
        #[serde(rename = "protocolVersion")]
        version: String,
    }
    let asked = params.and_then(|params| serde_json::from_str::<Initialize>(params.get()).ok());
    Fault::Handshake {
        requested: asked.map(|initialize| initialize.version),
    }
}

fn error(dialect: Dialect, id: Option<&Id>, fault: &Fault) -> Response {
    let (code, status) = codes::of(dialect, fault);
    let mut data = Vec::new();
    match fault {
        Fault::UnsupportedVersion { requested } => unsupported(&mut data, Some(requested)),
        Fault::Handshake { requested } => unsupported(&mut data, requested.as_deref()),
        Fault::Op(OpError::Declared {
            data: Some(given), ..
        }) => json::value(&mut data, given),
        Fault::Op(OpError::ResourceNotFound(uri)) => {
            let mut members = json::Members::open(&mut data);
            members.text("uri", codes::excerpt_of(uri, MAX_URI));
            members.close();
        }
        _ => {}
    }
    let data = (!data.is_empty()).then_some(data.as_slice());
    Response {
        status,
        body: jsonrpc::error(id, code, &codes::message(fault), data),
        code: Some(code),
        forbidden: match fault {
            Fault::Op(OpError::Forbidden(scopes)) => Some(Arc::clone(scopes)),
            _ => None,
        },
    }
}

/// Most bytes of a URI that an error repeats: more than any that could be found.
const MAX_URI: usize = 8192;

/// `data` of an UnsupportedProtocolVersionError.
fn unsupported(out: &mut Vec<u8>, requested: Option<&str>) {
    let mut data = json::Members::open(out);
    version::write_list(data.member("supported"));
    data.maybe_text("requested", requested.map(codes::excerpt));
    data.close();
}
