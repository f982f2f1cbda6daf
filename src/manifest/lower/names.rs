//! Which names a component's templates may use.

use super::Cx;
use super::action::Action;
use crate::lang::template::{Declared, Names};
use crate::model::ActionSpec;
use serde_json::{Map, Value};

/// The root under which the variables of a URI stand.
pub(super) const PARAMS: &str = "params";

/// The names that hold something while a component is called.
#[derive(Clone, Debug)]
pub(super) struct Call {
    names: Names,
    root: &'static str,
    /// There are answers of the user.
    has_answers: bool,
}

/// The names of a call or a reading of which nothing is known.
pub(super) fn any_call(cx: &Cx<'_>) -> Call {
    let read = any_read(cx);
    Call {
        names: read
            .names
            .with("args", Declared::Open)
            .with("answers", Declared::Open),
        ..read
    }
}

/// The names of a reading of which nothing is known.
pub(super) fn any_read(cx: &Cx<'_>) -> Call {
    with(cx, PARAMS, Declared::Open)
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
        has_answers: false,
        names: cx
            .call_names
            .get_or_init(|| of_any_call(cx))
            .clone()
            .with(root, brought),
    }
}

/// The names of every call and every reading.
fn of_any_call(cx: &Cx<'_>) -> Names {
    values(cx)
        .with("auth", Declared::names(["principal", "scopes"]))
        .with("request", Declared::names(["id", "method"]))
        .with("client", Declared::names(["name", "version"]))
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

    /// The same when these have been answered.
    pub(super) fn with_answers(self, answers: Declared) -> Self {
        Self {
            names: self.names.with("answers", answers),
            has_answers: true,
            ..self
        }
    }

    /// The names by whose values one call is told from another, as an expression's list.
    pub(super) fn told_by(&self) -> String {
        match self.has_answers {
            true => format!("{}, answers", self.root),
            false => self.root.to_owned(),
        }
    }

    /// The name of all that the call brings: `args`.
    pub(super) fn root(&self) -> &'static str {
        self.root
    }

    /// It is the reading of a resource: what it brings are the variables of a URI.
    pub(super) fn is_read(&self) -> bool {
        self.root == PARAMS
    }

    /// The names once the action has run.
    pub(super) fn names_with_output(&self, action: &Action) -> Names {
        let kind = match action {
            Action::None => return self.names.clone(),
            Action::Many => return self.names.clone().with("output", Declared::Open),
            Action::Broken(kind) => kind,
            Action::Whole(ActionSpec::Http(_)) => "http",
            Action::Whole(ActionSpec::Shell(_)) => "shell",
            Action::Whole(ActionSpec::File(_)) => "file",
            Action::Whole(ActionSpec::Actor(spec)) if spec.timeout.is_none() => "cast",
            Action::Whole(ActionSpec::Actor(_)) => "call",
        };
        let output = Declared::names(output(kind).iter().copied());
        self.names.clone().with("output", output)
    }
}

/// What an action's `output` holds.
fn output(kind: &str) -> &'static [&'static str] {
    match kind {
        "http" => &["status", "headers", "body", "bytes", "mime", "json"],
        "shell" => &[
            "stdout",
            "stderr",
            "exit_code",
            "signal",
            "lines",
            "truncated",
            "overflow",
            "json",
        ],
        "call" => &["reply"],
        "cast" => &["sent"],
        // It is not known which of both it is to be.
        "actor" => &["reply", "sent"],
        _ => &[
            "text", "bytes", "mime", "size", "modified", "path", "entries",
        ],
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
