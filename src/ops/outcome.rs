//! What comes of an operation.

use super::Block;
use bytes::Bytes;
use serde_json::{Map, Value};

/// The result of calling a tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolOutcome {
    /// The content blocks, in order.
    pub content: Vec<Block>,
    /// `structuredContent`, when the tool gives one. `Some(Value::Null)` is a given null.
    pub structured: Option<Value>,
    /// The tool ran and reports a failure the model can read.
    pub is_error: bool,
    /// Members of the result's `_meta` beside the server's own.
    pub meta: Map<String, Value>,
}

impl ToolOutcome {
    /// A failure the model can read.
    pub fn error(text: impl Into<String>) -> Self {
        Self {
            content: vec![Block::text(text)],
            is_error: true,
            ..Self::default()
        }
    }
}

/// The answer to an operation that succeeded.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// A whole `result` object, written when the runtime was built: discovery and list pages.
    Ready(Bytes),
    /// `tools/call`.
    Tool(ToolOutcome),
}
