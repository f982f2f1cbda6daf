//! Actors: processes with a state and a mailbox, which outlive the runtimes that message them.
//!
//! Each actor is one task that owns everything of it: its state or its worker, its timers, its
//! restarts. Others reach it through its mailbox alone ([`Address`]). One message is handled at a
//! time, in the order in which the mailbox took them; a timer's message is handled when it is due,
//! between two others.
//!
//! What is promised:
//! - The mailbox is bounded; when it is full, a message is refused at once.
//! - A message is handled at most once. A call whose caller has gone before its turn is not handled.
//! - A failing handler leaves the state as it was.
//! - With `persist`, a call's reply leaves once the state that it tells of is on disk.
//! - When a worker ends, calls that wait are failed at once; casts that it was not given yet wait for
//!   the next one.

mod actors;
mod declared;
mod error;
mod event;
mod life;
mod limiter;
mod mailbox;
mod restarts;
mod store;
mod timers;
mod worker;

#[cfg(test)]
mod tests;

pub use actors::{Actors, Prepared};
pub use error::{CallError, StartError};
pub use event::{EVENTS, EventStream, Heard};
pub use mailbox::Address;
pub use store::StateError;
