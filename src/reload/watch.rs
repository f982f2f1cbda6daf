//! When to look: file events where the system gives them, a clock where it does not.

use crate::model::ReloadSettings;
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, Interval, MissedTickBehavior};

/// How often files are looked at when the system refuses to watch them.
const FALLBACK_POLL: Duration = Duration::from_secs(2);

/// Why to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// Something happened to a file, or it is time to poll.
    Files,
    /// SIGHUP: read everything again.
    Hangup,
}

/// A folder or file to be watched.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Watched {
    /// Where.
    pub path: PathBuf,
    /// The folders below it too.
    pub recursive: bool,
}

/// Watches the folders that a load depends on.
#[derive(Debug)]
pub struct Watch {
    watcher: Option<RecommendedWatcher>,
    /// One place is enough: an event only says that it is worth looking.
    events: mpsc::Receiver<()>,
    poll: Option<Interval>,
    /// What is watched, with the device and inode it was when the watch was set.
    following: BTreeMap<Watched, (u64, u64)>,
}

impl Watch {
    /// Nothing is followed yet.
    pub fn new(settings: &ReloadSettings) -> Self {
        let (sender, events) = mpsc::channel(1);
        let watcher = if settings.watch && settings.poll.is_none() {
            make_watcher(sender)
        } else {
            None
        };
        let period = settings
            .poll
            .or_else(|| (settings.watch && watcher.is_none()).then_some(FALLBACK_POLL));
        Self {
            watcher,
            events,
            poll: period.map(ticking),
            following: BTreeMap::new(),
        }
    }

    /// Follows exactly these places from now on. A place that was replaced since (another folder
    /// under the same name) is followed anew.
    pub fn follow(&mut self, wanted: &[Watched]) {
        let Some(watcher) = &mut self.watcher else {
            return;
        };
        let wanted: BTreeMap<Watched, (u64, u64)> = wanted
            .iter()
            .filter_map(|watched| Some((watched.clone(), identity(&watched.path)?)))
            .collect();
        self.following.retain(|watched, known| {
            let keep = wanted.get(watched) == Some(known);
            if !keep {
                // A folder that is gone has taken its watch with it.
                let _ = watcher.unwatch(&watched.path);
            }
            keep
        });
        for (watched, known) in wanted {
            if self.following.contains_key(&watched) {
                continue;
            }
            let mode = if watched.recursive {
                RecursiveMode::Recursive
            } else {
                RecursiveMode::NonRecursive
            };
            match watcher.watch(&watched.path, mode) {
                Ok(()) => {
                    self.following.insert(watched, known);
                }
                Err(error) => {
                    if self.poll.is_none() {
                        tracing::warn!(
                            path = %watched.path.display(),
                            %error,
                            "cannot watch for changes; looking every {} s instead",
                            FALLBACK_POLL.as_secs()
                        );
                        self.poll = Some(ticking(FALLBACK_POLL));
                    }
                }
            }
        }
    }

    /// Waits until it is worth looking.
    pub async fn triggered(&mut self) -> Trigger {
        tokio::select! {
            Some(()) = self.events.recv() => Trigger::Files,
            () = tick(&mut self.poll) => Trigger::Files,
            else => std::future::pending().await,
        }
    }

    /// Waits until nothing has happened for `quiet`, `patience` at the longest.
    pub async fn settle(&mut self, quiet: Duration, patience: Duration) {
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

fn make_watcher(sender: mpsc::Sender<()>) -> Option<RecommendedWatcher> {
    let made = notify::recommended_watcher(move |event: notify::Result<Event>| {
        let worth = match &event {
            Ok(event) => !matches!(event.kind, EventKind::Access(_)),
            Err(_) => true,
        };
        if worth {
            // Full means that a look is due already.
            let _ = sender.try_send(());
        }
    });
    match made {
        Ok(watcher) => Some(watcher),
        Err(error) => {
            tracing::warn!(
                %error,
                "the system gives no file events; looking every {} s instead",
                FALLBACK_POLL.as_secs()
            );
            None
        }
    }
}

fn ticking(period: Duration) -> Interval {
    let mut interval = tokio::time::interval_at(Instant::now() + period, period);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    interval
}

async fn tick(poll: &mut Option<Interval>) {
    match poll {
        Some(interval) => {
            interval.tick().await;
        }
        None => std::future::pending().await,
    }
}

fn identity(path: &Path) -> Option<(u64, u64)> {
    let data = std::fs::metadata(path).ok()?;
    Some((data.dev(), data.ino()))
}
