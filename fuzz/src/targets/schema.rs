//! JSON Schemas: any JSON is refused or compiled; a value is valid, or something is said to be wrong
//! with it, never with the value.
//!
//! The input is a schema, a line feed, and a value.

use serde_json::Value;
use snodo::lang::schema::{Root, Schema, Validation};
use std::sync::Arc;

pub fn run(input: &str) {
    let Some((schema, value)) = input.split_once('\n') else {
        return;
    };
    let (Ok(schema), Ok(value)) = (
        serde_json::from_str::<Value>(schema),
        serde_json::from_str::<Value>(value),
    ) else {
        return;
    };
    let schema = Arc::new(schema);
    for validation in [Validation::Full, Validation::Basic, Validation::None] {
        match Schema::compile(Arc::clone(&schema), Root::Output, validation) {
            Err(errors) => assert!(!errors.is_empty() && errors.len() <= 100),
            Ok(schema) => {
                if let Err(violations) = schema.check(&value) {
                    assert!(!violations.to_string().is_empty());
                }
                if let Value::Object(members) = &value {
                    let mut filled = members.clone();
                    if schema.apply_defaults(&mut filled).is_ok() {
                        assert!(members.keys().all(|key| filled.contains_key(key)));
                    }
                }
            }
        }
    }
}
