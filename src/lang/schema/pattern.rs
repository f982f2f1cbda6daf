//! Regular expressions of a schema: which engine runs them, and why one is refused.
//!
//! Every pattern is compiled by the validator itself, so that what is checked here is what runs.
//! The validator takes one engine for a whole schema: the linear-time one when it takes every
//! pattern, else a backtracking one with a bound, for look-around and backreferences. That one,
//! too, runs patterns that need neither in linear time.

use super::dialect::Dialect;
use super::document::Document;
use super::error::{SchemaError, SchemaErrorKind, quote};
use super::pointer;
use jsonschema::{PatternCache, PatternOptions, ValidationOptions, Validator};
use serde_json::{Value, json};
use std::collections::HashMap;

/// Steps a backtracking match may take before it counts as failed: one or two milliseconds.
const BACKTRACK_LIMIT: usize = 50_000;

/// The same in a value of many strings, each of which may be made to take the most.
const HURRIED_BACKTRACK_LIMIT: usize = 1_000;

/// Strings and keys of a value that may take their time.
const FEW_STRINGS: usize = 200;

/// The regular expressions of one schema, compiled once whatever compiles them.
#[derive(Clone, Debug)]
pub(super) struct Patterns {
    dialect: Dialect,
    engine: Engine,
    compiled: PatternCache,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Engine {
    Linear,
    Backtracking,
}

/// How long a backtracking match may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pace {
    Usual,
    /// The value has many strings.
    Hurried,
}

/// One compiled regular expression.
#[derive(Debug)]
pub(super) struct Pattern {
    usual: Validator,
    /// With the lower bound; `None` on the engine that needs none.
    hurried: Option<Validator>,
}

impl Pattern {
    /// Whether it matches anywhere in `text`, which is a string.
    pub(super) fn is_match(&self, text: &Value, pace: Pace) -> bool {
        match (&self.hurried, pace) {
            (Some(hurried), Pace::Hurried) => hurried.is_valid(text),
            _ => self.usual.is_valid(text),
        }
    }

    /// Whether it runs on the linear-time engine.
    pub(super) fn is_linear(&self) -> bool {
        self.hurried.is_none()
    }
}

impl Patterns {
    /// Compiles every pattern of the document. Those that no engine takes, and those that only
    /// work here, go to `errors`.
    pub(super) fn check(document: &Document<'_>, errors: &mut Vec<SchemaError>) -> Self {
        let mut patterns = Self {
            dialect: document.dialect,
            engine: Engine::Linear,
            compiled: PatternCache::new(),
        };
        let mut known = HashMap::new();
        for (text, place) in places(document) {
            let verdict = known.entry(text).or_insert_with(|| patterns.verdict(text));
            match verdict {
                Err(reason) => errors.push(refused(text, reason, place)),
                Ok(engine) => {
                    if *engine == Engine::Backtracking {
                        patterns.engine = Engine::Backtracking;
                    }
                    if !is_ecma(text) {
                        errors.push(not_portable(text, place));
                    }
                }
            }
        }
        patterns
    }

    /// Options for the validator of the whole schema, or of a part of it.
    pub(super) fn options(&self, pace: Pace) -> ValidationOptions<'static> {
        self.options_with(self.engine, pace)
    }

    /// How long matches may take in this value.
    pub(super) fn pace(&self, value: &Value) -> Pace {
        let mut left = FEW_STRINGS;
        match self.engine {
            Engine::Backtracking if has_many_strings(value, &mut left) => Pace::Hurried,
            _ => Pace::Usual,
        }
    }

    /// A pattern of the checked document; `None` if it was refused.
    pub(super) fn compile(&self, text: &str) -> Option<Pattern> {
        let schema = json!({ "pattern": text });
        let build = |engine, pace| self.options_with(engine, pace).build(&schema).ok();
        if let Some(usual) = build(Engine::Linear, Pace::Usual) {
            let hurried = None;
            return Some(Pattern { usual, hurried });
        }
        Some(Pattern {
            usual: build(Engine::Backtracking, Pace::Usual)?,
            hurried: Some(build(Engine::Backtracking, Pace::Hurried)?),
        })
    }

    fn options_with(&self, engine: Engine, pace: Pace) -> ValidationOptions<'static> {
        let options = jsonschema::options()
            .with_draft(self.dialect.draft())
            .should_validate_formats(true)
            .with_pattern_cache(self.compiled.clone())
            .offline();
        let limit = match pace {
            Pace::Usual => BACKTRACK_LIMIT,
            Pace::Hurried => HURRIED_BACKTRACK_LIMIT,
        };
        match engine {
            Engine::Linear => options.with_pattern_options(PatternOptions::regex()),
            Engine::Backtracking => {
                options.with_pattern_options(PatternOptions::fancy_regex().backtrack_limit(limit))
            }
        }
    }

    /// The engine a pattern needs, or why none takes it.
    fn verdict(&self, text: &str) -> Result<Engine, String> {
        let pattern = self.compile(text).ok_or_else(|| reason(text))?;
        Ok(if pattern.is_linear() {
            Engine::Linear
        } else {
            Engine::Backtracking
        })
    }
}

