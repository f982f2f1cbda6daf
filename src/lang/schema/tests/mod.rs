//! What the schema language promises, rule by rule.

mod basic;
mod cache;
mod check;
mod defaults;
mod header;
mod hostile;
mod load;
mod metaschema;
mod numbers;
mod patterns;
mod property;
mod references;
mod unevaluated;

use super::{Root, Schema, SchemaError, SchemaErrorKind, Validation};
use serde_json::Value;
use std::sync::Arc;

/// Compiles as an output schema, whose root is free.
fn compile(json: Value, validation: Validation) -> Result<Schema, Vec<SchemaError>> {
    Schema::compile(Arc::new(json), Root::Output, validation)
}

/// A schema that is right.
fn full(json: Value) -> Schema {
    compile(json, Validation::Full).unwrap()
}

fn basic(json: Value) -> Schema {
    compile(json, Validation::Basic).unwrap()
}

/// Everything wrong with a schema.
fn errors(json: Value) -> Vec<SchemaError> {
    compile(json, Validation::Full).unwrap_err()
}

/// The one thing wrong with a schema, as kind, pointer and message.
fn error(json: Value) -> (SchemaErrorKind, String, String) {
    let errors = errors(json);
    assert_eq!(errors.len(), 1, "{errors:#?}");
    let error = errors.into_iter().next().unwrap();
    (error.kind, error.pointer, error.message)
}

/// What a caller is told of arguments.
fn text(schema: &Schema, value: Value) -> String {
    schema.check(&value).unwrap_err().arguments_text()
}
