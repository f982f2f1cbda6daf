//! A schema document taken apart: every subschema with its pointer, the base URI it stands under,
//! and the subschemas it leads to.

use super::bounds::MAX_SUBSCHEMAS;
use super::dialect::Dialect;
use super::error::{SchemaError, SchemaErrorKind, quote};
use super::keywords::{self, Step};
use super::{pointer, reference};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::LazyLock;
use url::Url;

/// The base of a document without an `$id`; the validator uses the same one.
const DEFAULT_BASE: &str = "json-schema:///";

static BASE: LazyLock<Option<Url>> = LazyLock::new(|| Url::parse(DEFAULT_BASE).ok());

/// Index of a subschema in its document. 0 is the root.
pub(super) type NodeId = usize;

/// A document and what it is made of.
pub(super) struct Document<'a> {
    pub(super) dialect: Dialect,
    pub(super) root: &'a Value,
    pub(super) nodes: Vec<Node<'a>>,
    /// Subschemas that stand where no keyword expects one, and are there because a reference
    /// leads to them.
    pub(super) strays: Vec<NodeId>,
    pub(super) resources: Vec<Resource>,
    by_pointer: BTreeMap<String, NodeId>,
    by_url: BTreeMap<String, usize>,
    anchors: BTreeMap<(usize, String), NodeId>,
    /// Every `$dynamicAnchor` of a name, in whichever resource.
    pub(super) dynamic_anchors: BTreeMap<String, Vec<NodeId>>,
}

/// One subschema: an object or a boolean.
pub(super) struct Node<'a> {
    pub(super) schema: &'a Value,
    pub(super) pointer: String,
    /// Index of the resource it belongs to (2020-12 core §8.2.1).
    pub(super) resource: usize,
    pub(super) edges: Vec<Edge<'a>>,
}

/// A way from one subschema to another.
#[derive(Clone, Copy)]
pub(super) struct Edge<'a> {
    pub(super) step: Step<'a>,
    pub(super) to: NodeId,
}

/// A part of the document with a URI of its own: the root, and what has an `$id`.
pub(super) struct Resource {
    /// `None` when its `$id` was refused.
    pub(super) base: Option<Url>,
    pub(super) root: NodeId,
}

impl<'a> Document<'a> {
    /// Takes `root` apart and follows its references. Everything wrong on the way goes to
    /// `errors`; what can be read is read all the same.
    pub(super) fn read(root: &'a Value, dialect: Dialect, errors: &mut Vec<SchemaError>) -> Self {
        let mut document = Self {
            dialect,
            root,
            nodes: Vec::new(),
            strays: Vec::new(),
            resources: vec![Resource {
                base: BASE.clone(),
                root: 0,
            }],
            by_pointer: BTreeMap::new(),
            by_url: BTreeMap::from([(DEFAULT_BASE.to_owned(), 0)]),
            anchors: BTreeMap::new(),
            dynamic_anchors: BTreeMap::new(),
        };
        document.add_tree(root, String::new(), 0, errors);
        reference::resolve(&mut document, errors);
        if document.nodes.len() > MAX_SUBSCHEMAS {
            errors.push(SchemaError::new(
                SchemaErrorKind::TooLarge,
                "",
                format!("the schema has more than {MAX_SUBSCHEMAS} subschemas"),
            ));
        }
        document
    }

    /// The subschema at a pointer, when a keyword or a reference made one of it.
    pub(super) fn at(&self, pointer: &str) -> Option<NodeId> {
        self.by_pointer.get(pointer).copied()
    }

    /// The resource of a URI without its fragment.
    pub(super) fn resource_of(&self, url: &Url) -> Option<usize> {
        self.by_url.get(url.as_str()).copied()
    }

    /// The subschema with this anchor in this resource.
    pub(super) fn anchored(&self, resource: usize, anchor: &str) -> Option<NodeId> {
        self.anchors.get(&(resource, anchor.to_owned())).copied()
    }

    /// The innermost subschema that `pointer` is at or in.
    pub(super) fn enclosing(&self, pointer: &str) -> NodeId {
        let mut place = pointer;
        loop {
            if let Some(node) = self.at(place) {
                return node;
            }
            match pointer::parent(place) {
                Some(parent) => place = parent,
                None => return 0,
            }
        }
    }

    /// Whether only keywords stand in it that the checks judge whole: a validator of it can be built.
    pub(super) fn is_plain(&self) -> bool {
        self.nodes.iter().all(|node| match node.schema {
            Value::Object(members) => members.keys().all(|keyword| keywords::is_plain(keyword)),
            _ => true,
        })
    }

    /// Makes a subschema of the value at `pointer`, which only a reference leads to.
    pub(super) fn add_stray(
        &mut self,
        schema: &'a Value,
        pointer: String,
        errors: &mut Vec<SchemaError>,
    ) -> NodeId {
        let enclosing = self.enclosing(&pointer);
        let resource = self.nodes.get(enclosing).map_or(0, |node| node.resource);
        let node = self.add_tree(schema, pointer, resource, errors);
        self.strays.push(node);
        node
    }

