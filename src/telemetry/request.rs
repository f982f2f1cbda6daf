//! The number of a request in the log: every line that is logged while it is worked on has it.

use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{SystemTime, UNIX_EPOCH};

tokio::task_local! {
    static CURRENT: RequestId;
}

/// A request's number. In text `START-NUMBER`: when this process started, in hexadecimal seconds, and
/// the how-manieth request it is, so that it means one request also in the log of many starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestId(u64);

impl RequestId {
    /// The next.
    pub fn next() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self(NEXT.fetch_add(1, Relaxed))
    }

    /// Runs what works on this request.
    pub fn scope<F: Future>(self, work: F) -> impl Future<Output = F::Output> {
        CURRENT.scope(self, work)
    }

    /// The request that is worked on here, if one is.
    pub fn current() -> Option<Self> {
        CURRENT.try_with(|id| *id).ok()
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        static START: OnceLock<u64> = OnceLock::new();
        let start = START.get_or_init(|| {
            let since = SystemTime::now().duration_since(UNIX_EPOCH);
            since.map_or(0, |since| since.as_secs())
        });
        write!(f, "{start:x}-{}", self.0)
    }
}
