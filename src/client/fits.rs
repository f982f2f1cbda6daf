//! Whether what was given is what a server's schema says (specification: tools §Output Schema,
//! elicitation §Security Considerations).

use crate::lang::schema::{Root, Schema, Validation};
use serde_json::Value;
use std::sync::Arc;

/// Whether a value is what this schema wants. A schema that cannot be used, or costs too much, wants
/// nothing: the server judges by itself.
///
/// # Errors
/// What is wrong, without the value.
pub fn fits(schema: &Value, value: &Value) -> Result<(), String> {
    let compiled = Schema::compile(Arc::new(schema.clone()), Root::Output, Validation::Full);
    match compiled {
        Ok(schema) => schema.check(value).map_err(|wrong| wrong.to_string()),
        Err(_) => Ok(()),
    }
}
