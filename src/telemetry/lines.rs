//! Lines that are no events of the log, and what became of all of them.

use super::escape::Escape;
use super::queue::QueueWriter;
use std::fmt::Write as _;
use std::io::Write as _;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime as _, SystemTime};

/// Where lines go: a bounded queue. Putting one in never waits; a full queue drops it and counts it.
#[derive(Clone)]
pub struct Lines(QueueWriter);

impl Lines {
    pub(super) fn new(queue: QueueWriter) -> Self {
        Self(queue)
    }

    /// Puts a line in, control characters escaped.
    pub fn put(&self, text: &str) {
        let mut line = String::with_capacity(text.len() + 1);
        // A string takes everything.
        let _infallible = Escape(&mut line).write_str(text);
        line.push('\n');
        let _counted = (&self.0).write_all(line.as_bytes());
    }

    /// The time now, as the log writes it (UTC, RFC 3339).
    pub fn now() -> String {
        let mut text = String::new();
        let _infallible = SystemTime.format_time(&mut Writer::new(&mut text));
        text
    }
}

impl std::fmt::Debug for Lines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Lines")
    }
}

/// How many lines were lost so far: those that found a queue full and those whose writing failed. A
/// line that was to go to stderr and to a file counts for each.
#[derive(Clone, Default)]
pub struct Dropped(Vec<QueueWriter>);

impl Dropped {
    pub(super) fn of(queues: Vec<QueueWriter>) -> Self {
        Self(queues)
    }

    /// In all.
    pub fn total(&self) -> u64 {
        self.0.iter().map(QueueWriter::dropped).sum()
    }

    /// By the name of what was to be written to.
    pub fn each(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.0.iter().map(|queue| (queue.name(), queue.dropped()))
    }
}

impl std::fmt::Debug for Dropped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.each()).finish()
    }
}
