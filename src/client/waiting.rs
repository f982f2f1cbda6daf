//! Who waits for what on a connection that carries many requests.

use super::error::ClientError;
use crate::protocol::client::{Notice, RpcError};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use tokio::sync::mpsc;

/// How many notifications may wait for one who asked. One place more is kept for the answer.
const HELD: usize = 256;

/// What one who waits hears.
pub(super) enum Heard {
    Notice(Notice),
    Answer(Result<Value, RpcError>),
    Wrong(ClientError),
}

/// The requests under way, by their numbers.
#[derive(Default)]
pub(super) struct Waiting(Mutex<State>);

#[derive(Default)]
struct State {
    asked: HashMap<u64, mpsc::Sender<Heard>>,
    ended: bool,
}

impl Waiting {
    /// From now on what is for this request is heard. Once the connection has ended nothing is.
    pub(super) fn enter(&self, id: u64) -> mpsc::Receiver<Heard> {
        let (sender, receiver) = mpsc::channel(HELD + 1);
        self.with(|state| {
            if !state.ended {
                state.asked.insert(id, sender);
            }
        });
        receiver
    }

    /// Nobody waits for it any more.
    pub(super) fn leave(&self, id: u64) {
        self.with(|state| state.asked.remove(&id));
    }

    /// An answer. Without a number it can be for any, and is for the one if there is only one.
    pub(super) fn answer(&self, id: Option<u64>, outcome: Result<Value, RpcError>) {
        self.with(|state| {
            let only = || match state.asked.len() {
                1 => state.asked.keys().next().copied(),
                _ => None,
            };
            if let Some(sender) = id.or_else(only).and_then(|id| state.asked.remove(&id)) {
                // The place kept for it is free, or nobody listens.
                let _gone = sender.try_send(Heard::Answer(outcome));
            }
        });
    }

    /// A notification to the request that it names, else to all. Who is slow misses some.
    pub(super) fn notice(&self, owner: Option<u64>, notice: &Notice) {
        self.with(|state| {
            for (id, sender) in &state.asked {
                if owner.is_none_or(|owner| owner == *id) && sender.capacity() > 1 {
                    let _gone = sender.try_send(Heard::Notice(notice.clone()));
                }
            }
        });
    }

    /// Nothing more can be read: everybody hears why.
    pub(super) fn fail(&self, error: impl Fn() -> ClientError) {
        self.with(|state| {
            for (_, sender) in state.asked.drain() {
                let _gone = sender.try_send(Heard::Wrong(error()));
            }
            state.ended = true;
        });
    }

    /// Nothing more will come.
    pub(super) fn end(&self) {
        self.with(|state| {
            state.asked.clear();
            state.ended = true;
        });
    }

    fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
