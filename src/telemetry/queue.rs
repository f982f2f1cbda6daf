//! A bounded queue of lines with a thread that writes them, so that whoever logs never waits.
//!
//! `tracing-appender` has such a queue too. It prints to stdout when it is blocked at the end of
//! the process, and stdout belongs to the protocol; it bounds lines, not bytes.

use std::fmt;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

/// Bytes that wait at the most; as many again may be on their way out.
const MAX_BYTES: usize = 4 << 20;

/// A buffer larger than this is given back once it has been written.
const KEPT_BYTES: usize = 64 << 10;

/// Where lines end up.
pub(super) trait Sink: Send + 'static {
    /// Writes whole lines, all of them; may block for as long as it takes.
    ///
    /// # Errors
    /// When they cannot be written, or not all of them.
    fn put(&mut self, lines: &[u8]) -> io::Result<()>;
}

/// The queue and its thread.
pub(super) struct Queue {
    shared: Arc<Shared>,
    worker: Option<JoinHandle<()>>,
}

/// The end that lines go in at. Each write is taken as one line.
#[derive(Clone)]
pub(super) struct QueueWriter(Arc<Shared>);

struct Shared {
    name: &'static str,
    max_bytes: usize,
    state: Mutex<State>,
    /// There is something to write, or no more will come.
    work: Condvar,
    /// The thread has ended.
    ended: Condvar,
    /// Lines that were refused because the queue was full or closed.
    refused: AtomicU64,
    /// Lines whose writing failed or was given up.
    failed: AtomicU64,
}

#[derive(Default)]
struct State {
    waiting: Batch,
    /// Lines the thread is writing.
    writing: u64,
    closed: bool,
    ended: bool,
}

#[derive(Default)]
struct Batch {
    bytes: Vec<u8>,
    lines: u64,
}

impl Queue {
    /// Starts the thread, which is named after the sink.
    ///
    /// # Errors
    /// When the system has no thread to give.
    pub(super) fn start(name: &'static str, sink: impl Sink) -> io::Result<Self> {
        Self::start_with(name, MAX_BYTES, sink)
    }

    fn start_with(name: &'static str, max_bytes: usize, sink: impl Sink) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            name,
            max_bytes,
            state: Mutex::default(),
            work: Condvar::new(),
            ended: Condvar::new(),
            refused: AtomicU64::new(0),
            failed: AtomicU64::new(0),
        });
        let ours = Ending(Arc::clone(&shared));
        let worker = thread::Builder::new()
            .name(format!("log {name}"))
            .spawn(move || work(&ours.0, sink))?;
        Ok(Self {
            shared,
            worker: Some(worker),
        })
    }

    pub(super) fn writer(&self) -> QueueWriter {
        QueueWriter(Arc::clone(&self.shared))
    }

    /// Lines lost.
    #[cfg(test)]
    fn dropped(&self) -> u64 {
        self.writer().dropped()
    }

    /// No more lines are taken; those that wait are written.
    pub(super) fn close(&self) {
        self.shared.lock().closed = true;
        self.shared.work.notify_one();
    }

    /// Waits for the end of a closed queue's thread until `deadline`. Lines that are not written
    /// by then count as lost, and the thread is left to end with the process.
    pub(super) fn wait(&mut self, deadline: Instant) {
        let bound = deadline.saturating_duration_since(Instant::now());
        let state = self.shared.lock();
        let (state, _) = self
            .shared
            .ended
            .wait_timeout_while(state, bound, |state| !state.ended)
            .unwrap_or_else(PoisonError::into_inner);
        let (ended, left) = (state.ended, state.waiting.lines + state.writing);
        drop(state);
        if !ended {
            self.shared.failed.fetch_add(left, Ordering::Relaxed);
        } else if let Some(worker) = self.worker.take() {
            // A sink's panic has been logged by the hook.
            let _ = worker.join();
        }
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // Without a guard, when setting up failed half-way: nothing waits in the queue then.
        self.close();
    }
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Queue({})", self.shared.name)
    }
}

impl io::Write for &QueueWriter {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.0.push(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl QueueWriter {
    /// What the lines were to be written to.
    pub(super) fn name(&self) -> &'static str {
        self.0.name
    }

    /// Lines lost.
    pub(super) fn dropped(&self) -> u64 {
        let shared = &self.0;
        shared.refused.load(Ordering::Relaxed) + shared.failed.load(Ordering::Relaxed)
    }
}

impl Shared {
    fn push(&self, line: &[u8]) {
        let mut state = self.lock();
        if state.closed || state.waiting.bytes.len() + line.len() > self.max_bytes {
            drop(state);
            self.refused.fetch_add(1, Ordering::Relaxed);
            return;
        }
        state.waiting.bytes.extend_from_slice(line);
        state.waiting.lines += 1;
        drop(state);
        self.work.notify_one();
    }

