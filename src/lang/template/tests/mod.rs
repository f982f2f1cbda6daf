//! Tests of the template language.

mod explore;

use serde_json::{Value, json};

use super::{Scope, Template};

/// A template that must read.
fn template(source: &str) -> Template {
    match Template::parse(source) {
        Ok(template) => template,
        Err(errors) => panic!("{source}: {errors:?}"),
    }
}

/// A scope with these arguments.
fn args(args: Value) -> Scope {
    Scope::new().with("args", args)
}

fn value(source: &str, scope: &Scope) -> Option<Value> {
    template(source).value(scope).expect(source)
}

fn text(source: &str, scope: &Scope) -> Option<String> {
    template(source).text(scope).expect(source)
}

/// The message of the error that rendering as text gives.
fn failure(source: &str, scope: &Scope) -> String {
    template(source).text(scope).expect_err(source).to_string()
}
