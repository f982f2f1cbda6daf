//! What comes of an operation.

use super::{Block, Completion, InputRequired, Payload, Role};
use crate::model::Cache;
use bytes::Bytes;
use serde_json::{Map, Value};
use std::sync::Arc;

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

/// One message of a prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// What is said.
    pub content: Block,
}

/// The result of getting a prompt.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PromptOutcome {
    /// What it is for.
    pub description: Option<String>,
    /// The messages, in order.
    pub messages: Vec<Message>,
    /// Members of the result's `_meta` beside the server's own.
    pub meta: Map<String, Value>,
}

/// One of a resource's contents.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceContent {
    /// Its URI.
    pub uri: String,
    /// Its media type, when known.
    pub mime_type: Option<String>,
    /// What it holds.
    pub payload: Payload,
    /// Its `_meta`; empty when it has none.
    pub meta: Map<String, Value>,
}

/// The result of reading a resource.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceOutcome {
    /// The contents, in order: at least one.
    pub contents: Vec<ResourceContent>,
    /// How long and for whom they may be kept.
    pub cache: Cache,
    /// Members of the result's `_meta` beside the server's own.
    pub meta: Map<String, Value>,
}

/// The answer to an operation that succeeded.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Whole `result` objects: discovery and list pages, mostly written when the runtime was built.
    Ready(Ready),
    /// `tools/call`.
    Tool(ToolOutcome),
    /// `resources/read`.
    Resource(ResourceOutcome),
    /// `prompts/get`.
    Prompt(PromptOutcome),
    /// `completion/complete`.
    Completion(Completion),
    /// Of a tool, a resource or a prompt that asks its caller first.
    NeedsInput(InputRequired),
}

/// One answer as every dialect writes it, made once and shared by all who ask. Only `protocol/`
/// makes and reads it; to everything else it is opaque, so a new dialect changes nothing else.
#[derive(Clone, Debug, PartialEq)]
pub struct Ready(Arc<[Bytes]>);

impl Ready {
    /// Takes the `result` objects, in the dialects' own order.
    pub fn new(renderings: impl Into<Arc<[Bytes]>>) -> Self {
        Self(renderings.into())
    }

    /// The rendering of the dialect at `index`, if it was made.
    pub fn get(&self, index: usize) -> Option<&Bytes> {
        self.0.get(index)
    }
}
