//! Items of arrays and members of objects: how many, which, and each against its own subschema.

use super::text::{counted, properties, similar};
use super::walk::{Flow, Stop, Walk};
use super::{ArrayRule, ObjectRule};
use crate::lang::schema::document::NodeId;
use crate::lang::schema::violation::{Place, key_text, names};
use jsonschema::Validator;
use serde_json::{Map, Value, json};
use std::sync::LazyLock;

impl Walk<'_, '_> {
    pub(super) fn array(
        &mut self,
        node: NodeId,
        rule: &ArrayRule,
        items: &[Value],
        value: &Value,
        place: &Place<'_>,
    ) -> Flow {
        let size = items.len() as u64;
        if let Some(limit) = rule.min.filter(|limit| size < *limit) {
            self.report(place, "minItems", || {
                format!("value has fewer than {}", counted(limit, "item"))
            })?;
        }
        if let Some(limit) = rule.max.filter(|limit| size > *limit) {
            self.report(place, "maxItems", || {
                format!("value has more than {}", counted(limit, "item"))
            })?;
        }
        if rule.unique && !is_unique(value) {
            self.report(place, "uniqueItems", || {
                "value has the same item twice".to_owned()
            })?;
        }
        for (index, item) in items.iter().enumerate() {
            match rule.prefix.get(index).copied().or(rule.rest) {
                Some(schema) => self.visit(schema, item, &Place::Index(place, index))?,
                None => break,
            }
        }
        if let Some(contains) = &rule.contains {
            self.contains(contains, items, place)?;
        }
        match rule.unevaluated {
            Some(schema) => self.unevaluated_items(node, schema, items, value, place),
            None => Flow::Continue(()),
        }
    }

    pub(super) fn object(
        &mut self,
        node: NodeId,
        rule: &ObjectRule,
        members: &Map<String, Value>,
        value: &Value,
        place: &Place<'_>,
    ) -> Flow {
        self.object_size(rule, members, place)?;
        for (key, member) in members {
            let place = Place::Key(place, key);
            if let Some(schema) = rule.names {
                self.name(schema, key, &place)?;
            }
            let schema = rule.properties.get(key).copied();
            if let Some(schema) = schema {
                self.visit(schema, member, &place)?;
            }
            let mut known = schema.is_some();
            if !rule.patterns.is_empty() {
                let name = Value::String(key.clone());
                for (pattern, schema) in &rule.patterns {
                    if self.is_match(pattern, &name)? {
                        known = true;
                        self.visit(*schema, member, &place)?;
                    }
                }
            }
            if let (false, Some(schema)) = (known, rule.additional) {
                self.left_over(schema, Some(rule), key, member, &place)?;
            }
        }
        match rule.unevaluated {
            Some(schema) => self.unevaluated_members(node, schema, members, value, place),
            None => Flow::Continue(()),
        }
    }

    fn object_size(
        &mut self,
        rule: &ObjectRule,
        members: &Map<String, Value>,
        place: &Place<'_>,
    ) -> Flow {
        let lacks = |name: &&String| !members.contains_key(name.as_str());
        if rule.required.iter().any(|name| lacks(&name)) {
            match &mut self.found {
                Some(found) => {
                    let missing = rule.required.iter().filter(lacks).cloned().collect();
                    found.add_missing(place, missing);
                }
                None => return Flow::Break(Stop::Violated),
            }
        }
        for (name, required) in &rule.dependent_required {
            if members.contains_key(name) && required.iter().any(|name| lacks(&name)) {
                self.report(place, "dependentRequired", || {
                    let missing: Vec<String> = required.iter().filter(lacks).cloned().collect();
                    format!(
                        "with `{}` it must also have {}",
                        key_text(name),
                        names(&missing)
                    )
                })?;
            }
        }
        let size = members.len() as u64;
        if let Some(limit) = rule.min.filter(|limit| size < *limit) {
            self.report(place, "minProperties", || {
                format!("value has fewer than {}", properties(limit))
            })?;
        }
        if let Some(limit) = rule.max.filter(|limit| size > *limit) {
            self.report(place, "maxProperties", || {
                format!("value has more than {}", properties(limit))
            })?;
        }
        Flow::Continue(())
    }

    /// A member that no `properties` and no pattern names.
    pub(super) fn left_over(
        &mut self,
        schema: NodeId,
        rule: Option<&ObjectRule>,
        key: &str,
        member: &Value,
        place: &Place<'_>,
    ) -> Flow {
        if !self.rule(schema).is_some_and(|rule| rule.refuses_all) {
            return self.visit(schema, member, place);
        }
        self.report(place, "additionalProperties", || {
            match rule.and_then(|rule| similar(key, rule)) {
                Some(name) => format!(
                    "property is not declared; did you mean `{}`?",
                    key_text(name)
                ),
                None => "property is not declared".to_owned(),
            }
        })
    }
}

fn is_unique(value: &Value) -> bool {
    // The validator's own test, which is not quadratic.
    static UNIQUE: LazyLock<Option<Validator>> = LazyLock::new(|| {
        let schema = json!({ "uniqueItems": true });
        jsonschema::options().offline().build(&schema).ok()
    });
    UNIQUE.as_ref().is_none_or(|unique| unique.is_valid(value))
}
