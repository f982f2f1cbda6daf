//! What is to be done about a message.

use super::jsonrpc::Id;
use super::legacy::SessionKey;
use super::reply::{ReplyTo, Response, Subscription};
use crate::ops::{Context, Filter, LogLevel, Operation};
use serde_json::value::RawValue;

/// What is to be done about a message.
#[derive(Debug)]
pub enum Step {
    /// Nothing: a notification that asks for nothing here.
    Nothing,
    /// The request of this id is no longer wanted.
    Cancel {
        /// The session of the request.
        session: Option<SessionKey>,
        /// Its id.
        id: Id,
    },
    /// This is to be sent.
    Reply(Response),
    /// A handshake: this is to be sent.
    Began {
        /// The answer.
        response: Response,
        /// The id of the session that begins, over HTTP: visible ASCII. `None` when there is none.
        session: Option<String>,
    },
    /// The handshake is over: changes of these lists may be told. In a stream of messages only.
    Initialized(Filter),
    /// This is to be carried out.
    Call(Box<Call>),
    /// This is to be listened for.
    Listen(Box<Listen>),
    /// This is to be remembered.
    Remember(Remember),
    /// What came of a request of the server's own.
    Outcome(Outcome),
}

/// A request to be told of changes.
#[derive(Debug)]
pub struct Listen {
    /// Of which.
    pub filter: Filter,
    /// What came beside it.
    pub context: Context,
    /// Where they go.
    pub subscription: Subscription,
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
    /// The session it belongs to.
    pub session: Option<SessionKey>,
    /// It is still wanted when its caller is no longer there: only a notification cancels it
    /// (specification of 2025-11-25: transports §Sending Messages). In a stream of messages there is
    /// no difference.
    pub outlives_caller: bool,
}

/// Something a client wants the server to remember for it.
#[derive(Debug)]
pub struct Remember {
    /// What.
    pub what: Wanted,
    /// The session that it is for, over HTTP.
    pub session: Option<SessionKey>,
    /// Which lists the session is told of.
    pub lists: Filter,
    /// Where the answer goes.
    pub reply_to: ReplyTo,
}

/// What a client wants to be told from now on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Log messages of this level and above.
    Level(LogLevel),
    /// Changes of the resource of this URI.
    Updates(String),
    /// No changes of it any more.
    NoUpdates(String),
}

/// What came of a request of the server's own.
#[derive(Debug)]
pub struct Outcome {
    /// The session of the client that answers, over HTTP.
    pub session: Option<SessionKey>,
    /// The id of the request.
    pub id: Id,
    /// The result, or the error, as it stands.
    pub came: Result<Box<RawValue>, Box<RawValue>>,
}
