//! Messages that an actor sends itself.

use crate::model::Timer;
use tokio::time::{Instant, sleep_until};

/// The timers of one actor. A message that could not be handled when it was due is handled once, as
/// soon as it can be, and the next comes an interval after that: none pile up.
#[derive(Debug, Default)]
pub(super) struct Timers(Vec<(Instant, Timer)>);

impl Timers {
    /// All are due an interval from now.
    pub(super) fn new(timers: &[Timer]) -> Self {
        let now = Instant::now();
        let timers = timers.iter();
        Self(
            timers
                .map(|timer| (now + timer.interval, timer.clone()))
                .collect(),
        )
    }

    /// Takes the message that has been due the longest.
    pub(super) fn take_due(&mut self) -> Option<String> {
        let now = Instant::now();
        let (due, timer) = self.0.iter_mut().min_by_key(|(due, _)| *due)?;
        if *due > now {
            return None;
        }
        *due = now + timer.interval;
        Some(timer.message.clone())
    }

    /// Waits until one is due; for ever when there is none. May be dropped and called again.
    pub(super) async fn due(&self) {
        match self.0.iter().map(|(due, _)| *due).min() {
            Some(due) => sleep_until(due).await,
            None => std::future::pending().await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn timer(millis: u64, message: &str) -> Timer {
        Timer {
            interval: Duration::from_millis(millis),
            message: message.to_owned(),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_missed_comes_once() {
        let mut timers = Timers::new(&[timer(100, "a"), timer(250, "b")]);
        assert_eq!(timers.take_due(), None);
        timers.due().await;
        assert_eq!(timers.take_due().as_deref(), Some("a"));
        assert_eq!(timers.take_due(), None);
        tokio::time::advance(Duration::from_millis(500)).await;
        let due: Vec<_> = std::iter::from_fn(|| timers.take_due()).collect();
        assert_eq!(due, ["a", "b"]);
    }
}
