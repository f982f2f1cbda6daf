//! Holds a value against the rules: stopping at the first violation, or collecting them.

use super::number::{self, compare};
use super::text::{counted, option_text, options_text};
use super::{Choice, NumberRule, Rule, Rules, StringRule};
use crate::lang::schema::document::NodeId;
use crate::lang::schema::pattern::{Pace, Pattern};
use crate::lang::schema::violation::{Place, Violations};
use serde_json::{Number, Value};
use std::ops::ControlFlow;
use std::time::Instant;

/// Visits of a subschema to a value that an explanation may cost: about 100 ms. The largest body
/// the server takes by default has as many values.
const EXPLANATION_FUEL: u64 = 2_000_000;

/// What a visit takes, about, in nanoseconds.
const VISIT_NANOS: u128 = 50;

/// Why a walk ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// A violation, when the first one is enough.
    Violated,
    /// Finding out more would cost too much.
    OutOfFuel,
}

pub(super) type Flow = ControlFlow<Stop>;

/// What holding a value against a subschema gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Valid,
    Invalid,
    /// Too expensive to find out.
    Unknown,
}

impl Rules {
    /// Whether `value` keeps the rules of the root. Linear in the value for basic rules.
    pub(crate) fn is_valid(&self, value: &Value, pace: Pace) -> bool {
        let mut walk = Walk {
            rules: self,
            pace,
            fuel: u64::MAX,
            found: None,
        };
        walk.visit(0, value, &Place::Root).is_continue()
    }

    /// Every violation of the root's rules; of basic rules, whatever that costs, since it is
    /// linear.
    pub(crate) fn violations(&self, value: &Value, pace: Pace) -> Violations {
        self.collect(0, value, pace, u64::MAX)
    }

    /// The violations found at a bounded cost. Empty and incomplete when that was not enough.
    pub(crate) fn explain(&self, value: &Value, pace: Pace) -> Violations {
        self.collect(0, value, pace, EXPLANATION_FUEL)
    }

    /// Holds `value` against one subschema. Takes what that costs off `fuel`.
    pub(crate) fn holds(&self, node: NodeId, value: &Value, fuel: &mut u64) -> Outcome {
        let mut walk = Walk {
            rules: self,
            pace: Pace::Usual,
            fuel: *fuel,
            found: None,
        };
        let flow = walk.visit(node, value, &Place::Root);
        *fuel = walk.fuel;
        match flow {
            ControlFlow::Continue(()) => Outcome::Valid,
            ControlFlow::Break(Stop::Violated) => Outcome::Invalid,
            ControlFlow::Break(Stop::OutOfFuel) => Outcome::Unknown,
        }
    }

    /// The violations of one subschema's rules.
    pub(crate) fn explain_at(&self, node: NodeId, value: &Value) -> Violations {
        self.collect(node, value, Pace::Usual, EXPLANATION_FUEL)
    }

    fn collect(&self, node: NodeId, value: &Value, pace: Pace, fuel: u64) -> Violations {
        let mut found = Violations::default();
        let mut walk = Walk {
            rules: self,
            pace,
            fuel,
            found: Some(&mut found),
        };
        if walk.visit(node, value, &Place::Root).is_break() {
            found.set_incomplete();
        }
        found
    }
}

/// A walk over a value and the rules. Its recursion is as deep as the value, times the longest
/// chain of subschemas applied to one value; the caller has bounded both.
pub(super) struct Walk<'r, 'f> {
    pub(super) rules: &'r Rules,
    pub(super) pace: Pace,
    pub(super) fuel: u64,
    /// Where violations go; `None` when the first one ends the walk.
    pub(super) found: Option<&'f mut Violations>,
}

