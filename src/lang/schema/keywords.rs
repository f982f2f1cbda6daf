//! Which keywords hold subschemas, in which dialect, and what a subschema there is applied to.

use super::dialect::Dialect;
use super::pointer;
use serde_json::{Map, Value};

/// How a subschema is reached from the schema that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step<'a> {
    // Applied to the value itself.
    Ref,
    DynamicRef,
    AllOf,
    AnyOf,
    OneOf,
    Not,
    If,
    Then,
    Else,
    Dependent(&'a str),
    // Applied to a member of the value.
    Property(&'a str),
    PatternProperty(&'a str),
    AdditionalProperties,
    PropertyNames,
    UnevaluatedProperties,
    // Applied to an item of the value.
    PrefixItem,
    RestItems,
    Contains,
    UnevaluatedItems,
    /// Applied to nothing here; a reference may lead to it.
    Definition,
}

impl Step<'_> {
    /// Whether the subschema is applied to the very value its holder is applied to.
    pub(super) fn is_in_place(self) -> bool {
        matches!(
            self,
            Self::Ref
                | Self::DynamicRef
                | Self::AllOf
                | Self::AnyOf
                | Self::OneOf
                | Self::Not
                | Self::If
                | Self::Then
                | Self::Else
                | Self::Dependent(_)
        )
    }
}

/// A subschema, how it is reached, and its pointer.
pub(super) struct Child<'a> {
    pub(super) step: Step<'a>,
    pub(super) pointer: String,
    pub(super) schema: &'a Value,
}

/// The subschemas that `schema`, at `at`, holds by the keywords of `dialect`, in document order.
/// Values that cannot be schemas are left out: the meta-schema reports those.
pub(super) fn children<'a>(
    dialect: Dialect,
    schema: &'a Map<String, Value>,
    at: &str,
) -> Vec<Child<'a>> {
    let mut children = Vec::new();
    // In draft-07 every keyword beside `$ref` is ignored.
    let ignored = dialect == Dialect::Draft7 && schema.contains_key("$ref");
    for (keyword, value) in schema {
        let Some(holder) = holder(dialect, keyword, schema) else {
            continue;
        };
        let holder = if ignored {
            holder.of_definitions()
        } else {
            holder
        };
        collect(holder, value, &pointer::join(at, keyword), &mut children);
    }
    children
}

/// What a keyword's value is made of.
#[derive(Clone, Copy)]
enum Holder {
    One(fn(&str) -> Step<'_>),
    List(fn(&str) -> Step<'_>),
    Map(fn(&str) -> Step<'_>),
}

impl Holder {
    fn of_definitions(self) -> Self {
        match self {
            Self::One(_) => Self::One(|_| Step::Definition),
            Self::List(_) => Self::List(|_| Step::Definition),
            Self::Map(_) => Self::Map(|_| Step::Definition),
        }
    }
}

fn holder(dialect: Dialect, keyword: &str, schema: &Map<String, Value>) -> Option<Holder> {
    let modern = dialect == Dialect::Draft202012;
    Some(match keyword {
        "properties" => Holder::Map(|name| Step::Property(name)),
        "patternProperties" => Holder::Map(|pattern| Step::PatternProperty(pattern)),
        "additionalProperties" => Holder::One(|_| Step::AdditionalProperties),
        "propertyNames" => Holder::One(|_| Step::PropertyNames),
        "allOf" => Holder::List(|_| Step::AllOf),
        "anyOf" => Holder::List(|_| Step::AnyOf),
        "oneOf" => Holder::List(|_| Step::OneOf),
        "not" => Holder::One(|_| Step::Not),
        "if" => Holder::One(|_| Step::If),
        "then" if schema.contains_key("if") => Holder::One(|_| Step::Then),
        "else" if schema.contains_key("if") => Holder::One(|_| Step::Else),
        "then" | "else" => Holder::One(|_| Step::Definition),
        "contains" => Holder::One(|_| Step::Contains),
        "definitions" => Holder::Map(|_| Step::Definition),
        "dependencies" => Holder::Map(|name| Step::Dependent(name)),
        "items" if !modern && schema.get("items").is_some_and(Value::is_array) => {
            Holder::List(|_| Step::PrefixItem)
        }
        "items" => Holder::One(|_| Step::RestItems),
        // Without a list of `items` it has no meaning.
        "additionalItems" if !modern => {
            if schema.get("items").is_some_and(Value::is_array) {
                Holder::One(|_| Step::RestItems)
            } else {
                Holder::One(|_| Step::Definition)
            }
        }
        "prefixItems" if modern => Holder::List(|_| Step::PrefixItem),
        "dependentSchemas" if modern => Holder::Map(|name| Step::Dependent(name)),
        "unevaluatedProperties" if modern => Holder::One(|_| Step::UnevaluatedProperties),
        "unevaluatedItems" if modern => Holder::One(|_| Step::UnevaluatedItems),
        "$defs" if modern => Holder::Map(|_| Step::Definition),
        "contentSchema" if modern => Holder::One(|_| Step::Definition),
        _ => return None,
    })
}

fn collect<'a>(holder: Holder, value: &'a Value, at: &str, children: &mut Vec<Child<'a>>) {
    let mut add = |step, pointer, schema: &'a Value| {
        if schema.is_object() || schema.is_boolean() {
            children.push(Child {
                step,
                pointer,
                schema,
            });
        }
    };
    match (holder, value) {
        (Holder::One(step), schema) => add(step(""), at.to_owned(), schema),
        (Holder::List(step), Value::Array(items)) => {
            for (index, schema) in items.iter().enumerate() {
                add(step(""), pointer::join(at, &index.to_string()), schema);
            }
        }
        (Holder::Map(step), Value::Object(members)) => {
            for (name, schema) in members {
                add(step(name), pointer::join(at, name), schema);
            }
        }
        _ => {}
    }
}
