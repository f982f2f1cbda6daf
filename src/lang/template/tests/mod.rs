//! Tests of the template language: a file for each of its rules.

mod bounds;
mod check;
mod exact;
mod language;
mod properties;
mod scope;
mod secrecy;
mod syntax;
mod text;
mod tree;
mod url;
mod vocabulary;

use serde_json::{Value, json};

use super::{RenderError, Scope, Template, TemplateError};

/// A template that must read.
fn template(source: &str) -> Template {
    match Template::parse(source) {
        Ok(template) => template,
        Err(errors) => panic!("{source}: {errors:?}"),
    }
}

/// The one error of a template that must not read.
fn mistake(source: &str) -> TemplateError {
    let mut errors = Template::parse(source).expect_err(source);
    assert_eq!(errors.len(), 1, "{source}: {errors:?}");
    errors.remove(0)
}

/// The part of the source that an error is about, and what it says.
fn spot(source: &str) -> (String, String) {
    let error = mistake(source);
    (source[error.range].to_owned(), error.message)
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

/// A text that must be there.
fn shown(source: &str, scope: &Scope) -> String {
    text(source, scope).expect(source)
}

fn failure(source: &str, scope: &Scope) -> RenderError {
    template(source).text(scope).expect_err(source)
}

/// Arguments that most tests use.
fn some_args() -> Scope {
    args(json!({
        "query": "rust mcp",
        "page": 3,
        "half": 30.0,
        "flag": true,
        "nothing": null,
        "list": [1, "two", 3.5],
        "items": [{ "sku": "a", "n": 1 }, { "sku": "b", "n": 2 }],
        "customer": { "email": "a@b.example", "tags": [] },
    }))
}
