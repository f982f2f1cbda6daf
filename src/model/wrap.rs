//! What stands around a component's action.

use super::SendSpec;
use crate::lang::template::Template;
use std::sync::Arc;
use std::time::Duration;

/// One of a component's `wrap`.
#[derive(Clone, Debug)]
pub enum WrapSpec {
    /// The call is dropped after this long.
    Timeout(Duration),
    /// So many calls run at the same time.
    Concurrency {
        /// How many run, at least 1.
        limit: usize,
        /// How many more wait for their turn.
        queue: usize,
    },
    /// So many calls may begin in any stretch of this length.
    RateLimit {
        /// How many, at least 1.
        limit: usize,
        /// The stretch.
        window: Duration,
        /// Whose calls are counted together; `None` counts all together.
        key: Option<Template>,
    },
    /// What a call answered is answered again.
    Cache {
        /// For how long.
        ttl: Duration,
        /// Which calls are the same.
        key: Template,
    },
    /// An actor is asked what becomes of the call. Never a cast.
    Actor(Arc<SendSpec>),
}
