//! Waiting for events with a deadline: a test that would hang fails instead.

use std::time::{Duration, Instant};

/// Long enough for a loaded machine; a test that works never waits for it.
pub const DEADLINE: Duration = Duration::from_secs(30);

/// Asks again and again until the answer is there.
pub fn within<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + DEADLINE;
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(Instant::now() < end, "not within {DEADLINE:?}: {what}");
        std::thread::yield_now();
        std::thread::park_timeout(Duration::from_millis(5));
    }
}
