//! What becomes of one message as the stream of messages that a transport writes down.

use crate::server::{Part, Parts, Work};
use bytes::Bytes;
use futures_util::stream;
use std::pin::Pin;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Messages beside the answer that may wait to be written.
pub(super) const HELD: usize = 64;

/// To whom messages beside the answer are given.
pub(super) type Notices = mpsc::Sender<Bytes>;

struct Running {
    /// Gives the answer, or none.
    run: Pin<Box<dyn Future<Output = Option<Bytes>> + Send>>,
    heard: mpsc::Receiver<Bytes>,
    /// What it gave, once it has.
    given: Option<Option<Bytes>>,
    cancelled: CancellationToken,
}

/// Work that gives what it tells to its sender, and in the end its answer. It ends without one when it
/// is cancelled.
pub(super) fn work<F>(cancelled: CancellationToken, run: impl FnOnce(Notices) -> F) -> Work
where
    F: Future<Output = Option<Bytes>> + Send + 'static,
{
    let (notices, heard) = mpsc::channel(HELD);
    let running = Running {
        run: Box::pin(run(notices)),
        heard,
        given: None,
        cancelled: cancelled.clone(),
    };
    Work {
        cancelled,
        parts: parts(running),
    }
}

fn parts(running: Running) -> Parts {
    Box::pin(stream::unfold(running, async |mut running| {
        loop {
            if let Some(given) = &mut running.given {
                let part = match running.heard.try_recv() {
                    Ok(notice) => Part::More(notice),
                    Err(_) => Part::Last(given.take()?),
                };
                return Some((part, running));
            }
            tokio::select! {
                biased;
                () = running.cancelled.cancelled() => return None,
                Some(notice) = running.heard.recv() => return Some((Part::More(notice), running)),
                given = &mut running.run => running.given = Some(given),
            }
        }
    }))
}
