//! The task of one actor, from its start until it stops: the supervisor of its worker, and the only
//! one that touches its state.

mod batch;

use super::declared::Declared;
use super::error::{CallError, StartError};
use super::event::Events;
use super::limiter::{Allowed, Limiter};
use super::mailbox::{Envelope, Mailbox, Order};
use super::restarts::{Restarts, Verdict};
use super::store::{Restored, StateDir, Store};
use super::timers::Timers;
use super::worker::{End, Worker};
use crate::model::{Actor, Body};
use crate::process::Starter;
use crate::shutdown::Shutdown;
use serde_json::{Map, Value};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// How long an actor that was removed may take for what waits in its mailbox.
const DRAINING: Duration = Duration::from_secs(30);

/// What all actors share.
#[derive(Clone, Debug)]
pub(super) struct Host {
    pub(super) shutdown: Shutdown,
    pub(super) starter: Starter,
    /// The folder of states, once an actor has needed it.
    pub(super) dir: Arc<OnceLock<Arc<StateDir>>>,
    /// Whether states are kept at all.
    pub(super) keeps: bool,
    pub(super) events: Events,
}

/// What handles the messages now.
pub(super) enum Running {
    Declared {
        state: Box<Declared>,
        store: Option<Store>,
    },
    Worker(Box<Worker>),
    /// The worker is started again at this time.
    Pausing(Instant),
    /// Nothing does.
    Down,
}

impl Running {
    /// Starts what an actor is made of. `carried` is the state of the one before it, which is newer
    /// than what was saved: that one may not have been kept on disk.
    ///
    /// # Errors
    /// Why it cannot be started.
    pub(super) async fn start(
        actor: &Arc<Actor>,
        host: &Host,
        carried: Option<Map<String, Value>>,
    ) -> Result<Self, StartError> {
        match &actor.body {
            Body::Worker(spec) => {
                let dir = host.dir.get();
                let worker = Worker::start(actor, spec, &host.starter, dir, &host.events).await?;
                Ok(Self::Worker(Box::new(worker)))
            }
            Body::Declared(spec) => {
                let store = match (host.dir.get(), actor.persist && host.keeps) {
                    (_, false) => None,
                    (Some(dir), true) => Some(Store::new(dir, &actor.name)),
                    (None, true) => return Err(super::store::StateError::Nowhere.into()),
                };
                let saved = match &store {
                    Some(store) => restore(actor, store.clone()).await?,
                    None => None,
                };
                Ok(Self::Declared {
                    state: Box::new(Declared::new(spec, carried.or(saved))),
                    store,
                })
            }
        }
    }
}

async fn restore(actor: &Actor, store: Store) -> Result<Option<Map<String, Value>>, StartError> {
    let path = store.path();
    let restored = tokio::task::spawn_blocking(move || store.restore()).await;
    // The blocking thread only ends early when the process does.
    match restored.unwrap_or(Err(super::store::StateError::Nowhere))? {
        Restored::Nothing => Ok(None),
        Restored::Lost(kept) => {
            tracing::warn!(
                actor = actor.name,
                "nothing has been saved since a damaged state was moved to `{}`; the actor begins with \
                 the state in its manifest",
                kept.display()
            );
            Ok(None)
        }
        Restored::State(state) => Ok(Some(state)),
        Restored::Damaged { kept, why } => {
            tracing::error!(
                actor = actor.name,
                "the saved state `{}` is damaged ({why}); it was moved to `{}` and the actor begins \
                 with the state in its manifest; to go back to a copy of your own, stop the server and \
                 put it in the place of the first file",
                path.display(),
                kept.display()
            );
            Ok(None)
        }
    }
}

/// An actor's task.
pub(super) struct Life {
    actor: Arc<Actor>,
    mailbox: Arc<Mailbox>,
    host: Host,
    running: Running,
    timers: Timers,
    restarts: Restarts,
    limiter: Limiter,
    /// The last message was a timer's.
    after_timer: bool,
    /// The last state could not be saved.
    unsaved: bool,
    /// Since when it has been told to stop.
    draining: Option<Instant>,
}

impl Life {
    pub(super) fn new(
        actor: &Arc<Actor>,
        mailbox: &Arc<Mailbox>,
        host: &Host,
        running: Running,
    ) -> Self {
        Self {
            timers: Timers::new(&actor.timers),
            restarts: Restarts::new(actor.supervision),
            actor: Arc::clone(actor),
            mailbox: Arc::clone(mailbox),
            host: host.clone(),
            running,
            limiter: Limiter::new(),
            after_timer: false,
            unsaved: false,
            draining: None,
        }
    }

