//! The requests by HTTP that outlive their callers: how many there are, and those of sessions by
//! their ids, so that a cancellation reaches them.

use crate::protocol::{Id, SessionKey};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio_util::sync::CancellationToken;

/// The requests in flight. Clones are one.
#[derive(Clone, Debug)]
pub(super) struct Calls {
    table: Arc<Mutex<Table>>,
    limit: usize,
}

#[derive(Debug, Default)]
struct Table {
    running: usize,
    next: u64,
    /// The newest of each id. Who sends an id twice can cancel the second only.
    by_id: HashMap<(SessionKey, Id), (u64, CancellationToken)>,
}

/// As many are in flight as may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} requests are in flight and no more are taken; wait for an answer and try again")]
pub(super) struct Full(usize);

/// A request's place. Dropping it gives it up.
#[derive(Debug)]
pub(super) struct Place {
    table: Arc<Mutex<Table>>,
    key: Option<(SessionKey, Id)>,
    number: u64,
    cancelled: CancellationToken,
}

impl Calls {
    /// None yet, and never more than `limit`.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            table: Arc::default(),
            limit,
        }
    }

    /// Takes a place for the request of this id.
    pub(super) fn begin(&self, session: Option<SessionKey>, id: &Id) -> Result<Place, Full> {
        let mut table = lock(&self.table);
        if table.running >= self.limit {
            return Err(Full(self.limit));
        }
        table.running += 1;
        let number = table.next;
        table.next += 1;
        let cancelled = CancellationToken::new();
        let key = session.map(|session| (session, id.clone()));
        if let Some(key) = key.clone() {
            table.by_id.insert(key, (number, cancelled.clone()));
        }
        Ok(Place {
            table: Arc::clone(&self.table),
            key,
            number,
            cancelled,
        })
    }

    /// Cancels the request of this id. False when there is none.
    pub(super) fn cancel(&self, session: SessionKey, id: Id) -> bool {
        let found = lock(&self.table).by_id.remove(&(session, id));
        found.is_some_and(|(_, cancelled)| {
            cancelled.cancel();
            true
        })
    }
}

impl Place {
    /// Cancelled when the request is.
    pub(super) fn cancelled(&self) -> &CancellationToken {
        &self.cancelled
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut table = lock(&self.table);
        table.running -= 1;
        if let Some(key) = &self.key
            && table
                .by_id
                .get(key)
                .is_some_and(|(number, _)| *number == self.number)
        {
            table.by_id.remove(key);
        }
    }
}

/// Nothing panics while the lock is held, so what it guards is whole even if it is poisoned.
fn lock(table: &Mutex<Table>) -> MutexGuard<'_, Table> {
    table.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(json: &str) -> Id {
        Id::of(json)
    }

    #[test]
    fn a_cancellation_reaches_the_newest_of_its_session_and_id() {
        let calls = Calls::new(4);
        let [one, other] = [1, 2].map(SessionKey::numbered);
        let first = calls.begin(Some(one), &id("1")).unwrap();
        let second = calls.begin(Some(one), &id("1")).unwrap();
        let stranger = calls.begin(Some(other), &id("1")).unwrap();
        let nobody = calls.begin(None, &id("1")).unwrap();
        assert_eq!(calls.begin(None, &id("2")).unwrap_err(), Full(4));
        assert!(!calls.cancel(one, id("\"1\"")));
        assert!(calls.cancel(one, id("1")));
        assert!(!calls.cancel(one, id("1")));
        let were: Vec<bool> = [&first, &second, &stranger, &nobody]
            .map(|place| place.cancelled().is_cancelled())
            .to_vec();
        assert_eq!(were, [false, true, false, false]);
        drop(stranger);
        assert!(!calls.cancel(other, id("1")));
        assert!(calls.begin(None, &id("2")).is_ok());
    }

    #[test]
    fn the_end_of_an_older_one_leaves_the_newer_its_place() {
        let calls = Calls::new(4);
        let session = SessionKey::numbered(1);
        let first = calls.begin(Some(session), &id("1")).unwrap();
        let second = calls.begin(Some(session), &id("1")).unwrap();
        drop(first);
        assert!(calls.cancel(session, id("1")));
        assert!(second.cancelled().is_cancelled());
    }
}
