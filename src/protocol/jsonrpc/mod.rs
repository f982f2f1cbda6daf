//! JSON-RPC 2.0 framing: bytes to a message, an answer to bytes. It knows no method.

mod decode;
mod envelope;
mod id;
mod write;

#[cfg(test)]
mod tests;

pub use id::Id;

pub(super) use decode::{
    Malformed, Message, Notification, Outcome, Request, checked, decode, text,
};
pub(super) use write::{begin_result, error, notification, request, result};
