//! Who listens, and what they have not been told yet.
//!
//! A listener is never told of one thing twice in a row: what has changed and has not been taken is
//! marked, and a mark stays one mark however often the thing changes. So what is kept for a slow
//! listener is bounded by what it asked for, nothing it asked for is lost, and publishing never
//! waits.

use super::Changed;
use crate::lang::uri_template::Uri;
use crate::ops::{Caller, Change, Filter, ListKind};
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
    /// Who listens.
    caller: Caller,
    /// The canonical forms of the filter's URIs in byte order, each with the URI itself.
    keys: Vec<(Box<str>, Arc<str>)>,
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
pub enum Full {
    /// In all.
    #[error("{0} subscriptions are open and no more are taken; end one and try again")]
    All(usize),
    /// Of this caller.
    #[error(
        "{0} subscriptions of this caller are open and no more are taken; end one and try again"
    )]
    Own(usize),
}

/// How many of the places one caller may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// All of them: nobody is asked who calls.
    Whole,
    /// Half of them, one at the least, so that none keeps all others from listening.
    Half,
}

impl Hub {
    /// Without listeners yet, and never with more than `most`.
    pub fn new(most: usize) -> Self {
        Self(Arc::new(Inner {
            listeners: Mutex::default(),
            most,
        }))
    }

