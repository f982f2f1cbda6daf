//! Declared defaults: what a call does not give is filled in before the action sees it. What it
//! gives is never touched.

mod check;
mod complete;

pub(super) use check::check;

use super::bounds::is_within_depth;
use super::document::{Document, NodeId};
use super::error::SchemaError;
use super::keywords::Step;
use serde_json::{Map, Value};

/// Most bytes of defaults filled into one value, near enough: a short list of empty objects must
/// not become gigabytes.
const MAX_FILLED: usize = 16 * 1024 * 1024;

/// The value asks for more than 16 MiB of defaults, or is nested too deep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the arguments leave out so much that their defaults take more than 16 MiB")]
pub struct DefaultsTooLarge;

/// The defaults of a schema, ready to be filled in.
#[derive(Debug, Default)]
pub(super) struct Defaults {
    /// By subschema; empty when the schema has no defaults that could be filled in.
    nodes: Vec<Fill>,
}

/// What one subschema fills in.
#[derive(Debug, Default)]
struct Fill {
    /// Subschemas of the same value: `$ref` and `allOf`.
    same: Vec<NodeId>,
    properties: Vec<Property>,
    prefix: Vec<NodeId>,
    rest: Option<NodeId>,
    /// Whether anything can come of it.
    is_useful: bool,
}

#[derive(Debug)]
struct Property {
    name: String,
    node: NodeId,
    /// The default, its own missing members filled in already, and its size.
    default: Option<(Value, usize)>,
}

impl Defaults {
    /// The defaults reachable from the root by `properties`, items, `$ref` and `allOf`. An error
    /// when they never end or grow too large.
    ///
    /// No default may nest deeper than `depth`, completed or not.
    pub(super) fn build(document: &Document<'_>, depth: usize) -> Result<Self, SchemaError> {
        let mut defaults = Self {
            nodes: (0..document.nodes.len())
                .map(|id| fill(document, id))
                .collect(),
        };
        defaults.mark_useful();
        if defaults.nodes.first().is_none_or(|root| !root.is_useful) {
            return Ok(Self::default());
        }
        complete::complete(&mut defaults, document, depth)?;
        Ok(defaults)
    }

    /// Fills what is absent in `members`.
    pub(super) fn apply(
        &self,
        members: &mut Map<String, Value>,
        depth: usize,
    ) -> Result<(), DefaultsTooLarge> {
        if self.nodes.is_empty() {
            return Ok(());
        }
        let is_shallow = |member| is_within_depth(member, depth.saturating_sub(1));
        if !members.values().all(is_shallow) {
            return Err(DefaultsTooLarge);
        }
        let mut left = MAX_FILLED;
        self.fill_members(0, members, &mut left)
    }

    fn fill_value(
        &self,
        node: NodeId,
        value: &mut Value,
        left: &mut usize,
    ) -> Result<(), DefaultsTooLarge> {
        match value {
            Value::Object(members) => self.fill_members(node, members, left),
            Value::Array(items) => self.fill_items(node, items, left),
            _ => Ok(()),
        }
    }

    fn fill_items(
        &self,
        node: NodeId,
        items: &mut [Value],
        left: &mut usize,
    ) -> Result<(), DefaultsTooLarge> {
        let Some(fill) = self.nodes.get(node).filter(|fill| fill.is_useful) else {
            return Ok(());
        };
        for (index, item) in items.iter_mut().enumerate() {
            match fill.prefix.get(index).copied().or(fill.rest) {
                Some(schema) => self.fill_value(schema, item, left)?,
                None => break,
            }
        }
        for same in &fill.same {
            self.fill_items(*same, items, left)?;
        }
        Ok(())
    }

    fn fill_members(
        &self,
        node: NodeId,
        members: &mut Map<String, Value>,
        left: &mut usize,
    ) -> Result<(), DefaultsTooLarge> {
        let Some(fill) = self.nodes.get(node).filter(|fill| fill.is_useful) else {
            return Ok(());
        };
        for property in &fill.properties {
            match (members.get_mut(&property.name), &property.default) {
                (Some(member), _) => self.fill_value(property.node, member, left)?,
                (None, Some((default, size))) => {
                    *left = left.checked_sub(*size).ok_or(DefaultsTooLarge)?;
                    members.insert(property.name.clone(), default.clone());
                }
                (None, None) => {}
            }
        }
        for same in &fill.same {
            self.fill_members(*same, members, left)?;
        }
        Ok(())
    }

    /// Marks what leads to a default, until nothing more is found.
    fn mark_useful(&mut self) {
        let mut leads_here: Vec<Vec<NodeId>> = vec![Vec::new(); self.nodes.len()];
        let mut open = Vec::new();
        for (id, node) in self.nodes.iter().enumerate() {
            let below = node.properties.iter().map(|property| property.node);
            let below = below.chain(node.prefix.iter().copied()).chain(node.rest);
            for target in below.chain(node.same.iter().copied()) {
                if let Some(sources) = leads_here.get_mut(target) {
                    sources.push(id);
                }
            }
            if node
                .properties
                .iter()
                .any(|property| property.default.is_some())
            {
                open.push(id);
            }
        }
        while let Some(id) = open.pop() {
            if let Some(node) = self.nodes.get_mut(id)
                && !node.is_useful
            {
                node.is_useful = true;
                open.extend(leads_here.get(id).into_iter().flatten());
            }
        }
    }
}

/// Whether the document has a default anywhere.
pub(super) fn has_any(document: &Document<'_>) -> bool {
    document
        .nodes
        .iter()
        .any(|node| node.schema.get("default").is_some())
}

fn fill(document: &Document<'_>, id: NodeId) -> Fill {
    let mut fill = Fill::default();
    for edge in document
        .nodes
        .get(id)
        .into_iter()
        .flat_map(|node| &node.edges)
    {
        match edge.step {
            Step::Ref | Step::AllOf => fill.same.push(edge.to),
            Step::PrefixItem => fill.prefix.push(edge.to),
            Step::RestItems => fill.rest = Some(edge.to),
            Step::Property(name) => fill.properties.push(Property {
                name: name.to_owned(),
                node: edge.to,
                default: default_of(document, edge.to).map(|value| (value.clone(), 0)),
            }),
            _ => {}
        }
    }
    fill
}

/// The default of a subschema: its own, or that of what it refers to. References in place end.
fn default_of<'a>(document: &Document<'a>, id: NodeId) -> Option<&'a Value> {
    let node = document.nodes.get(id)?;
    node.schema.get("default").or_else(|| {
        let same = |step| matches!(step, Step::Ref | Step::AllOf);
        let mut same = node.edges.iter().filter(|edge| same(edge.step));
        same.find_map(|edge| default_of(document, edge.to))
    })
}
