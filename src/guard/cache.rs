//! Answers kept for a while.

use crate::ops::{Answer, Block, Payload};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Most answers kept by one wrapper. Beyond it the oldest goes.
const MOST: usize = 1000;
/// Most bytes of them, about. A larger answer is not kept.
const MOST_BYTES: usize = 16 << 20;

/// Keeps what calls answered. Errors are not kept: who asks again may fare better.
#[derive(Debug)]
pub(super) struct Cache {
    ttl: Duration,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    by_key: HashMap<Arc<str>, One>,
    /// The keys by the order in which their answers came.
    by_age: BTreeMap<u64, Arc<str>>,
    next: u64,
    bytes: usize,
    /// How often everything was forgotten.
    emptied: u64,
}

/// When a call began: what it answers is not kept when everything was forgotten since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Begun(u64);

#[derive(Debug)]
struct One {
    answer: Arc<Answer>,
    until: Instant,
    number: u64,
    bytes: usize,
}

impl Cache {
    /// Empty; answers are kept for `ttl`.
    pub(super) fn new(ttl: Duration) -> Self {
        Self {
            ttl,
            kept: Mutex::default(),
        }
    }

    /// The answer kept under this key, or when the call for it begins.
    ///
    /// # Errors
    /// Nothing is kept.
    pub(super) fn get(&self, key: &str, now: Instant) -> Result<Answer, Begun> {
        let mut kept = self.kept();
        let begun = Begun(kept.emptied);
        let one = kept.by_key.get(key).ok_or(begun)?;
        if one.until <= now {
            kept.remove(key);
            return Err(begun);
        }
        let answer = Arc::clone(&one.answer);
        drop(kept);
        Ok(Answer::clone(&answer))
    }

    /// Keeps an answer, unless it is an error, too large, or of what was before everything was
    /// forgotten.
    pub(super) fn keep(&self, key: String, answer: &Answer, begun: Begun, now: Instant) {
        let Some(bytes) = size(answer).map(|bytes| bytes + key.len()) else {
            return;
        };
        if bytes > MOST_BYTES {
            return;
        }
        let one = Arc::new(answer.clone());
        let key: Arc<str> = key.into();
        let mut kept = self.kept();
        if begun != Begun(kept.emptied) {
            return;
        }
        kept.remove(&key);
        while kept.by_key.len() >= MOST || kept.bytes + bytes > MOST_BYTES {
            let Some((_, oldest)) = kept.by_age.pop_first() else {
                break;
            };
            kept.remove(&oldest);
        }
        let number = kept.next;
        kept.next += 1;
        kept.bytes += bytes;
        kept.by_age.insert(number, Arc::clone(&key));
        let until = now + self.ttl;
        kept.by_key.insert(
            key,
            One {
                answer: one,
                until,
                number,
                bytes,
            },
        );
    }

    /// Forgets everything: what is answered from here on is what is there now.
    pub(super) fn forget(&self) {
        let mut kept = self.kept();
        *kept = Kept {
            emptied: kept.emptied + 1,
            ..Kept::default()
        };
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn remove(&mut self, key: &str) {
        if let Some(one) = self.by_key.remove(key) {
            self.by_age.remove(&one.number);
            self.bytes -= one.bytes;
        }
    }
}

/// About how many bytes an answer takes; `None` when it is not to be kept.
fn size(answer: &Answer) -> Option<usize> {
    const FRAME: usize = 128;
    let content = match answer {
        Answer::Tool(outcome) if outcome.is_error => return None,
        Answer::Ready(_) | Answer::NeedsInput(_) => return None,
        Answer::Tool(outcome) => {
            let structured = outcome.structured.as_ref();
            outcome.content.iter().map(of_block).sum::<usize>()
                + structured.map_or(0, |value| 4 * value.to_string().len())
        }
        Answer::Resource(outcome) => {
            let contents = outcome.contents.iter();
            contents
                .map(|content| FRAME + of_payload(&content.payload))
                .sum()
        }
        Answer::Prompt(outcome) => {
            let messages = outcome.messages.iter();
            messages.map(|message| of_block(&message.content)).sum()
        }
        Answer::Completion(completion) => {
            completion.values.iter().map(|value| value.len() + 24).sum()
        }
    };
    Some(FRAME + content)
}

fn of_block(block: &Block) -> usize {
    const FRAME: usize = 128;
    FRAME
        + match block {
            Block::Text { text, .. } => text.len(),
            Block::Image { data, .. } | Block::Audio { data, .. } => data.as_bytes().len(),
            Block::Resource { payload, .. } => of_payload(payload),
            Block::ResourceLink { resource, .. } => resource.len() * 64,
        }
}

fn of_payload(payload: &Payload) -> usize {
    match payload {
        Payload::Text(text) => text.len(),
        Payload::Blob(data) => data.as_bytes().len(),
    }
}

#[cfg(test)]
mod tests;
