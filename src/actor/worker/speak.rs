//! What is written to a worker, and what of its words is written to the daemon's log.

use crate::actor::limiter::{Allowed, Limiter};
use crate::model::WorkerSpec;
use crate::ops::LogLevel;
use crate::process::read_report;
use crate::secret::Mask;
use bytes::Bytes;
use serde::Serialize;
use serde_json::{Map, Value};

/// How much of a line that is not understood is logged.
const SHOWN: usize = 512;
/// How much of a log message is logged here.
const SHOWN_LOG: usize = 4096;

/// `{"id":7,"call":"add","message":{…}}`, or `{"cast":"add","message":{…}}`.
#[derive(Serialize)]
struct Line<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cast: Option<&'a str>,
    message: &'a Value,
}

/// The line of a call, or without a number of a cast.
pub(super) fn line(id: Option<u64>, name: &str, message: &Value) -> Bytes {
    let line = Line {
        id,
        call: id.map(|_| name),
        cast: id.is_none().then_some(name),
        message,
    };
    // JSON values can always be written as JSON.
    let mut bytes = serde_json::to_vec(&line).unwrap_or_default();
    bytes.push(b'\n');
    bytes.into()
}

/// A worker's words in the daemon's log: bounded, and without secrets.
pub(super) struct Log {
    actor: String,
    mask: Mask,
    has_limits: bool,
    limiter: Limiter,
}

impl Log {
    pub(super) fn new(actor: &str, spec: &WorkerSpec) -> Self {
        let secrets = spec.secrets.iter();
        let secrets: Map<String, Value> = secrets
            .map(|(name, secret)| (name.clone(), secret.reveal().into()))
            .collect();
        Self {
            actor: actor.to_owned(),
            mask: Mask::of_lines(&secrets),
            has_limits: !spec.limits.is_empty(),
            limiter: Limiter::new(),
        }
    }

    /// A line of standard error; `cut` when it is only the beginning of one.
    pub(super) fn error_line(&mut self, bytes: &[u8], cut: bool) {
        let report = [bytes, b"\n"].concat();
        if let Some(error) = self.has_limits.then(|| read_report(&report)).flatten() {
            tracing::error!(
                actor = self.actor,
                "the worker's program cannot be started: {error}"
            );
            return;
        }
        if !bytes.trim_ascii().is_empty() && self.may() {
            let text = self.shown(bytes, cut, usize::MAX);
            tracing::info!(actor = self.actor, "stderr: {text}");
        }
    }

    /// A line of standard output that says nothing; `cut` when it is only the beginning of one.
    pub(super) fn junk(&mut self, bytes: &[u8], cut: bool, why: &str) {
        if self.may() {
            let text = self.shown(bytes, cut, SHOWN);
            tracing::warn!(actor = self.actor, "the worker wrote {why}: {text}");
        }
    }

    /// A log message.
    pub(super) fn said(&mut self, level: LogLevel, data: &Value) {
        if !self.may() {
            return;
        }
        let text = match data {
            Value::String(text) => self.shown(text.as_bytes(), false, SHOWN_LOG),
            data => self.shown(data.to_string().as_bytes(), false, SHOWN_LOG),
        };
        let actor = &self.actor;
        match level {
            LogLevel::Debug => tracing::debug!(actor, "{text}"),
            LogLevel::Info | LogLevel::Notice => tracing::info!(actor, "{text}"),
            LogLevel::Warning => tracing::warn!(actor, "{text}"),
            _ => tracing::error!(actor, "{text}"),
        }
    }

    fn shown(&self, bytes: &[u8], cut: bool, most: usize) -> String {
        // Where it was cut half a secret may stand, which nothing hides.
        let unsure = if cut { self.mask.longest() } else { 0 };
        let sure = bytes.get(..bytes.len().saturating_sub(unsure));
        let text = String::from_utf8_lossy(sure.unwrap_or_default());
        let text = self.mask.hide(text);
        let end = text.floor_char_boundary(most.min(text.len()));
        match text.get(..end) {
            Some(short) if cut || end < text.len() => format!("{short}…"),
            _ => text.into_owned(),
        }
    }

    fn may(&mut self) -> bool {
        match self.limiter.allow() {
            Allowed::No => false,
            Allowed::Yes { left_out } => {
                if left_out > 0 {
                    tracing::warn!(
                        actor = self.actor,
                        left_out,
                        "lines of the worker were left out"
                    );
                }
                true
            }
        }
    }
}
