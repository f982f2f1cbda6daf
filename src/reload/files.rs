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
use crate::runtime::{Changed, Handle, Hub, Runtime, Watched, WatchedFiles};
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How often it is asked whether there is something to watch, while there is nothing.
const IDLE: Duration = Duration::from_secs(1);

/// Watches the files of resources that say so, whatever runtime serves, until the token is
/// cancelled.
pub async fn watch_files(
    handle: Handle,
    hub: Hub,
    settings: ReloadSettings,
    stop: CancellationToken,
) {
    // Nothing is asked of the system before there is something to watch.
    while !handle.snapshot().watches() {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(IDLE) => {}
        }
    }
    let mut watch = Watch::new(&settings);
    let mut known: Option<Look> = None;
    loop {
        let looking = tokio::task::spawn_blocking({
            let (handle, before, stop) = (handle.clone(), known.take(), stop.clone());
            move || {
                let now = Look::at(handle.snapshot(), &stop);
                let told = before.map(|before| now.since(&before)).unwrap_or_default();
                let fresh = watch.follow(&now.places);
                (watch, now, told, fresh)
            }
        });
        // A panic in the look ends the watching, and is said by the panic hook.
        let Ok((back, now, changes, fresh)) = looking.await else {
            return;
        };
        if stop.is_cancelled() {
            // The look may have ended early, and would take what it did not see for gone.
            return;
        }
        watch = back;
        changes.tell(&hub);
        let same = Arc::clone(&now.runtime);
        known = Some(now);
        let worth = async {
            if fresh {
                // What happened before the watch was set made no event.
                watch.settle(settings.debounce, PATIENCE).await;
                return;
            }
            loop {
                match watch.triggered().await {
                    Trigger::Files => {
                        watch.settle(settings.debounce, PATIENCE).await;
                        return;
                    }
                    Trigger::Check => {
                        if watch.has_moved() || !Arc::ptr_eq(&handle.snapshot(), &same) {
                            return;
                        }
                    }
                }
            }
        };
        tokio::select! {
            () = stop.cancelled() => return,
            () = worth => {}
        }
    }
}

/// What is there.
struct Look {
    runtime: Arc<Runtime>,
    /// The resources that are watched, by key.
    watched: BTreeMap<String, Seen>,
    places: Places,
}

/// One watched resource, and its files: those of a list by the value of its variable.
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
    fn at(runtime: Arc<Runtime>, stop: &CancellationToken) -> Self {
        let mut places = Places::default();
        let watched = runtime.watched().into_iter().map(|watched| {
            let files = files(&watched, &mut places, stop);
            let key = watched.resource.key().to_owned();
            (key, Seen { watched, files })
        });
        let watched = watched.collect();
        Self {
            runtime,
            watched,
            places,
        }
    }

    /// What has changed since another look. A resource that was not watched then tells nothing.
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
            if self.is_as(known) && self.files != known.files {
                changes.resources.resource(now);
            }
            return;
        };
        if !self.files.keys().eq(known.files.keys()) {
            changes.lists.insert(Arc::clone(now.scopes()));
        }
        if self.is_as(known) {
            let came_or_changed = differing(&self.files, &known.files);
            let went = differing(&known.files, &self.files);
            let values = came_or_changed.chain(went).cloned().collect();
            changes.resources.values(now, &listing.variable, values);
        }
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
    fn tell(self, hub: &Hub) {
        if !self.lists.is_empty() {
            let is_shown = |caller: &Caller| self.lists.iter().any(|scopes| caller.has(scopes));
            hub.list_changed(ListKind::Resources, is_shown);
        }
        if !self.resources.is_empty() {
            tracing::debug!("watched files have changed");
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
