//! Which names a component's templates may use.

use super::Cx;
use super::action::Action;
use crate::lang::template::{Declared, Names};
use crate::model::ActionSpec;
use serde_json::{Map, Value};

/// The names that hold something while a tool is called.
#[derive(Clone, Debug)]
pub(super) struct Call(Names);

/// The names of a call of which nothing is known.
pub(super) fn any_call(cx: &Cx<'_>) -> Call {
    call(cx, None)
}

/// The names of a call whose arguments this schema describes.
pub(super) fn call(cx: &Cx<'_>, input: Option<&Value>) -> Call {
    let arguments = match input {
        Some(schema) => declared(schema),
        // The schema cannot be read; saying so once is enough.
        None => Declared::Open,
    };
    with(cx, "args", arguments)
}

/// The names of a call that brings texts of these names, as members of `root`.
pub(super) fn texts<'n>(
    cx: &Cx<'_>,
    root: &'static str,
    names: impl Iterator<Item = &'n str>,
) -> Call {
    with(cx, root, Declared::names(names))
}

fn with(cx: &Cx<'_>, root: &'static str, brought: Declared) -> Call {
    let values = &cx.settings.values;
    Call(
        Names::new()
            .with(root, brought)
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
    pub(super) fn names_with_output(&self, action: &Action) -> Names {
        let output = match action {
            Action::None => return self.0.clone(),
            Action::Many => Declared::Open,
            Action::Broken(kind) => Declared::names(output(kind, true)),
            Action::Whole(spec) => {
                let (kind, has_json) = match spec {
                    ActionSpec::Http(_) => ("http", true),
                    ActionSpec::Shell(_) => ("shell", true),
                    ActionSpec::File(_) => ("file", false),
                };
                Declared::names(output(kind, has_json))
            }
        };
        self.0.clone().with("output", output)
    }
}

/// What an action's `output` holds.
fn output(kind: &str, has_json: bool) -> Vec<&'static str> {
    let mut names = match kind {
        "http" => vec!["status", "headers", "body", "bytes", "mime"],
        "shell" => vec![
            "stdout",
            "stderr",
            "exit_code",
            "signal",
            "lines",
            "truncated",
        ],
        _ => vec![
            "text", "bytes", "mime", "size", "modified", "path", "entries",
        ],
    };
    if has_json && kind != "file" {
        names.push("json");
    }
    names
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

/// True when members beside `properties` are asked for, or described elsewhere. To say nothing of
/// `additionalProperties` is not to ask for any.
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
    let others = object.get("additionalProperties");
    matches!(others, Some(Value::Object(_) | Value::Bool(true)))
        || ELSEWHERE
            .iter()
            .any(|keyword| object.contains_key(*keyword))
}
