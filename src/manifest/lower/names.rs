//! Which names a tool's templates may use.

use super::Cx;
use crate::lang::template::{Declared, Names};
use crate::model::ActionSpec;
use serde_json::{Map, Value};

/// The names that hold something while a tool is called.
#[derive(Clone, Debug)]
pub(super) struct Call(Names);

/// The names of a call whose arguments this schema describes.
pub(super) fn call(cx: &Cx<'_>, input: Option<&Value>) -> Call {
    let values = &cx.settings.values;
    let arguments = match input {
        Some(schema) => declared(schema),
        // The schema is broken; saying so once is enough.
        None => Declared::Open,
    };
    Call(
        Names::new()
            .with("args", arguments)
            .with_members(
                "secrets",
                Declared::names(values.secrets.keys().cloned()),
                "declare it in `[secrets]` of the server file",
            )
            .with_members(
                "env",
                Declared::names(values.env.keys().cloned()),
                "list it in `server.env` of the server file",
            )
            .with("auth", Declared::names(["principal", "scopes"]))
            .with("request", Declared::names(["id", "method"]))
            .with("client", Declared::names(["name", "version"])),
    )
}

impl Call {
    /// The names before the action has run.
    pub(super) fn names(&self) -> &Names {
        &self.0
    }

    /// The names once the action has run.
    pub(super) fn names_with_output(&self, action: Option<&ActionSpec>) -> Names {
        let Some(action) = action else {
            return self.0.clone();
        };
        let open: &[&str] = match action {
            ActionSpec::Http(_) => &["headers", "json"],
            ActionSpec::Shell(_) => &["json", "lines"],
            ActionSpec::File(_) => &["entries"],
        };
        let plain: &[&str] = match action {
            ActionSpec::Http(_) => &["status", "body", "bytes", "mime"],
            ActionSpec::Shell(_) => &["stdout", "stderr", "exit_code", "signal", "truncated"],
            ActionSpec::File(_) => &["text", "bytes", "mime", "size", "modified", "path"],
        };
        let members = open.iter().chain(plain).copied();
        self.0.clone().with("output", Declared::names(members))
    }
}

/// What a schema says of an object's members. Where it may be anything, so may a template.
fn declared(schema: &Value) -> Declared {
    let Some(object) = schema.as_object() else {
        return Declared::Open;
    };
    let Some(properties) = object.get("properties").and_then(Value::as_object) else {
        return Declared::Open;
    };
    if is_open(object) {
        return Declared::Open;
    }
    Declared::fields(
        properties
            .iter()
            .map(|(name, property)| (name.clone(), declared(property))),
    )
}

/// True when members beside `properties` are described, or described elsewhere.
fn is_open(object: &Map<String, Value>) -> bool {
    const ELSEWHERE: [&str; 9] = [
        "$ref",
        "$dynamicRef",
        "allOf",
        "anyOf",
        "oneOf",
        "if",
        "dependentSchemas",
        "patternProperties",
        "unevaluatedProperties",
    ];
    let described = matches!(object.get("additionalProperties"), Some(Value::Object(_)));
    described
        || ELSEWHERE
            .iter()
            .any(|keyword| object.contains_key(*keyword))
}
