//! Telling those who listen that a watched file has changed.
//!
//! As with manifests, an event only says that it is worth looking: what has changed is found by
//! comparing what is there with what was there at the last look.

use super::PATIENCE;
use super::places::Places;
use super::watch::{Trigger, Watch};
use crate::model::ReloadSettings;
use crate::ops::{Caller, ListKind};
use crate::runtime::{Handle, Hub, Runtime, Watched};
use std::collections::{BTreeMap, HashSet};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How often it is asked whether there is something to watch, while there is nothing.
const IDLE: Duration = Duration::from_secs(1);
/// Names looked at in one folder and all below it, at the most.
const LOOKS: usize = 200_000;
/// How far below a folder files are looked for.
const DEPTH: usize = 32;

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
            let (handle, before) = (handle.clone(), known.take());
            move || {
                let now = Look::at(handle.snapshot());
                let told = before.map(|before| now.since(&before)).unwrap_or_default();
                let fresh = watch.follow(&now.places);
                (watch, now, told, fresh)
            }
        });
        // A panic in the look ends the watching, and is said by the panic hook.
        let Ok((back, now, changes, fresh)) = looking.await else {
            return;
        };
        watch = back;
        changes.tell(&hub);
        let same = Arc::clone(&now.runtime);
        known = Some(now);
        if fresh {
            // What happened before the watch was set made no event.
            continue;
        }
        let worth = async {
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
    /// The resources that are watched, each with its files by URI.
    watched: BTreeMap<String, Files>,
    places: Places,
}

/// The files of one watched resource.
struct Files {
    is_list: bool,
    /// What a caller needs to be shown them.
    scopes: Arc<[String]>,
    by_uri: BTreeMap<String, Stamp>,
}

/// What tells one state of a file from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    identity: (u64, u64),
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

/// What has changed from one look to the next.
#[derive(Default)]
struct Changes {
    /// What a caller needs to be shown a list that has changed.
    lists: HashSet<Arc<[String]>>,
    uris: HashSet<String>,
}

impl Look {
    fn at(runtime: Arc<Runtime>) -> Self {
        let mut places = Places::default();
        let mut watched = BTreeMap::new();
        for each in runtime.watched() {
            let mut by_uri = BTreeMap::new();
            let is_list = match &each {
                Watched::File { path, uri, .. } => {
                    places.path(path);
                    if let Some(stamp) = stamp(path) {
                        by_uri.insert(uri.clone(), stamp);
                    }
                    false
                }
                Watched::Folder { root, .. } => {
                    let mut walk = Walk {
                        looks: 0,
                        places: &mut places,
                        each: &each,
                        found: &mut by_uri,
                    };
                    walk.folder(root, "", DEPTH);
                    true
                }
            };
            let files = Files {
                is_list,
                scopes: each.scopes(),
                by_uri,
            };
            watched.insert(each.key().to_owned(), files);
        }
        Self {
            runtime,
            watched,
            places,
        }
    }

    /// What has changed since another look. A resource that was not watched then tells nothing.
    fn since(&self, before: &Self) -> Changes {
        let mut changes = Changes::default();
        for (key, files) in &self.watched {
            let Some(known) = before.watched.get(key) else {
                continue;
            };
            let mut list = false;
            for (uri, stamp) in &files.by_uri {
                match known.by_uri.get(uri) {
                    Some(same) if same == stamp => {}
                    found => {
                        list |= files.is_list && found.is_none();
                        changes.uris.insert(uri.clone());
                    }
                }
            }
            let gone = known.by_uri.keys();
            for uri in gone.filter(|uri| !files.by_uri.contains_key(*uri)) {
                list |= files.is_list;
                changes.uris.insert(uri.clone());
            }
            if list {
                changes.lists.insert(Arc::clone(&files.scopes));
            }
        }
        changes
    }
}

impl Changes {
    fn tell(self, hub: &Hub) {
        if !self.lists.is_empty() {
            let is_shown = |caller: &Caller| self.lists.iter().any(|scopes| caller.has(scopes));
            hub.list_changed(ListKind::Resources, is_shown);
        }
        if !self.uris.is_empty() {
            tracing::debug!(files = self.uris.len(), "watched files have changed");
            hub.updated_where(|uri| self.uris.contains(uri));
        }
    }
}

/// A walk through a folder whose files are listed.
struct Walk<'w> {
    looks: usize,
    places: &'w mut Places,
    each: &'w Watched,
    found: &'w mut BTreeMap<String, Stamp>,
}

impl Walk<'_> {
    /// `below` is the folder's path from the root, with a `/` at its end unless it is the root.
    fn folder(&mut self, folder: &Path, below: &str, depth: usize) {
        self.places.everything_in(folder);
        let Ok(entries) = std::fs::read_dir(folder) else {
            return;
        };
        for entry in entries.flatten() {
            self.looks += 1;
            if self.looks > LOOKS {
                return;
            }
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            if name.starts_with('.') && !self.each.shows_hidden() {
                continue;
            }
            let path = entry.path();
            let inner = format!("{below}{name}");
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder {
                if let Some(depth) = depth.checked_sub(1) {
                    self.folder(&path, &format!("{inner}/"), depth);
                }
            } else if let Some(uri) = self.each.uri_of(&inner)
                && let Some(stamp) = stamp(&path)
            {
                self.found.insert(uri, stamp);
            }
        }
    }
}

fn stamp(path: &Path) -> Option<Stamp> {
    let data = std::fs::metadata(path).ok().filter(|data| data.is_file())?;
    Some(Stamp {
        identity: (data.dev(), data.ino()),
        size: data.size(),
        modified: (data.mtime(), data.mtime_nsec()),
        changed: (data.ctime(), data.ctime_nsec()),
    })
}
