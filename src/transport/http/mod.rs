//! Streamable HTTP: HTTP/1.1, and HTTP/2 by prior knowledge or by TLS, on the same sockets.
//!
//! It carries bytes to an [`Endpoint`](crate::server::Endpoint) and knows no MCP method. A request
//! passes, in this order: `guard` (`Host`, `Origin`), path, method, `negotiate` (`Content-Type`,
//! `Accept`), `body`, the endpoint. What is refused on the way is in `refusal`'s table.
//!
//! A listener is one task that accepts and keeps the time of all connections; a connection is one
//! task, in which its HTTP/1 requests run too; an HTTP/2 request is a task of its own.

mod answer;
mod authority;
mod bind;
mod body;
mod connection;
mod cors;
mod exchange;
mod guard;
mod link;
mod links;
mod listener;
mod moving;
mod negotiate;
mod passed;
mod refusal;
mod room;
mod sse;
#[cfg(test)]
mod tests;
mod tls;
mod unix;
mod wire;

pub use crate::model::{HttpSettings, Listen, ListenError};
pub use bind::{BindError, Listener, LocalAddr};
pub use guard::Scheme;
pub use moving::{Move, Mover};
pub use passed::Passed;

/// The largest head of a request, in bytes: the request line with all headers.
const HEAD_LIMIT: usize = 64 * 1024;

use answer::Body;
