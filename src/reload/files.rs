//! Telling those who listen that a watched file has changed.
//!
//! As with manifests, an event only says that it is worth looking: what has changed is found by
//! comparing what is there with what was there at the last look.

use super::PATIENCE;
use super::places::Places;
use super::watch::{Trigger, Watch};
use crate::action::file::{FileState, files_below};
use crate::model::{Component as _, ReloadSettings};
use crate::ops::{Caller, ListKind};
use crate::runtime::{Changed, Hub, Runtime, Watched, WatchedFiles};
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// What is known of the watched files: how they were at the last look. Clones are one.
#[derive(Clone, Debug, Default)]
pub struct KnownFiles(Arc<Known>);

#[derive(Debug, Default)]
struct Known {
    /// `None` before anything serves.
    look: Mutex<Option<Look>>,
    /// Another runtime has begun.
    begun: Notify,
}

impl KnownFiles {
    /// Looks at the files of a runtime that is about to serve, so that whatever is edited once
    /// somebody can have heard of it is told. Blocks on the file system.
    pub fn begin(&self, runtime: &Arc<Runtime>, stop: &CancellationToken) {
        let (mut look, _) = Look::at(Arc::clone(runtime), stop);
        let mut known = self.known();
        if let Some(before) = known.take() {
            look.go_on_from(before);
        }
        *known = Some(look);
        self.0.begun.notify_one();
    }

    /// The runtime that began last.
    fn runtime(&self) -> Option<Arc<Runtime>> {
        let known = self.known();
        known.as_ref().map(|look| Arc::clone(&look.runtime))
    }

    /// Puts a look in the place of the one before, and says what has changed since. A look at a
    /// runtime that is not the last to begin is passed over.
    fn replace(&self, now: Look) -> Changes {
        let mut known = self.known();
        match &mut *known {
            Some(before) if Arc::ptr_eq(&before.runtime, &now.runtime) => {
                let changes = now.since(before);
                *before = now;
                changes
            }
            _ => Changes::default(),
        }
    }

    fn known(&self) -> MutexGuard<'_, Option<Look>> {
        self.0.look.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Watches the files of resources that say so, whatever runtime serves, until the token is
/// cancelled.
pub async fn watch_files(
    files: KnownFiles,
    hub: Hub,
    settings: ReloadSettings,
    stop: CancellationToken,
) {
    // Nothing is asked of the system before there is something to watch.
    while !files.runtime().is_some_and(|runtime| runtime.watches()) {
        tokio::select! {
            () = stop.cancelled() => return,
            () = files.0.begun.notified() => {}
        }
    }
    let mut watch = Watch::new(&settings);
    loop {
        let Some(runtime) = files.runtime() else {
            return;
        };
        let looking = tokio::task::spawn_blocking({
            let (runtime, stop) = (Arc::clone(&runtime), stop.clone());
            move || {
                let (now, places) = Look::at(runtime, &stop);
                let fresh = watch.follow(&places);
                (watch, now, fresh)
            }
        });
        // A panic in the look ends the watching, and is said by the panic hook.
        let Ok((back, now, fresh)) = looking.await else {
            return;
        };
        if stop.is_cancelled() {
            // The look may have ended early, and would take what it did not see for gone.
            return;
        }
        watch = back;
        files.replace(now).tell(&runtime, &hub);
        let worth = async {
            // What happened before the watch was set made no event.
            let mut is_due = fresh;
            while !is_due {
                is_due = match watch.triggered().await {
                    Trigger::Files => true,
                    Trigger::Check if watch.has_moved() => return,
                    Trigger::Check => false,
                };
            }
            watch.settle(settings.debounce, PATIENCE).await;
        };
        tokio::select! {
            () = stop.cancelled() => return,
            () = files.0.begun.notified() => {}
            () = worth => {}
        }
    }
}

/// What is there.
#[derive(Debug)]
struct Look {
    runtime: Arc<Runtime>,
    /// The resources that are watched, by key.
    watched: BTreeMap<String, Seen>,
}

/// One watched resource, and its files: those of a list by the value of its variable.
#[derive(Debug)]
struct Seen {
    watched: Watched,
    files: BTreeMap<String, FileState>,
}

/// What has changed from one look to the next.
#[derive(Default)]
struct Changes {
    /// What a caller needs to be shown a list that has changed.
    lists: HashSet<Arc<[String]>>,
    resources: Changed,
}

impl Look {
    /// What is there now, and the places that it depends on.
    fn at(runtime: Arc<Runtime>, stop: &CancellationToken) -> (Self, Places) {
        let mut places = Places::default();
        let watched = runtime.watched().into_iter().map(|watched| {
            let files = files(&watched, &mut places, stop);
            let key = watched.resource.key().to_owned();
            (key, Seen { watched, files })
        });
        let watched = watched.collect();
        (Self { runtime, watched }, places)
    }

