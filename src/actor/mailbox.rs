//! The mailbox: the only way to an actor. It is a queue with a bound, and what the actor's task has
//! to know beside its messages: that its manifest has changed, that it is to stop.

mod queue;

use super::error::CallError;
use crate::model::Actor;
use queue::Queue;
use serde_json::Value;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, oneshot};

/// How an actor is reached. It stays the same however often the actor is changed, removed and
/// declared again. Cloning is cheap.
#[derive(Clone)]
pub struct Address(Arc<Mailbox>);

/// Where a reply goes. Closed when nobody waits any more.
pub(super) type ReplyTo = oneshot::Sender<Result<Value, CallError>>;

/// One message.
#[derive(Debug)]
pub(super) struct Envelope {
    /// Its name.
    pub(super) message: String,
    /// What goes with it.
    pub(super) payload: Value,
    /// Who waits; `None` is a cast.
    pub(super) reply: Option<ReplyTo>,
}

/// What a task is told beside messages.
#[derive(Debug)]
pub(super) enum Order {
    /// Go on.
    None,
    /// Become this, once the message at hand is done.
    Become(Arc<Actor>),
    /// Handle what waits, then stop.
    Drain,
}

pub(super) struct Mailbox {
    name: String,
    inner: Mutex<Inner>,
    bell: Notify,
}

struct Inner {
    phase: Phase,
    queue: Queue,
    next: Option<Arc<Actor>>,
    /// Why the actor is down.
    down: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// No task reads it.
    Closed,
    Open,
    Draining,
}

impl Address {
    pub(super) fn new(mailbox: &Arc<Mailbox>) -> Self {
        Self(Arc::clone(mailbox))
    }

    /// Sends a message and waits for its reply. Dropping the future gives up the wait.
    ///
    /// # Errors
    /// Why there is no reply.
    pub async fn call(
        &self,
        message: &str,
        payload: Value,
        timeout: Duration,
    ) -> Result<Value, CallError> {
        let (reply, replied) = oneshot::channel();
        self.0.put(message, payload, Some(reply))?;
        match tokio::time::timeout(timeout, replied).await {
            Ok(Ok(result)) => result,
            Ok(Err(_)) => Err(CallError::Absent(self.0.name.clone())),
            Err(_) => Err(CallError::Timeout {
                name: self.0.name.clone(),
                timeout,
            }),
        }
    }

    /// Sends a message that gets no reply. Success means that the mailbox has taken it.
    ///
    /// # Errors
    /// Why the mailbox does not take it.
    pub fn cast(&self, message: &str, payload: Value) -> Result<(), CallError> {
        self.0.put(message, payload, None)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Address").field(&self.0.name).finish()
    }
}

impl Envelope {
    /// What a timer sends.
    pub(super) fn timed(message: String) -> Self {
        Self {
            message,
            payload: Value::Object(serde_json::Map::new()),
            reply: None,
        }
    }

    /// Whether somebody still wants this message handled.
    fn is_wanted(&self) -> bool {
        self.reply.as_ref().is_none_or(|reply| !reply.is_closed())
    }
}

