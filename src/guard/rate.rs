//! How often calls may begin.

use crate::units::Time;
use std::collections::{HashMap, VecDeque};
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

#[derive(Debug, Default)]
struct Keys {
    by_key: HashMap<Box<str>, VecDeque<Instant>>,
    /// How many calls are remembered.
    calls: usize,
    /// When keys without calls were last looked for.
    swept: Option<Instant>,
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
        let mut keys = self.keys();
        let keys = &mut *keys;
        keys.sweep(self.window, now);
        if !keys.by_key.contains_key(key) {
            keys.make_room();
            keys.by_key.insert(key.into(), VecDeque::new());
        }
        let Some(calls) = keys.by_key.get_mut(key) else {
            return Ok(());
        };
        let over = |begun: &Instant| now.saturating_duration_since(*begun) >= self.window;
        while calls.front().is_some_and(over) {
            calls.pop_front();
            keys.calls -= 1;
        }
        if calls.len() >= self.limit
            && let Some(first) = calls.front()
        {
            let wait = self.window - now.saturating_duration_since(*first);
            return Err(UsedUp {
                limit: self.limit,
                window: self.window,
                wait: rounded_up(wait),
            });
        }
        calls.push_back(now);
        keys.calls += 1;
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

impl Keys {
    /// Forgets keys whose calls are all over, once a window.
    fn sweep(&mut self, window: Duration, now: Instant) {
        let since = self.swept.get_or_insert(now);
        if now.saturating_duration_since(*since) < window {
            return;
        }
        *since = now;
        let calls = &mut self.calls;
        self.by_key.retain(|_, begun| {
            let last = begun.back();
            let kept = last.is_some_and(|last| now.saturating_duration_since(*last) < window);
            if !kept {
                *calls -= begun.len();
            }
            kept
        });
    }

    fn make_room(&mut self) {
        while self.by_key.len() >= MOST_KEYS || self.calls >= MOST_CALLS {
            let oldest = self.by_key.iter().min_by_key(|(_, begun)| begun.back());
            let Some(oldest) = oldest.map(|(key, _)| key.clone()) else {
                return;
            };
            if let Some(begun) = self.by_key.remove(&oldest) {
                self.calls -= begun.len();
            }
        }
    }
}
