//! The requests of one stream that have no answer yet, found by their ids.

use crate::protocol::Id;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio_util::sync::CancellationToken;

/// The requests in flight. Clones are one.
#[derive(Clone, Debug)]
pub(super) struct InFlight {
    table: Arc<Mutex<Table>>,
    limit: usize,
}

#[derive(Debug, Default)]
struct Table {
    /// Numbers the entries: an id may be used again while the work of its first use still ends.
    next: u64,
    entries: HashMap<Id, Entry>,
}

#[derive(Debug)]
struct Entry {
    number: u64,
    cancelled: CancellationToken,
}

/// Why a request cannot begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refusal {
    #[error("the id is that of a request that has no answer yet")]
    Duplicate,
    #[error("{0} requests are in flight and no more are taken; wait for an answer and try again")]
    Full(usize),
}

/// A request's place among those in flight. Dropping it gives the place up.
#[derive(Debug)]
pub(super) struct Place {
    table: Arc<Mutex<Table>>,
    id: Id,
    number: u64,
    cancelled: CancellationToken,
}

impl InFlight {
    /// None yet, and never more than `limit`.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            table: Arc::default(),
            limit,
        }
    }

    /// Takes a place for the request of this id.
    pub(super) fn begin(&self, id: &Id) -> Result<Place, Refusal> {
        let mut table = lock(&self.table);
        if table.entries.contains_key(id) {
            return Err(Refusal::Duplicate);
        }
        if table.entries.len() >= self.limit {
            return Err(Refusal::Full(self.limit));
        }
        let number = table.next;
        table.next += 1;
        let cancelled = CancellationToken::new();
        table.entries.insert(
            id.clone(),
            Entry {
                number,
                cancelled: cancelled.clone(),
            },
        );
        Ok(Place {
            table: self.table.clone(),
            id: id.clone(),
            number,
            cancelled,
        })
    }

    /// Cancels the request of this id. False when there is none.
    pub(super) fn cancel(&self, id: &Id) -> bool {
        let entry = lock(&self.table).entries.remove(id);
        entry.is_some_and(|entry| {
            entry.cancelled.cancel();
            true
        })
    }

    /// Cancels all.
    pub(super) fn cancel_all(&self) {
        let entries = std::mem::take(&mut lock(&self.table).entries);
        for entry in entries.into_values() {
            entry.cancelled.cancel();
        }
    }
}

impl Place {
    /// Cancelled when the request is.
    pub(super) fn cancelled(&self) -> &CancellationToken {
        &self.cancelled
    }

    /// Gives the place up for an answer. False when the request was cancelled before: then nothing
    /// is to be sent for it. A cancellation comes before this or after it, never between.
    pub(super) fn finish(self) -> bool {
        self.release()
    }

    fn release(&self) -> bool {
        let mut table = lock(&self.table);
        let own = table
            .entries
            .get(&self.id)
            .is_some_and(|entry| entry.number == self.number);
        if own {
            table.entries.remove(&self.id);
        }
        own
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.release();
    }
}

/// Nothing panics while the lock is held, so what it guards is whole even if it is poisoned.
fn lock(table: &Mutex<Table>) -> MutexGuard<'_, Table> {
    table.lock().unwrap_or_else(PoisonError::into_inner)
}
