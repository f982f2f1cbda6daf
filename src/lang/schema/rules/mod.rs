//! A schema's rules in a form of our own: the basic validator runs on them, and they say what is
//! wrong with a value that the full validator refused.
//!
//! The full validator's own error lists are not bounded, neither in number nor in what finding
//! them costs, and quote values. A walk over these rules is bounded and tells only the rule.

mod build;
mod compose;
mod evaluated;
mod members;
mod number;
mod text;
mod walk;

use super::document::NodeId;
use super::pattern::Pattern;
use jsonschema::Validator;
use serde_json::{Number, Value};
use std::collections::HashMap;

pub(super) use walk::Outcome;

/// Which keywords are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// Types, values, sizes, bounds, patterns, formats, members and items, and `$ref`.
    Basic,
    /// All of the dialect's.
    Full,
}

/// The rules of a document, by subschema.
#[derive(Debug)]
pub(super) struct Rules {
    nodes: Vec<Rule>,
}

/// What one subschema asks of a value.
#[derive(Debug, Default)]
struct Rule {
    /// The schema `false`.
    refuses_all: bool,
    types: Option<Types>,
    values: Vec<Choice>,
    numbers: Vec<NumberRule>,
    strings: Vec<StringRule>,
    array: Option<Box<ArrayRule>>,
    object: Option<Box<ObjectRule>>,
    compose: Vec<Compose>,
}

/// `enum` or `const`.
#[derive(Debug)]
struct Choice {
    keyword: &'static str,
    options: Vec<Value>,
}

#[derive(Debug)]
enum NumberRule {
    Minimum(Number),
    Maximum(Number),
    ExclusiveMinimum(Number),
    ExclusiveMaximum(Number),
    MultipleOf(Check),
}

#[derive(Debug)]
enum StringRule {
    MinLength(u64),
    MaxLength(u64),
    Pattern(Pattern, String),
    Checked(Check),
}

/// A keyword left to the validator, compiled alone.
#[derive(Debug)]
struct Check {
    keyword: &'static str,
    validator: Validator,
    /// The violation's text.
    message: String,
}

#[derive(Debug, Default)]
struct ArrayRule {
    min: Option<u64>,
    max: Option<u64>,
    unique: bool,
    prefix: Vec<NodeId>,
    rest: Option<NodeId>,
    contains: Option<Contains>,
    unevaluated: Option<NodeId>,
}

#[derive(Debug)]
struct Contains {
    node: NodeId,
    min: u64,
    max: Option<u64>,
}

#[derive(Debug, Default)]
struct ObjectRule {
    min: Option<u64>,
    max: Option<u64>,
    required: Vec<String>,
    dependent_required: Vec<(String, Vec<String>)>,
    properties: HashMap<String, NodeId>,
    patterns: Vec<(Pattern, NodeId)>,
    additional: Option<NodeId>,
    names: Option<NodeId>,
    unevaluated: Option<NodeId>,
}

/// Subschemas applied to the value itself.
#[derive(Debug)]
enum Compose {
    /// `$ref` or a member of `allOf`.
    All(NodeId),
    Any(Vec<NodeId>),
    One(Vec<NodeId>),
    Not(NodeId),
    If {
        condition: NodeId,
        then: Option<NodeId>,
        otherwise: Option<NodeId>,
    },
    /// When the object has this property.
    Dependent(String, NodeId),
    /// A `$dynamicRef` with several targets: which one it is depends on the way there.
    Dynamic(Vec<NodeId>),
}

/// A set of JSON types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Types(u8);

impl Types {
    const NONE: Self = Self(0);

    /// The type of this name; none for other words, which the meta-schema refuses.
    fn named(name: &str) -> Self {
        Self(match name {
            "null" => 1,
            "boolean" => 1 << 1,
            "integer" => 1 << 2,
            "number" => 1 << 3,
            "string" => 1 << 4,
            "array" => 1 << 5,
            "object" => 1 << 6,
            _ => 0,
        })
    }

    fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn allow(self, value: &Value) -> bool {
        let name = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(number) if number::is_integer(number) => {
                return self.0 & (Self::named("integer").0 | Self::named("number").0) != 0;
            }
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        self.0 & Self::named(name).0 != 0
    }
}
