//! All connections of a listener: which of them have had their time, and which makes room.

use super::link::{Link, Order, Phase, millis};
use crate::model::HttpSettings;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a connection that is ending may wait for its peer to take more.
const CLOSING: Duration = Duration::from_secs(1);
/// A connection is closed to make room only after it has been idle for this long: the client of a
/// younger one may be sending its next request right now.
const YOUNGEST_TO_EVICT: Duration = Duration::from_secs(1);

/// The connections. Dropping this aborts them.
pub(super) struct Links {
    epoch: Instant,
    all: Vec<Arc<Link>>,
    head: Duration,
    idle: Duration,
    write: Duration,
}

impl Links {
    /// None yet.
    pub(super) fn new(settings: &HttpSettings) -> Self {
        Self {
            epoch: Instant::now(),
            all: Vec::new(),
            head: settings.head_timeout,
            idle: settings.idle_timeout,
            write: settings.write_timeout,
        }
    }

    /// Takes up a connection that was just accepted. It leaves by dropping its [`Link`].
    pub(super) fn admit(&mut self) -> Arc<Link> {
        if self.all.len() == self.all.capacity() {
            self.forget();
        }
        let link = Arc::new(Link::new(self.epoch));
        self.all.push(Arc::clone(&link));
        link
    }

    /// True when there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// How often to [`sweep`](Links::sweep): a bound is kept within a tenth of the shortest, and
    /// within a second.
    pub(super) fn pace(&self) -> Duration {
        let shortest = self.head.min(self.idle).min(self.write);
        (shortest / 10).clamp(Duration::from_millis(5), Duration::from_secs(1))
    }

    /// Ends what has had its time.
    pub(super) fn sweep(&mut self) {
        self.forget();
        let now = millis(self.epoch);
        for link in &self.all {
            let (phase, since) = link.phase();
            let (bound, order) = match phase {
                Phase::Busy => continue,
                Phase::Sending if link.has_sent() => continue,
                Phase::Head => (self.head, Order::Abort),
                Phase::Idle => (self.idle, Order::Close),
                Phase::Sending => (self.write, Order::Abort),
                Phase::Closing => (CLOSING, Order::Abort),
            };
            // Both are cut to the millisecond, so an equal age may be short of the bound.
            if age(now, since) > bound {
                link.give(order);
            }
        }
    }

    /// Closes the connection that has been idle the longest, if one has been for a while.
    pub(super) fn evict(&self) {
        let now = millis(self.epoch);
        let idle = self.all.iter().filter_map(|link| match link.phase() {
            (Phase::Idle, since) if age(now, since) >= YOUNGEST_TO_EVICT => Some((since, link)),
            _ => None,
        });
        if let Some((_, link)) = idle.min_by_key(|(since, _)| *since) {
            link.give(Order::Close);
        }
    }

    /// Gives every connection this order.
    pub(super) fn give(&self, order: Order) {
        for link in &self.all {
            link.give(order);
        }
    }

    /// Drops those that only this list still knows.
    fn forget(&mut self) {
        self.all.retain(|link| Arc::strong_count(link) > 1);
    }
}

impl Drop for Links {
    fn drop(&mut self) {
        self.give(Order::Abort);
    }
}

fn age(now: u64, since: u64) -> Duration {
    Duration::from_millis(now.saturating_sub(since))
}

#[cfg(test)]
mod tests {
    use super::super::link::Untaken;
    use super::*;
    use std::task::Waker;

    fn links() -> Links {
        let second = Duration::from_secs(1);
        let settings = HttpSettings {
            head_timeout: second,
            idle_timeout: second * 10,
            write_timeout: second * 3,
            ..HttpSettings::default()
        };
        let mut links = Links::new(&settings);
        // The past is made by moving the epoch, not by waiting.
        links.epoch = Instant::now();
        links
    }

    fn later(links: &mut Links, by: Duration) {
        links.epoch = links.epoch.checked_sub(by).unwrap();
    }

    fn order(link: &Link) -> Order {
        link.order(Waker::noop())
    }

    #[test]
    fn each_phase_has_its_bound_and_its_order() {
        let cases = [
            (Phase::Head, 1, Order::Abort),
            (Phase::Idle, 10, Order::Close),
            (Phase::Sending, 3, Order::Abort),
            (Phase::Closing, 1, Order::Abort),
        ];
        for (phase, seconds, expected) in cases {
            let mut links = links();
            let link = links.admit();
            let _untaken = Untaken::new(&link);
            link.enter(phase);
            later(&mut links, Duration::from_millis(seconds * 1000 - 200));
            links.sweep();
            assert_eq!(order(&link), Order::None, "{phase:?}");
            later(&mut links, Duration::from_millis(201));
            links.sweep();
            assert_eq!(order(&link), expected, "{phase:?}");
        }
    }

    #[test]
    fn what_was_taken_in_the_meantime_is_no_reason_to_end() {
        let mut links = links();
        let link = links.admit();
        link.enter(Phase::Sending);
        later(&mut links, Duration::from_secs(10));
        links.sweep();
        assert_eq!(order(&link), Order::None);
    }

    #[test]
    fn an_answer_on_its_way_is_sending_and_progress_begins_it_anew() {
        let link = Arc::new(Link::new(Instant::now()));
        link.begin();
        let untaken = Untaken::new(&link);
        link.end();
        let (phase, mark) = link.observe(true, false);
        assert_eq!(phase, Phase::Sending);
        drop(Untaken::new(&link));
        let (phase, next) = link.observe(true, false);
        assert_eq!(phase, Phase::Sending);
        assert_ne!(mark, next);
        // While the connection ends it may not take that long.
        assert_eq!(link.observe(true, true).0, Phase::Closing);
        drop(untaken);
        assert_eq!(link.observe(true, false).0, Phase::Idle);
    }

    #[test]
    fn a_request_in_flight_has_no_bound_here() {
        let mut links = links();
        let link = links.admit();
        link.enter(Phase::Busy);
        later(&mut links, Duration::from_secs(100_000));
        links.sweep();
        links.evict();
        assert_eq!(order(&link), Order::None);
    }

    #[test]
    fn the_longest_idle_one_makes_room_but_no_young_one() {
        let mut links = links();
        let (old, older, busy) = (links.admit(), links.admit(), links.admit());
        older.enter(Phase::Idle);
        old.enter(Phase::Idle);
        busy.enter(Phase::Busy);
        links.evict();
        assert_eq!(
            (order(&older), order(&old)),
            (Order::None, Order::None),
            "too young"
        );
        // `enter` counts from the link's own epoch, which stays: everything ages together.
        later(&mut links, Duration::from_secs(2));
        old.enter(Phase::Head);
        links.evict();
        assert_eq!(
            (order(&older), order(&old), order(&busy)),
            (Order::Close, Order::None, Order::None)
        );
    }

    #[test]
    fn the_ended_are_forgotten_and_the_rest_aborted_with_the_list() {
        let mut links = links();
        for _ in 0..1000 {
            drop(links.admit());
        }
        assert!(links.all.len() <= 4, "grew to {}", links.all.len());
        let link = links.admit();
        drop(links);
        assert_eq!(order(&link), Order::Abort);
    }

    #[test]
    fn a_weaker_order_does_not_undo_a_stronger() {
        let link = Link::new(Instant::now());
        link.give(Order::Abort);
        link.give(Order::Close);
        assert_eq!(order(&link), Order::Abort);
    }
}