impl Mailbox {
    /// A closed mailbox.
    pub(super) fn new(name: &str) -> Arc<Self> {
        Arc::new(Self {
            name: name.to_owned(),
            inner: Mutex::new(Inner {
                phase: Phase::Closed,
                queue: Queue::new(0),
                next: None,
                down: None,
            }),
            bell: Notify::new(),
        })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    fn put(&self, message: &str, payload: Value, reply: Option<ReplyTo>) -> Result<(), CallError> {
        let name = || self.name.clone();
        let mut inner = self.lock();
        match inner.phase {
            Phase::Closed => return Err(CallError::Absent(name())),
            Phase::Draining => return Err(CallError::Removed(name())),
            Phase::Open => {}
        }
        if let Some(why) = &inner.down {
            return Err(CallError::Down {
                name: name(),
                why: why.clone(),
            });
        }
        let taken = inner.queue.push(Envelope {
            message: message.to_owned(),
            payload,
            reply,
        });
        taken.map_err(|full| full.of(&self.name))?;
        drop(inner);
        self.bell.notify_one();
        Ok(())
    }

    /// Begins to take messages, for a task that is about to read them.
    pub(super) fn open(&self, capacity: usize) {
        let mut inner = self.lock();
        inner.phase = Phase::Open;
        inner.queue.set_capacity(capacity);
        inner.next = None;
        inner.down = None;
    }

    /// Whether no task reads it.
    pub(super) fn is_closed(&self) -> bool {
        self.lock().phase == Phase::Closed
    }

    /// Whether its actor was told to stop.
    pub(super) fn is_draining(&self) -> bool {
        self.lock().phase == Phase::Draining
    }

    /// Whether the actor is down.
    pub(super) fn is_down(&self) -> bool {
        let inner = self.lock();
        inner.phase == Phase::Open && inner.down.is_some()
    }

    /// Tells the task to become another actor; one that was told to stop goes on as that. False when
    /// there is no task any more.
    pub(super) fn become_next(&self, actor: Arc<Actor>) -> bool {
        let mut inner = self.lock();
        if inner.phase == Phase::Closed {
            return false;
        }
        inner.phase = Phase::Open;
        inner.next = Some(actor);
        drop(inner);
        self.bell.notify_one();
        true
    }

    /// Tells the task to handle what waits, then to stop.
    pub(super) fn drain(&self) {
        let mut inner = self.lock();
        if inner.phase == Phase::Open {
            inner.phase = Phase::Draining;
        }
        drop(inner);
        self.bell.notify_one();
    }

    /// Waits for a sign that something is here. May be dropped and called again.
    pub(super) async fn sign(&self) {
        self.bell.notified().await;
    }

    /// What the task is told; that it is to become another only once.
    pub(super) fn order(&self) -> Order {
        let mut inner = self.lock();
        match (inner.next.take(), inner.phase) {
            (Some(actor), _) => Order::Become(actor),
            (None, Phase::Draining) => Order::Drain,
            (None, _) => Order::None,
        }
    }

    /// The actor is up again, with room for so many messages.
    pub(super) fn up(&self, capacity: usize) {
        let mut inner = self.lock();
        inner.queue.set_capacity(capacity);
        inner.down = None;
    }

    /// The actor is down: nothing is taken, and what waits is failed. Gives how many casts there were
    /// among that.
    pub(super) fn down(&self, why: &str) -> usize {
        let mut inner = self.lock();
        inner.down = Some(why.to_owned());
        let waiting = inner.queue.take_all();
        drop(inner);
        let error = CallError::Down {
            name: self.name.clone(),
            why: why.to_owned(),
        };
        let casts = waiting.iter().filter(|envelope| envelope.reply.is_none());
        let casts = casts.count();
        fail(waiting, &error);
        casts
    }

    /// Whether nothing waits.
    pub(super) fn is_empty(&self) -> bool {
        self.lock().queue.is_empty()
    }

    /// Takes the message whose turn it is.
    pub(super) fn take(&self) -> Option<Envelope> {
        self.lock().queue.pop()
    }

    /// Fails the calls that wait. Casts stay.
    pub(super) fn fail_calls(&self, error: &CallError) {
        let calls = self.lock().queue.take_calls();
        fail(calls, error);
    }

    /// Fails everything that waits.
    pub(super) fn fail_all(&self, error: &CallError) {
        let waiting = self.lock().queue.take_all();
        fail(waiting, error);
    }

    /// Closes it when the task was told to stop and nothing is left to do. False: go on.
    pub(super) fn close_when_done(&self) -> bool {
        let mut inner = self.lock();
        let done = inner.phase == Phase::Draining && inner.next.is_none() && inner.queue.is_empty();
        if done {
            inner.phase = Phase::Closed;
        }
        done
    }

    /// Closes it whatever there is; what waits is failed.
    pub(super) fn close(&self) {
        let mut inner = self.lock();
        inner.phase = Phase::Closed;
        let waiting = inner.queue.take_all();
        drop(inner);
        fail(waiting, &CallError::Absent(self.name.clone()));
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Nothing panics between two changes that belong together.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn fail(waiting: Vec<Envelope>, error: &CallError) {
    for reply in waiting.into_iter().filter_map(|envelope| envelope.reply) {
        // Who has gone does not hear it.
        let _gone = reply.send(Err(error.clone()));
    }
}
