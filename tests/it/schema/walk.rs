//! A document and its schema, walked side by side: which tables there are, and what may be in them.

use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// A schema with its definitions.
pub(super) struct Schema<'s>(pub &'s Value);

/// One place of a schema: where it stands in it, and what it says.
pub(super) type Node<'s> = (String, &'s Map<String, Value>);

/// What is done with each table and the places of the schema that it is held to.
pub(super) type Each<'e> = dyn FnMut(&[Node<'_>], &mut Map<String, Value>) + 'e;

impl<'s> Schema<'s> {
    pub(super) fn root(&self) -> Vec<Node<'s>> {
        self.resolved(String::new(), self.0)
    }

    /// The places behind references and alternatives.
    fn resolved(&self, at: String, schema: &'s Value) -> Vec<Node<'s>> {
        let Some(node) = schema.as_object() else {
            return Vec::new();
        };
        if let Some(reference) = node.get("$ref").and_then(Value::as_str) {
            let pointer = reference.strip_prefix('#').unwrap();
            let target = self.0.pointer(pointer);
            let target = target.unwrap_or_else(|| panic!("{reference} leads nowhere"));
            return self.resolved(pointer.to_owned(), target);
        }
        let mut nodes = vec![(at.clone(), node)];
        for word in ["anyOf", "allOf", "oneOf"] {
            let inner = node
                .get(word)
                .and_then(Value::as_array)
                .into_iter()
                .flatten();
            for (index, inner) in inner.enumerate() {
                nodes.extend(self.resolved(format!("{at}/{word}/{index}"), inner));
            }
        }
        nodes
    }

    /// What a member of a table must be.
    fn member(&self, nodes: &[Node<'s>], key: &str) -> Vec<Node<'s>> {
        let mut below = Vec::new();
        for (at, node) in nodes {
            let own = node.get("properties").and_then(|known| known.get(key));
            if let Some(own) = own {
                below.extend(self.resolved(format!("{at}/properties/{key}"), own));
            } else if let Some(any) = node.get("additionalProperties") {
                below.extend(self.resolved(format!("{at}/additionalProperties"), any));
            }
        }
        below
    }

    fn items(&self, nodes: &[Node<'s>]) -> Vec<Node<'s>> {
        let below = nodes.iter().filter_map(|(at, node)| {
            let items = node.get("items")?;
            Some(self.resolved(format!("{at}/items"), items))
        });
        below.flatten().collect()
    }

    /// Every table of the document, those inside before those around them.
    pub(super) fn tables(&self, nodes: &[Node<'s>], value: &mut Value, each: &mut Each<'_>) {
        match value {
            Value::Object(members) => {
                for (key, inner) in members.iter_mut() {
                    self.tables(&self.member(nodes, key), inner, each);
                }
                each(nodes, members);
            }
            Value::Array(items) => {
                let below = self.items(nodes);
                for item in items {
                    self.tables(&below, item, each);
                }
            }
            _ => {}
        }
    }

    /// The keys of every place that lists some.
    pub(super) fn listed(&self) -> BTreeMap<String, BTreeSet<String>> {
        let mut all = BTreeMap::new();
        list("", self.0, &mut all);
        all
    }
}

/// The keys that these places list; `None` when none does.
pub(super) fn known<'n>(nodes: &'n [Node<'_>]) -> Option<(&'n str, BTreeSet<String>)> {
    let listing = nodes.iter().filter_map(|(at, node)| {
        let known = node.get("properties")?.as_object()?;
        if node
            .get("additionalProperties")
            .is_some_and(Value::is_object)
        {
            return None;
        }
        Some((at.as_str(), known.keys().cloned().collect()))
    });
    let mut listing: Vec<_> = listing.collect();
    assert!(listing.len() < 2, "two kinds of table at {listing:?}");
    listing.pop()
}

fn list(at: &str, value: &Value, all: &mut BTreeMap<String, BTreeSet<String>>) {
    match value {
        Value::Object(members) => {
            // A key may be called `properties` too; then its schema is what is below.
            let known = members.get("properties").and_then(Value::as_object);
            // In a table of names of the author's own no key is unknown.
            let is_open = matches!(members.get("additionalProperties"), Some(Value::Object(_)));
            if let Some(known) = known.filter(|_| !at.ends_with("/properties") && !is_open) {
                all.insert(at.to_owned(), known.keys().cloned().collect());
            }
            for (key, inner) in members {
                list(&format!("{at}/{key}"), inner, all);
            }
        }
        Value::Array(items) => {
            for (index, inner) in items.iter().enumerate() {
                list(&format!("{at}/{index}"), inner, all);
            }
        }
        _ => {}
    }
}