    /// Lives until the mailbox is closed.
    pub(super) async fn live(mut self) {
        // However this ends, nobody waits for an actor that is no more.
        let closing = Closing(Some(Arc::clone(&self.mailbox)));
        let hurried = self.host.shutdown.hurried().clone();
        tokio::select! {
            biased;
            () = hurried.cancelled() => {
                drop(closing);
                self.stop_running().await;
            }
            // The mailbox is closed, and may be another task's already.
            () = self.go_on() => closing.needless(),
        }
    }

    async fn go_on(&mut self) {
        let mut handled: u32 = 0;
        loop {
            if self.is_idle() {
                match self.mailbox.order() {
                    Order::Become(actor) => {
                        self.draining = None;
                        self.become_next(actor).await;
                        continue;
                    }
                    Order::Drain => {
                        let since = *self.draining.get_or_insert_with(Instant::now);
                        if self.is_drained(since).await {
                            return;
                        }
                    }
                    Order::None => self.draining = None,
                }
                if self.step().await {
                    // A full mailbox must not keep the other tasks of this thread waiting.
                    handled = handled.wrapping_add(1);
                    if handled.is_multiple_of(64) {
                        tokio::task::yield_now().await;
                    }
                    continue;
                }
            } else {
                self.draining = match self.mailbox.is_draining() {
                    true => self.draining.or_else(|| Some(Instant::now())),
                    false => None,
                };
            }
            self.wait().await;
        }
    }

    /// Whether no message is at hand.
    fn is_idle(&self) -> bool {
        match &self.running {
            Running::Worker(worker) => worker.is_idle(),
            _ => true,
        }
    }

    /// Handles what is next, if anything is.
    async fn step(&mut self) -> bool {
        if matches!(self.running, Running::Pausing(_) | Running::Down) {
            return false;
        }
        let Some(envelope) = self.next() else {
            return false;
        };
        match &mut self.running {
            Running::Worker(worker) => worker.give(envelope),
            Running::Declared { .. } => self.handle(envelope).await,
            Running::Pausing(_) | Running::Down => {}
        }
        true
    }

    /// The message whose turn it is. A timer that is always due takes turns with the mailbox.
    fn next(&mut self) -> Option<Envelope> {
        if std::mem::take(&mut self.after_timer)
            && let Some(envelope) = self.mailbox.take()
        {
            return Some(envelope);
        }
        // One that was told to stop only handles what waits.
        let due = match self.draining {
            None => self.timers.take_due(),
            Some(_) => None,
        };
        match due {
            Some(message) => {
                self.after_timer = true;
                Some(Envelope::timed(message))
            }
            None => self.mailbox.take(),
        }
    }

    /// Waits until there may be something to do.
    async fn wait(&mut self) {
        let idle = self.is_idle();
        let stop_at = self.draining.map(|since| since + DRAINING);
        let ended = {
            let running = &mut self.running;
            let is_up = matches!(running, Running::Worker(_) | Running::Declared { .. });
            let is_timed = idle && is_up && self.draining.is_none();
            let timers = &self.timers;
            tokio::select! {
                biased;
                () = self.mailbox.sign() => return,
                () = until(stop_at), if stop_at.is_some() => Served::Late,
                () = timers.due(), if is_timed => return,
                ended = serve(running) => ended,
            }
        };
        match ended {
            Served::Message => {}
            // What is at hand is given up, so that it is drained.
            Served::Late if !idle => self.stop_running().await,
            Served::Late => {}
            Served::Ended(end) => self.ended(end).await,
            Served::Due => self.start_again().await,
        }
    }

    /// Whether an actor that was told to stop has nothing left to do.
    async fn is_drained(&mut self, since: Instant) -> bool {
        let late = since.elapsed() >= DRAINING;
        let can_handle = matches!(self.running, Running::Worker(_) | Running::Declared { .. });
        if late || !can_handle {
            self.mailbox
                .fail_all(&CallError::Removed(self.actor.name.clone()));
        } else if !self.mailbox.is_empty() {
            return false;
        }
        // The process first, so that one that is declared again never meets its predecessor.
        self.stop_running().await;
        // Declared again meanwhile, it goes on, and the order to become that is next.
        self.mailbox.close_when_done()
    }

