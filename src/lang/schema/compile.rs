//! The way from JSON to a compiled schema: every check in turn, each collecting what it finds.

use super::defaults::{self, Defaults};
use super::dialect::Dialect;
use super::document::Document;
use super::error::{MAX_ERRORS, SchemaError, SchemaErrorKind, quote};
use super::pattern::{Pace, Patterns};
use super::rules::{Rules, Scope};
use super::{Engine, Root, Schema, Validation, bounds, cost, max_depth, meta, spelling};
use jsonschema::Validator;
use serde_json::Value;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

pub(super) fn compile(
    json: Arc<Value>,
    digest: [u8; 32],
    root: Root,
    validation: Validation,
) -> Result<Schema, Vec<SchemaError>> {
    let mut findings = Vec::new();
    let parts = check(&json, root, validation, &mut findings);
    // Errors first: warnings must not crowd them out.
    findings.sort_by_key(|finding| finding.kind.is_warning());
    findings.truncate(MAX_ERRORS);
    let has_errors = findings
        .first()
        .is_some_and(|first| !first.kind.is_warning());
    let Some(parts) = parts.filter(|_| !has_errors) else {
        return Err(findings);
    };
    Ok(Schema {
        required: required(&json, parts.dialect),
        dialect: parts.dialect,
        validation,
        chain: parts.chain,
        patterns: parts.patterns,
        engine: parts.engine,
        defaults: parts.defaults,
        warnings: findings,
        digest,
        json,
    })
}

/// What checking leaves behind for the schema.
struct Parts {
    dialect: Dialect,
    chain: usize,
    patterns: Patterns,
    engine: Engine,
    defaults: Defaults,
}

/// `None` once an error keeps later steps from making sense.
fn check(
    json: &Value,
    root: Root,
    validation: Validation,
    findings: &mut Vec<SchemaError>,
) -> Option<Parts> {
    if !json.is_object() {
        findings.push(SchemaError::new(
            SchemaErrorKind::Root,
            "",
            "a schema must be an object",
        ));
        return None;
    }
    let dialect = match bounds::check(json).and_then(|()| Dialect::of(json)) {
        Ok(dialect) => dialect,
        Err(error) => {
            findings.push(error);
            return None;
        }
    };
    check_root(json, root, findings);
    let document = Document::read(json, dialect, findings);
    meta::check(&document, findings);
    let chain = cost::check(&document, findings);
    let patterns = Patterns::check(&document, findings);
    spelling::check(&document, findings);
    if findings.iter().any(|finding| !finding.kind.is_warning()) {
        return None;
    }
    if defaults::has_any(&document) {
        let rules = Rules::build(&document, Scope::Full, &patterns);
        defaults::check(&document, &rules, max_depth(chain), findings);
    }
    let defaults = Defaults::build(&document, max_depth(chain))
        .map_err(|error| findings.push(error))
        .ok()?;
    Some(Parts {
        dialect,
        chain,
        engine: engine(&document, validation, &patterns, findings)?,
        patterns,
        defaults,
    })
}

fn check_root(json: &Value, root: Root, findings: &mut Vec<SchemaError>) {
    if root == Root::Output || json.get("type").and_then(Value::as_str) == Some("object") {
        return;
    }
    let (pointer, message) = match json.get("type") {
        None => (
            "",
            "an input schema must say `type: \"object\"` at its root",
        ),
        Some(_) => (
            "/type",
            "the root of an input schema must be of type `object` alone",
        ),
    };
    findings.push(
        SchemaError::new(SchemaErrorKind::Root, pointer, message)
            .help("arguments always are an object; describe them under `properties`"),
    );
}

fn engine(
    document: &Document<'_>,
    validation: Validation,
    patterns: &Patterns,
    findings: &mut Vec<SchemaError>,
) -> Option<Engine> {
    match validation {
        Validation::None => Some(Engine::None),
        Validation::Basic => Some(Engine::Basic(Rules::build(
            document,
            Scope::Basic,
            patterns,
        ))),
        Validation::Full => {
            let validator = if document.is_plain() {
                OnceLock::new()
            } else {
                let built = build(document.root, patterns, Pace::Usual);
                let built = built.map_err(|error| findings.push(error)).ok()?;
                OnceLock::from(Some(Box::new(built)))
            };
            Some(Engine::Full {
                validator,
                hurried: OnceLock::new(),
                rules: OnceLock::new(),
            })
        }
    }
}

/// Compiles the checked document. The validator refuses little that the checks let through; what
/// it does refuse, or panics on, is a refused schema and not the end of the server.
pub(super) fn build(
    root: &Value,
    patterns: &Patterns,
    pace: Pace,
) -> Result<Validator, SchemaError> {
    let refused = |pointer: &str, message: String| {
        SchemaError::new(SchemaErrorKind::Unsupported, pointer, message)
    };
    match catch_unwind(AssertUnwindSafe(|| patterns.options(pace).build(root))) {
        Ok(Ok(validator)) => Ok(validator),
        Ok(Err(error)) => Err(refused(
            error.instance_path().as_str(),
            format!(
                "the validator refuses the schema: {}",
                quote(&error.to_string())
            ),
        )),
        Err(_) => Err(refused("", "the validator fails on the schema".to_owned())),
    }
}

/// The root's `required` list. In draft-07 a `$ref` beside it takes its place.
fn required(json: &Value, dialect: Dialect) -> Vec<String> {
    if dialect == Dialect::Draft7 && json.get("$ref").is_some() {
        return Vec::new();
    }
    let names = json.get("required").and_then(Value::as_array);
    let names = names.map_or(&[][..], Vec::as_slice);
    names
        .iter()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}
