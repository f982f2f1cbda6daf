//! Which names a component's templates may use.

use super::Cx;
use super::action::Action;
use crate::lang::template::{Declared, Names};
use crate::model::ActionSpec;
use serde_json::{Map, Value};

/// The names that hold something while a tool is called.
#[derive(Clone, Debug)]
pub(super) struct Call {
    names: Names,
    /// What the call brings: `args`.
    root: &'static str,
}

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
    Call {
        root,
        names: values(cx)
            .with(root, brought)
            .with("auth", Declared::names(["principal", "scopes"]))
            .with("request", Declared::names(["id", "method"]))
            .with("client", Declared::names(["name", "version"])),
    }
}

/// The names that hold something before any call.
pub(super) fn values(cx: &Cx<'_>) -> Names {
    let secrets = &cx.settings.values.secrets;
    with_env(cx, Names::new()).with_members(
        "secrets",
        Declared::names(secrets.keys().cloned()),
        "declare it in `[secrets]` of the server file",
    )
}

fn with_env(cx: &Cx<'_>, names: Names) -> Names {
    let env = &cx.settings.values.env;
    names.with_members(
        "env",
        Declared::names(env.keys().cloned()),
        "list it in `server.env` of the server file",
    )
}

/// The names within a declarative actor with this state. Secrets are not among them: a state is saved,
/// and what it replies is shown.
pub(super) fn actor(cx: &Cx<'_>, state: Option<&Map<String, Value>>) -> Names {
    let state = match state {
        Some(state) => Declared::names(state.keys().cloned()),
        // It cannot be read; saying so once is enough.
        None => Declared::Open,
    };
    with_env(cx, Names::new())
        .with("state", state)
        .with("msg", Declared::Open)
}

impl Call {
    /// The names before the action has run.
    pub(super) fn names(&self) -> &Names {
        &self.names
    }

    /// The name of all that the call brings: `args`.
    pub(super) fn root(&self) -> &'static str {
        self.root
    }

    /// The names once the action has run.
    pub(super) fn names_with_output(&self, action: &Action) -> Names {
        let output = match action {
            Action::None => return self.names.clone(),
            Action::Many => Declared::Open,
            Action::Broken("actor") => Declared::Open,
            Action::Broken(kind) => Declared::names(output(kind, true)),
            Action::Whole(ActionSpec::Actor(spec)) => match spec.timeout {
                Some(_) => Declared::names(["reply"]),
                None => Declared::names(["sent"]),
            },
            Action::Whole(spec) => {
                let (kind, has_json) = match spec {
                    ActionSpec::Http(_) => ("http", true),
                    ActionSpec::Shell(_) => ("shell", true),
                    ActionSpec::File(_) | ActionSpec::Actor(_) => ("file", false),
                };
                Declared::names(output(kind, has_json))
            }
        };
        self.names.clone().with("output", output)
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
