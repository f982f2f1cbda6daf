//! The transport's bounds, and how it ended.

use std::time::Duration;

/// The bounds of one stream of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StdioOptions {
    /// The longest message in bytes, its line ending not counted. A longer one is answered with an
    /// error and skipped.
    pub max_line_bytes: usize,
    /// Bytes of answers that wait for the client to read them. While finished work holds more than
    /// this, no further work is begun; while what was answered at once holds more, nothing is
    /// read.
    pub max_unsent_bytes: usize,
    /// How long work in flight may go on after the end of the input.
    pub eof_grace: Duration,
    /// How long work in flight may go on after the process begins to stop.
    pub grace: Duration,
    /// How long answers may take to leave once the work has ended.
    pub flush: Duration,
}

impl Default for StdioOptions {
    /// 4 MiB, 16 MiB; 2 s, 5 s, 1 s.
    fn default() -> Self {
        Self {
            max_line_bytes: 4 * 1024 * 1024,
            max_unsent_bytes: 16 * 1024 * 1024,
            eof_grace: Duration::from_secs(2),
            grace: Duration::from_secs(5),
            flush: Duration::from_secs(1),
        }
    }
}

/// Why a stream of messages ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The client closed the input: it is done.
    Eof,
    /// The client closed the output: it is gone.
    Closed,
    /// The process stops.
    Shutdown,
}
