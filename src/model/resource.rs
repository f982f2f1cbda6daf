//! A resource, whole.

use super::{ActionSpec, Annotations, AskSpec, Cache, CompleteSpec, Component, Icon, Kind};
use super::{PayloadSpec, ProtocolErrorSpec, WrapSpec};
use crate::lang::diag::Span;
use crate::lang::template::{Template, Tree};
use crate::lang::uri_template::UriTemplate;
use serde_json::{Map, Value};
use std::sync::Arc;

/// A resource as `resources/list` shows it, or a template as `resources/templates/list` does.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResourceDeclaration {
    /// The URI, or the URI template.
    pub uri: String,
    /// What it is called; not unique.
    pub name: String,
    /// A name for people.
    pub title: Option<String>,
    /// What it holds.
    pub description: Option<String>,
    /// The media type of its content; of a template, of everything that it matches.
    pub mime_type: Option<String>,
    /// Bytes of its content. A template has none.
    pub size: Option<u64>,
    /// Icons, in order.
    pub icons: Vec<Icon>,
    /// Hints.
    pub annotations: Option<Annotations>,
    /// `_meta`; empty when not given.
    pub metadata: Map<String, Value>,
}

/// A resource: what callers are told, what it does, what it holds.
#[derive(Debug)]
pub struct Resource {
    /// What a list shows.
    pub declaration: ResourceDeclaration,
    /// What it is found by: the URI or the template with scheme and literal host in lower case.
    pub key: String,
    /// Which URIs it answers for; `None` for its own alone.
    pub template: Option<UriTemplate>,
    /// Variables that a file's path is made of and that stand for one segment: what they hold must
    /// be one name.
    pub plain: Vec<String>,
    /// What it does; `None` answers from `result` alone.
    pub action: Option<ActionSpec>,
    /// What is asked of the caller before that.
    pub asks: AskSpec,
    /// What is answered when the user declines; `None` is an error that says so.
    pub refused: Option<ResourceResultSpec>,
    /// What stands around the action, the outermost first.
    pub wraps: Vec<WrapSpec>,
    /// What it holds; `None` is the action's own answer.
    pub result: Option<ResourceResultSpec>,
    /// How long and for whom what was read may be kept; `None` is the server's word.
    pub cache: Option<Cache>,
    /// What is read depends on who reads it, so that nobody else may be given it.
    pub per_caller: bool,
    /// How variables are completed, those that are.
    pub completions: Vec<(String, CompleteSpec)>,
    /// See [`Component::scopes`].
    pub scopes: Arc<[String]>,
    /// See [`Component::fingerprint`].
    pub fingerprint: String,
    /// See [`Component::definition`].
    pub definition: [u8; 32],
    /// See [`Component::at`].
    pub at: Span,
}

impl Resource {
    /// What the URIs begin with that the server keeps for itself, in lower case.
    pub const OWN_SCHEME: &str = "snodo:";
}

/// A resource's `result`.
#[derive(Debug, Default)]
pub struct ResourceResultSpec {
    /// There is no such resource when this holds.
    pub missing: Option<Template>,
    /// The answer is a protocol error.
    pub protocol_error: Option<ProtocolErrorSpec>,
    /// What it holds.
    pub contents: Option<Vec<ContentSpec>>,
    /// `_meta` of the answer: an object.
    pub metadata: Option<Tree>,
}

/// One of a resource's contents.
#[derive(Debug)]
pub struct ContentSpec {
    /// Its URI; the requested one when absent.
    pub uri: Option<Template>,
    /// Its type; the resource's when absent.
    pub mime_type: Option<Template>,
    /// What it holds.
    pub data: ContentData,
    /// Its own `_meta`: an object.
    pub metadata: Option<Tree>,
}

/// What a content holds.
#[derive(Debug)]
pub enum ContentData {
    /// Text, or bytes in base64.
    Payload(PayloadSpec),
    /// A value, as JSON text.
    Json(Tree),
}

impl Component for Resource {
    const KIND: Kind = Kind::Resource;

    fn key(&self) -> &str {
        &self.key
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

    fn completions(&self) -> &[(String, CompleteSpec)] {
        &self.completions
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
