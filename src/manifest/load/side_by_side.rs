//! The same work for many things, on as many threads as are worth it.

use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Threads at the most.
const MOST: usize = 8;
/// Things that are worth a thread.
const SHARE: usize = 16;

/// What the work makes of each item, in their order. A panic in it goes on here.
pub(super) fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = threads.min(MOST).min(items.len() / SHARE);
    if threads < 2 {
        return items.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut done = Vec::new();
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(place) else {
                return done;
            };
            done.push((place, work(item)));
        }
    };
    let mut done: Vec<(usize, R)> = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(worker)).collect();
        let mut done = worker();
        for other in others {
            done.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        done
    });
    done.sort_unstable_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, made)| made).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_kept() {
        for count in [0, 1, 31, 32, 1000] {
            let items: Vec<usize> = (0..count).collect();
            let doubled = map(&items, |item| item * 2);
            assert!(doubled.iter().copied().eq((0..count).map(|item| item * 2)));
        }
    }

    #[test]
    fn a_panic_is_not_lost() {
        let items: Vec<usize> = (0..100).collect();
        let panics = std::panic::catch_unwind(|| {
            map(&items, |item| assert!(*item != 99, "the last"));
        });
        assert!(panics.is_err());
    }
}
