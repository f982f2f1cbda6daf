//! JSON Schema: compiled once, checked against its dialect, bounded.
//!
//! [`Schema::compile`] refuses what it would be wrong to serve: another dialect, a breach of the
//! meta-schema, a reference out of the document, a pattern no engine takes, a document that costs
//! too much. Checking a value then goes two ways: a verdict first, as fast as it can be had, and
//! only for a refused value the search for what is wrong with it.
//!
//! - Full: the `jsonschema` crate gives the verdict, for all of 2020-12 and draft-07. `format` is
//!   asserted for the formats it knows; others are annotations.
//! - Basic: our own [`rules`], linear in the value: types, `enum`, `const`, sizes, bounds,
//!   `multipleOf`, `pattern`, `format`, members (`properties`, `patternProperties`,
//!   `additionalProperties`, `required`), items (`items`, `prefixItems`, `uniqueItems`), `$ref`.
//! - None: the root's `required` list, which is part of the other two as well.
//!
//! What is wrong is always told by our own rules: in bounded time, and never with the value.

mod basic;
mod bounds;
mod cache;
mod compile;
mod cost;
mod defaults;
mod dialect;
mod document;
mod error;
mod header;
mod keywords;
mod meta;
mod pattern;
mod plain;
mod pointer;
mod reference;
mod rules;
mod spelling;
mod violation;

#[cfg(test)]
mod tests;

pub use basic::{UnsupportedAssertion, unsupported_assertions};
pub use cache::SchemaCache;
pub use defaults::DefaultsTooLarge;
pub use dialect::Dialect;
pub use error::{SchemaError, SchemaErrorKind};
pub use header::{HeaderKind, HeaderParam, header_params};
pub use violation::{Violation, Violations};

use defaults::Defaults;
use document::Document;
use jsonschema::Validator;
use pattern::{Pace, Patterns};
use ring::digest::SHA256;
use rules::{Rules, Scope};
use serde_json::{Map, Value};
use std::fmt;
use std::sync::{Arc, OnceLock};

/// Levels of a value, times the longest chain of subschemas applied to one value: the frames a
/// check may take of the stack. A message from the wire has at most 127 levels, and most schemas
/// a chain below 5.
const MAX_FRAMES: usize = 1_024;

/// How much of a schema is checked (`server.validation`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Validation {
    /// All of it.
    #[default]
    Full,
    /// The basic keywords; others are ignored. See [`unsupported_assertions`].
    Basic,
    /// The root's `required` list alone.
    None,
}

/// What a schema describes, which decides what its root may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Root {
    /// A tool's arguments: the root says `type: "object"`.
    Input,
    /// A tool's structured output: any type.
    Output,
}

/// A compiled schema. Cheap to share; checking takes no lock.
pub struct Schema {
    json: Arc<Value>,
    digest: [u8; 32],
    dialect: Dialect,
    validation: Validation,
    required: Vec<String>,
    /// The longest chain of subschemas applied to one value.
    chain: usize,
    patterns: Patterns,
    engine: Engine,
    defaults: Defaults,
    warnings: Vec<SchemaError>,
}

enum Engine {
    Full {
        /// Built by the first value where that cannot fail: most schemas of many tools are never used.
        validator: OnceLock<Option<Box<Validator>>>,
        /// For values of many strings, where patterns backtrack. Built by the first of them.
        hurried: OnceLock<Option<Box<Validator>>>,
        /// Built by the first refused value.
        rules: OnceLock<Rules>,
    },
    Basic(Rules),
    None,
}

impl Schema {
    /// Compiles a schema. All load checks are made whatever the validation.
    ///
    /// # Errors
    ///
    /// Everything wrong with it, warnings included: errors first, at most 100 findings.
    pub fn compile(
        json: Arc<Value>,
        root: Root,
        validation: Validation,
    ) -> Result<Self, Vec<SchemaError>> {
        let digest = digest(&json);
        compile::compile(json, digest, root, validation)
    }

    /// The schema as it was written.
    pub fn json(&self) -> &Arc<Value> {
        &self.json
    }

    /// SHA-256 of its text: another for every other schema, also where only the order of the members is
    /// another.
    pub fn digest(&self) -> &[u8; 32] {
        &self.digest
    }

