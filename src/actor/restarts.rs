//! How often a worker may be started again, and how soon.

use crate::model::{Restart, Supervision};
use std::collections::VecDeque;
use std::time::Duration;
use tokio::time::Instant;

/// The longest pause before a restart.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// What happens after a worker's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is started again after this pause.
    Again(Duration),
    /// It is not: its manifest says so.
    Rest,
    /// It is not: it has ended too often.
    TooOften,
}

/// The restarts of one actor.
#[derive(Debug)]
pub(super) struct Restarts {
    rules: Supervision,
    /// When it was started again, within the window.
    recent: VecDeque<Instant>,
}

impl Restarts {
    pub(super) fn new(rules: Supervision) -> Self {
        Self {
            rules,
            recent: VecDeque::new(),
        }
    }

    /// Decides after an end at `now`; `failed` when it was no orderly one.
    pub(super) fn after_end(&mut self, failed: bool, now: Instant) -> Verdict {
        let again = match self.rules.restart {
            Restart::Permanent => true,
            Restart::Transient => failed,
            Restart::Temporary => false,
        };
        if !again {
            return Verdict::Rest;
        }
        let window = self.rules.window;
        while let Some(first) = self.recent.front()
            && now.saturating_duration_since(*first) >= window
        {
            self.recent.pop_front();
        }
        let count = u32::try_from(self.recent.len()).unwrap_or(u32::MAX);
        if count >= self.rules.max_restarts {
            return Verdict::TooOften;
        }
        let factor = 1_u32.checked_shl(count.min(20)).unwrap_or(u32::MAX);
        let pause = self.rules.backoff.saturating_mul(factor).min(LONGEST_PAUSE);
        self.recent.push_back(now + pause);
        Verdict::Again(pause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(restart: Restart, max_restarts: u32) -> Supervision {
        Supervision {
            restart,
            max_restarts,
            window: Duration::from_secs(5),
            backoff: Duration::from_millis(100),
        }
    }

    #[test]
    fn one_more_than_allowed_within_the_window_is_too_often() {
        let now = Instant::now();
        let mut restarts = Restarts::new(rules(Restart::Permanent, 3));
        for pause in [100, 200, 400] {
            let verdict = restarts.after_end(false, now);
            assert_eq!(verdict, Verdict::Again(Duration::from_millis(pause)));
        }
        assert_eq!(restarts.after_end(true, now), Verdict::TooOften);
    }

    #[test]
    fn restarts_out_of_the_window_do_not_count() {
        let mut now = Instant::now();
        let mut restarts = Restarts::new(rules(Restart::Permanent, 1));
        for _ in 0..10 {
            let verdict = restarts.after_end(true, now);
            assert_eq!(verdict, Verdict::Again(Duration::from_millis(100)));
            assert_eq!(restarts.after_end(true, now), Verdict::TooOften);
            now += Duration::from_millis(5100);
        }
    }

    #[test]
    fn what_kind_it_is_decides_first() {
        let now = Instant::now();
        let after = |restart, failed| Restarts::new(rules(restart, 9)).after_end(failed, now);
        let again = Verdict::Again(Duration::from_millis(100));
        assert_eq!(after(Restart::Transient, true), again);
        assert_eq!(after(Restart::Transient, false), Verdict::Rest);
        assert_eq!(after(Restart::Temporary, true), Verdict::Rest);
        assert_eq!(after(Restart::Permanent, false), again);
        let mut never = Restarts::new(rules(Restart::Permanent, 0));
        assert_eq!(never.after_end(false, now), Verdict::TooOften);
    }
}