impl<'r> Walk<'r, '_> {
    /// Holds `value` against the subschema `node`.
    pub(super) fn visit(&mut self, node: NodeId, value: &Value, place: &Place<'_>) -> Flow {
        self.spend(1)?;
        let Some(rule) = self.rule(node) else {
            return Flow::Continue(());
        };
        if rule.refuses_all {
            return self.report(place, "false", || "value is not allowed".to_owned());
        }
        if rule.types.is_some_and(|types| !types.allow(value)) {
            // What else is wrong with it says nothing once the type is wrong.
            return self.report(place, "type", || {
                "value is not one of the declared JSON types".to_owned()
            });
        }
        for choice in &rule.values {
            self.choice(choice, value, place)?;
        }
        match value {
            Value::Number(number) => self.number(rule, number, value, place)?,
            Value::String(text) => self.string(rule, text, value, place)?,
            Value::Array(items) => {
                if let Some(array) = &rule.array {
                    self.array(node, array, items, value, place)?;
                }
            }
            Value::Object(members) => {
                if let Some(object) = &rule.object {
                    self.object(node, object, members, value, place)?;
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
        if rule.compose.is_empty() {
            return Flow::Continue(());
        }
        self.compose(rule, value, place)
    }

    pub(super) fn rule(&self, node: NodeId) -> Option<&'r Rule> {
        self.rules.nodes.get(node)
    }

    pub(super) fn spend(&mut self, visits: u64) -> Flow {
        match self.fuel.checked_sub(visits) {
            Some(left) => {
                self.fuel = left;
                Flow::Continue(())
            }
            None => Flow::Break(Stop::OutOfFuel),
        }
    }

    /// Notes a violation. The text is only made when somebody collects it.
    pub(super) fn report(
        &mut self,
        place: &Place<'_>,
        keyword: &'static str,
        message: impl FnOnce() -> String,
    ) -> Flow {
        match &mut self.found {
            Some(found) => {
                found.add(place, keyword, message());
                Flow::Continue(())
            }
            None => Flow::Break(Stop::Violated),
        }
    }

    fn choice(&mut self, choice: &Choice, value: &Value, place: &Place<'_>) -> Flow {
        self.spend(choice.options.len() as u64 / 16)?;
        if choice
            .options
            .iter()
            .any(|option| number::equal(option, value))
        {
            return Flow::Continue(());
        }
        self.report(place, choice.keyword, || match choice.options.as_slice() {
            [only] => format!("value is not {}, the only one allowed", option_text(only)),
            options => format!("value is not one of {}", options_text(options)),
        })
    }

    fn number(&mut self, rule: &Rule, number: &Number, value: &Value, place: &Place<'_>) -> Flow {
        for bound in &rule.numbers {
            match bound {
                NumberRule::Minimum(limit) if compare(number, limit).is_lt() => {
                    self.report(place, "minimum", || format!("value is less than {limit}"))?;
                }
                NumberRule::Maximum(limit) if compare(number, limit).is_gt() => {
                    self.report(place, "maximum", || {
                        format!("value is greater than {limit}")
                    })?;
                }
                NumberRule::ExclusiveMinimum(limit) if compare(number, limit).is_le() => {
                    self.report(place, "exclusiveMinimum", || {
                        format!("value is not greater than {limit}")
                    })?;
                }
                NumberRule::ExclusiveMaximum(limit) if compare(number, limit).is_ge() => {
                    self.report(place, "exclusiveMaximum", || {
                        format!("value is not less than {limit}")
                    })?;
                }
                NumberRule::MultipleOf(check) if !check.validator.is_valid(value) => {
                    self.report(place, check.keyword, || check.message.clone())?;
                }
                _ => {}
            }
        }
        Flow::Continue(())
    }

    fn string(&mut self, rule: &Rule, text: &str, value: &Value, place: &Place<'_>) -> Flow {
        for bound in &rule.strings {
            self.spend(text.len() as u64 / 256)?;
            match bound {
                StringRule::MinLength(limit) if length(text) < *limit => {
                    self.report(place, "minLength", || {
                        format!("value is shorter than {}", counted(*limit, "character"))
                    })?;
                }
                StringRule::MaxLength(limit) if length(text) > *limit => {
                    self.report(place, "maxLength", || {
                        format!("value is longer than {}", counted(*limit, "character"))
                    })?;
                }
                StringRule::Pattern(pattern, source) if !self.is_match(pattern, value)? => {
                    self.report(place, "pattern", || {
                        format!("value does not match the pattern `{source}`")
                    })?;
                }
                StringRule::Checked(check) if !check.validator.is_valid(value) => {
                    self.report(place, check.keyword, || check.message.clone())?;
                }
                _ => {}
            }
        }
        Flow::Continue(())
    }

    pub(super) fn is_match(&mut self, pattern: &Pattern, text: &Value) -> ControlFlow<Stop, bool> {
        if pattern.is_linear() {
            return ControlFlow::Continue(pattern.is_match(text, self.pace));
        }
        // Most backtracking matches are quick, some are thousands of times slower.
        let start = Instant::now();
        let matches = pattern.is_match(text, self.pace);
        let visits = start.elapsed().as_nanos() / VISIT_NANOS;
        self.spend(u64::try_from(visits).unwrap_or(u64::MAX))?;
        ControlFlow::Continue(matches)
    }
}

fn length(text: &str) -> u64 {
    text.chars().count() as u64
}
