//! The answer to one request, and what is said before it, in the dialect the request was in.

use super::codes::{self, Fault};
use super::face::Face;
use super::jsonrpc::{self, Id};
use super::pieces::Pieces;
use super::version::{Dialect, Protocols};
use super::{capabilities, input, json, legacy, modern, notice};
use crate::ops::{Answer, Change, Filter, InputRequest, Notice, OpError, ProgressToken};
use bytes::Bytes;
use http::StatusCode;
use std::sync::Arc;

/// Writes the answer to one request, and what is said before it, in the dialect the request was in.
#[derive(Clone, Debug)]
pub struct ReplyTo {
    pub(super) dialect: Dialect,
    pub(super) id: Id,
}

/// Writes what is said to who listens with `subscriptions/listen`. The other revisions have no such
/// request: what they are told is written by [`change`].
#[derive(Clone, Debug)]
pub struct Subscription {
    pub(super) id: Id,
}

/// One JSON-RPC response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The status it has over HTTP.
    pub status: StatusCode,
    /// Its bytes.
    pub body: Pieces,
    /// The code, when it is an error.
    pub code: Option<i64>,
    /// The scopes that it takes, when it is refused because the caller lacks some.
    pub forbidden: Option<Arc<[String]>>,
}

/// A change, for a client that has made a handshake.
pub fn change(change: &Change) -> Bytes {
    legacy::change(change)
}

/// The answer to a message whose id could not be read: it has none.
pub fn refuse(fault: &Fault) -> Response {
    error(Dialect::Modern, None, fault)
}

impl Response {
    pub(super) fn ok(body: impl Into<Pieces>) -> Self {
        Self {
            status: StatusCode::OK,
            body: body.into(),
            code: None,
            forbidden: None,
        }
    }
}

impl ReplyTo {
    /// The request's id.
    pub fn id(&self) -> &Id {
        &self.id
    }

    /// The name of the revision that it is in.
    pub fn revision(&self) -> &'static str {
        self.dialect.revision().name()
    }

    /// The answer to the request.
    pub fn answer(&self, face: &Face, outcome: Result<Answer, OpError>) -> Response {
        let answer = match outcome {
            Ok(answer) => answer,
            Err(error) => return self.refuse(&error.into()),
        };
        let shape = self.dialect.shape();
        let id = &self.id;
        let body = match (answer, self.dialect) {
            (Answer::Ready(ready), _) => match ready.get(self.dialect.place()) {
                Some(result) => jsonrpc::result(id, result),
                None => {
                    let missing = OpError::Internal("no answer in this dialect".into());
                    return self.refuse(&missing.into());
                }
            },
            (Answer::Tool(outcome), Dialect::Modern) => modern::tool_response(face, id, &outcome),
            (Answer::Tool(outcome), _) => legacy::tool_response(id, &outcome, shape),
            (Answer::Resource(outcome), Dialect::Modern) => {
                modern::resource_response(face, id, &outcome)
            }
            (Answer::Resource(outcome), _) => legacy::resource_response(id, &outcome),
            (Answer::Prompt(outcome), Dialect::Modern) => {
                modern::prompt_response(face, id, &outcome)
            }
            (Answer::Prompt(outcome), _) => legacy::prompt_response(id, &outcome, shape),
            (Answer::Completion(completion), Dialect::Modern) => {
                modern::completion_response(face, id, &completion).into()
            }
            (Answer::NeedsInput(required), Dialect::Modern) => {
                modern::input_required_response(face, id, &required).into()
            }
            // Nothing asks a client of these without saying so before.
            (Answer::NeedsInput(_), _) => {
                let asks = "the caller would have to be asked, and cannot be".into();
                return self.refuse(&OpError::Failed(asks).into());
            }
            (Answer::Completion(completion), _) => {
                legacy::completion_response(id, &completion).into()
            }
        };
        Response::ok(body)
    }

    /// Whether there is an error that names what the caller's program cannot do.
    pub fn names_capabilities(&self) -> bool {
        self.dialect == Dialect::Modern
    }

    /// Whether the caller's revision has a form for this question.
    pub fn can_ask(&self, question: &InputRequest) -> bool {
        input::fits(question, self.dialect.shape())
    }

    /// The answer that says no more than that it is done.
    pub fn done(&self) -> Response {
        Response::ok(legacy::done(&self.id))
    }

    /// What is said before the answer: one line of JSON. `token` is the one the request brought.
    pub fn notice(&self, token: Option<&ProgressToken>, notice: &Notice) -> Bytes {
        notice::notice(token, notice, self.dialect.shape())
    }

    /// The answer that the request is refused.
    pub fn refuse(&self, fault: &Fault) -> Response {
        error(self.dialect, Some(&self.id), fault)
    }
}

impl Subscription {
    /// The request's id.
    pub fn id(&self) -> &Id {
        &self.id
    }

    /// The name of the revision that it is in.
    pub fn revision(&self) -> &'static str {
        Dialect::Modern.revision().name()
    }

    /// The first message: what is listened for.
    pub fn acknowledged(&self, filter: &Filter) -> Bytes {
        modern::acknowledged(&self.id, filter)
    }

    /// A change.
    pub fn change(&self, change: &Change) -> Bytes {
        modern::change(&self.id, change)
    }

    /// The listening is ended by the server; [`Subscription::listened`] comes after it.
    pub fn cancelled(&self) -> Bytes {
        modern::cancelled(&self.id)
    }

    /// The answer to the request, once it is over.
    pub fn listened(&self, face: &Face) -> Response {
        Response::ok(modern::listen_response(face, &self.id))
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
        error(Dialect::Modern, Some(&self.id), fault)
    }
}

pub(super) fn error(dialect: Dialect, id: Option<&Id>, fault: &Fault) -> Response {
    let (code, status) = codes::of(dialect, fault);
    let mut data = Vec::new();
    match fault {
        Fault::Op(OpError::LacksCapabilities(lacking)) => {
            let mut members = json::Members::open(&mut data);
            capabilities::write(members.member("requiredCapabilities"), *lacking);
            members.close();
        }
        Fault::UnsupportedVersion {
            requested,
            supported,
        } => unsupported(&mut data, *supported, Some(requested)),
        Fault::Handshake {
            requested,
            supported,
        } => unsupported(&mut data, *supported, requested.as_deref()),
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
        body: jsonrpc::error(id, code, &codes::message(fault), data).into(),
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
fn unsupported(out: &mut Vec<u8>, supported: Protocols, requested: Option<&str>) {
    let mut data = json::Members::open(out);
    supported.write(data.member("supported"));
    data.maybe_text("requested", requested.map(codes::excerpt));
    data.close();
}
