//! How often calls may begin.

use crate::units::Time;
use ring::digest::{SHA256, digest};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Most keys at the same time. Beyond it the key whose last call is longest ago is forgotten.
const MOST_KEYS: usize = 10_000;
/// Most calls that are remembered, of all keys together; beyond it too.
const MOST_CALLS: usize = 1_000_000;

/// Counts the calls of each key. In no stretch as long as the window do more than the limit begin:
/// when each call began is remembered, so there is no edge between windows to crowd around.
#[derive(Debug)]
pub(super) struct Rate {
    limit: usize,
    window: Duration,
    keys: Mutex<Keys>,
}

/// A key's SHA-256 digest: callers choose how long keys are.
type Digest = [u8; 32];

#[derive(Debug, Default)]
struct Keys {
    /// When the calls of each key began, the last last. None is empty.
    by_key: HashMap<Digest, VecDeque<Instant>>,
    /// The keys by when their last call began.
    by_age: BTreeSet<(Instant, Digest)>,
    /// How many calls are remembered.
    calls: usize,
}

/// The limit is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("rate limit reached: {limit} in {}; try again in {}", Time(*.window), Time(*.wait))]
pub(super) struct UsedUp {
    limit: usize,
    window: Duration,
    wait: Duration,
}

impl Rate {
    /// At most `limit` calls of a key in any `window`.
    pub(super) fn new(limit: usize, window: Duration) -> Self {
        Self {
            limit,
            window,
            keys: Mutex::default(),
        }
    }

    /// Counts a call that begins now.
    pub(super) fn count(&self, key: &str, now: Instant) -> Result<(), UsedUp> {
        let key = of(key);
        let is_over = |begun: &Instant| now.saturating_duration_since(*begun) >= self.window;
        let mut keys = self.keys();
        keys.sweep(is_over);
        let known = keys.forget_before(&key, is_over);
        if known >= self.limit
            && let Some(first) = keys.by_key.get(&key).and_then(VecDeque::front)
        {
            let wait = self.window - now.saturating_duration_since(*first);
            return Err(UsedUp {
                limit: self.limit,
                window: self.window,
                wait: rounded_up(wait),
            });
        }
        keys.add(key, now);
        Ok(())
    }

    fn keys(&self) -> MutexGuard<'_, Keys> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// As exactly as it is worth saying, and never too soon.
fn rounded_up(wait: Duration) -> Duration {
    let whole = |unit: u128| wait.as_nanos().div_ceil(unit);
    match wait >= Duration::from_secs(1) {
        true => Duration::from_secs(u64::try_from(whole(1_000_000_000)).unwrap_or(u64::MAX)),
        false => Duration::from_millis(u64::try_from(whole(1_000_000)).unwrap_or(u64::MAX)),
    }
}

fn of(key: &str) -> Digest {
    let mut out = Digest::default();
    out.copy_from_slice(digest(&SHA256, key.as_bytes()).as_ref());
    out
}

impl Keys {
    /// Forgets keys whose calls are all over.
    fn sweep(&mut self, is_over: impl Fn(&Instant) -> bool) {
        while self.by_age.first().is_some_and(|(last, _)| is_over(last)) {
            self.forget_oldest();
        }
    }

    /// Forgets those calls of a key that are over, and counts the others.
    fn forget_before(&mut self, key: &Digest, is_over: impl Fn(&Instant) -> bool) -> usize {
        let Some(calls) = self.by_key.get_mut(key) else {
            return 0;
        };
        // This leaves one: the last is not over, or the key would have been forgotten.
        while calls.front().is_some_and(&is_over) {
            calls.pop_front();
            self.calls -= 1;
        }
        calls.len()
    }

    fn add(&mut self, key: Digest, now: Instant) {
        match self.by_key.get(&key).and_then(VecDeque::back) {
            Some(last) => {
                self.by_age.remove(&(*last, key));
            }
            None if self.by_key.len() >= MOST_KEYS => self.forget_oldest(),
            None => {}
        }
        // With so many calls, the oldest key may be this one: it is not among the keys now.
        while self.calls >= MOST_CALLS && !self.by_age.is_empty() {
            self.forget_oldest();
        }
        self.by_key.entry(key).or_default().push_back(now);
        self.by_age.insert((now, key));
        self.calls += 1;
    }

    fn forget_oldest(&mut self) {
        if let Some((_, key)) = self.by_age.pop_first()
            && let Some(calls) = self.by_key.remove(&key)
        {
            self.calls -= calls.len();
        }
    }
}

#[cfg(test)]
mod tests;
