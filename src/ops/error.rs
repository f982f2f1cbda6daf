//! Why a request is answered with a protocol error. Each dialect maps these to its codes.

use super::ClientCapabilities;
use serde_json::Value;
use std::sync::Arc;

/// A protocol error. What a tool itself reports is an outcome, not one of these.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum OpError {
    /// No tool of this name can be called.
    #[error("Unknown tool: {0}")]
    UnknownTool(String),
    /// No prompt of this name can be got.
    #[error("Unknown prompt: {0}")]
    UnknownPrompt(String),
    /// There is no resource of this URI, or none that may be read.
    #[error("Resource not found")]
    ResourceNotFound(String),
    /// The cursor is not one this server gave for this list as it now is.
    #[error("Invalid cursor")]
    InvalidCursor,
    /// The parameters are not of the method's form.
    #[error("Invalid params: {0}")]
    InvalidParams(String),
    /// The method is not known, or its capability is not offered.
    #[error("Method not found: {0}")]
    MethodNotFound(String),
    /// The server itself failed; the message says nothing of its insides.
    #[error("Internal error: {0}")]
    Internal(String),
    /// What a component other than a tool was to do failed; the text is for the caller.
    #[error("{0}")]
    Failed(String),
    /// The caller lacks scopes; these are all that it needs.
    #[error("Insufficient scope: this takes {}", .0.join(" "))]
    Forbidden(Arc<[String]>),
    /// The caller's program cannot do what the component needs of it.
    #[error("Missing required client capability: {}", words(*.0))]
    LacksCapabilities(ClientCapabilities),
    /// An error that the manifest itself declares (`result.protocol_error`).
    #[error("{message}")]
    Declared {
        /// The code, outside the range the specification reserves for itself.
        code: i64,
        /// The message.
        message: String,
        /// `data`, when given.
        data: Option<Value>,
    },
}

fn words(capabilities: ClientCapabilities) -> String {
    capabilities.words().collect::<Vec<_>>().join(", ")
}
