//! The wire: JSON-RPC and a dialect for each protocol revision. No IO, no await.
//!
//! A message comes in through [`receive`], which reads it, chooses the dialect it is written in and
//! says what is to be done; a call comes back through the [`ReplyTo`] that came with it, which
//! writes the answer in the same dialect. What is the same for every request of a runtime is
//! written once, by [`Face`]. Nothing outside this module knows a dialect or a revision: another
//! one is a folder here, an arm in `dispatch`, and a rendering more in each [`crate::ops::Ready`].

mod capabilities;
pub mod client;
mod codes;
mod content;
mod dispatch;
mod face;
mod input;
mod json;
mod jsonrpc;
mod modern;
pub mod seal;
mod version;

#[cfg(test)]
mod tests;

pub use codes::{Fault, PARSE_ERROR, error_code};
pub use dispatch::{Call, Carrier, Conversation, Listen, ReplyTo, Response, Step, receive, refuse};
pub use face::{Behaviour, Face, Offer};
pub use jsonrpc::Id;
