//! Defaults filled into defaults, once, when the schema is loaded.

use super::Defaults;
use crate::lang::schema::bounds::is_within_depth;
use crate::lang::schema::document::{Document, NodeId};
use crate::lang::schema::error::{SchemaError, SchemaErrorKind};
use serde_json::Value;

/// Most bytes of the defaults of one schema, filled into each other.
const MAX_COMPLETED: usize = 4 * 1024 * 1024;

/// Completes every default. An error when that never ends, grows too large or too deep.
pub(super) fn complete(
    defaults: &mut Defaults,
    document: &Document<'_>,
    depth: usize,
) -> Result<(), SchemaError> {
    let mut completer = Completer {
        raw: defaults,
        open: Vec::new(),
        depth,
        left: MAX_COMPLETED,
    };
    let mut completed = Vec::new();
    for (id, node) in defaults.nodes.iter().enumerate() {
        for (index, property) in node.properties.iter().enumerate() {
            if let Some((value, _)) = &property.default {
                let value = completer.complete(value, property.node).ok_or_else(|| {
                    let pointer = document.nodes.get(property.node).map_or("", |n| &n.pointer);
                    SchemaError::new(
                        SchemaErrorKind::TooLarge,
                        pointer,
                        "the defaults filled into this default nest too deep or take more than \
                         4 MiB",
                    )
                })?;
                let size = size(&value);
                completed.push((id, index, (value, size)));
            }
        }
    }
    for (id, index, value) in completed {
        let node = defaults.nodes.get_mut(id);
        if let Some(property) = node.and_then(|node| node.properties.get_mut(index)) {
            property.default = Some(value);
        }
    }
    Ok(())
}

struct Completer<'d> {
    raw: &'d Defaults,
    /// Subschemas whose default is being completed. One that comes back is left as written.
    open: Vec<NodeId>,
    /// Deepest nesting of a default, and of defaults in it.
    depth: usize,
    /// Bytes that may still be made.
    left: usize,
}

impl Completer<'_> {
    fn complete(&mut self, default: &Value, node: NodeId) -> Option<Value> {
        if self.open.len() >= self.depth || !is_within_depth(default, self.depth) {
            return None;
        }
        self.left = self.left.checked_sub(size(default))?;
        let mut value = default.clone();
        if !self.open.contains(&node) {
            self.open.push(node);
            self.descend(&mut value, node)?;
            self.open.pop();
        }
        Some(value)
    }

    fn descend(&mut self, value: &mut Value, node: NodeId) -> Option<()> {
        let raw = self.raw;
        let Some(fill) = raw.nodes.get(node).filter(|fill| fill.is_useful) else {
            return Some(());
        };
        match value {
            Value::Object(members) => {
                for property in &fill.properties {
                    match (members.get_mut(&property.name), &property.default) {
                        (Some(member), _) => self.descend(member, property.node)?,
                        (None, Some((default, _))) => {
                            let completed = self.complete(default, property.node)?;
                            members.insert(property.name.clone(), completed);
                        }
                        (None, None) => {}
                    }
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    if let Some(schema) = fill.prefix.get(index).copied().or(fill.rest) {
                        self.descend(item, schema)?;
                    }
                }
            }
            _ => return Some(()),
        }
        for same in &fill.same {
            self.descend(value, *same)?;
        }
        Some(())
    }
}

/// About what a value takes in memory, in bytes.
fn size(value: &Value) -> usize {
    const NODE: usize = 64;
    NODE + match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Object(members) => members
            .iter()
            .map(|(key, value)| key.len() + NODE + size(value))
            .sum(),
        _ => 0,
    }
}
