//! What the server is doing and how its last reload went: written by whoever does it, read by
//! health checks and metrics, told to the service manager.

use super::Notifier;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// The state of the server as others see it. Clones are one.
#[derive(Clone, Debug)]
pub struct Status(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    notifier: Notifier,
    now: Mutex<Now>,
}

/// Where the server is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It does not serve yet.
    Starting,
    /// It serves.
    Serving,
    /// It finishes what is in flight.
    Stopping,
}

/// What became of the last reload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// There was none yet: what was loaded at the start is served.
    Started,
    /// What the files say is served.
    Reloaded,
    /// The files were read again and say the same.
    Unchanged,
    /// Something is wrong with the files; what was served before still is.
    Refused,
}

/// How many findings the last look at the files had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Errors.
    pub errors: usize,
    /// Warnings.
    pub warnings: usize,
}

/// How often each outcome came of a look at the files that the log speaks of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reloads {
    /// [`Outcome::Reloaded`].
    pub reloaded: u64,
    /// [`Outcome::Unchanged`].
    pub unchanged: u64,
    /// [`Outcome::Refused`].
    pub refused: u64,
}

/// The state at one moment.
#[derive(Clone, Debug)]
pub struct Now {
    /// Where the server is in its life.
    pub phase: Phase,
    /// What is served, in words: `2 tools, 1 prompt`.
    pub components: String,
    /// The number of the runtime that serves: 1 at the start, one more with each swap.
    pub generation: u64,
    /// What became of the last reload.
    pub outcome: Outcome,
    /// When that was.
    pub at: SystemTime,
    /// What was found wrong.
    pub findings: Findings,
    /// How the reloads so far went.
    pub reloads: Reloads,
}

impl Status {
    /// A server that starts with these components and findings.
    pub fn new(notifier: Notifier, components: impl fmt::Display, findings: Findings) -> Self {
        Self(Arc::new(Inner {
            notifier,
            now: Mutex::new(Now {
                phase: Phase::Starting,
                components: components.to_string(),
                generation: 1,
                outcome: Outcome::Started,
                at: SystemTime::now(),
                findings,
                reloads: Reloads::default(),
            }),
        }))
    }

    /// The state as it is now.
    pub fn now(&self) -> Now {
        self.lock().clone()
    }

    /// Connections are accepted, and requests answered.
    pub fn serving(&self) {
        let line = {
            let mut now = self.lock();
            now.phase = Phase::Serving;
            now.to_string()
        };
        self.0.notifier.ready(&line);
    }

    /// A reload that was asked for begins; [`Status::settled`] is to follow whatever comes of it.
    pub fn reloading(&self) {
        self.0.notifier.reloading();
    }

    /// A reload that was asked for is over.
    pub fn settled(&self) {
        let line = self.lock().to_string();
        self.0.notifier.ready(&line);
    }

    /// A look at the files came to this. `components` are those that are served now.
    pub fn looked(&self, outcome: Outcome, components: impl fmt::Display, findings: Findings) {
        let line = {
            let mut now = self.lock();
            let counted = match outcome {
                Outcome::Reloaded => {
                    now.generation += 1;
                    Some(&mut now.reloads.reloaded)
                }
                Outcome::Unchanged => Some(&mut now.reloads.unchanged),
                Outcome::Refused => Some(&mut now.reloads.refused),
                Outcome::Started => None,
            };
            if let Some(count) = counted {
                *count += 1;
            }
            now.outcome = outcome;
            now.at = SystemTime::now();
            now.components = components.to_string();
            now.findings = findings;
            (now.phase == Phase::Serving).then(|| now.to_string())
        };
        if let Some(line) = line {
            self.0.notifier.status(&line);
        }
    }

    /// The server begins to stop. Later calls say nothing.
    pub fn stopping(&self) {
        let line = {
            let mut now = self.lock();
            if now.phase == Phase::Stopping {
                return;
            }
            now.phase = Phase::Stopping;
            now.to_string()
        };
        self.0.notifier.stopping(&line);
    }

    fn lock(&self) -> MutexGuard<'_, Now> {
        // Nothing that can leave it half changed panics while it is held.
        self.0.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Display for Now {
    /// `serving 2 tools; last reload: refused, 1 error`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let phase = match self.phase {
            Phase::Starting => "starting with",
            Phase::Serving => "serving",
            Phase::Stopping => "stopping, had",
        };
        write!(f, "{phase} {}", self.components)?;
        match self.outcome {
            Outcome::Started => {}
            Outcome::Reloaded | Outcome::Unchanged | Outcome::Refused => {
                write!(f, "; last reload: {}", self.outcome.word())?;
            }
        }
        write!(f, "{}", self.findings)
    }
}

impl fmt::Display for Findings {
    /// `, 1 error, 2 warnings`; nothing when there are none.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (count, word) in [(self.errors, "error"), (self.warnings, "warning")] {
            if count > 0 {
                let plural = if count == 1 { "" } else { "s" };
                write!(f, ", {count} {word}{plural}")?;
            }
        }
        Ok(())
    }
}

impl Outcome {
    /// One word, as health checks and metrics have it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Started => "started",
            Self::Reloaded => "reloaded",
            Self::Unchanged => "unchanged",
            Self::Refused => "refused",
        }
    }
}

impl Phase {
    /// One word, as health checks have it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Serving => "serving",
            Self::Stopping => "stopping",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_what_is_served_and_how_the_last_reload_went() {
        let none = Findings::default();
        let status = Status::new(Notifier::default(), "2 tools", none);
        assert_eq!(status.now().to_string(), "starting with 2 tools");
        status.serving();
        assert_eq!(status.now().to_string(), "serving 2 tools");
        let found = Findings {
            errors: 1,
            warnings: 2,
        };
        status.looked(Outcome::Refused, "2 tools", found);
        let line = "serving 2 tools; last reload: refused, 1 error, 2 warnings";
        assert_eq!(status.now().to_string(), line);
        status.looked(Outcome::Reloaded, "3 tools", none);
        let now = status.now();
        assert_eq!(now.to_string(), "serving 3 tools; last reload: reloaded");
        assert_eq!((now.generation, now.reloads.refused), (2, 1));
        status.stopping();
        let line = "stopping, had 3 tools; last reload: reloaded";
        assert_eq!(status.now().to_string(), line);
    }
}