    /// What waits, swapped with the empty `batch`; `None` once the queue is closed and empty.
    fn next(&self, mut batch: Batch) -> Option<Batch> {
        let mut state = self.lock();
        state.writing = 0;
        while state.waiting.lines == 0 && !state.closed {
            state = self
                .work
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        if state.waiting.lines == 0 {
            return None;
        }
        std::mem::swap(&mut state.waiting, &mut batch);
        state.writing = batch.lines;
        Some(batch)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // The state is whole after any panic: nothing in the locked parts can stop half-way.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Says that the thread has ended, however it ends.
struct Ending(Arc<Shared>);

impl Drop for Ending {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.ended = true;
        // After a sink's panic nothing empties the queue any more. Else nothing is left.
        state.closed = true;
        let left = state.waiting.lines + state.writing;
        drop(state);
        self.0.failed.fetch_add(left, Ordering::Relaxed);
        self.0.ended.notify_all();
    }
}

fn work(shared: &Shared, mut sink: impl Sink) {
    let mut batch = Batch::default();
    let (mut working, mut told) = (true, 0);
    while let Some(mut next) = shared.next(batch) {
        match sink.put(&next.bytes) {
            Ok(()) => working = true,
            Err(error) => {
                shared.failed.fetch_add(next.lines, Ordering::Relaxed);
                // Said once until it works again: the event may come back to this very queue.
                if std::mem::replace(&mut working, false) {
                    tracing::error!(%error, "cannot write to {}", shared.name);
                }
            }
        }
        let refused = shared.refused.load(Ordering::Relaxed);
        if working && refused > told {
            let lines = refused - told;
            told = refused;
            tracing::warn!(
                lines,
                "{} was too slow: log lines were dropped",
                shared.name
            );
        }
        next.bytes.clear();
        next.lines = 0;
        next.bytes.shrink_to(KEPT_BYTES);
        batch = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
    use std::time::Duration;

    /// Hands each batch over and waits until the test has answered it.
    struct Gate {
        out: SyncSender<String>,
        answers: Receiver<io::Result<()>>,
    }

    impl Sink for Gate {
        fn put(&mut self, lines: &[u8]) -> io::Result<()> {
            let text = String::from_utf8(lines.to_vec()).unwrap();
            self.out.send(text).map_err(io::Error::other)?;
            self.answers.recv().map_err(io::Error::other)?
        }
    }

    struct Test {
        queue: Queue,
        batches: Receiver<String>,
        answers: SyncSender<io::Result<()>>,
    }

    fn start(max_bytes: usize) -> Test {
        let (out, batches) = sync_channel(10);
        let (answers, answered) = sync_channel(10);
        let gate = Gate {
            out,
            answers: answered,
        };
        let queue = Queue::start_with("test", max_bytes, gate).unwrap();
        Test {
            queue,
            batches,
            answers,
        }
    }

    impl Test {
        fn log(&self, line: &str) {
            (&self.queue.writer()).write_all(line.as_bytes()).unwrap();
        }

        fn batch(&self) -> String {
            self.batches.recv_timeout(Duration::from_secs(10)).unwrap()
        }
    }

    fn within(seconds: u64) -> Instant {
        Instant::now() + Duration::from_secs(seconds)
    }

    #[test]
    fn lines_come_out_in_order_and_whole() {
        let mut test = start(100);
        test.log("one\n");
        assert_eq!(test.batch(), "one\n");
        test.log("two\n");
        test.log("three\n");
        test.answers.send(Ok(())).unwrap();
        assert_eq!(test.batch(), "two\nthree\n");
        test.answers.send(Ok(())).unwrap();
        test.queue.close();
        test.queue.wait(within(10));
        assert!(test.queue.shared.lock().ended);
        assert_eq!(test.queue.dropped(), 0);
    }

    #[test]
    fn a_blocked_sink_holds_nobody_up_and_drops_are_counted() {
        let test = start(10);
        test.log("first\n");
        assert_eq!(test.batch(), "first\n");
        // The sink is inside its write: ten bytes may wait, all else is dropped at once.
        test.log("12345\n");
        test.log("1234\n");
        test.log("123\n");
        test.log("more than ten bytes\n");
        assert_eq!(test.queue.dropped(), 2);
        test.answers.send(Ok(())).unwrap();
        assert_eq!(test.batch(), "12345\n123\n");
    }

    #[test]
    fn the_end_waits_for_what_is_queued() {
        let mut test = start(100);
        test.log("one\n");
        assert_eq!(test.batch(), "one\n");
        test.log("two\n");
        test.queue.close();
        test.log("late\n");
        test.answers.send(Ok(())).unwrap();
        test.answers.send(Ok(())).unwrap();
        test.queue.wait(within(10));
        assert_eq!(test.batch(), "two\n");
        assert!(test.batches.try_recv().is_err());
        assert_eq!(test.queue.dropped(), 1);
    }

    #[test]
    fn the_end_does_not_wait_for_ever() {
        let mut test = start(100);
        test.log("one\n");
        assert_eq!(test.batch(), "one\n");
        test.log("two\n");
        test.log("three\n");
        test.queue.close();
        test.queue.wait(Instant::now() + Duration::from_millis(10));
        // One is being written, two wait.
        assert_eq!(test.queue.dropped(), 3);
    }

    #[test]
    fn failed_writes_are_counted_and_the_next_is_tried() {
        let test = start(100);
        test.log("one\n");
        assert_eq!(test.batch(), "one\n");
        test.log("two\n");
        test.log("three\n");
        test.answers
            .send(Err(io::ErrorKind::BrokenPipe.into()))
            .unwrap();
        assert_eq!(test.batch(), "two\nthree\n");
        assert_eq!(test.queue.dropped(), 1);
        test.answers
            .send(Err(io::ErrorKind::StorageFull.into()))
            .unwrap();
        test.log("four\n");
        assert_eq!(test.batch(), "four\n");
        assert_eq!(test.queue.dropped(), 3);
        test.answers.send(Ok(())).unwrap();
    }

    #[test]
    fn a_sink_that_panics_ends_its_queue() {
        struct Panics;
        impl Sink for Panics {
            fn put(&mut self, _: &[u8]) -> io::Result<()> {
                panic!("expected by this test")
            }
        }
        let mut queue = Queue::start("test", Panics).unwrap();
        (&queue.writer()).write_all(b"x\n").unwrap();
        queue.wait(within(10));
        assert!(queue.shared.lock().ended);
        (&queue.writer()).write_all(b"y\n").unwrap();
        assert_eq!(queue.dropped(), 2);
    }
}
