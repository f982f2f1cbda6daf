//! A prompt, whole.

use super::{ActionSpec, AskSpec, BlockSpec, CompleteSpec, Component, Icon, Kind, Role, WrapSpec};
use crate::lang::diag::Span;
use crate::lang::template::{Template, Tree};
use serde_json::{Map, Value};
use std::sync::Arc;

/// A prompt as `prompts/list` shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct PromptDeclaration {
    /// 1 to 128 of `[A-Za-z0-9_.-]`, unique among the server's prompts.
    pub name: String,
    /// A name for people.
    pub title: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// Icons, in order.
    pub icons: Vec<Icon>,
    /// What it takes, in order.
    pub arguments: Vec<PromptArgument>,
    /// `_meta`; empty when not given.
    pub metadata: Map<String, Value>,
}

/// What a prompt takes: a string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptArgument {
    /// Its name.
    pub name: String,
    /// A name for people.
    pub title: Option<String>,
    /// What it means.
    pub description: Option<String>,
    /// A call without it is refused.
    pub required: bool,
}

/// A prompt: what callers are told, what it does, which messages it gives.
#[derive(Debug)]
pub struct Prompt {
    /// What `prompts/list` shows.
    pub declaration: PromptDeclaration,
    /// What it does; `None` answers from `result` alone.
    pub action: Option<ActionSpec>,
    /// What is asked of the caller before that.
    pub asks: AskSpec,
    /// What is answered when the user declines; `None` is an error that says so.
    pub refused: Option<PromptResultSpec>,
    /// What stands around the action, the outermost first.
    pub wraps: Vec<WrapSpec>,
    /// Which messages it gives; `None` is the action's own answer.
    pub result: Option<PromptResultSpec>,
    /// How arguments are completed, those that are.
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

/// A prompt's `result`.
#[derive(Debug, Default)]
pub struct PromptResultSpec {
    /// What it says.
    pub messages: Option<Vec<MessageSpec>>,
    /// `description` of the answer; the declared one when absent.
    pub description: Option<Template>,
    /// `_meta` of the answer: an object.
    pub metadata: Option<Tree>,
}

/// One message of a prompt.
#[derive(Debug)]
pub struct MessageSpec {
    /// Who says it.
    pub role: Role,
    /// What is said.
    pub content: BlockSpec,
}

impl Component for Prompt {
    const KIND: Kind = Kind::Prompt;

    fn key(&self) -> &str {
        &self.declaration.name
    }

    fn scopes(&self) -> &Arc<[String]> {
        &self.scopes
    }

    fn action(&self) -> Option<&ActionSpec> {
        self.action.as_ref()
    }

    fn completions(&self) -> &[(String, CompleteSpec)] {
        &self.completions
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
