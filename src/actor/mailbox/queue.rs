//! The messages of a mailbox in the order in which they came, bounded by how many and by how large they
//! are together.

use super::Envelope;
use crate::actor::error::CallError;
use serde_json::Value;
use std::collections::VecDeque;

/// Most bytes of all messages that wait, about. One alone may be larger.
const MOST_BYTES: usize = 64 << 20;

pub(super) struct Queue {
    /// Each with about how many bytes it takes.
    waiting: VecDeque<(Envelope, usize)>,
    bytes: usize,
    capacity: usize,
}

/// Why a message is not taken.
pub(super) enum NoRoom {
    /// There are as many as may be.
    Many(usize),
    /// So many are as large together as they may be.
    Large(usize),
}

impl NoRoom {
    /// As the refusal of the actor of this name.
    pub(super) fn of(self, name: &str) -> CallError {
        let name = name.to_owned();
        match self {
            Self::Many(capacity) => CallError::Full { name, capacity },
            Self::Large(waiting) => CallError::FullOfBytes {
                name,
                waiting,
                bytes: MOST_BYTES,
            },
        }
    }
}

impl Queue {
    /// Empty; so many may wait.
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            waiting: VecDeque::new(),
            bytes: 0,
            capacity,
        }
    }

    /// From now on so many may wait. Those that do stay.
    pub(super) fn set_capacity(&mut self, capacity: usize) {
        self.capacity = capacity;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Takes a message in. When there is no room, those that nobody wants any more make some.
    pub(super) fn push(&mut self, envelope: Envelope) -> Result<(), NoRoom> {
        let bytes = envelope.message.len() + weight(&envelope.payload);
        if self.room(bytes).is_err() {
            self.waiting.retain(|(envelope, _)| envelope.is_wanted());
            self.bytes = self.waiting.iter().map(|(_, bytes)| bytes).sum();
        }
        self.room(bytes)?;
        self.bytes += bytes;
        self.waiting.push_back((envelope, bytes));
        Ok(())
    }

    fn room(&self, bytes: usize) -> Result<(), NoRoom> {
        let waiting = self.waiting.len();
        match waiting {
            _ if waiting >= self.capacity => Err(NoRoom::Many(self.capacity)),
            0 => Ok(()),
            _ if self.bytes + bytes > MOST_BYTES => Err(NoRoom::Large(waiting)),
            _ => Ok(()),
        }
    }

    /// The message whose turn it is. Those that nobody wants any more are passed over.
    pub(super) fn pop(&mut self) -> Option<Envelope> {
        loop {
            let (envelope, bytes) = self.waiting.pop_front()?;
            self.bytes -= bytes;
            if envelope.is_wanted() {
                return Some(envelope);
            }
        }
    }

    /// Takes out everything.
    pub(super) fn take_all(&mut self) -> Vec<Envelope> {
        self.bytes = 0;
        let all = std::mem::take(&mut self.waiting).into_iter();
        all.map(|(envelope, _)| envelope).collect()
    }

    /// Takes out those that somebody waits for; the others stay in their order.
    pub(super) fn take_calls(&mut self) -> Vec<Envelope> {
        let all = std::mem::take(&mut self.waiting).into_iter();
        let (calls, casts): (Vec<_>, Vec<_>) =
            all.partition(|(envelope, _)| envelope.reply.is_some());
        self.bytes = casts.iter().map(|(_, bytes)| bytes).sum();
        self.waiting = casts.into();
        calls.into_iter().map(|(envelope, _)| envelope).collect()
    }
}

/// About how many bytes a value takes in memory.
fn weight(value: &Value) -> usize {
    size_of::<Value>()
        + match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => 0,
            Value::String(text) => text.len(),
            Value::Array(items) => items.iter().map(weight).sum(),
            Value::Object(members) => {
                let members = members.iter();
                let member =
                    |(name, value): (&String, _)| size_of::<String>() + name.len() + weight(value);
                members.map(member).sum()
            }
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use tokio::sync::oneshot;

    fn cast(payload: Value) -> Envelope {
        Envelope {
            message: "m".to_owned(),
            payload,
            reply: None,
        }
    }

    fn large() -> Value {
        json!({ "text": "x".repeat(MOST_BYTES / 3) })
    }

    #[test]
    fn so_many_may_wait() {
        let mut queue = Queue::new(2);
        assert!(queue.push(cast(json!(1))).is_ok());
        assert!(queue.push(cast(json!(2))).is_ok());
        assert!(matches!(queue.push(cast(json!(3))), Err(NoRoom::Many(2))));
        assert_eq!(queue.pop().unwrap().payload, json!(1));
        assert!(queue.push(cast(json!(3))).is_ok());
        queue.set_capacity(1);
        assert!(matches!(queue.push(cast(json!(4))), Err(NoRoom::Many(1))));
        assert_eq!(queue.take_all().len(), 2);
        assert!(queue.is_empty());
    }

    #[test]
    fn and_so_many_bytes() {
        let mut queue = Queue::new(1024);
        assert!(queue.push(cast(large())).is_ok());
        assert!(queue.push(cast(large())).is_ok());
        assert!(matches!(queue.push(cast(large())), Err(NoRoom::Large(2))));
        assert!(queue.push(cast(json!(1))).is_ok());
        queue.pop();
        assert!(queue.push(cast(large())).is_ok());
        // Who is not there any more makes room.
        queue.take_all();
        let (reply, replied) = oneshot::channel();
        let call = |reply| Envelope {
            reply: Some(reply),
            ..cast(large())
        };
        assert!(queue.push(call(reply)).is_ok());
        assert!(queue.push(cast(large())).is_ok());
        drop(replied);
        assert!(queue.push(cast(large())).is_ok());
        assert_eq!(queue.take_calls().len(), 0);
        assert!(matches!(queue.push(cast(large())), Err(NoRoom::Large(2))));
        // One alone is taken however large it is.
        queue.take_all();
        assert!(
            queue
                .push(cast(json!([large(), large(), large(), large()])))
                .is_ok()
        );
        queue.pop();
        assert_eq!(queue.bytes, 0);
    }
}
