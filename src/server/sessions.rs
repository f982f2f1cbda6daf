//! What is kept for sessions. A session itself is not: its id says all of it. Only what a client
//! asks to be remembered is kept, by this process alone, and there is a bound on it: what was
//! used least lately goes first.

use super::told::Told;
use crate::ops::{Caller, Filter, LogLevel};
use crate::protocol::SessionKey;
use crate::runtime::{Full, Hub, Share};
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Most sessions that something is kept for.
const MOST_KEPT: usize = 4096;
/// How many sessions are remembered that their clients have ended. One that is forgotten is as good
/// as before until it expires.
const MOST_OVER: usize = 4096;

/// What is kept for sessions. Clones are one.
#[derive(Clone, Debug, Default)]
pub(super) struct Sessions(Arc<Mutex<Table>>);

#[derive(Debug, Default)]
struct Table {
    /// Counts uses.
    clock: u64,
    kept: HashMap<SessionKey, Kept>,
    over: HashSet<SessionKey>,
    /// The same, in the order in which they were ended.
    in_order: VecDeque<SessionKey>,
}

#[derive(Debug, Default)]
struct Kept {
    used: u64,
    level: Option<LogLevel>,
    told: Option<Arc<Told>>,
}

impl Sessions {
    /// Whether the client has ended it.
    pub(super) fn is_over(&self, key: SessionKey) -> bool {
        self.table().over.contains(&key)
    }

    /// The client ends it.
    pub(super) fn end(&self, key: SessionKey) {
        let mut table = self.table();
        if table.over.insert(key) {
            table.in_order.push_back(key);
        }
        if table.in_order.len() > MOST_OVER
            && let Some(oldest) = table.in_order.pop_front()
        {
            table.over.remove(&oldest);
        }
        let kept = table.kept.remove(&key);
        drop(table);
        if let Some(told) = kept.and_then(|kept| kept.told) {
            told.end();
        }
    }

    /// The level of log messages that it wants, when it has said so.
    pub(super) fn level(&self, key: SessionKey) -> Option<LogLevel> {
        let mut table = self.table();
        let now = table.tick();
        let kept = table.kept.get_mut(&key)?;
        kept.used = now;
        kept.level
    }

    /// It wants log messages of this level and above.
    pub(super) fn set_level(&self, key: SessionKey, level: LogLevel) {
        self.table().keep(key).level = Some(level);
    }

    /// What it is told; of these lists, when it has not been told anything yet.
    ///
    /// # Errors
    /// There are as many listeners as there may be, and each is needed.
    pub(super) fn told(
        &self,
        key: SessionKey,
        hub: &Hub,
        lists: Filter,
        (caller, share): (&Caller, Share),
    ) -> Result<Arc<Told>, Full> {
        if let Some(told) = self.known(key) {
            return Ok(told);
        }
        let told = self.with_room(caller, || {
            Told::new(hub, lists.clone(), caller.clone(), share)
        })?;
        // Another request of the session may have come first.
        let mut table = self.table();
        let kept = table.keep(key);
        Ok(Arc::clone(kept.told.get_or_insert(told)))
    }

    /// What it is told, when it is told something.
    pub(super) fn known(&self, key: SessionKey) -> Option<Arc<Told>> {
        let mut table = self.table();
        let now = table.tick();
        let kept = table.kept.get_mut(&key)?;
        kept.used = now;
        kept.told.clone()
    }

    /// What `listen` gives, once there is room for it: listeners that nobody reads are given up, the
    /// caller's own where it has too many.
    ///
    /// # Errors
    /// There is no room to be made.
    pub(super) fn with_room<L>(
        &self,
        caller: &Caller,
        listen: impl Fn() -> Result<L, Full>,
    ) -> Result<L, Full> {
        loop {
            let full = match listen() {
                Ok(listens) => return Ok(listens),
                Err(full) => full,
            };
            let is_made = self.make_room(|told| match full {
                Full::All(_) => true,
                Full::Own(_) => told.is_of(caller.principal()),
            });
            if !is_made {
                return Err(full);
            }
        }
    }

