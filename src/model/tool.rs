//! A tool, whole.

use super::{ActionSpec, AskSpec, Component, Kind, ResultSpec, ToolDeclaration, WrapSpec};
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
    /// What is asked of the caller before that.
    pub asks: AskSpec,
    /// What is answered when the user declines; `None` is an error that says so.
    pub refused: Option<ResultSpec>,
    /// What stands around the action, the outermost first.
    pub wraps: Vec<WrapSpec>,
    /// How the answer is made; `None` is the action's default.
    pub result: Option<ResultSpec>,
    /// See [`Component::scopes`].
    pub scopes: Arc<[String]>,
    /// See [`Component::fingerprint`].
    pub fingerprint: String,
    /// See [`Component::definition`].
    pub definition: [u8; 32],
    /// See [`Component::at`].
    pub at: Span,
}

impl Component for Tool {
    const KIND: Kind = Kind::Tool;

    fn key(&self) -> &str {
        &self.declaration.name
    }

    fn scopes(&self) -> &Arc<[String]> {
        &self.scopes
    }

    fn action(&self) -> Option<&ActionSpec> {
        self.action.as_ref()
    }

    fn asks(&self) -> &AskSpec {
        &self.asks
    }

    fn wraps(&self) -> &[WrapSpec] {
        &self.wraps
    }

    fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    fn definition(&self) -> &[u8; 32] {
        &self.definition
    }

    fn at(&self) -> &Span {
        &self.at
    }
}
