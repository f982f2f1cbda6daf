//! Paths: `args.customer.email`, `output.json.items[0]`. Looked up in the scope's JSON values
//! without the template engine, which is what most templates of a manifest are made of.

use std::fmt;

use serde_json::{Map, Value};

use super::scope::Scope;

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// A member of an object: `.name` or `["name"]`.
    Name(Box<str>),
    /// An element of a list, or a character of a string; negative from the end.
    Index(i64),
}

/// A root name and the steps below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Path {
    pub(super) root: Box<str>,
    pub(super) keys: Box<[Key]>,
}

/// What stands at a path.
#[derive(Clone, Copy, Debug)]
pub(super) enum Found<'a> {
    Value(&'a Value),
    /// A whole root that is an object.
    Object(&'a Map<String, Value>),
    Char(char),
}

impl Path {
    /// What stands there. `None` when any part of the path is missing.
    pub(super) fn find<'a>(&self, scope: &'a Scope) -> Option<Found<'a>> {
        let mut found = scope.root(&self.root)?;
        for key in &*self.keys {
            found = found.step(key)?;
        }
        Some(found)
    }
}

impl<'a> Found<'a> {
    fn step(self, key: &Key) -> Option<Found<'a>> {
        match (self, key) {
            (Found::Object(members), Key::Name(name))
            | (Found::Value(Value::Object(members)), Key::Name(name)) => {
                members.get(&**name).map(Found::Value)
            }
            (Found::Value(Value::Array(items)), Key::Index(index)) => items
                .get(position(*index, || items.len())?)
                .map(Found::Value),
            (Found::Value(Value::String(text)), Key::Index(index)) => text
                .chars()
                .nth(position(*index, || text.chars().count())?)
                .map(Found::Char),
            _ => None,
        }
    }

    /// A copy of it, with its own JSON type.
    pub(super) fn to_value(self) -> Value {
        match self {
            Found::Value(value) => value.clone(),
            Found::Object(members) => Value::Object(members.clone()),
            Found::Char(c) => Value::String(c.into()),
        }
    }
}

/// The position that an index means; the length is computed only for a negative one.
fn position(index: i64, length: impl Fn() -> usize) -> Option<usize> {
    match usize::try_from(index) {
        Ok(index) => Some(index),
        Err(_) => length().checked_sub(usize::try_from(index.unsigned_abs()).ok()?),
    }
}

impl fmt::Display for Key {
    /// As it is written after what it steps into: `.name`, `["two words"]`, `[0]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Key::Name(name) if is_identifier(name) => write!(f, ".{name}"),
            Key::Name(name) => write!(f, "[{name:?}]"),
            Key::Index(index) => write!(f, "[{index}]"),
        }
    }
}

fn is_identifier(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
