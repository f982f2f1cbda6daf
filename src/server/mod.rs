//! Dispatch: one message in, one answer out.

mod endpoint;

pub use endpoint::{Endpoint, Received, Reply, Session, Work};
