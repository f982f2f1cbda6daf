//! Who listens, and what they have not been told yet.
//!
//! A listener is never told of one thing twice in a row: what has changed and has not been taken is
//! marked, and a mark stays one mark however often the thing changes. So what is kept for a slow
//! listener is bounded by what it asked for, nothing it asked for is lost, and publishing never
//! waits.

use crate::ops::{Change, Filter, ListKind};
use futures_util::task::AtomicWaker;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

/// The listeners of a server. It outlives runtimes; clones are one.
#[derive(Clone, Debug)]
pub struct Hub(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    listeners: Mutex<Listeners>,
    most: usize,
}

#[derive(Debug, Default)]
struct Listeners {
    next: u64,
    by_number: HashMap<u64, Arc<Shared>>,
}

/// One listener. Dropping it ends the listening.
#[derive(Debug)]
pub struct Listener {
    hub: Hub,
    number: u64,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    filled: AtomicWaker,
}

#[derive(Debug)]
struct State {
    filter: Filter,
    pending: Pending,
}

/// What a listener has not been told yet.
#[derive(Debug, Default)]
struct Pending {
    tools: bool,
    prompts: bool,
    resources: bool,
    /// Of the filter's URIs.
    uris: BTreeSet<Arc<str>>,
}

/// Most bytes of all URIs that a listener adds to what it listens for.
const MOST_ADDED: usize = 256 * 1024;

/// There are as many listeners as there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} subscriptions are open and no more are taken; end one and try again")]
pub struct Full(usize);

impl Hub {
    /// Without listeners yet, and never with more than `most`.
    pub fn new(most: usize) -> Self {
        Self(Arc::new(Inner {
            listeners: Mutex::default(),
            most,
        }))
    }

