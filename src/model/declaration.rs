//! What a caller is told of a component and of the server.

use serde_json::{Map, Value};
use std::sync::Arc;

/// A tool as `tools/list` shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolDeclaration {
    /// 1 to 128 of `[A-Za-z0-9_.-]`, unique in the server.
    pub name: String,
    /// A name for people.
    pub title: Option<String>,
    /// What it does, for the model.
    pub description: Option<String>,
    /// Icons, in order.
    pub icons: Vec<Icon>,
    /// Behaviour hints.
    pub annotations: ToolAnnotations,
    /// `_meta`; empty when not given.
    pub metadata: Map<String, Value>,
    /// The input schema, verbatim: an object schema.
    pub input_schema: Arc<Value>,
    /// The output schema, verbatim, when there is one.
    pub output_schema: Option<Arc<Value>>,
}

/// Hints about what a tool does; `None` where the manifest says nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolAnnotations {
    /// `title`.
    pub title: Option<String>,
    /// `readOnlyHint`.
    pub read_only: Option<bool>,
    /// `destructiveHint`.
    pub destructive: Option<bool>,
    /// `idempotentHint`.
    pub idempotent: Option<bool>,
    /// `openWorldHint`.
    pub open_world: Option<bool>,
}

/// An icon of a component or of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Icon {
    /// An absolute URI: `https:`, `http:` or `data:`.
    pub src: String,
    /// Its type, when the source's own is missing or generic.
    pub mime_type: Option<String>,
    /// Such as `48x48` or `any`.
    pub sizes: Vec<String>,
    /// The background it is made for.
    pub theme: Option<Theme>,
}

/// The background an icon is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// A light background.
    Light,
    /// A dark background.
    Dark,
}

/// Who the server says it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Identity {
    /// `serverInfo.name`.
    pub name: String,
    /// `serverInfo.version`.
    pub version: String,
    /// `serverInfo.title`.
    pub title: Option<String>,
    /// `instructions`: how to use the server, for the model.
    pub instructions: Option<String>,
}

/// How long and for whom a result may be kept (specification: caching).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cache {
    /// Milliseconds a result counts as fresh.
    pub ttl_ms: u64,
    /// Who may keep it.
    pub scope: CacheScope,
}

/// Who may keep a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheScope {
    /// Anyone, shared caches included.
    Public,
    /// The caller alone.
    Private,
}

/// Whom a block is meant for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
}

/// Hints about a block or a resource.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Annotations {
    /// Whom it is meant for; empty when not said.
    pub audience: Vec<Role>,
    /// 0.0 (optional) to 1.0 (required).
    pub priority: Option<f64>,
    /// An ISO 8601 time.
    pub last_modified: Option<String>,
}