    /// Listens from now on, for this caller, who may have that share of the places.
    ///
    /// # Errors
    /// There are as many listeners as there may be.
    pub fn listen(&self, filter: Filter, caller: Caller, share: Share) -> Result<Listener, Full> {
        let principal = caller.principal().map(str::to_owned);
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                keys: keys(&filter),
                filter,
                caller,
                pending: Pending::default(),
            }),
            filled: AtomicWaker::new(),
        });
        let mut listeners = self.listeners();
        if listeners.by_number.len() >= self.0.most {
            return Err(Full::All(self.0.most));
        }
        let most = (self.0.most / 2).max(1);
        if share == Share::Half && listeners.of(principal.as_deref()) >= most {
            return Err(Full::Own(most));
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

    /// Says that a list has changed, to those callers who are shown that. What they get when they
    /// ask for it must be the new one already.
    pub fn list_changed(&self, list: ListKind, is_shown: impl Fn(&Caller) -> bool) {
        for listener in self.all() {
            listener.mark(
                |State {
                     filter,
                     caller,
                     pending,
                     ..
                 }| {
                    let is_wanted = filter.wants(list) && is_shown(caller);
                    *pending.list(list) |= is_wanted;
                    is_wanted
                },
            );
        }
    }

    /// Says that what is read at these URIs has changed.
    pub fn updated(&self, changed: &Changed) {
        if changed.is_empty() {
            return;
        }
        for listener in self.all() {
            listener.mark(|State { keys, pending, .. }| {
                let touched = changed.among(keys);
                let is_touched = !touched.is_empty();
                pending.uris.extend(touched);
                is_touched
            });
        }
    }

    /// Says that what is read at any URI may have changed.
    pub fn all_updated(&self) {
        for listener in self.all() {
            listener.mark(|State { keys, pending, .. }| {
                pending
                    .uris
                    .extend(keys.iter().map(|(_, uri)| Arc::clone(uri)));
                !keys.is_empty()
            });
        }
    }

    /// Who listens now. Nobody who comes or goes waits while they are told.
    fn all(&self) -> Vec<Arc<Shared>> {
        self.listeners().by_number.values().cloned().collect()
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
        state.keys = keys(&state.filter);
        true
    }

    /// Listens no more for changes of the resource of this URI.
    pub fn remove(&self, uri: &str) {
        let mut state = self.shared.state();
        if let Some(uris) = &mut state.filter.uris {
            uris.retain(|known| **known != *uri);
        }
        state.keys.retain(|(_, known)| **known != *uri);
        state.pending.uris.remove(uri);
    }

    /// Who listens.
    pub fn caller(&self) -> Caller {
        self.shared.state().caller.clone()
    }

    /// Listens for this caller from now on: the same one, by what it has shown last.
    pub fn set_caller(&self, caller: Caller) {
        self.shared.state().caller = caller;
    }

    /// The same, of a caller that may use other things than before: all that it listens for has
    /// changed.
    pub fn renew(&self, caller: Caller) {
        self.set_caller(caller);
        self.shared.mark(|state| {
            for list in [ListKind::Tools, ListKind::Prompts, ListKind::Resources] {
                *state.pending.list(list) |= state.filter.wants(list);
            }
            let uris = state.keys.iter().map(|(_, uri)| Arc::clone(uri));
            state.pending.uris.extend(uris);
            true
        });
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

impl Listeners {
    /// How many are of the caller of this name, or of callers without one.
    fn of(&self, principal: Option<&str>) -> usize {
        let own = self.by_number.values();
        own.filter(|shared| shared.state().caller.principal() == principal)
            .count()
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.hub.listeners().by_number.remove(&self.number);
    }
}

/// The canonical forms of a filter's URIs. What is no URI never changes.
fn keys(filter: &Filter) -> Vec<(Box<str>, Arc<str>)> {
    let uris = filter.uris.iter().flatten();
    let mut keys: Vec<(Box<str>, Arc<str>)> = uris
        .filter_map(|uri| Some((Uri::parse(uri).ok()?.canonical().into(), Arc::clone(uri))))
        .collect();
    keys.sort_unstable();
    keys
}

impl Shared {
    /// Marks what has changed, and wakes who takes it when there was something.
    fn mark(&self, mark: impl FnOnce(&mut State) -> bool) {
        let is_due = mark(&mut self.state());
        if is_due {
            self.filled.wake();
        }
    }

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

    fn uris(uris: &[&str]) -> Changed {
        let mut changed = Changed::default();
        uris.iter().for_each(|uri| changed.uri(uri));
        changed
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
        let one = hub
            .listen(
                filter(true, &["a:1", "a:2"]),
                Caller::default(),
                Share::Whole,
            )
            .unwrap();
        let other = hub
            .listen(filter(false, &["a:2"]), Caller::default(), Share::Whole)
            .unwrap();
        for _ in 0..3 {
            hub.list_changed(ListKind::Tools, |_| true);
            hub.list_changed(ListKind::Prompts, |_| true);
            hub.updated(&uris(&["A:2"]));
            hub.updated(&uris(&["a:3"]));
        }
        let second = || Change::Resource("a:2".into());
        assert_eq!(taken(&one), [Change::List(ListKind::Tools), second()]);
        assert_eq!(taken(&other), [second()]);
        assert!(taken(&one).is_empty());
        hub.updated(&uris(&["a:0", "a:1", "a:2", "a:3"]));
        assert_eq!(taken(&one), [Change::Resource("a:1".into()), second()]);
        assert_eq!(taken(&other), [second()]);
    }

    #[test]
    fn there_are_no_more_than_there_may_be() {
        let hub = Hub::new(1);
        let listen = || hub.listen(Filter::default(), Caller::default(), Share::Whole);
        let one = listen().unwrap();
        assert_eq!(listen().unwrap_err(), Full::All(1));
        drop(one);
        assert!(hub.is_empty());
        assert!(listen().is_ok());
    }

    #[test]
    fn nobody_keeps_all_others_from_listening() {
        let hub = Hub::new(4);
        let named = |name: &str| Caller::known(name, Vec::new(), None, Default::default());
        let listen = |caller| hub.listen(Filter::default(), caller, Share::Half);
        let _own = [listen(named("a")).unwrap(), listen(named("a")).unwrap()];
        assert_eq!(listen(named("a")).unwrap_err(), Full::Own(2));
        let nobodys = [
            listen(Caller::NOBODY).unwrap(),
            listen(Caller::NOBODY).unwrap(),
        ];
        assert_eq!(listen(named("b")).unwrap_err(), Full::All(4));
        drop(nobodys);
        assert!(listen(named("b")).is_ok());
    }
}
