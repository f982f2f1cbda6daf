//! What workers tell beside their answers: which resources have changed.

use tokio::sync::broadcast;

/// Most events that wait for one listener. When more come, the oldest are lost and the listener is
/// told how many.
pub const EVENTS: usize = 1024;

/// Where actors put their events. They never wait for a listener.
#[derive(Clone, Debug)]
pub(super) struct Events(broadcast::Sender<String>);

/// Events from the moment of subscribing on.
#[derive(Debug)]
pub struct EventStream(broadcast::Receiver<String>);

/// What a listener hears next.
#[derive(Clone, Debug, PartialEq)]
pub enum Heard {
    /// What is read at this URI has changed. The URI is as the worker wrote it, and may be anything.
    Updated(String),
    /// So many events were lost before the next: anything may have changed meanwhile.
    Lost(u64),
}

impl Events {
    pub(super) fn new() -> Self {
        Self(broadcast::Sender::new(EVENTS))
    }

    pub(super) fn updated(&self, uri: String) {
        // Without a listener there is nobody to tell.
        let _unheard = self.0.send(uri);
    }

    pub(super) fn subscribe(&self) -> EventStream {
        EventStream(self.0.subscribe())
    }
}

impl EventStream {
    /// Waits for the next; `None` when no actor can come any more. May be dropped and called again.
    pub async fn next(&mut self) -> Option<Heard> {
        match self.0.recv().await {
            Ok(uri) => Some(Heard::Updated(uri)),
            Err(broadcast::error::RecvError::Lagged(lost)) => Some(Heard::Lost(lost)),
            Err(broadcast::error::RecvError::Closed) => None,
        }
    }
}