    /// Its dialect.
    #[cfg(test)]
    fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Findings that do not keep it from being used, at most 100.
    pub fn warnings(&self) -> &[SchemaError] {
        &self.warnings
    }

    /// Checks a value.
    ///
    /// # Errors
    ///
    /// What is wrong with it, without the value. A value nested so deep that the check would take
    /// too much of the stack is refused as well: more than 1,024 levels, or fewer where chains of
    /// subschemas apply to one value; 127 levels are fine with every chain up to 8.
    pub fn check(&self, value: &Value) -> Result<(), Violations> {
        if !bounds::is_within_depth(value, max_depth(self.chain)) {
            return Err(Violations::too_deep());
        }
        let pace = self.patterns.pace(value);
        match &self.engine {
            Engine::None => self.check_required(value),
            Engine::Basic(rules) if rules.is_valid(value, pace) => Ok(()),
            Engine::Basic(rules) => Err(rules.violations(value, pace)),
            Engine::Full {
                validator,
                hurried,
                rules,
            } => {
                let hurried = match pace {
                    Pace::Usual => None,
                    Pace::Hurried => hurried.get_or_init(|| self.validator(pace)).as_ref(),
                };
                let usual = || {
                    validator
                        .get_or_init(|| self.validator(Pace::Usual))
                        .as_ref()
                };
                let rules = || rules.get_or_init(|| self.full_rules());
                let is_valid = match hurried.or_else(usual) {
                    Some(validator) => validator.is_valid(value),
                    None => rules().is_valid(value, pace),
                };
                if is_valid {
                    return Ok(());
                }
                Err(rules().explain(value, pace))
            }
        }
    }

    /// Fills declared defaults into what is absent, at every level that is present: members, items,
    /// and the defaults themselves. Values that are given stay as they are.
    ///
    /// # Errors
    ///
    /// More than 16 MiB would be filled in, or they are nested too deep for [`Self::check`] as
    /// well; `arguments` is then filled in part, or not at all.
    pub fn apply_defaults(
        &self,
        arguments: &mut Map<String, Value>,
    ) -> Result<(), DefaultsTooLarge> {
        self.defaults.apply(arguments, max_depth(self.chain))
    }

    fn check_required(&self, value: &Value) -> Result<(), Violations> {
        let Value::Object(members) = value else {
            return Ok(());
        };
        let lacks = |name: &&String| !members.contains_key(name.as_str());
        if !self.required.iter().any(|name| lacks(&name)) {
            return Ok(());
        }
        let missing = self.required.iter().filter(lacks).cloned().collect();
        Err(Violations::of_missing(missing))
    }

    /// What the rules say of a value, whatever the validator says.
    #[cfg(test)]
    fn explain_for_tests(&self, value: &Value) -> Violations {
        match &self.engine {
            Engine::Full { .. } => self.full_rules().explain(value, self.patterns.pace(value)),
            Engine::Basic(rules) => rules.explain(value, self.patterns.pace(value)),
            Engine::None => Violations::default(),
        }
    }

    /// Whether the validator takes the schema, also where it is not needed yet.
    #[cfg(test)]
    fn has_validator_for_tests(&self) -> bool {
        self.validator(Pace::Usual).is_some()
    }

    fn full_rules(&self) -> Rules {
        let document = Document::read(&self.json, self.dialect, &mut Vec::new());
        Rules::build(&document, Scope::Full, &self.patterns)
    }

    fn validator(&self, pace: Pace) -> Option<Box<Validator>> {
        compile::build(&self.json, &self.patterns, pace)
            .ok()
            .map(Box::new)
    }
}

/// SHA-256 of a schema's text.
fn digest(json: &Value) -> [u8; 32] {
    let mut digest = [0; 32];
    let text = json.to_string();
    digest.copy_from_slice(ring::digest::digest(&SHA256, text.as_bytes()).as_ref());
    digest
}

/// The deepest value that may be held against chains of this length.
fn max_depth(chain: usize) -> usize {
    MAX_FRAMES / chain.max(1)
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Schema")
            .field("dialect", &self.dialect)
            .field("validation", &self.validation)
            .field("required", &self.required)
            .finish_non_exhaustive()
    }
}
