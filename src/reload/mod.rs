//! Watching manifests and swapping the runtime.
//!
//! Every trigger (a file event, a poll, SIGHUP) leads to the same path: read everything, and when
//! it is whole, build a runtime and swap. Files decide what changed, never events: an event only
//! says that it is worth looking.

mod apply;
mod watch;

pub use apply::{Applied, Reloader, State};
pub use watch::{Trigger, Watch, Watched};

use crate::model::ReloadSettings;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// The longest that a burst of events may put a reload off.
const PATIENCE: Duration = Duration::from_secs(1);
/// How soon a set that changed while it was read is read again.
const AGAIN: Duration = Duration::from_millis(50);
/// How often a set that keeps changing is read again before the next event is waited for.
const MAX_AGAIN: u32 = 20;

/// Watches and applies until the token is cancelled. `hangups` brings SIGHUP.
pub async fn run(
    mut reloader: Reloader,
    settings: ReloadSettings,
    mut hangups: mpsc::Receiver<()>,
    stop: CancellationToken,
) {
    let mut watch = Watch::new(&settings);
    watch.follow(&reloader.watched());
    // What changed between the first load and the first watch is found by looking once more.
    let mut next = Some(Trigger::Files);
    let mut again = 0;
    loop {
        let trigger = match next.take() {
            Some(trigger) => trigger,
            None => tokio::select! {
                () = stop.cancelled() => return,
                trigger = watch.triggered() => trigger,
                Some(()) = hangups.recv() => Trigger::Hangup,
            },
        };
        if trigger == Trigger::Files {
            watch.settle(settings.debounce, PATIENCE).await;
        }
        let applied = reloader.apply(trigger == Trigger::Hangup).await;
        watch.follow(&reloader.watched());
        if applied == Applied::Unsettled && again < MAX_AGAIN {
            again += 1;
            tokio::time::sleep(AGAIN).await;
            next = Some(Trigger::Files);
        } else {
            again = 0;
        }
        if stop.is_cancelled() {
            return;
        }
    }
}
