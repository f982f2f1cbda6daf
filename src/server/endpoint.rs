//! What a transport needs of the server, and nothing more. The server is its one implementation
//! in the program; a transport's own tests bring another.

use super::Report;
use crate::access::Denied;
use crate::ops::Caller;
use crate::protocol::Pieces;
use bytes::Bytes;
use futures_util::stream::BoxStream;
use http::{HeaderMap, StatusCode};
use tokio_util::sync::CancellationToken;

/// A server of MCP messages. A transport carries bytes to it and from it and knows no method.
pub trait Endpoint: Send + Sync + 'static {
    /// The state of one stream of messages.
    type Session: Session;

    /// Who sends a request with these headers.
    ///
    /// # Errors
    /// The answer to a request that is not served, whatever it asks for.
    fn admit(&self, headers: &HeaderMap) -> impl Future<Output = Result<Caller, Denied>> + Send;

    /// A document that is found at this path, for whoever asks: JSON.
    fn document(&self, _path: &str) -> Option<Bytes> {
        None
    }

    /// One message that this caller sent by HTTP POST, with the request's headers (the specification mirrors
    /// body fields into them, and the server compares). `may_stream` says that the client takes a
    /// stream of messages too. Dropping the future cancels the request.
    fn post(
        &self,
        caller: Caller,
        headers: &HeaderMap,
        body: Bytes,
        may_stream: bool,
    ) -> impl Future<Output = Reply> + Send;

    /// How the server is, for whoever asks at this path; `None` when it is not for that.
    fn report(&self, _path: &str) -> Option<Report> {
        None
    }

    /// Whether clients may open a stream and end a session, with GET and DELETE.
    fn has_sessions(&self) -> bool {
        false
    }

    /// The client, this caller, of the session that these headers name opens a stream for what the server says by
    /// itself. `None` when they name none.
    fn stream(&self, _caller: Caller, _headers: &HeaderMap) -> Option<Reply> {
        None
    }

    /// The client, this caller, ends the session that these headers name. `None` when they name none.
    fn end(&self, _caller: Caller, _headers: &HeaderMap) -> Option<Reply> {
        None
    }

    /// A stream of messages begins: the standard streams, one message a line.
    fn open(&self) -> Self::Session;
}

/// The answer to an HTTP request.
pub enum Reply {
    /// A message was taken that has no answer: 202 with no body.
    Accepted,
    /// The session is over: 204.
    Ended,
    /// One JSON-RPC response, status 200, with which a session begins.
    Began {
        /// The session's id: visible ASCII.
        session: String,
        /// As below.
        body: Pieces,
    },
    /// One JSON-RPC response.
    Message {
        /// The HTTP status the specification gives it.
        status: StatusCode,
        /// The response's bytes.
        body: Pieces,
    },
    /// The caller lacks what the message takes: the response's bytes, and what it is told beside.
    Denied(Denied, Pieces),
    /// Several messages. Only for a client that takes a stream. Its status is 200, whatever comes.
    Stream(Parts),
}

/// The messages of one request, in order, or what the server says by itself. Dropping it cancels the
/// request, unless that outlives its caller. It does not wait for
/// whoever reads it: the request goes on, and what it says meanwhile is bounded.
pub type Parts = BoxStream<'static, Part>;

/// One message of several: one line of JSON, without its line feed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// A notification. More follows, unless the request is cancelled.
    More(Bytes),
    /// The answer. Nothing follows.
    Last(Bytes),
}

/// One stream of messages: it knows which requests are in flight, so that a cancellation in the
/// stream reaches them. Dropping it cancels them all.
pub trait Session: Send + 'static {
    /// Takes one message, in the order of the stream. Never blocks.
    fn receive(&mut self, message: &[u8]) -> Received;

    /// No message comes any more: what only waits for something to say ends now. What works may
    /// finish.
    fn ended(&mut self);

    /// The error for a message longer than the transport takes, `limit` bytes. The message itself
    /// was not kept, so the error has no id.
    fn too_long(&mut self, limit: usize) -> Bytes;
}

/// What became of a message.
pub enum Received {
    /// Nothing is to be sent: a notification, or a blank line.
    Nothing,
    /// This is to be sent now: one line of JSON, without its line feed.
    Answer(Bytes),
    /// Work to be done beside the stream, by the transport, as a task of its own.
    Work(Work),
}

/// Work whose messages are to be sent.
pub struct Work {
    /// Cancelled once no message is wanted any more. Work that has not begun is dropped then, so that
    /// what waits for its turn is never more than what is in flight.
    pub cancelled: CancellationToken,
    /// Does it, and ends after the answer, or without one when it was cancelled.
    pub parts: Parts,
}
