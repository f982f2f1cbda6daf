//! How many calls run at the same time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Lets so many in, and so many more wait in the order in which they came.
#[derive(Debug)]
pub(super) struct Gate {
    free: Arc<Semaphore>,
    waiting: AtomicUsize,
    limit: usize,
    queue: usize,
}

/// All places are taken, those to wait in too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too busy: at most {limit} at a time and {queue} waiting; try again later")]
pub(super) struct Busy {
    limit: usize,
    queue: usize,
}

/// A place among those that wait, given back when it is dropped.
struct Waiting<'a>(&'a AtomicUsize);

impl Gate {
    /// At most `limit` inside and `queue` before it.
    pub(super) fn new(limit: usize, queue: usize) -> Self {
        Self {
            free: Arc::new(Semaphore::new(limit.min(Semaphore::MAX_PERMITS))),
            waiting: AtomicUsize::new(0),
            limit,
            queue,
        }
    }

    /// Takes a place, waiting for it if there is room to wait. Dropping what is returned gives it
    /// back.
    pub(super) async fn enter(&self) -> Result<OwnedSemaphorePermit, Busy> {
        let busy = Busy {
            limit: self.limit,
            queue: self.queue,
        };
        if let Ok(place) = Arc::clone(&self.free).try_acquire_owned() {
            return Ok(place);
        }
        let _waiting = self.wait().ok_or(busy)?;
        let place = Arc::clone(&self.free).acquire_owned().await;
        place.map_err(|_| busy)
    }

    fn wait(&self) -> Option<Waiting<'_>> {
        let room = |waiting| (waiting < self.queue).then_some(waiting + 1);
        let taken = self
            .waiting
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, room);
        taken.ok().map(|_| Waiting(&self.waiting))
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