    /// Keeps what was known of resources that are what they were: what has changed since is still
    /// to be told.
    fn go_on_from(&mut self, before: Self) {
        for (key, known) in before.watched {
            if let Some(seen) = self.watched.get_mut(&key).filter(|seen| seen.is_as(&known)) {
                *seen = known;
            }
        }
    }

    /// What has changed since another look at the same resources.
    fn since(&self, before: &Self) -> Changes {
        let mut changes = Changes::default();
        for (key, seen) in &self.watched {
            if let Some(known) = before.watched.get(key) {
                seen.since(known, &mut changes);
            }
        }
        changes
    }
}

impl Seen {
    fn since(&self, known: &Self, changes: &mut Changes) {
        let now = &self.watched.resource;
        let WatchedFiles::Listed(listing) = &self.watched.files else {
            if self.files != known.files {
                changes.resources.resource(now);
            }
            return;
        };
        if !self.files.keys().eq(known.files.keys()) {
            changes.lists.insert(Arc::clone(now.scopes()));
        }
        let came_or_changed = differing(&self.files, &known.files);
        let went = differing(&known.files, &self.files);
        let values = came_or_changed.chain(went).cloned().collect();
        changes.resources.values(now, &listing.variable, values);
    }

    /// Whether it is declared as it was. Where it is not, the reload has told of all its URIs.
    fn is_as(&self, known: &Self) -> bool {
        self.watched.resource.definition() == known.watched.resource.definition()
    }
}

/// The names of those files that are not the same in the other.
fn differing<'f>(
    files: &'f BTreeMap<String, FileState>,
    other: &'f BTreeMap<String, FileState>,
) -> impl Iterator<Item = &'f String> {
    let differ = files
        .iter()
        .filter(|(name, state)| other.get(*name) != Some(state));
    differ.map(|(name, _)| name)
}

impl Changes {
    fn tell(self, runtime: &Runtime, hub: &Hub) {
        if !self.lists.is_empty() {
            let is_shown = |caller: &Caller| self.lists.iter().any(|scopes| caller.has(scopes));
            hub.list_changed(ListKind::Resources, is_shown);
        }
        if !self.resources.is_empty() {
            tracing::debug!("watched files have changed");
            runtime.forget(&self.resources);
            hub.updated(&self.resources);
        }
    }
}

/// The files of a resource as they are now, found as a read and a list find them. What this depends
/// on is added to the places.
fn files(
    watched: &Watched,
    places: &mut Places,
    stop: &CancellationToken,
) -> BTreeMap<String, FileState> {
    let root = &watched.root;
    let folder = Dir::open_ambient_dir(root, ambient_authority()).ok();
    let one = |state: Option<FileState>| state.map(|state| (String::new(), state));
    match &watched.files {
        WatchedFiles::Named(path) => {
            let path = root.join(path);
            places.path(&path);
            one(FileState::at(&path)).into_iter().collect()
        }
        WatchedFiles::One(path) => {
            places.path(&root.join(path));
            let state = folder.and_then(|folder| FileState::below(&folder, path));
            one(state).into_iter().collect()
        }
        WatchedFiles::Listed(listing) => {
            let Some(folder) = folder else {
                places.everything_in(root);
                return BTreeMap::new();
            };
            let mut seen = |path: &str| places.everything_in(&root.join(path));
            let is_over = || stop.is_cancelled();
            let found = files_below(&folder, &listing.glob, &is_over, &mut seen);
            let files = found.unwrap_or_default().into_iter();
            files
                .filter_map(|file| Some((watched.value(&file.path)?.to_owned(), file.state)))
                .collect()
        }
    }
}
