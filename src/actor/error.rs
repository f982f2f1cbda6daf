//! Why a message was not handled, and why an actor did not start.

use super::store::StateError;
use crate::process::ProcessError;
use crate::units::{Size, Time};
use std::time::Duration;

/// Why a message got no reply. Each names the actor, for the model to read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// No such actor runs.
    #[error("the actor `{0}` is not there")]
    Absent(String),
    /// It was removed and handles what it had taken before.
    #[error("the actor `{0}` is being removed")]
    Removed(String),
    /// It is not running and will not be started again by itself.
    #[error("the actor `{name}` is down: {why}")]
    Down {
        /// Its name.
        name: String,
        /// How it came to that.
        why: String,
    },
    /// As many messages wait as may.
    #[error("the mailbox of the actor `{name}` is full: {capacity} messages wait")]
    Full {
        /// Its name.
        name: String,
        /// How many may wait.
        capacity: usize,
    },
    /// Those that wait are as large together as they may be.
    #[error("the mailbox of the actor `{name}` is full: {waiting} messages of {} together wait", Size(*.bytes))]
    FullOfBytes {
        /// Its name.
        name: String,
        /// How many wait.
        waiting: usize,
        /// How many bytes may wait.
        bytes: usize,
    },
    /// No reply within the caller's time. The message may have been handled, or may yet be.
    #[error("the actor `{name}` did not answer within {}", Time(*.timeout))]
    Timeout {
        /// Its name.
        name: String,
        /// How long was waited.
        timeout: Duration,
    },
    /// Its worker ended before it answered.
    #[error("the worker of the actor `{name}` {how} before it answered")]
    Died {
        /// Its name.
        name: String,
        /// How it ended: `ended with exit code 1`.
        how: String,
    },
    /// The handler refused or failed, or the worker said so. The text is theirs.
    #[error("{0}")]
    Failed(String),
}

/// Why an actor could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Its worker could not be.
    #[error("{0}")]
    Process(#[from] ProcessError),
    /// Its state could not be restored.
    #[error("{0}")]
    State(#[from] StateError),
}
