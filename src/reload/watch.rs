//! When to look: file events where the system gives them, a clock where it does not.
//!
//! Folders are watched one by one, by their real paths, never with all below them: only the search
//! for manifests knows which matter. A watch sits on a folder, not on its name. When the name goes
//! to another folder, or to a new one with the old one's inode number, the watch is set anew, and
//! the one who set it must look again, because what happened before it was set made no event.

use super::places::{Change, Names, Places};
use crate::model::ReloadSettings;
use notify::event::{MetadataKind, ModifyKind};
use notify::{Config, Event, EventKind, EventKindMask, RecommendedWatcher, RecursiveMode, Watcher};
use std::collections::{HashMap, HashSet};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, Interval, MissedTickBehavior};

/// How often files are looked at when the system refuses to watch them.
const FALLBACK_POLL: Duration = Duration::from_secs(2);
/// How often it is asked whether the watched folders still have their names.
const CHECK: Duration = Duration::from_secs(1);

/// Why to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trigger {
    /// Something happened to a file, or it is time to poll.
    Files,
    /// It is time to ask [`Watch::has_moved`].
    Check,
}

/// Watches the folders that a load depends on.
#[derive(Debug)]
pub(super) struct Watch<W = RecommendedWatcher> {
    watcher: Option<W>,
    /// One place is enough: an event only says that it is worth looking.
    events: mpsc::Receiver<()>,
    shared: Arc<Mutex<Shared>>,
    poll: Option<Interval>,
    check: Option<Interval>,
    /// The folders that are watched, with the device and inode each had then.
    following: HashMap<PathBuf, Identity>,
}

type Identity = (u64, u64);

/// What the watcher's own thread looks at.
#[derive(Debug, Default)]
struct Shared {
    wanted: HashMap<PathBuf, Names>,
    /// Watched folders that were removed or renamed, and their watches perhaps with them.
    lost: HashSet<PathBuf>,
}

impl Watch {
    /// Nothing is followed yet.
    pub(super) fn new(settings: &ReloadSettings) -> Self {
        // Not of access: a manifest's folder may hold the files that its resources read.
        let kinds = Config::default().with_event_kinds(EventKindMask::CORE);
        Self::with(settings, |told| RecommendedWatcher::new(told, kinds))
    }
}

impl<W: Watcher> Watch<W> {
    /// The same with another watcher.
    fn with(
        settings: &ReloadSettings,
        make: impl FnOnce(Box<dyn FnMut(notify::Result<Event>) + Send>) -> notify::Result<W>,
    ) -> Self {
        let (sender, events) = mpsc::channel(1);
        let shared = Arc::new(Mutex::new(Shared::default()));
        let mut poll = settings.poll.filter(|_| settings.watch);
        let mut watcher = None;
        if settings.watch && poll.is_none() {
            match make(told(Arc::clone(&shared), sender)) {
                Ok(made) => watcher = Some(made),
                Err(error) => {
                    say_fallback(&error);
                    poll = Some(FALLBACK_POLL);
                }
            }
        }
        Self {
            check: watcher.is_some().then(|| ticking(CHECK)),
            watcher,
            events,
            shared,
            poll: poll.map(ticking),
            following: HashMap::new(),
        }
    }

    /// Whether anything but SIGHUP makes it look.
    pub(super) fn is_on(&self) -> bool {
        self.watcher.is_some() || self.poll.is_some()
    }

    /// Follows exactly these places from now on. True when some are followed anew: what happened
    /// there before is not known, and it is worth looking again.
    pub(super) fn follow(&mut self, places: &Places) -> bool {
        let Some(watcher) = &mut self.watcher else {
            return false;
        };
        let (wanted, identities) = by_folder(places);
        // Before the watches: nothing that they tell is to be taken for unwanted.
        let lost = {
            let mut shared = lock(&self.shared);
            shared.wanted = wanted;
            std::mem::take(&mut shared.lost)
        };
        self.following.retain(|path, known| {
            // With a folder's watch go those of the folders in it.
            let is_lost = lost.iter().any(|lost| path.starts_with(lost));
            let keep = !is_lost && identities.get(path) == Some(known);
            if !keep {
                // A folder that is gone has taken its watch with it.
                let _ = watcher.unwatch(path);
            }
            keep
        });
        let mut fresh = false;
        for (path, identity) in identities {
            if self.following.contains_key(&path) {
                continue;
            }
            match watcher.watch(&path, RecursiveMode::NonRecursive) {
                Ok(()) => {
                    self.following.insert(path, identity);
                    fresh = true;
                }
                // Gone again: its parent's watch tells.
                Err(_) if !path.exists() => {}
                Err(error) => {
                    if self.poll.is_none() {
                        say_fallback(&error);
                        self.poll = Some(ticking(FALLBACK_POLL));
                    }
                }
            }
        }
        fresh
    }

