//! `unevaluatedProperties` and `unevaluatedItems`: what no other subschema has looked at.

use super::walk::{Flow, Walk};
use super::{Compose, Rule};
use crate::lang::schema::document::NodeId;
use crate::lang::schema::violation::Place;
use serde_json::{Map, Value};
use std::collections::HashSet;

/// What the subschemas of a value have looked at (2020-12 core §11).
#[derive(Default)]
struct Evaluated<'v> {
    all: bool,
    names: HashSet<&'v str>,
    prefix: usize,
    items: HashSet<usize>,
}

impl Walk<'_, '_> {
    pub(super) fn unevaluated_members(
        &mut self,
        node: NodeId,
        schema: NodeId,
        members: &Map<String, Value>,
        value: &Value,
        place: &Place<'_>,
    ) -> Flow {
        let mut seen = Evaluated::default();
        self.evaluated(node, value, true, &mut seen)?;
        for (key, member) in members {
            if !seen.all && !seen.names.contains(key.as_str()) {
                self.left_over(schema, None, key, member, &Place::Key(place, key))?;
            }
        }
        Flow::Continue(())
    }

    pub(super) fn unevaluated_items(
        &mut self,
        node: NodeId,
        schema: NodeId,
        items: &[Value],
        value: &Value,
        place: &Place<'_>,
    ) -> Flow {
        let mut seen = Evaluated::default();
        self.evaluated(node, value, true, &mut seen)?;
        for (index, item) in items.iter().enumerate() {
            if !seen.all && index >= seen.prefix && !seen.items.contains(&index) {
                self.visit(schema, item, &Place::Index(place, index))?;
            }
        }
        Flow::Continue(())
    }

    /// Adds what the subschema `node`, and those it applies in place, look at in `value`.
    fn evaluated<'v>(
        &mut self,
        node: NodeId,
        value: &'v Value,
        is_asking: bool,
        seen: &mut Evaluated<'v>,
    ) -> Flow {
        self.spend(1)?;
        let Some(rule) = self.rule(node) else {
            return Flow::Continue(());
        };
        match value {
            Value::Object(members) => self.evaluated_members(rule, members, is_asking, seen)?,
            Value::Array(items) => self.evaluated_items(rule, items, is_asking, seen)?,
            _ => return Flow::Continue(()),
        }
        for part in &rule.compose {
            match part {
                Compose::All(node) => self.evaluated(*node, value, false, seen)?,
                Compose::Any(nodes) | Compose::One(nodes) | Compose::Dynamic(nodes) => {
                    for node in nodes {
                        if self.holds(*node, value)? {
                            self.evaluated(*node, value, false, seen)?;
                        }
                    }
                }
                Compose::If {
                    condition,
                    then,
                    otherwise,
                } => {
                    let branch = if self.holds(*condition, value)? {
                        self.evaluated(*condition, value, false, seen)?;
                        then
                    } else {
                        otherwise
                    };
                    if let Some(node) = branch {
                        self.evaluated(*node, value, false, seen)?;
                    }
                }
                Compose::Dependent(name, node) if value.get(name).is_some() => {
                    self.evaluated(*node, value, false, seen)?;
                }
                Compose::Dependent(..) | Compose::Not(_) => {}
            }
        }
        Flow::Continue(())
    }

    fn evaluated_members<'v>(
        &mut self,
        rule: &Rule,
        members: &'v Map<String, Value>,
        is_asking: bool,
        seen: &mut Evaluated<'v>,
    ) -> Flow {
        let Some(object) = &rule.object else {
            return Flow::Continue(());
        };
        seen.all |= object.additional.is_some() || (object.unevaluated.is_some() && !is_asking);
        for key in members.keys() {
            self.spend(1)?;
            let mut known = object.properties.contains_key(key);
            if !object.patterns.is_empty() {
                let name = Value::String(key.clone());
                for (pattern, _) in &object.patterns {
                    known = known || self.is_match(pattern, &name)?;
                }
            }
            if known {
                seen.names.insert(key);
            }
        }
        Flow::Continue(())
    }

    fn evaluated_items(
        &mut self,
        rule: &Rule,
        items: &[Value],
        is_asking: bool,
        seen: &mut Evaluated<'_>,
    ) -> Flow {
        let Some(array) = &rule.array else {
            return Flow::Continue(());
        };
        seen.all |= array.rest.is_some() || (array.unevaluated.is_some() && !is_asking);
        seen.prefix = seen.prefix.max(array.prefix.len());
        if let Some(contains) = &array.contains {
            for (index, item) in items.iter().enumerate() {
                if self.holds(contains.node, item)? {
                    seen.items.insert(index);
                }
            }
        }
        Flow::Continue(())
    }
}
