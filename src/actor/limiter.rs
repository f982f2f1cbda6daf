//! Bounds on what one actor may write to the log, so that a chatty one does not drown the others.

use std::time::Duration;
use tokio::time::Instant;

/// Lines within one window.
const LINES: u32 = 100;
const WINDOW: Duration = Duration::from_secs(10);

/// Counts lines, and what was left out.
#[derive(Debug)]
pub(super) struct Limiter {
    began: Instant,
    lines: u32,
    left_out: u64,
}

/// Whether a line may be logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Allowed {
    /// It may; so many before it were left out since the last that was not.
    Yes {
        /// How many were.
        left_out: u64,
    },
    /// There were too many.
    No,
}

impl Limiter {
    pub(super) fn new() -> Self {
        Self {
            began: Instant::now(),
            lines: 0,
            left_out: 0,
        }
    }

    /// Counts one line.
    pub(super) fn allow(&mut self) -> Allowed {
        if self.began.elapsed() >= WINDOW {
            self.began = Instant::now();
            self.lines = 0;
        }
        if self.lines >= LINES {
            self.left_out += 1;
            return Allowed::No;
        }
        self.lines += 1;
        Allowed::Yes {
            left_out: std::mem::take(&mut self.left_out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_is_left_out_is_counted() {
        let mut limiter = Limiter::new();
        for _ in 0..LINES {
            assert_eq!(limiter.allow(), Allowed::Yes { left_out: 0 });
        }
        assert_eq!(limiter.allow(), Allowed::No);
        assert_eq!(limiter.allow(), Allowed::No);
        tokio::time::advance(WINDOW).await;
        assert_eq!(limiter.allow(), Allowed::Yes { left_out: 2 });
        assert_eq!(limiter.allow(), Allowed::Yes { left_out: 0 });
    }
}
