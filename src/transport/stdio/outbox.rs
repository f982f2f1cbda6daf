//! Answers on their way out, and what bounds them.
//!
//! A client may be slow to read, or never read. What is held for it has three bounds:
//!
//! - Answers of finished work are queued at once: they have been computed, so keeping them
//!   elsewhere would save nothing. While they hold more than the limit no further work is *begun*.
//!   Its requests stay in flight, of which the session allows so many and refuses the rest; a
//!   cancellation reaches them as ever.
//! - Answers given at once (refusals, errors, ready lists) are counted apart. Only when these hold
//!   more than the limit does reading stop: a client that takes none of them can be told no more.
//!   A large answer of work, however slowly it leaves, never stops the reading.
//! - What work says before its answer is taken from it one by one, and only while its answers are
//!   within the limit; until then the work itself keeps what there is, bounded and up to date.
//! - So what is held is at most twice the limit, one message above each, and the answers of the
//!   work that had begun.

use bytes::Bytes;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

/// What a message costs beside its bytes.
const OVERHEAD: usize = 64;

/// Where a message comes from; each source is counted apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// The session, while a message was read.
    Reading,
    /// Work that finished.
    Work,
}

/// Messages in the order in which they leave. Many put in, one takes out.
#[derive(Debug)]
pub(super) struct Outbox {
    queue: Mutex<Queue>,
    filled: Notify,
    unsent: watch::Sender<Unsent>,
    limit: usize,
}

#[derive(Debug, Default)]
struct Queue {
    messages: VecDeque<Message>,
    closed: bool,
}

/// A message that was taken out, still counted.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Message {
    /// One line without its line feed.
    pub(super) bytes: Bytes,
    source: Source,
}

/// Bytes put in and not yet sent.
#[derive(Clone, Copy, Debug, Default)]
struct Unsent {
    reading: usize,
    work: usize,
}

impl Unsent {
    fn of(&mut self, source: Source) -> &mut usize {
        match source {
            Source::Reading => &mut self.reading,
            Source::Work => &mut self.work,
        }
    }
}

impl Outbox {
    /// An empty one; each source may hold `limit` bytes before it has to wait.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            queue: Mutex::default(),
            filled: Notify::new(),
            unsent: watch::Sender::new(Unsent::default()),
            limit,
        }
    }

    /// Puts a message in. Never waits; whoever makes messages waits beforehand, with
    /// [`Outbox::room`].
    pub(super) fn put(&self, source: Source, bytes: Bytes) {
        self.put_in(self.queue(), source, bytes);
    }

    /// Puts a notification of work in, unless the work is cancelled: so none comes behind what is
    /// put in after the cancellation.
    pub(super) fn put_unless(&self, cancelled: &CancellationToken, bytes: Bytes) {
        let queue = self.queue();
        if !cancelled.is_cancelled() {
            self.put_in(queue, Source::Work, bytes);
        }
    }

    fn put_in(&self, mut queue: MutexGuard<'_, Queue>, source: Source, bytes: Bytes) {
        debug_assert!(!bytes.contains(&b'\n'), "a message is one line");
        let cost = bytes.len() + OVERHEAD;
        self.unsent.send_modify(|unsent| *unsent.of(source) += cost);
        queue.messages.push_back(Message { bytes, source });
        drop(queue);
        self.filled.notify_one();
    }

    /// Waits until what `source` put in and what has not been sent is within the limit.
    pub(super) async fn room(&self, source: Source) {
        let within = |unsent: &Unsent| *unsent.clone().of(source) <= self.limit;
        if !within(&self.unsent.borrow()) {
            // The sender lives as long as this, so the channel does not close.
            let _ = self.unsent.subscribe().wait_for(within).await;
        }
    }

    /// Takes the next message out, when there is one.
    pub(super) fn take(&self) -> Option<Message> {
        self.queue().messages.pop_front()
    }

    /// Takes the next message out, waiting for it. `None` once closed and empty.
    pub(super) async fn next(&self) -> Option<Message> {
        loop {
            {
                let mut queue = self.queue();
                if let Some(message) = queue.messages.pop_front() {
                    return Some(message);
                }
                if queue.closed {
                    return None;
                }
            }
            self.filled.notified().await;
        }
    }

    /// Counts a message that was taken out as sent.
    pub(super) fn sent(&self, message: &Message) {
        let cost = message.bytes.len() + OVERHEAD;
        self.unsent
            .send_modify(|unsent| *unsent.of(message.source) -= cost);
    }

    /// No message will be put in any more.
    pub(super) fn close(&self) {
        self.queue().closed = true;
        self.filled.notify_one();
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        // Nothing panics while it is held.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;

    fn bytes(length: usize) -> Bytes {
        Bytes::from(vec![b'x'; length])
    }

    #[tokio::test]
    async fn messages_leave_in_order_and_end_once_closed() {
        let outbox = Outbox::new(1000);
        outbox.put(Source::Work, bytes(1));
        outbox.put(Source::Reading, bytes(2));
        outbox.close();
        assert_eq!(
            outbox.next().await.map(|message| message.bytes.len()),
            Some(1)
        );
        assert_eq!(
            outbox.next().await.map(|message| message.bytes.len()),
            Some(2)
        );
        assert_eq!(outbox.next().await, None);
    }

    #[tokio::test]
    async fn each_source_waits_for_its_own_messages_to_be_sent() {
        let outbox = Outbox::new(1000);
        outbox.put(Source::Work, bytes(900));
        assert_eq!(outbox.room(Source::Work).now_or_never(), Some(()));
        outbox.put(Source::Work, bytes(900));
        assert_eq!(outbox.room(Source::Work).now_or_never(), None);
        assert_eq!(outbox.room(Source::Reading).now_or_never(), Some(()));
        let room = outbox.room(Source::Work);
        tokio::pin!(room);
        assert_eq!(room.as_mut().now_or_never(), None);
        let first = outbox.next().await.unwrap();
        assert_eq!(room.as_mut().now_or_never(), None);
        outbox.sent(&first);
        room.await;
    }
}
