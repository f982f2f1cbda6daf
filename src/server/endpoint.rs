//! What a transport needs of the server, and nothing more. The server is its one implementation
//! in the program; a transport's own tests bring another.

use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::{HeaderMap, StatusCode};
use tokio_util::sync::CancellationToken;

/// A server of MCP messages. A transport carries bytes to it and from it and knows no method.
pub trait Endpoint: Send + Sync + 'static {
    /// The state of one stream of messages.
    type Session: Session;

    /// One message that came by HTTP POST, with the request's headers (the specification mirrors
    /// body fields into them, and the server compares). Dropping the future cancels the request.
    fn post(&self, headers: &HeaderMap, body: Bytes) -> impl Future<Output = Reply> + Send;

    /// A stream of messages begins: the standard streams, one message a line.
    fn open(&self) -> Self::Session;
}

/// The answer to a POST.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// A notification was taken: 202 with no body.
    Accepted,
    /// One JSON-RPC response.
    Message {
        /// The HTTP status the specification gives it.
        status: StatusCode,
        /// The response's bytes: one line of JSON.
        body: Bytes,
    },
}

/// One stream of messages: it knows which requests are in flight, so that a cancellation in the
/// stream reaches them. Dropping it cancels them all.
pub trait Session: Send + 'static {
    /// Takes one message, in the order of the stream. Never blocks.
    fn receive(&mut self, message: &[u8]) -> Received;

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
    /// Work to be run beside the stream, by the transport, as a task of its own.
    Work(Work),
}

/// Work that ends in a message to send, or in none: it was cancelled.
pub struct Work {
    /// Cancelled once the answer is not wanted. Work that has not begun is dropped then, so that
    /// what waits for its turn is never more than what is in flight.
    pub cancelled: CancellationToken,
    /// Does it.
    pub answer: BoxFuture<'static, Option<Bytes>>,
}
