//! Reads the rules of a document that has been checked.

use super::{
    ArrayRule, Check, Choice, Compose, Contains, NumberRule, ObjectRule, Rule, Rules, Scope,
    StringRule, Types, number,
};
use crate::lang::schema::dialect::Dialect;
use crate::lang::schema::document::{Document, Node, NodeId};
use crate::lang::schema::error::quote;
use crate::lang::schema::keywords::Step;
use crate::lang::schema::pattern::{Pace, Patterns};
use serde_json::{Map, Value};

impl Rules {
    /// The rules of every subschema of `document`, which has no errors.
    pub(crate) fn build(document: &Document<'_>, scope: Scope, patterns: &Patterns) -> Self {
        let builder = Builder {
            document,
            scope,
            patterns,
        };
        Self {
            nodes: document
                .nodes
                .iter()
                .map(|node| builder.rule(node))
                .collect(),
        }
    }
}

struct Builder<'d> {
    document: &'d Document<'d>,
    scope: Scope,
    patterns: &'d Patterns,
}

impl Builder<'_> {
    fn rule(&self, node: &Node<'_>) -> Rule {
        let Value::Object(members) = node.schema else {
            return Rule {
                refuses_all: node.schema == &Value::Bool(false),
                ..Rule::default()
            };
        };
        let mut rule = Rule::default();
        // In draft-07 nothing beside `$ref` counts.
        let ref_alone = self.document.dialect == Dialect::Draft7 && members.contains_key("$ref");
        if !ref_alone {
            rule.types = types(members);
            rule.values = values(members);
            rule.numbers = self.numbers(members);
            rule.strings = self.strings(members);
            rule.array = self.array(node, members);
            rule.object = self.object(node, members);
        }
        rule.compose = self.compose(node);
        rule
    }

    fn full(&self) -> bool {
        self.scope == Scope::Full
    }

    fn numbers(&self, members: &Map<String, Value>) -> Vec<NumberRule> {
        let mut rules = Vec::new();
        for (keyword, value) in members {
            let Value::Number(limit) = value else {
                continue;
            };
            let limit = limit.clone();
            match keyword.as_str() {
                "minimum" => rules.push(NumberRule::Minimum(limit)),
                "maximum" => rules.push(NumberRule::Maximum(limit)),
                "exclusiveMinimum" => rules.push(NumberRule::ExclusiveMinimum(limit)),
                "exclusiveMaximum" => rules.push(NumberRule::ExclusiveMaximum(limit)),
                "multipleOf" => {
                    let message = format!("value is not a multiple of {limit}");
                    let check = self.check("multipleOf", members, message);
                    rules.extend(check.map(NumberRule::MultipleOf));
                }
                _ => {}
            }
        }
        rules
    }

    fn strings(&self, members: &Map<String, Value>) -> Vec<StringRule> {
        let mut rules = Vec::new();
        if let Some(limit) = members.get("minLength").and_then(number::count) {
            rules.push(StringRule::MinLength(limit));
        }
        if let Some(limit) = members.get("maxLength").and_then(number::count) {
            rules.push(StringRule::MaxLength(limit));
        }
        if let Some(text) = members.get("pattern").and_then(Value::as_str) {
            let pattern = self.patterns.compile(text);
            rules.extend(pattern.map(|pattern| StringRule::Pattern(pattern, quote(text))));
        }
        let mut check = |keyword, message: &str| {
            if let Some(name) = members.get(keyword).and_then(Value::as_str) {
                let message = format!("value {message} `{}`", quote(name));
                rules.extend(
                    self.check(keyword, members, message)
                        .map(StringRule::Checked),
                );
            }
        };
        check("format", "is not in the format");
        if self.full() && self.document.dialect == Dialect::Draft7 {
            check("contentEncoding", "is not encoded in");
            check("contentMediaType", "is not of the media type");
        }
        rules
    }

    /// A keyword compiled alone; `None` when it asserts nothing, as an unknown format.
    fn check(
        &self,
        keyword: &'static str,
        members: &Map<String, Value>,
        message: String,
    ) -> Option<Check> {
        let mut alone = Map::new();
        alone.insert(keyword.to_owned(), members.get(keyword)?.clone());
        // The media type is that of the decoded text.
        if let ("contentMediaType", Some(encoding)) = (keyword, members.get("contentEncoding")) {
            alone.insert("contentEncoding".to_owned(), encoding.clone());
        }
        let options = self.patterns.options(Pace::Usual);
        if keyword == "format" {
            let name = members.get(keyword)?.as_str()?;
            if !options.is_known_format(self.document.dialect.draft(), name) {
                return None;
            }
        }
        let validator = options.build(&Value::Object(alone)).ok()?;
        Some(Check {
            keyword,
            validator,
            message,
        })
    }

    fn array(&self, node: &Node<'_>, members: &Map<String, Value>) -> Option<Box<ArrayRule>> {
        let mut rule = ArrayRule {
            min: members.get("minItems").and_then(number::count),
            max: members.get("maxItems").and_then(number::count),
            unique: members.get("uniqueItems") == Some(&Value::Bool(true)),
            ..ArrayRule::default()
        };
        for edge in &node.edges {
            match edge.step {
                Step::PrefixItem => rule.prefix.push(edge.to),
                Step::RestItems => rule.rest = Some(edge.to),
                Step::Contains if self.full() => {
                    let modern = self.document.dialect == Dialect::Draft202012;
                    let bound = |keyword| members.get(keyword).filter(|_| modern);
                    rule.contains = Some(Contains {
                        node: edge.to,
                        min: bound("minContains").and_then(number::count).unwrap_or(1),
                        max: bound("maxContains").and_then(number::count),
                    });
                }
                Step::UnevaluatedItems if self.full() => rule.unevaluated = Some(edge.to),
                _ => {}
            }
        }
        let is_empty = rule.min.is_none()
            && rule.max.is_none()
            && !rule.unique
            && rule.prefix.is_empty()
            && rule.rest.is_none()
            && rule.contains.is_none()
            && rule.unevaluated.is_none();
        (!is_empty).then(|| Box::new(rule))
    }

    fn object(&self, node: &Node<'_>, members: &Map<String, Value>) -> Option<Box<ObjectRule>> {
        let mut rule = ObjectRule {
            min: members.get("minProperties").and_then(number::count),
            max: members.get("maxProperties").and_then(number::count),
            required: members.get("required").map(strings).unwrap_or_default(),
            ..ObjectRule::default()
        };
        if self.full() {
            let modern = self.document.dialect == Dialect::Draft202012;
            let modern = members.get("dependentRequired").filter(|_| modern);
            let lists = [modern, members.get("dependencies")].into_iter().flatten();
            rule.dependent_required = lists
                .filter_map(Value::as_object)
                .flatten()
                .filter(|(_, names)| names.is_array())
                .map(|(name, names)| (name.clone(), strings(names)))
                .collect();
        }
        for edge in &node.edges {
            match edge.step {
                Step::Property(name) => {
                    rule.properties.insert(name.to_owned(), edge.to);
                }
                Step::PatternProperty(text) => {
                    let pattern = self.patterns.compile(text);
                    rule.patterns
                        .extend(pattern.map(|pattern| (pattern, edge.to)));
                }
                Step::AdditionalProperties => rule.additional = Some(edge.to),
                Step::PropertyNames if self.full() => rule.names = Some(edge.to),
                Step::UnevaluatedProperties if self.full() => rule.unevaluated = Some(edge.to),
                _ => {}
            }
        }
        let is_empty = rule.min.is_none()
            && rule.max.is_none()
            && rule.required.is_empty()
            && rule.dependent_required.is_empty()
            && rule.properties.is_empty()
            && rule.patterns.is_empty()
            && rule.additional.is_none()
            && rule.names.is_none()
            && rule.unevaluated.is_none();
        (!is_empty).then(|| Box::new(rule))
    }

    fn compose(&self, node: &Node<'_>) -> Vec<Compose> {
        let targets = |wanted: Step<'_>| -> Vec<NodeId> {
            let edges = node.edges.iter().filter(|edge| edge.step == wanted);
            edges.map(|edge| edge.to).collect()
        };
        let mut rules: Vec<Compose> = targets(Step::Ref).into_iter().map(Compose::All).collect();
        if !self.full() {
            return rules;
        }
        match targets(Step::DynamicRef).as_slice() {
            [] => {}
            &[only] => rules.push(Compose::All(only)),
            several => rules.push(Compose::Dynamic(several.to_vec())),
        }
        rules.extend(targets(Step::AllOf).into_iter().map(Compose::All));
        let any = targets(Step::AnyOf);
        if !any.is_empty() {
            rules.push(Compose::Any(any));
        }
        let one = targets(Step::OneOf);
        if !one.is_empty() {
            rules.push(Compose::One(one));
        }
        rules.extend(targets(Step::Not).into_iter().map(Compose::Not));
        if let Some(&condition) = targets(Step::If).first() {
            rules.push(Compose::If {
                condition,
                then: targets(Step::Then).first().copied(),
                otherwise: targets(Step::Else).first().copied(),
            });
        }
        for edge in &node.edges {
            if let Step::Dependent(name) = edge.step {
                rules.push(Compose::Dependent(name.to_owned(), edge.to));
            }
        }
        rules
    }
}

fn types(members: &Map<String, Value>) -> Option<Types> {
    match members.get("type")? {
        Value::String(name) => Some(Types::named(name)),
        Value::Array(names) => {
            let names = names.iter().filter_map(Value::as_str);
            Some(names.fold(Types::NONE, |types, name| types.with(Types::named(name))))
        }
        _ => None,
    }
}

fn values(members: &Map<String, Value>) -> Vec<Choice> {
    let mut choices = Vec::new();
    if let Some(Value::Array(options)) = members.get("enum") {
        choices.push(Choice {
            keyword: "enum",
            options: options.clone(),
        });
    }
    if let Some(value) = members.get("const") {
        choices.push(Choice {
            keyword: "const",
            options: vec![value.clone()],
        });
    }
    choices
}

fn strings(list: &Value) -> Vec<String> {
    let items = list.as_array().map_or(&[][..], Vec::as_slice);
    items
        .iter()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}
