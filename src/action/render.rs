//! Templates rendered for an action, their errors as failures that say which key they stand in.

use super::{Failure, Output};
use crate::lang::template::{RenderError, Scope, Template, Tree, text_of};
use serde_json::Value;
use std::sync::Arc;

/// What the templates of a `result` see: the call's values, and as `output` what came of the action.
pub(super) fn with_output(scope: Scope, output: Option<&Arc<dyn Output>>) -> Scope {
    match output {
        Some(output) => {
            let output = Arc::clone(output);
            scope.with_lazy("output", move || output.value())
        }
        None => scope,
    }
}

/// The failure of a template that stands in the manifest's `key`.
pub(super) fn failed(key: &str, error: &RenderError) -> Failure {
    Failure(format!("cannot make `{key}`: {error}"))
}

/// The failure of a `key` that must be there.
pub(super) fn absent(key: &str) -> Failure {
    Failure(format!("cannot make `{key}`: its value is absent"))
}

/// A template's text, which must be there.
pub(super) fn needed(key: &str, template: &Template, scope: &Scope) -> Result<String, Failure> {
    text(key, template, scope)?.ok_or_else(|| absent(key))
}

/// A template's text; `None` when it is absent.
pub(super) fn text(
    key: &str,
    template: &Template,
    scope: &Scope,
) -> Result<Option<String>, Failure> {
    template.text(scope).map_err(|error| failed(key, &error))
}

/// A template's value; `None` when it is absent.
pub(super) fn value(
    key: &str,
    template: &Template,
    scope: &Scope,
) -> Result<Option<Value>, Failure> {
    template.value(scope).map_err(|error| failed(key, &error))
}

/// A tree's value; `None` when it is absent.
pub(super) fn tree(key: &str, tree: &Tree, scope: &Scope) -> Result<Option<Value>, Failure> {
    tree.value(scope).map_err(|error| failed(key, &error))
}

/// The texts of a value where a list means several: each item's text, or the value's own.
pub(super) fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().map(text_of).collect(),
        other => vec![text_of(other)],
    }
}
