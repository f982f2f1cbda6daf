//! What comes with a request beside its parameters.

use super::{Caller, Input};
pub use crate::model::{ClientCapabilities, ClientCapability};
use std::sync::Arc;

/// Who the caller says it is. Self-reported: for display and templates, never for a decision.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientInfo {
    /// `clientInfo.name`.
    pub name: String,
    /// `clientInfo.version`.
    pub version: String,
}

/// A progress token, echoed exactly as it came: its JSON text, a string or a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgressToken(pub String);

/// The least severity of log notifications that a request asked for (RFC 5424).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// `debug`.
    Debug,
    /// `info`.
    Info,
    /// `notice`.
    Notice,
    /// `warning`.
    Warning,
    /// `error`.
    Error,
    /// `critical`.
    Critical,
    /// `alert`.
    Alert,
    /// `emergency`.
    Emergency,
}

/// W3C trace context from the request's `_meta`, handed on to commands and upstreams.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// `traceparent`.
    pub parent: Option<String>,
    /// `tracestate`.
    pub state: Option<String>,
}

/// One request's surroundings. What templates may ask for is shared with them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Context {
    /// `request.id` in templates: the id's text, without quotes.
    pub request_id: Arc<str>,
    /// `request.method` in templates.
    pub method: &'static str,
    /// The caller, when it named itself.
    pub client: Option<Arc<ClientInfo>>,
    /// What the caller can do, as far as it has said so.
    pub capabilities: ClientCapabilities,
    /// Set when the caller wants progress notifications.
    pub progress: Option<ProgressToken>,
    /// Set when the caller wants log notifications.
    pub log_level: Option<LogLevel>,
    /// Trace context.
    pub trace: Trace,
    /// Who asks: what the transport found out, not what the request says.
    pub caller: Caller,
    /// It is asked while the request runs, where its notifications go, and not by an answer.
    pub asks_in_place: bool,
    /// What the caller brings for questions that it was asked.
    pub input: Input,
}
