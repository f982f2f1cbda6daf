//! The client's half of the wire: requests to bytes and headers, messages of a server to what they
//! mean. No IO, no await, and for every revision the same face: what a revision adds to a request
//! (metadata, headers, the handshake) is added here.

mod decode;
mod headers;
mod relayed;
mod request;
mod version;

#[cfg(test)]
mod tests;

pub use decode::{Message, Notice, RpcError, To, decode};
pub use headers::headers;
pub use relayed::{
    Relayed, Sent, answers, changes, failure, is_cancellation, is_error, is_told, one_line,
};
pub use request::{
    ELICIT, Request, Said, answer, cancelled, initialize, initialized, refusal, retry_with,
    subscription,
};
pub use version::{Offered, Version, chosen};
