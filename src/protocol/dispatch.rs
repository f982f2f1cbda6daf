//! One message in: what is to be done about it.

use super::carrier::{Carrier, Conversation, Head, Named};
use super::codes::{Fault, excerpt};
use super::face::Face;
use super::jsonrpc::{self, Id, Malformed, Message, Notification, Request};
use super::legacy::{self, Agreed, Session, SessionKey};
use super::modern;
use super::reply::{ReplyTo, Response, Subscription, error, refuse};
use super::request::{self, Params};
use super::seal;
use super::step::{Call, Listen, Outcome, Remember, Step, Wanted};
use super::version::{Dialect, Revision};
use crate::ops::{Caller, Filter};
use serde::Deserialize;
use serde_json::value::RawValue;

/// Reads one message and says what is to be done about it.
pub fn receive(face: &Face, carrier: Carrier<'_>, bytes: &[u8]) -> Step {
    let text = jsonrpc::checked(bytes);
    if let Ok(text) = text
        && let Some((request, params)) = request::at_once(text)
    {
        return self::request(face, carrier, request, Ok(params));
    }
    match text.and_then(jsonrpc::decode) {
        Ok(Message::Request(request)) => {
            let params = Params::read(request.params);
            self::request(face, carrier, request, params)
        }
        Ok(Message::Notification(notification)) => notify(face, carrier, &notification),
        Ok(Message::Outcome(outcome)) => came(face, carrier, outcome),
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

/// How a request is to be read.
enum Way {
    /// It stands alone.
    Modern,
    /// It is the first of a handshake.
    Handshake,
    /// It follows one, or would have to.
    Legacy(Agreed, Option<SessionKey>),
}

/// Reads a request in its dialect.
fn request(
    face: &Face,
    carrier: Carrier<'_>,
    request: Request<'_>,
    params: Result<Params<'_>, Fault>,
) -> Step {
    let (mut params, unread) = match params {
        Ok(params) => (params, None),
        Err(fault) => (Params::default(), Some(fault)),
    };
    let way = match &carrier {
        Carrier::Http(head) => way_by_head(face, head, &request.method, &params),
        Carrier::Stream(conversation) => {
            Ok(way_by_stream(face, conversation, &request.method, &params))
        }
    };
    let (dialect, fault) = match &way {
        Ok(Way::Modern) => (Dialect::Modern, unread),
        Ok(Way::Handshake) => (handshake_dialect(face), unread),
        Ok(Way::Legacy(agreed, _)) => (Dialect::Legacy(agreed.revision), unread),
        Err(fault) => (handshake_dialect(face), Some(fault.clone())),
    };
    if let Some(fault) = fault {
        return Step::Reply(error(dialect, Some(&request.id), &fault));
    }
    match way {
        Ok(Way::Handshake) => handshake(face, carrier, &request),
        Ok(Way::Legacy(agreed, session)) => by_handshake(
            face,
            carrier.caller(),
            (&agreed, session),
            request,
            &mut params,
        ),
        Ok(Way::Modern) | Err(_) => alone(face, &carrier, request, &mut params),
    }
}

/// What a request by HTTP says of its revision, in this order: its body; the session it belongs to;
/// its version header. One that says nothing is of the oldest revision, unless it can only be of the
/// newest.
///
/// # Errors
/// The session is over, or the header names no revision that is spoken.
fn way_by_head(
    face: &Face,
    head: &Head<'_>,
    method: &str,
    params: &Params<'_>,
) -> Result<Way, Fault> {
    let Some(oldest) = face
        .protocols
        .oldest_legacy()
        .filter(|_| !params.names_version())
    else {
        return Ok(Way::Modern);
    };
    if method == "initialize" {
        return Ok(Way::Handshake);
    }
    let session = head.session(face)?;
    let named = named(face, head)?;
    Ok(match (session, named) {
        (Some(session), _) => Way::Legacy(session.agreed, Some(session.key)),
        (None, Some(revision)) => match revision.legacy() {
            Some(legacy) => Way::Legacy(Agreed::assumed(legacy), None),
            None => Way::Modern,
        },
        (None, None) if can_only_be_modern(face, method, params) => Way::Modern,
        (None, None) => Way::Legacy(Agreed::assumed(oldest), None),
    })
}

/// As [`way_by_head`], by what the stream's messages have agreed on.
fn way_by_stream(
    face: &Face,
    conversation: &Conversation,
    method: &str,
    params: &Params<'_>,
) -> Way {
    let Some(oldest) = face
        .protocols
        .oldest_legacy()
        .filter(|_| !params.names_version())
    else {
        return Way::Modern;
    };
    if method == "initialize" {
        return Way::Handshake;
    }
    // A revision that was agreed on and is spoken no longer: what is left is the oldest.
    let agreed = conversation.agreed.clone();
    let agreed = agreed.filter(|agreed| face.protocols.speaks(agreed.revision.revision()));
    match agreed {
        Some(agreed) => Way::Legacy(agreed, None),
        None if can_only_be_modern(face, method, params) => Way::Modern,
        None => Way::Legacy(Agreed::assumed(oldest), None),
    }
}

/// Half of what a request needs that stands alone, or a method that no other has: its sender is
/// better told what is missing than answered in another revision.
fn can_only_be_modern(face: &Face, method: &str, params: &Params<'_>) -> bool {
    let method = matches!(method, "server/discover" | "subscriptions/listen");
    face.protocols.speaks(Revision::V2026_07_28) && (method || params.stands_alone())
}

/// The dialect of what is said before a revision is known.
fn handshake_dialect(face: &Face) -> Dialect {
    let newest = face.protocols.newest_legacy();
    newest.map_or(Dialect::Modern, Dialect::Legacy)
}

/// A request that carries all there is to know.
fn alone(
    face: &Face,
    carrier: &Carrier<'_>,
    request: Request<'_>,
    params: &mut Params<'_>,
) -> Step {
    let headers = match carrier {
        Carrier::Http(head) => Some(head.headers),
        Carrier::Stream(_) => None,
    };
    let read = if request.method == "initialize" && !params.names_version() {
        Err(unshaken(face, request.params))
    } else {
        modern::read(face, carrier.caller(), headers, &request, params)
    };
    let reply_to = ReplyTo {
        dialect: Dialect::Modern,
        id: request.id,
    };
    match read {
        Ok((modern::What::Operation(operation), context)) => Step::Call(Box::new(Call {
            operation,
            context,
            reply_to,
            session: None,
            outlives_caller: false,
        })),
        Ok((modern::What::Listen(filter), context)) => Step::Listen(Box::new(Listen {
            filter,
            context,
            subscription: Subscription { id: reply_to.id },
        })),
        Err(fault) => Step::Reply(reply_to.refuse(&fault)),
    }
}

/// A handshake. In a stream its outcome holds for what follows; over HTTP the client is given it.
fn handshake(face: &Face, carrier: Carrier<'_>, request: &Request<'_>) -> Step {
    let Some(newest) = face.protocols.newest_legacy() else {
        let fault = unshaken(face, request.params);
        return Step::Reply(error(Dialect::Modern, Some(&request.id), &fault));
    };
    let agreed = match legacy::initialize(face, newest, request) {
        Ok(agreed) => agreed,
        Err(fault) => {
            let dialect = Dialect::Legacy(newest);
            return Step::Reply(error(dialect, Some(&request.id), &fault.into()));
        }
    };
    let body = legacy::initialize_response(face, &request.id, agreed.revision);
    let session = match carrier {
        Carrier::Stream(conversation) => {
            conversation.agreed = Some(agreed);
            None
        }
        Carrier::Http(head) => face.sealer.as_ref().and_then(|sealer| {
            let session = Session::new(agreed, seal::random()?, head.now).of(head.caller);
            Some(session.seal(sealer))
        }),
    };
    Step::Began {
        response: Response::ok(body),
        session,
    }
}

/// A request that relies on a handshake.
fn by_handshake(
    face: &Face,
    caller: &Caller,
    (agreed, session): (&Agreed, Option<SessionKey>),
    request: Request<'_>,
    params: &mut Params<'_>,
) -> Step {
    let read = legacy::read(face, caller, agreed, &request, params);
    let reply_to = ReplyTo {
        dialect: Dialect::Legacy(agreed.revision),
        id: request.id,
    };
    let what = match read {
        Ok(legacy::What::Operation(operation, context)) => {
            return Step::Call(Box::new(Call {
                operation,
                context,
                reply_to,
                session,
                outlives_caller: true,
            }));
        }
        Ok(legacy::What::Ping) => return Step::Reply(reply_to.done()),
        Ok(legacy::What::Level(level)) => Wanted::Level(level),
        Ok(legacy::What::Subscribe(uri)) => Wanted::Updates(uri),
        Ok(legacy::What::Unsubscribe(uri)) => Wanted::NoUpdates(uri),
        Err(fault) => return Step::Reply(reply_to.refuse(&fault)),
    };
    Step::Remember(Remember {
        what,
        session,
        lists: lists(agreed),
        reply_to,
    })
}

/// The lists whose changes were declared to be told.
fn lists(agreed: &Agreed) -> Filter {
    Filter {
        tools: agreed.declared.tools,
        prompts: agreed.declared.prompts,
        resources: agreed.declared.resources,
        uris: None,
    }
}

/// The session that a client with this head may listen to by GET, and the lists it is told of.
///
/// # Errors
/// The answer instead: the session is over, or the header names no revision that is spoken. `None`
/// when there is no session.
pub fn session(face: &Face, head: &Head<'_>) -> Result<Option<(SessionKey, Filter)>, Response> {
    let checked = checked_session(face, head);
    let session = checked.map_err(|fault| error(handshake_dialect(face), None, &fault))?;
    Ok(session.map(|session| (session.key, lists(&session.agreed))))
}

/// The session, when the head names one and nothing in it is wrong.
fn checked_session(face: &Face, head: &Head<'_>) -> Result<Option<Session>, Fault> {
    let session = head.session(face)?;
    named(face, head)?;
    Ok(session)
}

/// The revision that the header names, when there is one.
///
/// # Errors
/// It is not spoken, or the header names nothing that is one.
fn named(face: &Face, head: &Head<'_>) -> Result<Option<Revision>, Fault> {
    match head.version() {
        Named::Nothing => Ok(None),
        Named::One(name) => match face.protocols.find(name) {
            Some(revision) => Ok(Some(revision)),
            None => Err(Fault::UnsupportedVersion {
                requested: excerpt(name).to_owned(),
                supported: face.protocols,
            }),
        },
        Named::Garbled => Err(Fault::InvalidRequest(
            "MCP-Protocol-Version must be there once, with the name of a revision".into(),
        )),
    }
}

/// What a notification asks for. In a stream it never has an answer; over HTTP one that is named
/// like a request is a request without its id, and is refused.
fn notify(face: &Face, carrier: Carrier<'_>, notification: &Notification<'_>) -> Step {
    let cancelled = || match &*notification.method {
        "notifications/cancelled" => cancelled(notification.params),
        _ => None,
    };
    match carrier {
        Carrier::Stream(conversation) => match (cancelled(), &conversation.agreed) {
            (Some(id), _) => Step::Cancel { session: None, id },
            (None, Some(agreed)) if notification.method == "notifications/initialized" => {
                Step::Initialized(lists(agreed))
            }
            _ => Step::Nothing,
        },
        Carrier::Http(_) if !notification.method.starts_with("notifications/") => Step::Reply(
            refuse(&Fault::InvalidRequest("a request must have an `id`".into())),
        ),
        Carrier::Http(head) => {
            // One that says of itself which revision it is of has nothing to do with sessions.
            let params = Params::read(notification.params).unwrap_or_default();
            if params.names_version() || !face.shakes_hands() {
                return Step::Nothing;
            }
            // Without a session nothing says that it follows a handshake: its header is not judged.
            let session = match head.session(face) {
                Ok(Some(_)) => checked_session(face, &head),
                other => other,
            };
            match session {
                Err(fault) => Step::Reply(error(handshake_dialect(face), None, &fault)),
                Ok(None) => Step::Nothing,
                Ok(Some(session)) => cancelled().map_or(Step::Nothing, |id| Step::Cancel {
                    session: Some(session.key),
                    id,
                }),
            }
        }
    }
}

/// What came of a request of the server's own. Where every request stands alone there are none.
fn came(face: &Face, carrier: Carrier<'_>, outcome: jsonrpc::Outcome<'_>) -> Step {
    let session = match carrier {
        Carrier::Stream(_) if face.shakes_hands() => None,
        Carrier::Stream(_) => return Step::Nothing,
        Carrier::Http(head) => {
            let modern = matches!(head.version(), Named::One(name)
                if face.protocols.find(name) == Some(Revision::V2026_07_28));
            if modern || !face.shakes_hands() {
                return Step::Reply(refuse(&Fault::InvalidRequest(
                    "a client sends requests and notifications, not responses".into(),
                )));
            }
            match checked_session(face, &head) {
                Err(fault) => return Step::Reply(error(handshake_dialect(face), None, &fault)),
                Ok(session) => session.map(|session| session.key),
            }
        }
    };
    // Whose it is cannot be told without an id.
    outcome.id.map_or(Step::Nothing, |id| {
        let came = outcome.came.map(ToOwned::to_owned);
        Step::Outcome(Outcome {
            session,
            id,
            came: came.map_err(ToOwned::to_owned),
        })
    })
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

/// The fault of an `initialize` where no revision is spoken that has one.
fn unshaken(face: &Face, params: Option<&RawValue>) -> Fault {
    #[derive(Deserialize)]
    struct Initialize {
        #[serde(rename = "protocolVersion")]
        version: String,
    }
    let asked = params.and_then(|params| serde_json::from_str::<Initialize>(params.get()).ok());
    Fault::Handshake {
        requested: asked.map(|initialize| initialize.version),
        supported: face.protocols,
    }
}
