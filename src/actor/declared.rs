//! Declarative actors: a state in memory, and handlers made of templates. Pure: no IO, no waiting.

use crate::lang::template::{RenderError, Scope, Template, Tree, text_of};
use crate::model::{DeclaredSpec, Handler};
use crate::units::Size;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Most bytes that a state may have, as JSON.
pub(super) const MAX_STATE_BYTES: usize = 16 << 20;

/// A declarative actor's state.
#[derive(Debug)]
pub(super) struct Declared {
    state: Arc<Map<String, Value>>,
    /// Of all members, as JSON.
    bytes: usize,
}

/// What a handler did, and what undoes it.
#[derive(Debug)]
pub(super) struct Handled {
    /// The reply.
    pub(super) reply: Value,
    /// The members that were set, with their values before.
    pub(super) undo: Vec<(String, Value)>,
}

/// Why a handler did nothing.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NotHandled {
    /// Its `when` does not hold; the text is its `otherwise`.
    Refused(String),
    /// Something is wrong.
    Failed(String),
}

impl Declared {
    /// Begins with the manifest's state, over it what is carried over: of the members that the manifest
    /// declares.
    pub(super) fn new(spec: &DeclaredSpec, carried: Option<Map<String, Value>>) -> Self {
        let mut state = spec.state.clone();
        for (name, value) in carried.into_iter().flatten() {
            if let Some(member) = state.get_mut(&name) {
                *member = value;
            }
        }
        Self {
            bytes: state.values().map(size).sum(),
            state: Arc::new(state),
        }
    }

    /// The state.
    pub(super) fn state(&self) -> &Map<String, Value> {
        &self.state
    }

    /// How many bytes it has, as JSON.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The state, shared as it is now.
    pub(super) fn shared(&self) -> Arc<Map<String, Value>> {
        Arc::clone(&self.state)
    }

    /// Handles one message.
    pub(super) fn handle(
        &mut self,
        spec: &DeclaredSpec,
        message: &str,
        payload: Value,
    ) -> Result<Handled, NotHandled> {
        let Some(handler) = spec.on.get(message) else {
            let text = format!("the actor has no message `{message}`");
            return Err(NotHandled::Failed(text));
        };
        let scope = Scope::new()
            .with("msg", payload)
            .with("env", Arc::clone(&spec.env));
        let before = scope.clone().with("state", Arc::clone(&self.state));
        check(handler, &before)?;
        let mut set = Vec::with_capacity(handler.set.len());
        for (name, tree) in &handler.set {
            // What is absent is not set.
            if let Some(value) = made(&format!("set.{name}"), tree, &before)? {
                set.push((name.clone(), value));
            }
        }
        // The scope shares the state; without it the members are changed in place.
        drop(before);
        let undo = self.set(set)?;
        let after = scope.with("state", Arc::clone(&self.state));
        let reply = match &handler.reply {
            None => Ok(Value::Object(Map::new())),
            Some(reply) => made("reply", reply, &after).map(Option::unwrap_or_default),
        };
        drop(after);
        match reply {
            Ok(reply) => Ok(Handled { reply, undo }),
            Err(error) => {
                self.undo(undo);
                Err(error)
            }
        }
    }

    /// Puts members back.
    pub(super) fn undo(&mut self, undo: Vec<(String, Value)>) {
        // Each member is set at most once, so the order makes no difference.
        self.put(undo);
    }

    fn set(&mut self, set: Vec<(String, Value)>) -> Result<Vec<(String, Value)>, NotHandled> {
        let undo = self.put(set);
        if self.bytes > MAX_STATE_BYTES {
            self.undo(undo);
            let text = format!("the state would be larger than {}", Size(MAX_STATE_BYTES));
            return Err(NotHandled::Failed(text));
        }
        Ok(undo)
    }

    /// Sets members, and gives their values before.
    fn put(&mut self, members: Vec<(String, Value)>) -> Vec<(String, Value)> {
        if members.is_empty() {
            return members;
        }
        let state = Arc::make_mut(&mut self.state);
        let mut before = Vec::with_capacity(members.len());
        for (name, value) in members {
            let Some(member) = state.get_mut(&name) else {
                continue;
            };
            self.bytes += size(&value);
            let old = std::mem::replace(member, value);
            self.bytes = self.bytes.saturating_sub(size(&old));
            before.push((name, old));
        }
        before
    }
}

/// Whether the handler's condition holds.
fn check(handler: &Handler, scope: &Scope) -> Result<(), NotHandled> {
    let Some(when) = &handler.when else {
        return Ok(());
    };
    let value = when.value(scope).map_err(|error| failed("when", &error))?;
    if value.as_ref().is_some_and(holds) {
        return Ok(());
    }
    let text = match &handler.otherwise {
        Some(otherwise) => text("otherwise", otherwise, scope)?,
        None => None,
    };
    let text = text.filter(|text| !text.trim().is_empty());
    let text = text.unwrap_or_else(|| "the actor does not take this message now".to_owned());
    Err(NotHandled::Refused(text))
}

fn text(key: &str, template: &Template, scope: &Scope) -> Result<Option<String>, NotHandled> {
    let value = template.value(scope).map_err(|error| failed(key, &error))?;
    Ok(value.map(|value| text_of(&value)))
}

fn made(key: &str, tree: &Tree, scope: &Scope) -> Result<Option<Value>, NotHandled> {
    tree.value(scope).map_err(|error| failed(key, &error))
}

fn failed(key: &str, error: &RenderError) -> NotHandled {
    NotHandled::Failed(format!("cannot make `{key}`: {error}"))
}

/// What counts as true in a template.
fn holds(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
    }
}

/// How many bytes a value has as JSON.
fn size(value: &Value) -> usize {
    struct Count(usize);
    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // Counting cannot fail, and a value's keys are texts.
    let _counted = serde_json::to_writer(&mut count, value);
    count.0
}