    /// Whether a followed folder has lost its name to another, or has gone: a folder above it may
    /// have been moved, of which there is no event.
    pub(super) fn has_moved(&self) -> bool {
        let mut following = self.following.iter();
        following.any(|(path, known)| identity(path) != Some(*known))
    }

    /// Waits until it is worth looking; for ever, when nothing but SIGHUP makes it look.
    pub(super) async fn triggered(&mut self) -> Trigger {
        tokio::select! {
            Some(()) = self.events.recv() => Trigger::Files,
            () = tick(&mut self.poll) => Trigger::Files,
            () = tick(&mut self.check) => Trigger::Check,
        }
    }

    /// Waits until nothing has happened for `quiet`, `patience` at the longest.
    pub(super) async fn settle(&mut self, quiet: Duration, patience: Duration) {
        let end = Instant::now() + patience;
        loop {
            let until = (Instant::now() + quiet).min(end);
            match tokio::time::timeout_at(until, self.events.recv()).await {
                Ok(Some(())) if Instant::now() < end => {}
                Ok(None) => {
                    tokio::time::sleep_until(until).await;
                    return;
                }
                _ => return,
            }
        }
    }
}

/// What the watcher calls for each event.
fn told(
    shared: Arc<Mutex<Shared>>,
    sender: mpsc::Sender<()>,
) -> Box<dyn FnMut(notify::Result<Event>) + Send> {
    Box::new(move |event| {
        // An error, or a queue that ran over, can hide anything.
        let worth = match &event {
            Ok(event) if !event.need_rescan() => lock(&shared).is_worth(event),
            _ => true,
        };
        if worth {
            // Full means that a look is due already.
            let _ = sender.try_send(());
        }
    })
}

impl Shared {
    fn is_worth(&mut self, event: &Event) -> bool {
        let Some(change) = change(event.kind) else {
            return false;
        };
        let goes = matches!(
            event.kind,
            EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_))
        );
        let mut worth = false;
        for path in &event.paths {
            if self.wanted.contains_key(path) {
                // The folder itself. Systems that do not name the entry say just this.
                worth = true;
                if goes {
                    self.lost.insert(path.clone());
                }
            }
            let names = path.parent().and_then(|folder| self.wanted.get(folder));
            if let (Some(names), Some(name)) = (names, path.file_name()) {
                worth |= names.concern(name, change);
            }
        }
        worth
    }
}

fn change(kind: EventKind) -> Option<Change> {
    match kind {
        EventKind::Access(_) => None,
        EventKind::Modify(ModifyKind::Metadata(MetadataKind::AccessTime)) => None,
        EventKind::Modify(ModifyKind::Data(_)) => Some(Change::Content),
        _ => Some(Change::Entry),
    }
}

/// The folders that are there, each once: two paths can lead to one (a bind mount), and it has one
/// watch, whose events bear one path.
fn by_folder(places: &Places) -> (HashMap<PathBuf, Names>, HashMap<PathBuf, Identity>) {
    let mut first: HashMap<Identity, &Path> = HashMap::new();
    let mut wanted: HashMap<PathBuf, Names> = HashMap::new();
    for (path, names) in places.folders() {
        if let Some(identity) = identity(path) {
            let path = *first.entry(identity).or_insert(path);
            wanted.entry(path.to_owned()).or_default().merge(names);
        }
    }
    let paths = first.into_iter();
    let identities = paths.map(|(identity, path)| (path.to_owned(), identity));
    (wanted, identities.collect())
}

fn identity(path: &Path) -> Option<Identity> {
    let data = std::fs::metadata(path).ok()?;
    Some((data.dev(), data.ino()))
}

fn say_fallback(error: &notify::Error) {
    tracing::warn!(
        %error,
        "the system does not watch files for us; looking every {} s instead",
        FALLBACK_POLL.as_secs()
    );
}

fn ticking(period: Duration) -> Interval {
    let mut interval = tokio::time::interval_at(Instant::now() + period, period);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    interval
}

async fn tick(interval: &mut Option<Interval>) {
    match interval {
        Some(interval) => {
            interval.tick().await;
        }
        None => std::future::pending().await,
    }
}

/// Nothing panics while the lock is held, so what it guards is whole even if it is poisoned.
fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
