//! How much work there may be at once: the rest waits for its turn, and what finds too much waiting
//! is turned away. Overload is refused early instead of growing.

use crate::ops::Operation;
use crate::telemetry::{Metrics, Present};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::AcqRel};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The places of requests that do work. Clones are one.
#[derive(Clone, Debug)]
pub(super) struct Admission {
    places: Arc<Semaphore>,
    waiting: Arc<AtomicUsize>,
    most_waiting: usize,
    metrics: Metrics,
}

/// A request's turn; its place is free again when this is dropped.
#[derive(Debug)]
pub(super) struct Turn {
    _place: OwnedSemaphorePermit,
    /// How long it was waited for.
    pub(super) waited: Duration,
}

/// Too many wait already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the server is busy and {0} requests wait already; try again later")]
pub(super) struct Busy(usize);

impl Admission {
    /// So many at work, and so many waiting.
    pub(super) fn new(at_work: usize, most_waiting: usize, metrics: Metrics) -> Self {
        let places = at_work.clamp(1, Semaphore::MAX_PERMITS);
        Self {
            places: Arc::new(Semaphore::new(places)),
            waiting: Arc::default(),
            most_waiting,
            metrics,
        }
    }

    /// A turn, if nobody waits for one.
    pub(super) fn turn(&self) -> Option<Turn> {
        let place = Arc::clone(&self.places).try_acquire_owned().ok()?;
        Some(Turn {
            _place: place,
            waited: Duration::ZERO,
        })
    }

    /// Waits for a turn, behind those that wait already. The caller bounds the time.
    ///
    /// # Errors
    /// [`Busy`], at once.
    pub(super) async fn queue(&self) -> Result<Turn, Busy> {
        let began = Instant::now();
        let _waiting = self.wait()?;
        match Arc::clone(&self.places).acquire_owned().await {
            Ok(place) => Ok(Turn {
                _place: place,
                waited: began.elapsed(),
            }),
            // Never closed.
            Err(_) => Err(Busy(self.most_waiting)),
        }
    }

    fn wait(&self) -> Result<Waiting<'_>, Busy> {
        if self.waiting.fetch_add(1, AcqRel) >= self.most_waiting {
            self.waiting.fetch_sub(1, AcqRel);
            self.metrics.counters().shed.add();
            return Err(Busy(self.most_waiting));
        }
        Ok(Waiting {
            waiting: &self.waiting,
            _counted: self.metrics.present(|counters| &counters.queued),
        })
    }
}

/// A request's place in the queue.
struct Waiting<'a> {
    waiting: &'a AtomicUsize,
    _counted: Present,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.waiting.fetch_sub(1, AcqRel);
    }
}

/// Whether an operation does what a manifest says. Everything else is answered from memory, whatever
/// the load: it takes no place.
pub(super) fn does_work(operation: &Operation) -> bool {
    match operation {
        Operation::CallTool { .. }
        | Operation::ReadResource { .. }
        | Operation::GetPrompt { .. }
        | Operation::Complete { .. }
        // A folder may have to be walked.
        | Operation::ListResources { .. } => true,
        Operation::Discover
        | Operation::ListTools { .. }
        | Operation::ListResourceTemplates { .. }
        | Operation::ListPrompts { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;

    #[tokio::test]
    async fn what_is_too_much_waits_in_order_and_the_rest_is_turned_away() {
        let metrics = Metrics::new();
        let admission = Admission::new(1, 2, metrics.clone());
        let at_work = admission.turn().unwrap();
        let mut first = Box::pin(admission.queue());
        let mut second = Box::pin(admission.queue());
        assert!((&mut first).now_or_never().is_none());
        assert!((&mut second).now_or_never().is_none());
        assert_eq!(metrics.counters().queued.get(), 2);
        assert_eq!(admission.queue().await.unwrap_err(), Busy(2));
        assert_eq!(metrics.counters().shed.get(), 1);
        drop(at_work);
        assert!((&mut second).now_or_never().is_none());
        let turn = first.await.unwrap();
        drop(turn);
        drop(second.await.unwrap());
        assert_eq!(metrics.counters().queued.get(), 0);
    }

    #[tokio::test]
    async fn one_that_is_given_up_leaves_the_queue() {
        let admission = Admission::new(1, 1, Metrics::new());
        let _at_work = admission.turn().unwrap();
        let mut waits = Box::pin(admission.queue());
        assert!((&mut waits).now_or_never().is_none());
        drop(waits);
        let mut next = Box::pin(admission.queue());
        assert!((&mut next).now_or_never().is_none());
    }

    #[tokio::test]
    async fn without_a_queue_nobody_waits() {
        let admission = Admission::new(1, 0, Metrics::new());
        let _at_work = admission.turn().unwrap();
        assert_eq!(admission.queue().await.unwrap_err(), Busy(0));
    }
}
