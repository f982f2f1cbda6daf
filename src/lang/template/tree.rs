//! JSON-shaped values with templates in their strings: `structured = { a = "{{ args.x }}" }`.

use serde_json::{Map, Value};

use super::{MAX_VALUE_DEPTH, RenderError, Scope, Template};

/// A value that is rendered as a whole: what is absent in it disappears.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    node: Node,
    depth: usize,
}

#[derive(Clone, Debug, PartialEq)]
enum Node {
    Constant(Value),
    Template(Template),
    List(Vec<Tree>),
    Map(Vec<(String, Tree)>),
}

/// A tree of more levels than [`MAX_VALUE_DEPTH`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the value is nested more than {MAX_VALUE_DEPTH} deep")]
pub struct TooDeep;

impl Tree {
    /// A value without templates. It is taken as it is, so its depth must be bounded already.
    pub fn constant(value: Value) -> Self {
        Self {
            node: Node::Constant(value),
            depth: 0,
        }
    }

    /// A template; a literal one is a constant string.
    pub fn template(template: Template) -> Self {
        match template.literal() {
            Some(text) => Self::constant(Value::String(text.to_owned())),
            None => Self {
                node: Node::Template(template),
                depth: 0,
            },
        }
    }

    /// A list. One of constants is a constant.
    ///
    /// # Errors
    /// [`TooDeep`] when it passes the bound on depth.
    pub fn list(items: Vec<Tree>) -> Result<Self, TooDeep> {
        let depth = above(items.iter())?;
        let node = match items
            .iter()
            .map(Tree::as_constant)
            .collect::<Option<Vec<_>>>()
        {
            Some(constants) => Node::Constant(constants.into_iter().cloned().collect()),
            None => Node::List(items),
        };
        Ok(Self { node, depth })
    }

    /// An object, whose members keep their order. One of constants is a constant.
    ///
    /// # Errors
    /// [`TooDeep`] when it passes the bound on depth.
    pub fn map(members: Vec<(String, Tree)>) -> Result<Self, TooDeep> {
        let depth = above(members.iter().map(|(_, member)| member))?;
        let constants = members
            .iter()
            .map(|(name, member)| Some((name.clone(), member.as_constant()?.clone())))
            .collect::<Option<Map<_, _>>>();
        let node = match constants {
            Some(constants) => Node::Constant(Value::Object(constants)),
            None => Node::Map(members),
        };
        Ok(Self { node, depth })
    }

    /// The value, when it does not depend on a scope.
    pub fn as_constant(&self) -> Option<&Value> {
        match &self.node {
            Node::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// The templates in it, in order.
    pub fn templates(&self) -> Vec<&Template> {
        let mut templates = Vec::new();
        self.collect(&mut templates);
        templates
    }

    /// Renders the value. A member or element whose template is absent is left out; `None` when
    /// the whole is absent.
    ///
    /// # Errors
    /// The first template that fails.
    pub fn value(&self, scope: &Scope) -> Result<Option<Value>, RenderError> {
        Ok(Some(match &self.node {
            Node::Constant(value) => value.clone(),
            Node::Template(template) => return template.value(scope),
            Node::List(items) => {
                let mut list = Vec::with_capacity(items.len());
                for item in items {
                    list.extend(item.value(scope)?);
                }
                Value::Array(list)
            }
            Node::Map(members) => {
                let mut object = Map::with_capacity(members.len());
                for (name, member) in members {
                    if let Some(value) = member.value(scope)? {
                        object.insert(name.clone(), value);
                    }
                }
                Value::Object(object)
            }
        }))
    }

    fn collect<'a>(&'a self, templates: &mut Vec<&'a Template>) {
        match &self.node {
            Node::Constant(_) => {}
            Node::Template(template) => templates.push(template),
            Node::List(items) => items.iter().for_each(|item| item.collect(templates)),
            Node::Map(members) => {
                for (_, member) in members {
                    member.collect(templates);
                }
            }
        }
    }
}

fn above<'a>(parts: impl Iterator<Item = &'a Tree>) -> Result<usize, TooDeep> {
    let depth = parts.map(|part| part.depth + 1).max().unwrap_or(1);
    if depth > MAX_VALUE_DEPTH {
        return Err(TooDeep);
    }
    Ok(depth)
}
