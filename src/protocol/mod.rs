//! The wire: JSON-RPC and a dialect for each protocol revision. No IO, no await.
//!
//! A message comes in through [`receive`], which reads it, chooses the dialect it is written in and
//! says what is to be done; a call comes back through the [`ReplyTo`] that came with it, which
//! writes the answer in the same dialect. What is the same for every request of a runtime is
//! written once, by [`Face`]. Nothing outside this module knows a dialect or a revision: another
//! one is a folder here, an arm in `version`, `codes`, `dispatch` and `reply`, and a rendering more
//! in each [`crate::ops::Ready`].

mod capabilities;
mod carrier;
pub mod client;
mod codes;
mod content;
mod declare;
mod dispatch;
mod face;
mod input;
mod json;
mod jsonrpc;
mod legacy;
mod modern;
mod notice;
mod pieces;
mod reply;
mod request;
mod results;
pub mod seal;
mod step;
mod version;

#[cfg(test)]
mod tests;

pub use carrier::{Carrier, Conversation, Head};
pub use codes::{Fault, PARSE_ERROR, error_code};
pub use dispatch::{receive, session};
pub use face::{Behaviour, Face, Offer};
pub use jsonrpc::Id;
pub use legacy::SessionKey;
pub use pieces::Pieces;
pub use reply::{ReplyTo, Response, Subscription, change, refuse};
pub use step::{Call, Listen, Outcome, Remember, Step, Wanted};
pub use version::{Protocols, REVISIONS};
