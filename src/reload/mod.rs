//! Watching manifests and swapping the runtime.
//!
//! Every trigger (a file event, a poll, SIGHUP) leads to the same path: read everything, and when
//! it is whole, build a runtime and swap. Files decide what changed, never events: an event only
//! says that it is worth looking.

mod apply;
mod awaited;
mod doors;
mod files;
mod places;
mod restart;
mod say;
mod watch;

pub use apply::{Applied, Reloader, State, count};
pub use files::{KnownFiles, watch_files};
pub use say::say;

use crate::model::ReloadSettings;
use crate::service::Status;
use std::panic::AssertUnwindSafe;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;
use watch::{Trigger, Watch};

/// The longest that a burst of events may put a reload off, if it is not twice the quiet waited for.
const PATIENCE: Duration = Duration::from_secs(1);
/// How soon files that were changed while they were read are read again.
const AGAIN: Duration = Duration::from_millis(50);
/// How often that is done before they are left alone for [`RETRY`].
const MAX_AGAIN: u32 = 40;
/// How soon to look again while something is wrong: what is missing may come where nobody watches.
const RETRY: Duration = Duration::from_secs(2);

/// Watches and applies until the token is cancelled. `hangups` brings SIGHUP; `status` hears when
/// what was asked for so has begun and is over.
pub async fn run(
    reloader: Reloader,
    settings: ReloadSettings,
    mut hangups: mpsc::Receiver<()>,
    status: Status,
    stop: CancellationToken,
) {
    let watch = Watch::new(&settings);
    let on = watch.is_on();
    let mut round = Round { reloader, watch };
    // What changed between the first load and the first watch is found by looking once more.
    let mut next = if on { Next::Now } else { Next::Event(None) };
    let mut whole = false;
    let mut asked = false;
    let mut again = 0;
    loop {
        let cause = tokio::select! {
            biased;
            () = stop.cancelled() => return,
            Some(()) = hangups.recv() => {
                whole = true;
                asked = true;
                status.reloading();
                Cause::Look
            }
            cause = round.wait(next, settings.debounce) => cause,
        };
        let looking = tokio::task::spawn_blocking(move || {
            let looked = round.look(cause, whole);
            (round, looked)
        });
        let looked = tokio::select! {
            biased;
            () = stop.cancelled() => return,
            looked = looking => looked,
        };
        // A panic in the look itself was caught there: this is the end of the process.
        let Ok((back, looked)) = looked else { return };
        round = back;
        next = match looked {
            Looked::Nowhere => continue,
            Looked::Unsettled if again < MAX_AGAIN => Next::After(AGAIN),
            Looked::Unwatched if again < MAX_AGAIN => Next::Now,
            Looked::Unsettled | Looked::Refused if on => Next::Event(Some(Instant::now() + RETRY)),
            _ => Next::Event(None),
        };
        (again, whole) = match next {
            Next::After(_) => (again + 1, whole),
            Next::Now => (again + 1, false),
            Next::Event(_) => (0, false),
        };
        // A service manager waits for this, however the reload went.
        if asked && matches!(next, Next::Event(_)) {
            asked = false;
            status.settled();
        }
    }
}

/// When to look again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Now,
    After(Duration),
    /// When something happens, or at that time.
    Event(Option<Instant>),
}

/// Why to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    /// It is worth it.
    Look,
    /// Only if a watched folder has lost its name.
    Check,
}

/// What came of a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Looked {
    /// There was no need to.
    Nowhere,
    /// There is nothing more to do until something happens.
    Done,
    /// It was done, in folders that were not watched before.
    Unwatched,
    /// Something is wrong.
    Refused,
    /// The files are being changed.
    Unsettled,
}

/// What goes from look to look.
struct Round {
    reloader: Reloader,
    watch: Watch,
}

impl Round {
    /// Waits until it may be worth looking. May be dropped and called again.
    async fn wait(&mut self, next: Next, debounce: Duration) -> Cause {
        let trigger = match next {
            Next::Now => return Cause::Look,
            Next::After(pause) => {
                sleep(pause).await;
                return Cause::Look;
            }
            Next::Event(None) => self.watch.triggered().await,
            Next::Event(Some(due)) => tokio::select! {
                trigger = self.watch.triggered() => trigger,
                () = sleep_until(due) => return Cause::Look,
            },
        };
        match trigger {
            Trigger::Files => {
                let patience = PATIENCE.max(debounce.saturating_mul(2));
                self.watch.settle(debounce, patience).await;
                Cause::Look
            }
            Trigger::Check => Cause::Check,
        }
    }

    /// Blocks on the file system.
    fn look(&mut self, cause: Cause, whole: bool) -> Looked {
        if cause == Cause::Check && !self.watch.has_moved() {
            return Looked::Nowhere;
        }
        let looked = std::panic::catch_unwind(AssertUnwindSafe(|| {
            let applied = self.reloader.apply(whole);
            (applied, self.watch.follow(&self.reloader.places()))
        }));
        match looked {
            Ok((Applied::Unsettled, _)) => Looked::Unsettled,
            Ok((_, true)) => Looked::Unwatched,
            Ok((Applied::Refused, false)) => Looked::Refused,
            Ok((Applied::Unchanged | Applied::Swapped, false)) => Looked::Done,
            Err(_) => {
                // The panic hook has said what and where.
                tracing::error!("a reload failed; the server goes on with what it had");
                Looked::Refused
            }
        }
    }
}
