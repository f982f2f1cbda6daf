//! Handling the messages of a declarative actor: one after the other, and with `persist` several
//! before each save, so that a slow disk is waited for once.

use super::{Life, Running};
use crate::actor::declared::NotHandled;
use crate::actor::error::CallError;
use crate::actor::mailbox::{Envelope, ReplyTo};
use crate::model::Body;
use serde_json::Value;
use std::sync::Arc;

/// Most messages that are handled before their state is saved.
const MOST: usize = 64;
/// Most bytes of what they changed, about: until it is saved, what was there before is kept.
const MOST_BYTES: usize = 64 << 20;

/// A message that was handled, and whose reply is held back.
struct Held {
    message: String,
    reply: Option<ReplyTo>,
    result: Result<Value, NotHandled>,
}

impl Life {
    /// Handles a message, and those that wait behind it while nothing is saved.
    pub(super) async fn handle(&mut self, first: Envelope) {
        let actor = Arc::clone(&self.actor);
        let Body::Declared(spec) = &actor.body else {
            return;
        };
        let Running::Declared { state, store } = &mut self.running else {
            return;
        };
        let mut held = Vec::new();
        let mut undo = Vec::new();
        let mut next = Some(first);
        while let Some(envelope) = next {
            let Envelope {
                message,
                payload,
                reply,
            } = envelope;
            let result = state.handle(spec, &message, payload);
            let result = result.map(|handled| {
                undo.push(handled.undo);
                handled.reply
            });
            held.push(Held {
                message,
                reply,
                result,
            });
            next = match store {
                Some(_) if held.len() < MOST && held.len() * state.bytes() < MOST_BYTES => {
                    self.mailbox.take()
                }
                _ => None,
            };
        }
        let changed = undo.iter().any(|members| !members.is_empty());
        if changed && let Err(error) = self.save().await {
            if let Running::Declared { state, .. } = &mut self.running {
                while let Some(members) = undo.pop() {
                    state.undo(members);
                }
            }
            // Where it is kept is not for callers.
            let text = format!("the state cannot be saved: {error}");
            for one in &mut held {
                one.result = Err(NotHandled::Failed(text.clone()));
            }
        }
        for one in held {
            self.tell(one);
        }
    }

    fn tell(&mut self, held: Held) {
        let Held {
            message,
            reply,
            result,
        } = held;
        match (reply, result) {
            (Some(reply), Ok(value)) => {
                // Who has gone does not hear it.
                let _gone = reply.send(Ok(value));
            }
            (Some(reply), Err(NotHandled::Refused(text) | NotHandled::Failed(text))) => {
                let _gone = reply.send(Err(CallError::Failed(text)));
            }
            (None, Err(NotHandled::Failed(text))) => self.unheard(&message, &text),
            // A condition that does not hold is no fault.
            (None, _) => {}
        }
    }

    /// Saves the state of an actor that is kept on disk, and says when that begins to fail and when it
    /// works again.
    pub(super) async fn save(&mut self) -> Result<(), std::io::Error> {
        let Running::Declared {
            state,
            store: Some(store),
        } = &self.running
        else {
            return Ok(());
        };
        let (state, to) = (state.shared(), store.clone());
        let saved = tokio::task::spawn_blocking(move || to.save(&state)).await;
        let saved = saved.unwrap_or_else(|error| Err(std::io::Error::other(error)));
        let actor = &self.actor.name;
        match (&saved, std::mem::replace(&mut self.unsaved, saved.is_err())) {
            (Err(error), false) => tracing::error!(
                actor,
                "the state cannot be saved to `{}`: {error}; until it can be, what would change it \
                 is refused",
                store.path().display()
            ),
            (Ok(()), true) => tracing::info!(actor, "the state can be saved again"),
            _ => {}
        }
        saved
    }
}