    async fn become_next(&mut self, actor: Arc<Actor>) {
        let carried = match &self.running {
            Running::Declared { state, .. } if actor.keep_state => Some(state.state().clone()),
            _ => None,
        };
        self.stop_running().await;
        self.timers = Timers::new(&actor.timers);
        self.restarts = Restarts::new(actor.supervision);
        self.actor = actor;
        self.mailbox.up(self.actor.mailbox);
        let is_carried = carried.is_some();
        match Running::start(&self.actor, &self.host, carried).await {
            Ok(running) => self.running = running,
            Err(error) => self.not_started(&error),
        }
        if is_carried {
            // What was carried over may never have been on disk. A failure is said, and the next
            // change tries again.
            let _failed = self.save().await;
        }
    }

    async fn stop_running(&mut self) {
        let running = std::mem::replace(&mut self.running, Running::Down);
        if let Running::Worker(worker) = running {
            worker.stop(&self.host.shutdown).await;
        }
    }

    /// The worker has ended.
    async fn ended(&mut self, end: End) {
        let name = self.actor.name.clone();
        let how = end.how.clone();
        let died = CallError::Died {
            name: name.clone(),
            how: how.clone(),
        };
        self.mailbox.fail_calls(&died);
        self.stop_running().await;
        match self.restarts.after_end(end.failed, Instant::now()) {
            Verdict::Again(pause) => {
                tracing::warn!(actor = name, "the worker {how}; it is started again");
                self.running = Running::Pausing(Instant::now() + pause);
            }
            Verdict::Rest => {
                tracing::info!(actor = name, "the worker {how}; it is not started again");
                self.down(&format!("its worker {how}"));
            }
            Verdict::TooOften => {
                tracing::error!(
                    actor = name,
                    "the worker {how}, too often; the actor is down"
                );
                self.down(&format!("its worker {how}, and has ended too often"));
            }
        }
    }

    async fn start_again(&mut self) {
        match Running::start(&self.actor, &self.host, None).await {
            Ok(running) => {
                self.running = running;
                self.timers = Timers::new(&self.actor.timers);
            }
            Err(error) => self.not_started(&error),
        }
    }

    /// A start that failed counts as an end.
    fn not_started(&mut self, error: &StartError) {
        let name = &self.actor.name;
        let is_worker = matches!(self.actor.body, Body::Worker(_));
        let verdict = match is_worker {
            true => self.restarts.after_end(true, Instant::now()),
            false => Verdict::Rest,
        };
        match verdict {
            Verdict::Again(pause) => {
                tracing::warn!(
                    actor = name,
                    "cannot be started: {error}; it is tried again"
                );
                self.running = Running::Pausing(Instant::now() + pause);
            }
            Verdict::Rest | Verdict::TooOften => {
                tracing::error!(
                    actor = name,
                    "cannot be started: {error}; the actor is down"
                );
                self.down(&format!("it cannot be started: {error}"));
            }
        }
    }

    fn down(&mut self, why: &str) {
        self.running = Running::Down;
        let lost = self.mailbox.down(why);
        if lost > 0 {
            tracing::warn!(
                actor = self.actor.name,
                lost,
                "messages that nobody waits for were lost, because the actor is down"
            );
        }
    }

    /// Says that a message that nobody waits for failed.
    fn unheard(&mut self, message: &str, text: &str) {
        if let Allowed::Yes { left_out } = self.limiter.allow() {
            tracing::warn!(
                actor = self.actor.name,
                message,
                left_out,
                "a message failed: {text}"
            );
        }
    }
}

/// Closes a mailbox whatever happens to its task.
struct Closing(Option<Arc<Mailbox>>);

impl Closing {
    /// The mailbox was closed in order.
    fn needless(mut self) {
        self.0 = None;
    }
}

impl Drop for Closing {
    fn drop(&mut self) {
        if let Some(mailbox) = &self.0 {
            mailbox.close();
        }
    }
}

enum Served {
    /// The message at hand is done.
    Message,
    /// It was told to stop, and has had the time for that.
    Late,
    Ended(End),
    /// It is time to start it again.
    Due,
}

/// Serves what runs until something has happened. May be dropped and called again.
async fn serve(running: &mut Running) -> Served {
    match running {
        Running::Worker(worker) => match worker.serve().await {
            None => Served::Message,
            Some(end) => Served::Ended(end),
        },
        Running::Pausing(due) => {
            sleep_until(*due).await;
            Served::Due
        }
        Running::Declared { .. } | Running::Down => std::future::pending().await,
    }
}

async fn until(when: Option<Instant>) {
    match when {
        Some(when) => sleep_until(when).await,
        None => std::future::pending().await,
    }
}
