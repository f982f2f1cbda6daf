//! Requests as lines over pipes, so many of them on their way at the same time.

use super::timed;
use crate::measure::Run;
use std::io::{Read as _, Write as _};
use std::process::{ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

/// Requests on their way. They fit a pipe, so writing never waits for what is not read yet.
const WINDOW: usize = 64;
/// Different ids, many more than are on their way.
const IDS: usize = 1024;

/// A program that reads a request a line, and writes an answer a line.
pub struct Lines {
    input: ChildStdin,
    output: ChildStdout,
    /// Lines of requests, and where each ends.
    text: Vec<u8>,
    line: usize,
    next: usize,
    scratch: Vec<u8>,
}

impl Lines {
    /// `request` makes a line of an id; all lines are of the same length.
    pub fn new(pipes: (ChildStdin, ChildStdout), request: impl Fn(usize) -> String) -> Self {
        let lines: Vec<String> = (0..IDS)
            .map(|index| format!("{}\n", request(1000 + index)))
            .collect();
        let line = lines.first().map_or(0, String::len);
        assert!(lines.iter().all(|each| each.len() == line) && line * WINDOW < 1 << 16);
        Self {
            input: pipes.0,
            output: pipes.1,
            text: lines.concat().into_bytes(),
            line,
            next: 0,
            scratch: vec![0; 1 << 17],
        }
    }

    fn send(&mut self, mut count: usize) {
        while count > 0 {
            let some = count.min(IDS - self.next);
            let bytes = self.next * self.line..(self.next + some) * self.line;
            let bytes = self.text.get(bytes).expect("whole lines");
            self.input.write_all(bytes).expect("it reads");
            self.next = (self.next + some) % IDS;
            count -= some;
        }
    }

    /// One request; its answer.
    pub fn ask(&mut self) -> String {
        self.send(1);
        let mut answer = Vec::new();
        while !answer.ends_with(b"\n") {
            let read = self.output.read(&mut self.scratch).expect("it writes");
            assert!(read > 0, "it ended");
            answer.extend_from_slice(self.scratch.get(..read).expect("what was read"));
        }
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// Keeps the window full for so long. Every answer is as long as the first.
    pub fn load(&mut self, time: Duration) -> Run {
        let expected = self.ask().len();
        timed(|| {
            let end = Instant::now() + time;
            let (mut waiting, mut bytes, mut answers) = (WINDOW, 0, Vec::new());
            self.send(WINDOW);
            while waiting > 0 {
                let read = self.output.read(&mut self.scratch).expect("it writes");
                assert!(read > 0, "it ended");
                let seen = self.scratch.get(..read).expect("what was read");
                let came = seen.iter().filter(|byte| **byte == b'\n').count();
                bytes += read;
                answers.extend(std::iter::repeat_n(0, came));
                waiting -= came;
                if Instant::now() < end {
                    self.send(came);
                    waiting += came;
                }
            }
            assert_eq!(bytes, answers.len() * expected, "an answer differs");
            answers
        })
    }
}
