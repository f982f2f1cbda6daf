//! What actors tell those who listen beside their callers.

use crate::ops::LogLevel;
use serde_json::Value;
use tokio::sync::broadcast;

/// Most events that wait for one listener. When more come, the oldest are lost and the listener is
/// told how many.
pub const EVENTS: usize = 1024;

/// What a worker tells at any time.
#[derive(Clone, Debug, PartialEq)]
pub enum ActorEvent {
    /// What stands behind this URI has changed.
    ResourceUpdated {
        /// The actor's name.
        actor: String,
        /// The URI.
        uri: String,
    },
    /// A log message. It stands in the daemon's log too.
    Log {
        /// The actor's name.
        actor: String,
        /// How grave it is.
        level: LogLevel,
        /// Any JSON, secrets hidden.
        data: Value,
    },
}

/// Where actors put their events. They never wait for a listener.
#[derive(Clone, Debug)]
pub(super) struct Events(broadcast::Sender<ActorEvent>);

/// Events from the moment of subscribing on.
#[derive(Debug)]
pub struct EventStream(broadcast::Receiver<ActorEvent>);

/// What a listener hears next.
#[derive(Clone, Debug, PartialEq)]
pub enum Heard {
    /// An event.
    Event(ActorEvent),
    /// So many events were lost before the next: anything may have changed meanwhile.
    Lost(u64),
}

impl Events {
    pub(super) fn new() -> Self {
        Self(broadcast::Sender::new(EVENTS))
    }

    pub(super) fn put(&self, event: ActorEvent) {
        // Without a listener there is nobody to tell.
        let _unheard = self.0.send(event);
    }

    pub(super) fn subscribe(&self) -> EventStream {
        EventStream(self.0.subscribe())
    }
}

impl EventStream {
    /// Waits for the next; `None` when no actor can come any more. May be dropped and called again.
    pub async fn next(&mut self) -> Option<Heard> {
        match self.0.recv().await {
            Ok(event) => Some(Heard::Event(event)),
            Err(broadcast::error::RecvError::Lagged(lost)) => Some(Heard::Lost(lost)),
            Err(broadcast::error::RecvError::Closed) => None,
        }
    }
}
