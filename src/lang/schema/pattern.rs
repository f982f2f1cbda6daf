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

/// Steps a backtracking match may take before it counts as no match: about a millisecond.
const BACKTRACK_LIMIT: usize = 100_000;

/// The regular expressions of one schema, compiled once whatever compiles them.
#[derive(Clone, Debug)]
pub(super) struct Patterns {
    dialect: Dialect,
    engine: Engine,
    compiled: PatternCache,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Engine {
    Linear,
    Backtracking,
}

/// One compiled regular expression.
#[derive(Debug)]
pub(super) struct Pattern {
    validator: Validator,
    pub(super) engine: Engine,
}

impl Pattern {
    /// Whether it matches anywhere in `text`, which is a string.
    pub(super) fn is_match(&self, text: &Value) -> bool {
        self.validator.is_valid(text)
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
    pub(super) fn options(&self) -> ValidationOptions<'static> {
        self.options_with(self.engine)
    }

    /// A pattern of the checked document; `None` if it was refused.
    pub(super) fn compile(&self, text: &str) -> Option<Pattern> {
        [Engine::Linear, Engine::Backtracking]
            .into_iter()
            .find_map(|engine| self.compile_with(text, engine))
    }

    fn options_with(&self, engine: Engine) -> ValidationOptions<'static> {
        let options = jsonschema::options()
            .with_draft(self.dialect.draft())
            .should_validate_formats(true)
            .with_pattern_cache(self.compiled.clone())
            .offline();
        match engine {
            Engine::Linear => options.with_pattern_options(PatternOptions::regex()),
            Engine::Backtracking => options.with_pattern_options(
                PatternOptions::fancy_regex().backtrack_limit(BACKTRACK_LIMIT),
            ),
        }
    }

    fn compile_with(&self, text: &str, engine: Engine) -> Option<Pattern> {
        let validator = self
            .options_with(engine)
            .build(&json!({ "pattern": text }))
            .ok()?;
        Some(Pattern { validator, engine })
    }

    /// The engine a pattern needs, or why none takes it.
    fn verdict(&self, text: &str) -> Result<Engine, String> {
        let pattern = self.compile(text).ok_or_else(|| reason(text))?;
        Ok(pattern.engine)
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
