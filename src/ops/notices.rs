//! Notifications on their way from what a request does to whoever writes them.
//!
//! One end is the sink that work is handed ([`Notices`]), the other is read while the work runs
//! ([`Waiting`]). Between them stands a bounded queue, which keeps the protocol's rules (see
//! `queue`). For a caller who wants no notification there is no queue, and the sink is a null
//! pointer.

mod queue;

pub use queue::Take;

use super::notice::{Log, Progress};
use super::{Context, InputRequest, LogLevel, Notice};
use futures_util::task::AtomicWaker;
use queue::Queue;
use serde_json::Value;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Instant;
use tokio_util::sync::CancellationToken;

/// Where the work of one request says how it goes. What the caller did not ask for is dropped here,
/// so nobody else needs to know what it asked for. Never blocks. Clones are one.
#[derive(Clone, Debug, Default)]
pub struct Notices(Option<Arc<Shared>>);

/// The other end. Dropping it ends the notifications of the request: what is said later is lost.
#[derive(Debug)]
pub struct Waiting(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    progress: bool,
    level: Option<LogLevel>,
    queue: Mutex<Option<Queue>>,
    filled: AtomicWaker,
    /// Cancelled once nobody reads.
    unread: CancellationToken,
}

impl Notices {
    /// A sink for a caller who wants nothing.
    pub const fn none() -> Self {
        Self(None)
    }

    /// Both ends for the request; `None` when its caller sent no progress token and asked for no
    /// log level, and it is not asked itself while it runs.
    pub fn of(context: &Context) -> Option<(Self, Waiting)> {
        let wants_any = context.progress.is_some() || context.log_level.is_some();
        if !wants_any && !context.asks_in_place {
            return None;
        }
        let shared = Arc::new(Shared {
            progress: context.progress.is_some(),
            level: context.log_level,
            queue: Mutex::new(Some(Queue::default())),
            filled: AtomicWaker::new(),
            unread: CancellationToken::new(),
        });
        Some((Self(Some(Arc::clone(&shared))), Waiting(shared)))
    }

    /// Whether the caller sent a progress token.
    pub fn wants_progress(&self) -> bool {
        self.0.as_ref().is_some_and(|shared| shared.progress)
    }

    /// Whether the caller wants log messages of this level.
    pub fn wants_log(&self, level: LogLevel) -> bool {
        let least = self.0.as_ref().and_then(|shared| shared.level);
        least.is_some_and(|least| level >= least)
    }

    /// Reports how far the request has come. A report that is not finite, or not above every one
    /// before it, is dropped; of several between two notifications the last is sent.
    pub fn progress(&self, progress: f64, total: Option<f64>, message: Option<String>) {
        if let Some(shared) = &self.0
            && shared.progress
        {
            shared.put(|queue| {
                queue.progress(Progress {
                    progress,
                    total: total.filter(|total| total.is_finite()),
                    message,
                })
            });
        }
    }

    /// Asks the caller, who answers by this id. No question is ever left out: there are few of them.
    pub fn question(&self, id: &str, request: InputRequest) {
        if let Some(shared) = &self.0 {
            shared.put(|queue| queue.question(Notice::Question(id.to_owned(), request)));
        }
    }

    /// Says that a question is not to be answered any more.
    pub fn withdraw(&self, id: &str) {
        if let Some(shared) = &self.0 {
            shared.put(|queue| queue.withdraw(id.to_owned()));
        }
    }

    /// Waits until nobody reads any more what is said. For ever, where nobody ever did.
    pub async fn unread(&self) {
        match &self.0 {
            Some(shared) => shared.unread.cancelled().await,
            None => std::future::pending().await,
        }
    }

    /// Says something at a level. Beyond the bounds it is counted instead, and the count is told.
    pub fn log(&self, level: LogLevel, logger: &str, data: Value) {
        if self.wants_log(level)
            && let Some(shared) = &self.0
        {
            let logger = logger.to_owned();
            let log = Log {
                level,
                logger,
                data,
            };
            shared.put(|queue| queue.log(log, Instant::now()));
        }
    }
}

impl Waiting {
    /// Takes the next notification that is due at `now`. `waker` is woken when another comes.
    pub fn take(&self, waker: &Waker, now: Instant) -> Take {
        self.0.filled.register(waker);
        let mut queue = self.0.queue();
        queue
            .as_mut()
            .map_or(Take::Nothing, |queue| queue.take(now))
    }

    /// Takes what is left, due or not: the answer comes next.
    pub fn take_rest(&self) -> Option<Notice> {
        self.0.queue().as_mut().and_then(Queue::take_rest)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        *self.0.queue() = None;
        self.0.unread.cancel();
    }
}

impl Shared {
    fn put(&self, put: impl FnOnce(&mut Queue) -> bool) {
        if self.queue().as_mut().is_some_and(put) {
            self.filled.wake();
        }
    }

    fn queue(&self) -> MutexGuard<'_, Option<Queue>> {
        // Nothing panics while it is held.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::ProgressToken;
    use futures_util::task::noop_waker;
    use serde_json::json;

    fn context(token: bool, level: Option<LogLevel>) -> Context {
        Context {
            progress: token.then(|| ProgressToken("1".into())),
            log_level: level,
            ..Context::default()
        }
    }

    #[test]
    fn who_asked_for_nothing_has_no_queue() {
        assert!(Notices::of(&context(false, None)).is_none());
        let none = Notices::none();
        assert!(!none.wants_progress() && !none.wants_log(LogLevel::Emergency));
        none.progress(1.0, None, None);
        none.log(LogLevel::Emergency, "x", json!("x"));
    }

    #[test]
    fn only_what_was_asked_for_comes_through() {
        let (sink, waiting) = Notices::of(&context(false, Some(LogLevel::Warning))).unwrap();
        sink.progress(1.0, None, None);
        sink.log(LogLevel::Notice, "x", json!("low"));
        sink.log(LogLevel::Warning, "x", json!("high"));
        let Some(Notice::Log(log)) = waiting.take_rest() else {
            panic!("no log")
        };
        assert_eq!(log.data, json!("high"));
        assert_eq!(waiting.take_rest(), None);

        let (sink, waiting) = Notices::of(&context(true, None)).unwrap();
        sink.log(LogLevel::Emergency, "x", json!("x"));
        assert_eq!(waiting.take_rest(), None);
        sink.progress(1.0, Some(f64::NAN), None);
        assert_eq!(
            waiting.take_rest(),
            Some(Notice::Progress(Progress {
                progress: 1.0,
                total: None,
                message: None
            }))
        );
    }

    #[test]
    fn nothing_is_kept_once_nobody_reads() {
        let (sink, waiting) = Notices::of(&context(true, Some(LogLevel::Debug))).unwrap();
        let waker = noop_waker();
        assert!(matches!(
            waiting.take(&waker, Instant::now()),
            Take::Nothing
        ));
        let shared = Arc::clone(&waiting.0);
        drop(waiting);
        sink.progress(1.0, None, None);
        sink.log(LogLevel::Error, "x", json!("x"));
        assert!(shared.queue().is_none());
    }
}