    /// Listens from now on.
    ///
    /// # Errors
    /// There are as many listeners as there may be.
    pub fn listen(&self, filter: Filter) -> Result<Listener, Full> {
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                filter,
                pending: Pending::default(),
            }),
            filled: AtomicWaker::new(),
        });
        let mut listeners = self.listeners();
        if listeners.by_number.len() >= self.0.most {
            return Err(Full(self.0.most));
        }
        let number = listeners.next;
        listeners.next += 1;
        listeners.by_number.insert(number, Arc::clone(&shared));
        Ok(Listener {
            hub: self.clone(),
            number,
            shared,
        })
    }

    /// How many listen.
    pub fn len(&self) -> usize {
        self.listeners().by_number.len()
    }

    /// Whether nobody listens.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Says that a list has changed. What callers get when they ask for it must be the new one
    /// already.
    pub fn list_changed(&self, list: ListKind) {
        self.tell(|filter, pending| {
            if filter.wants(list) {
                *pending.list(list) = true;
            }
        });
    }

    /// Says that the resource of this URI has changed.
    pub fn updated(&self, uri: &str) {
        self.tell(|filter, pending| {
            let uris = filter.uris.as_deref().unwrap_or_default();
            if let Ok(place) = uris.binary_search_by(|known| (**known).cmp(uri)) {
                pending.uris.extend(uris.get(place).cloned());
            }
        });
    }

    /// Says that each resource has changed whose URI is one of these.
    pub fn updated_where(&self, is_one: impl Fn(&str) -> bool) {
        self.tell(|filter, pending| {
            let changed = filter.uris.iter().flatten().filter(|uri| is_one(uri));
            pending.uris.extend(changed.cloned());
        });
    }

    /// Marks what has changed for each listener, and wakes those that have something to tell.
    fn tell(&self, mark: impl Fn(&Filter, &mut Pending)) {
        for listener in self.listeners().by_number.values() {
            let mut state = listener.state();
            let State { filter, pending } = &mut *state;
            mark(filter, pending);
            let is_due = !pending.is_empty();
            drop(state);
            if is_due {
                listener.filled.wake();
            }
        }
    }

    fn listeners(&self) -> MutexGuard<'_, Listeners> {
        // Nothing that can leave it half changed panics while it is held.
        let listeners = self.0.listeners.lock();
        listeners.unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listener {
    /// What it listens for.
    pub fn filter(&self) -> Filter {
        self.shared.state().filter.clone()
    }

    /// Listens for changes of the resource of this URI too. False when it listens for as many as it
    /// may: [`Filter::MOST`], in 256 KiB.
    pub fn add(&self, uri: &str) -> bool {
        let mut state = self.shared.state();
        let uris = state.filter.uris.get_or_insert_default();
        let Err(place) = uris.binary_search_by(|known| (**known).cmp(uri)) else {
            return true;
        };
        let bytes: usize = uris.iter().map(|uri| uri.len()).sum();
        if uris.len() >= Filter::MOST || bytes + uri.len() > MOST_ADDED {
            return false;
        }
        uris.insert(place, Arc::from(uri));
        true
    }

    /// Listens no more for changes of the resource of this URI.
    pub fn remove(&self, uri: &str) {
        let mut state = self.shared.state();
        let State { filter, pending } = &mut *state;
        if let Some(uris) = &mut filter.uris {
            uris.retain(|known| **known != *uri);
        }
        pending.uris.remove(uri);
    }

    /// Takes the next change, lists before resources.
    pub fn poll_next(&self, cx: &mut Context<'_>) -> Poll<Change> {
        self.shared.filled.register(cx.waker());
        match self.shared.state().pending.take() {
            Some(change) => Poll::Ready(change),
            None => Poll::Pending,
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.hub.listeners().by_number.remove(&self.number);
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pending {
    fn list(&mut self, list: ListKind) -> &mut bool {
        match list {
            ListKind::Tools => &mut self.tools,
            ListKind::Prompts => &mut self.prompts,
            ListKind::Resources => &mut self.resources,
        }
    }

    fn is_empty(&self) -> bool {
        !self.tools && !self.prompts && !self.resources && self.uris.is_empty()
    }

    fn take(&mut self) -> Option<Change> {
        for list in [ListKind::Tools, ListKind::Prompts, ListKind::Resources] {
            if std::mem::take(self.list(list)) {
                return Some(Change::List(list));
            }
        }
        self.uris.pop_first().map(Change::Resource)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::task::noop_waker;

    fn filter(tools: bool, uris: &[&str]) -> Filter {
        Filter {
            tools,
            uris: Some(uris.iter().map(|uri| Arc::from(*uri)).collect()),
            ..Filter::default()
        }
    }

    fn taken(listener: &Listener) -> Vec<Change> {
        let waker = noop_waker();
        let mut cx = Context::from_waker(&waker);
        let mut changes = Vec::new();
        while let Poll::Ready(change) = listener.poll_next(&mut cx) {
            changes.push(change);
        }
        changes
    }

    #[test]
    fn each_is_told_of_what_it_asked_for_and_once() {
        let hub = Hub::new(10);
        let one = hub.listen(filter(true, &["a:1", "a:2"])).unwrap();
        let other = hub.listen(filter(false, &["a:2"])).unwrap();
        for _ in 0..3 {
            hub.list_changed(ListKind::Tools);
            hub.list_changed(ListKind::Prompts);
            hub.updated("a:2");
            hub.updated("a:3");
        }
        let second = || Change::Resource("a:2".into());
        assert_eq!(taken(&one), [Change::List(ListKind::Tools), second()]);
        assert_eq!(taken(&other), [second()]);
        assert!(taken(&one).is_empty());
        hub.updated_where(|uri| uri.starts_with("a:"));
        assert_eq!(taken(&one), [Change::Resource("a:1".into()), second()]);
        assert_eq!(taken(&other), [second()]);
    }

    #[test]
    fn there_are_no_more_than_there_may_be() {
        let hub = Hub::new(1);
        let one = hub.listen(Filter::default()).unwrap();
        assert_eq!(hub.listen(Filter::default()).unwrap_err(), Full(1));
        drop(one);
        assert!(hub.is_empty());
        assert!(hub.listen(Filter::default()).is_ok());
    }

    #[test]
    fn what_is_listened_for_changes() {
        let hub = Hub::new(1);
        let listener = hub.listen(filter(true, &["a:2"])).unwrap();
        let changed = |uri: &str| Change::Resource(uri.into());
        assert!(listener.add("a:1") && listener.add("a:1"));
        hub.updated_where(|_| true);
        assert_eq!(taken(&listener), [changed("a:1"), changed("a:2")]);
        hub.updated("a:2");
        listener.remove("a:2");
        listener.remove("a:3");
        assert!(taken(&listener).is_empty(), "what was unsubscribed is told");
        hub.updated_where(|_| true);
        assert_eq!(taken(&listener), [changed("a:1")]);
        assert!(!listener.add(&"x".repeat(MOST_ADDED)));
        let added = (0..).take_while(|n| listener.add(&format!("b:{n}")));
        assert_eq!(added.count(), Filter::MOST - 1);
    }
}
