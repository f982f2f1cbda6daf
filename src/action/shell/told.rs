//! A command's output as notifications, while it runs: stdout as progress, stderr as log messages.

use super::lines::Lines;
use super::{Tap, Taps};
use crate::action::Call;
use crate::model::{ProgressSpec, ShellSpec};
use crate::ops::{LogLevel, Notices};
use serde_json::Value;
use std::sync::Arc;

/// The level of what a command says on stderr: which of its lines are errors is not known.
const LEVEL: LogLevel = LogLevel::Info;

/// Who sees the output of this call; nobody, unless the manifest says that there is something to see
/// and the caller asked for it.
pub(super) fn taps(spec: &Arc<ShellSpec>, call: Call<'_>) -> Taps {
    let progress = spec.progress.is_some() && call.notices.wants_progress();
    let log = spec.log && call.notices.wants_log(LEVEL);
    Taps {
        stdout: progress.then(|| {
            tap(Progress {
                lines: Lines::new(call.line_mask()),
                teller: Teller {
                    spec: Arc::clone(spec),
                    notices: call.notices.clone(),
                    count: 0.0,
                },
            })
        }),
        stderr: log.then(|| {
            tap(Log {
                lines: Lines::new(call.line_mask()),
                notices: call.notices.clone(),
                logger: call.name.to_owned(),
            })
        }),
    }
}

/// Sees a stream piece by piece. What it does when it is dropped, it does at the stream's end.
trait See: Send + 'static {
    fn see(&mut self, piece: &[u8]);
}

fn tap(mut seer: impl See) -> Tap {
    Box::new(move |piece| seer.see(piece))
}

struct Progress {
    lines: Lines,
    teller: Teller,
}

struct Teller {
    spec: Arc<ShellSpec>,
    notices: Notices,
    /// Lines so far.
    count: f64,
}

impl See for Progress {
    fn see(&mut self, piece: &[u8]) {
        let teller = &mut self.teller;
        self.lines.push(piece, |line| teller.tell(line));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        let teller = &mut self.teller;
        self.lines.finish(|line| teller.tell(line));
    }
}

impl Teller {
    fn tell(&mut self, line: &str) {
        self.count += 1.0;
        match &self.spec.progress {
            Some(ProgressSpec::Lines) => {
                let message = line.trim();
                let message = (!message.is_empty()).then(|| message.to_owned());
                self.notices.progress(self.count, None, message);
            }
            Some(ProgressSpec::Pattern(pattern)) => {
                if let Some(reached) = pattern.read(line) {
                    let message = reached.message.map(str::to_owned);
                    self.notices
                        .progress(reached.progress, reached.total, message);
                }
            }
            None => {}
        }
    }
}

struct Log {
    lines: Lines,
    notices: Notices,
    logger: String,
}

impl See for Log {
    fn see(&mut self, piece: &[u8]) {
        let (notices, logger) = (&self.notices, &self.logger);
        self.lines.push(piece, |line| log(notices, logger, line));
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        let (notices, logger) = (&self.notices, &self.logger);
        self.lines.finish(|line| log(notices, logger, line));
    }
}

fn log(notices: &Notices, logger: &str, line: &str) {
    // What begins with a NUL is the helper's word that there is no program (see `limits`).
    if !line.trim().is_empty() && !line.starts_with('\0') {
        notices.log(LEVEL, logger, Value::from(line.trim_end()));
    }
}
