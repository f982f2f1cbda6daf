//! Subschemas applied to the value itself, and those told by counting: `contains` and names.

use super::text::counted;
use super::walk::{Flow, Stop, Walk};
use super::{Compose, Contains, Rule};
use crate::lang::schema::document::NodeId;
use crate::lang::schema::violation::{Place, Violations};
use serde_json::Value;
use std::ops::ControlFlow;

impl<'r> Walk<'r, '_> {
    pub(super) fn compose(&mut self, rule: &'r Rule, value: &Value, place: &Place<'_>) -> Flow {
        for part in &rule.compose {
            match part {
                Compose::All(node) => self.visit(*node, value, place)?,
                Compose::Any(nodes) => self.any_of(nodes, value, place)?,
                Compose::One(nodes) => self.one_of(nodes, value, place)?,
                Compose::Not(node) => {
                    if self.holds(*node, value)? {
                        self.report(place, "not", || "value is what `not` excludes".to_owned())?;
                    }
                }
                Compose::If {
                    condition,
                    then,
                    otherwise,
                } => {
                    let branch = if self.holds(*condition, value)? {
                        then
                    } else {
                        otherwise
                    };
                    if let Some(node) = branch {
                        self.visit(*node, value, place)?;
                    }
                }
                Compose::Dependent(name, node) => {
                    if value.get(name).is_some() {
                        self.visit(*node, value, place)?;
                    }
                }
                Compose::Dynamic(nodes) => {
                    if !self.holds_any(nodes, value)? {
                        self.report(place, "$dynamicRef", || {
                            "value is not what `$dynamicRef` asks for".to_owned()
                        })?;
                    }
                }
            }
        }
        Flow::Continue(())
    }

    fn any_of(&mut self, nodes: &[NodeId], value: &Value, place: &Place<'_>) -> Flow {
        if self.holds_any(nodes, value)? {
            return Flow::Continue(());
        }
        self.no_branch("anyOf", nodes, value, place)
    }

    fn one_of(&mut self, nodes: &[NodeId], value: &Value, place: &Place<'_>) -> Flow {
        let mut matching = 0;
        for node in nodes {
            matching += usize::from(self.holds(*node, value)?);
        }
        match matching {
            1 => Flow::Continue(()),
            0 => self.no_branch("oneOf", nodes, value, place),
            several => self.report(place, "oneOf", || {
                format!(
                    "value matches {several} of the {} forms of `oneOf`, not one",
                    nodes.len()
                )
            }),
        }
    }

    /// No branch holds. When only one is meant, by its types and constants, tells what is wrong
    /// with that one.
    fn no_branch(
        &mut self,
        keyword: &'static str,
        nodes: &[NodeId],
        value: &Value,
        place: &Place<'_>,
    ) -> Flow {
        if self.found.is_some() {
            let mut meant = nodes.iter().filter(|node| self.is_meant(**node, value));
            if let (Some(node), None) = (meant.next(), meant.next()) {
                return self.visit(*node, value, place);
            }
        }
        self.report(place, keyword, || match nodes {
            [_] => format!("value does not have the form that `{keyword}` allows"),
            nodes => format!(
                "value has none of the {} forms that `{keyword}` allows",
                nodes.len()
            ),
        })
    }

    /// Whether the value has the type a branch asks for, and the constants it is told apart by.
    fn is_meant(&self, node: NodeId, value: &Value) -> bool {
        let Some(mut rule) = self.rule(node) else {
            return false;
        };
        // A branch is often a bare reference. References in place end.
        while let (None, None, [Compose::All(target)]) =
            (rule.types, &rule.object, rule.compose.as_slice())
        {
            match self.rule(*target) {
                Some(target) => rule = target,
                None => return false,
            }
        }
        if rule.refuses_all || rule.types.is_some_and(|types| !types.allow(value)) {
            return false;
        }
        let (Some(object), Value::Object(members)) = (&rule.object, value) else {
            return true;
        };
        members.iter().all(|(key, member)| {
            let property = object.properties.get(key).and_then(|node| self.rule(*node));
            property.is_none_or(|property| {
                let mut tags = property
                    .values
                    .iter()
                    .filter(|choice| choice.options.len() == 1);
                tags.all(|tag| {
                    let mut options = tag.options.iter();
                    options.any(|option| super::number::equal(option, member))
                })
            })
        })
    }

    /// Whether a subschema holds, with nothing told.
    pub(super) fn holds(&mut self, node: NodeId, value: &Value) -> ControlFlow<Stop, bool> {
        let mut probe = Walk {
            rules: self.rules,
            pace: self.pace,
            fuel: self.fuel,
            found: None,
        };
        let flow = probe.visit(node, value, &Place::Root);
        self.fuel = probe.fuel;
        match flow {
            ControlFlow::Continue(()) => ControlFlow::Continue(true),
            ControlFlow::Break(Stop::Violated) => ControlFlow::Continue(false),
            ControlFlow::Break(Stop::OutOfFuel) => ControlFlow::Break(Stop::OutOfFuel),
        }
    }

    fn holds_any(&mut self, nodes: &[NodeId], value: &Value) -> ControlFlow<Stop, bool> {
        for node in nodes {
            if self.holds(*node, value)? {
                return ControlFlow::Continue(true);
            }
        }
        ControlFlow::Continue(false)
    }

    pub(super) fn contains(&mut self, rule: &Contains, items: &[Value], place: &Place<'_>) -> Flow {
        let mut matching = 0;
        for item in items {
            matching += u64::from(self.holds(rule.node, item)?);
        }
        if matching < rule.min {
            return self.report(place, "contains", || {
                format!(
                    "value has fewer than {} that `contains` asks for",
                    counted(rule.min, "item")
                )
            });
        }
        if let Some(limit) = rule.max.filter(|limit| matching > *limit) {
            return self.report(place, "maxContains", || {
                format!(
                    "value has more than {} that `contains` asks for",
                    counted(limit, "item")
                )
            });
        }
        Flow::Continue(())
    }

    /// A property's name, held against `propertyNames`.
    pub(super) fn name(&mut self, schema: NodeId, key: &str, place: &Place<'_>) -> Flow {
        let name = Value::String(key.to_owned());
        if self.holds(schema, &name)? {
            return Flow::Continue(());
        }
        let (rules, pace, fuel) = (self.rules, self.pace, &mut self.fuel);
        let Some(found) = &mut self.found else {
            return Flow::Break(Stop::Violated);
        };
        let mut of_name = Violations::default();
        let mut walk = Walk {
            rules,
            pace,
            fuel: *fuel,
            found: Some(&mut of_name),
        };
        let flow = walk.visit(schema, &name, &Place::Root);
        *fuel = walk.fuel;
        let rules: Vec<&str> = of_name.list().iter().map(|v| v.message()).collect();
        found.add(
            place,
            "propertyNames",
            format!("the property's name is not allowed: {}", rules.join(", ")),
        );
        flow
    }
}