    /// Adds `schema` and all it holds. Stops soon after the bound on subschemas.
    fn add_tree(
        &mut self,
        schema: &'a Value,
        pointer: String,
        resource: usize,
        errors: &mut Vec<SchemaError>,
    ) -> NodeId {
        let top = self.add(schema, pointer, resource, errors);
        let mut open = vec![top];
        while let Some(holder) = open.pop() {
            let Some(node) = self.nodes.get(holder) else {
                continue;
            };
            let (Value::Object(members), resource) = (node.schema, node.resource) else {
                continue;
            };
            for child in keywords::children(self.dialect, members, &node.pointer) {
                if self.nodes.len() > MAX_SUBSCHEMAS {
                    return top;
                }
                let to = match self.at(&child.pointer) {
                    Some(known) => known,
                    None => {
                        let added = self.add(child.schema, child.pointer, resource, errors);
                        open.push(added);
                        added
                    }
                };
                let edge = Edge {
                    step: child.step,
                    to,
                };
                if let Some(node) = self.nodes.get_mut(holder) {
                    node.edges.push(edge);
                }
            }
        }
        top
    }

    fn add(
        &mut self,
        schema: &'a Value,
        pointer: String,
        resource: usize,
        errors: &mut Vec<SchemaError>,
    ) -> NodeId {
        let id = self.nodes.len();
        let resource = match schema {
            Value::Object(members) => self.identify(id, members, &pointer, resource, errors),
            _ => resource,
        };
        self.by_pointer.insert(pointer.clone(), id);
        self.nodes.push(Node {
            schema,
            pointer,
            resource,
            edges: Vec::new(),
        });
        id
    }

    /// Reads what a subschema is called. Gives the resource it belongs to.
    fn identify(
        &mut self,
        id: NodeId,
        members: &Map<String, Value>,
        at: &str,
        parent: usize,
        errors: &mut Vec<SchemaError>,
    ) -> usize {
        let text = |keyword: &str| members.get(keyword).and_then(Value::as_str);
        if let Some(uri) = text("$schema")
            && Dialect::from_uri(uri) != Some(self.dialect)
        {
            errors.push(
                SchemaError::new(
                    SchemaErrorKind::Dialect,
                    pointer::join(at, "$schema"),
                    format!(
                        "`{}` is not the dialect of the whole schema, which is {}",
                        quote(uri),
                        self.dialect.name()
                    ),
                )
                .help("one document is written in one dialect"),
            );
        }
        let modern = self.dialect == Dialect::Draft202012;
        let mut resource = parent;
        // In draft-07 `$ref` hides what stands beside it, and an `$id` can be an anchor.
        if let Some(name) = text("$id").filter(|_| modern || !members.contains_key("$ref")) {
            let place = pointer::join(at, "$id");
            match name.strip_prefix('#').filter(|_| !modern) {
                Some(anchor) => self.add_anchor(id, parent, anchor, &place, errors),
                None => resource = self.add_resource(id, parent, name, &place, errors),
            }
        }
        for keyword in ["$anchor", "$dynamicAnchor"] {
            if let Some(anchor) = text(keyword).filter(|_| modern) {
                self.add_anchor(id, resource, anchor, &pointer::join(at, keyword), errors);
                if keyword == "$dynamicAnchor" {
                    let anchors = self.dynamic_anchors.entry(anchor.to_owned()).or_default();
                    anchors.push(id);
                }
            }
        }
        resource
    }

    fn add_resource(
        &mut self,
        id: NodeId,
        parent: usize,
        name: &str,
        place: &str,
        errors: &mut Vec<SchemaError>,
    ) -> usize {
        let base = self.resources.get(parent).and_then(|r| r.base.as_ref());
        let mut url = base
            .filter(|_| reference::is_uri_reference(name))
            .and_then(|base| base.join(name).ok());
        let mut refuse = |message: String| {
            errors.push(SchemaError::new(
                SchemaErrorKind::Identifier,
                place,
                message,
            ));
        };
        if let Some(url) = &mut url {
            if url.fragment().is_some_and(|fragment| !fragment.is_empty()) {
                refuse(format!("`{}` has a fragment", quote(name)));
            }
            url.set_fragment(None);
        } else {
            refuse(format!("`{}` is not a URI reference", quote(name)));
        }
        // The root is resource 0 from the start; an `$id` gives it another name.
        let index = if id == 0 { 0 } else { self.resources.len() };
        if let Some(url) = &url {
            let known = self.by_url.insert(url.as_str().to_owned(), index);
            if known.is_some_and(|known| known != index) {
                refuse(format!("`{}` names two parts of the document", quote(name)));
            }
        }
        let resource = Resource {
            base: url,
            root: id,
        };
        match self.resources.get_mut(index) {
            Some(root) => *root = resource,
            None => self.resources.push(resource),
        }
        index
    }

    fn add_anchor(
        &mut self,
        id: NodeId,
        resource: usize,
        anchor: &str,
        place: &str,
        errors: &mut Vec<SchemaError>,
    ) {
        let key = (resource, anchor.to_owned());
        if let Some(known) = self.anchors.insert(key, id)
            && known != id
        {
            errors.push(SchemaError::new(
                SchemaErrorKind::Identifier,
                place,
                format!("the anchor `{}` is given twice", quote(anchor)),
            ));
        }
    }
}