/// Whether more than `left` strings and keys are in `value`.
fn has_many_strings(value: &Value, left: &mut usize) -> bool {
    let mut spend = |count| match left.checked_sub(count) {
        Some(rest) => {
            *left = rest;
            false
        }
        None => true,
    };
    match value {
        Value::String(_) => spend(1),
        Value::Array(items) => items.iter().any(|item| has_many_strings(item, left)),
        Value::Object(members) => {
            spend(members.len())
                || members
                    .values()
                    .any(|member| has_many_strings(member, left))
        }
        _ => false,
    }
}

/// Every pattern of the document with its pointer.
fn places<'a>(document: &Document<'a>) -> Vec<(&'a str, String)> {
    let mut places = Vec::new();
    for node in &document.nodes {
        if let Some(text) = node.schema.get("pattern").and_then(Value::as_str) {
            places.push((text, pointer::join(&node.pointer, "pattern")));
        }
        if let Some(members) = node
            .schema
            .get("patternProperties")
            .and_then(Value::as_object)
        {
            let at = pointer::join(&node.pointer, "patternProperties");
            places.extend(
                members
                    .keys()
                    .map(|text| (text.as_str(), pointer::join(&at, text))),
            );
        }
    }
    places
}

fn is_ecma(text: &str) -> bool {
    static ECMA: std::sync::LazyLock<Option<Validator>> = std::sync::LazyLock::new(|| {
        jsonschema::options()
            .should_validate_formats(true)
            .offline()
            .build(&json!({ "format": "regex" }))
            .ok()
    });
    ECMA.as_ref()
        .is_none_or(|ecma| ecma.is_valid(&Value::String(text.to_owned())))
}

fn refused(text: &str, reason: &str, place: String) -> SchemaError {
    SchemaError::new(
        SchemaErrorKind::Pattern,
        place,
        format!(
            "the regular expression `{}` cannot be compiled: {reason}",
            quote(text)
        ),
    )
}

fn not_portable(text: &str, place: String) -> SchemaError {
    SchemaError::new(
        SchemaErrorKind::PatternPortability,
        place,
        format!("`{}` is not an ECMA-262 regular expression", quote(text)),
    )
    .help("it works here, but clients that check arguments themselves may refuse it")
}

/// Why neither engine takes it, in the engines' words.
fn reason(text: &str) -> String {
    let linear = match regex::Regex::new(text) {
        Ok(_) => return "it is not an ECMA-262 regular expression".to_owned(),
        Err(error) => error.to_string(),
    };
    let full = match fancy_regex::Regex::new(text) {
        Err(error) => error.to_string(),
        Ok(_) => linear.clone(),
    };
    // The linear engine draws a picture above its last line; where it only misses look-around,
    // the other engine knows the real reason.
    let (source, own) = match linear.lines().last() {
        Some(last) if !last.contains("look-around") && !last.contains("backreferences") => {
            (linear.as_str(), true)
        }
        _ => (full.as_str(), false),
    };
    let last = source.lines().last().unwrap_or(source).trim();
    let last = if own {
        last.trim_start_matches("error: ")
    } else {
        last
    };
    quote(last.trim_end_matches('.'))
}