    /// Gives up a listener that nobody reads, among these. False when there is none.
    fn make_room(&self, among: impl Fn(&Told) -> bool) -> bool {
        let mut table = self.table();
        let idle = table.kept.iter_mut().filter_map(|(_, kept)| {
            let told = kept.told.as_ref()?;
            (told.is_idle() && among(told)).then_some(kept)
        });
        let oldest = idle.min_by_key(|kept| kept.used);
        let given_up = oldest.and_then(|kept| kept.told.take());
        drop(table);
        given_up.is_some()
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        // Nothing that can leave it half changed panics while it is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }

    /// The entry of a session, there from now on.
    fn keep(&mut self, key: SessionKey) -> &mut Kept {
        let now = self.tick();
        if self.kept.len() >= MOST_KEPT && !self.kept.contains_key(&key) {
            // One whose client listens is kept, as long as there is another.
            let listened = |kept: &Kept| kept.told.as_ref().is_some_and(|told| !told.is_idle());
            let entries = self.kept.iter();
            let oldest = entries.min_by_key(|(_, kept)| (listened(kept), kept.used));
            if let Some(oldest) = oldest.map(|(key, _)| *key) {
                self.kept.remove(&oldest);
            }
        }
        let kept = self.kept.entry(key).or_default();
        kept.used = now;
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::told::tests::reader;
    use tokio_util::sync::CancellationToken;

    fn key(number: usize) -> SessionKey {
        SessionKey::numbered(number)
    }

    #[test]
    fn what_is_kept_is_bounded_and_the_least_used_goes_first() {
        let sessions = Sessions::default();
        for number in 0..MOST_KEPT {
            sessions.set_level(key(number), LogLevel::Error);
        }
        assert_eq!(sessions.level(key(0)), Some(LogLevel::Error));
        sessions.set_level(key(MOST_KEPT), LogLevel::Debug);
        assert_eq!(sessions.level(key(0)), Some(LogLevel::Error));
        assert_eq!(sessions.level(key(1)), None);
        assert_eq!(sessions.level(key(MOST_KEPT)), Some(LogLevel::Debug));
    }

    #[test]
    fn the_first_that_was_ended_is_forgotten_first() {
        let sessions = Sessions::default();
        for number in 0..=MOST_OVER {
            sessions.end(key(number));
            sessions.end(key(number));
        }
        assert!(!sessions.is_over(key(0)));
        assert!(sessions.is_over(key(1)) && sessions.is_over(key(MOST_OVER)));
        sessions.set_level(key(5000), LogLevel::Error);
        sessions.end(key(5000));
        assert_eq!(sessions.level(key(5000)), None);
    }

    #[test]
    fn who_reads_nothing_makes_room_for_who_does() {
        let (hub, sessions) = (Hub::new(2), Sessions::default());
        let caller = (&Caller::NOBODY, Share::Whole);
        let told = |number| sessions.told(key(number), &hub, Filter::default(), caller);
        let first = told(1).unwrap();
        let ends = || [CancellationToken::new(), CancellationToken::new()];
        let _reading = first.stream(ends(), reader());
        drop(told(2).unwrap());
        let third = told(3).unwrap();
        assert!(sessions.known(key(2)).is_none(), "it was idle");
        assert!(Arc::ptr_eq(&first, &told(1).unwrap()));
        let _reading_too = third.stream(ends(), reader());
        assert!(told(4).is_err());
    }
    #[test]
    fn a_caller_with_too_many_makes_room_among_its_own() {
        let (hub, sessions) = (Hub::new(4), Sessions::default());
        let named = |name: &str| Caller::known(name, Vec::new(), None, Default::default());
        let told = |number, caller: &Caller| {
            sessions.told(key(number), &hub, Filter::default(), (caller, Share::Half))
        };
        drop(told(1, &named("other")).unwrap());
        for number in 2..10 {
            drop(told(number, &named("many")).unwrap());
        }
        assert!(sessions.known(key(1)).is_some(), "it is another's");
        assert_eq!(hub.len(), 3);
    }
}
