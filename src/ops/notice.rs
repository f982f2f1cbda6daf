//! What a request says before it is answered.

use super::{InputRequest, LogLevel};
use serde_json::Value;

/// One notification that belongs to a request in flight.
#[derive(Clone, Debug, PartialEq)]
pub enum Notice {
    /// How far the request has come (specification: progress).
    Progress(Progress),
    /// A log message (specification: logging).
    Log(Log),
    /// A question to the caller, which it answers by this id.
    Question(String, InputRequest),
    /// The question of this id, which was sent, is not to be answered any more.
    Withdrawn(String),
}

/// How far a request has come.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// How much is done, in whatever unit; finite, and more than was reported before.
    pub progress: f64,
    /// How much there is to do, in the same unit, when that is known; finite.
    pub total: Option<f64>,
    /// What is being done, for a person to read.
    pub message: Option<String>,
}

/// A log message.
#[derive(Clone, Debug, PartialEq)]
pub struct Log {
    /// How severe it is; no less than the caller asked for.
    pub level: LogLevel,
    /// Who says it.
    pub logger: String,
    /// What is said.
    pub data: Value,
}
