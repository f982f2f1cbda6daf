//! A tool, whole.

use super::{ActionSpec, ResultSpec, ToolDeclaration};
use crate::lang::diag::Span;
use crate::lang::schema::{HeaderParam, Schema};
use std::sync::Arc;

/// A tool: what callers are told, what it takes, what it does, what it answers.
#[derive(Debug)]
pub struct Tool {
    /// What `tools/list` shows.
    pub declaration: ToolDeclaration,
    /// The compiled input schema.
    pub input: Arc<Schema>,
    /// Arguments that a caller by HTTP also sends as headers.
    pub mirrored: Vec<HeaderParam>,
    /// The compiled output schema.
    pub output: Option<Arc<Schema>>,
    /// What it does; `None` answers from `result` alone.
    pub action: Option<ActionSpec>,
    /// How the answer is made; `None` is the action's default.
    pub result: Option<ResultSpec>,
    /// Changes whenever anything that `tools/list` shows of it does.
    pub fingerprint: String,
    /// Changes whenever anything that the manifest says of it does, defaults and the files it names
    /// included. Two tools with the same digest are the same, wherever they are declared.
    pub definition: [u8; 32],
    /// Where it was declared, for messages.
    pub at: Span,
}
