//! `[[tool]]`: one tool, whole.

use super::codes::{AWKWARD_NAME, BAD_NAME, CONFLICT, EMPTY_COMPONENT, NOT_STRUCTURED};
use super::result::Answers;
use super::{Cx, Lowered, available, base, names, schema};
use crate::lang::diag::{Diagnostic, Span};
use crate::lang::schema::header_params;
use crate::manifest::read::{At, Digest, Table};
use crate::model::{ActionSpec, AnyComponent, Kind, Parse, ResultSpec, Tool, ToolDeclaration};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::sync::Arc;

/// The actions that a component may have.
pub(in crate::manifest) const ACTIONS: [&str; 3] = ["http", "shell", "file"];

/// Reads one `[[tool]]`. `defaults` is the file's `[defaults]`, when it has one.
pub fn tool<'a>(cx: &Cx<'a>, mut table: Table<'a>, defaults: Option<&Table<'a>>) -> Lowered {
    let before = cx.findings.errors();
    table.set_place("in a tool");
    let name = table
        .required_string("name")
        .filter(|name| check_name(&table, name));
    if let Some(name) = &name {
        table.set_place(format!("in tool \"{}\"", name.value));
    } else {
        table.set_place("in a tool without a usable name");
    }
    let is_available = available::available(cx, &table);
    let unwanted = match is_available {
        true => &[],
        false => available::OF_THE_MACHINE,
    };
    let tool = cx
        .findings
        .without(unwanted, || build(cx, &table, name.as_ref(), defaults));
    base::refuse_unserved(
        &table,
        &[
            "actor", "ask", "refused", "requires", "scopes", "state", "test", "wrap",
        ],
    );
    table.finish();
    let is_whole = is_available && cx.findings.errors() == before;
    Lowered {
        kind: Kind::Tool,
        component: tool
            .filter(|_| is_whole)
            .map(|tool| AnyComponent::Tool(Arc::new(tool))),
        key: name.filter(|_| is_available),
    }
}

fn build<'a>(
    cx: &Cx<'a>,
    table: &Table<'a>,
    name: Option<&At<String>>,
    defaults: Option<&Table<'a>>,
) -> Option<Tool> {
    let outside_before = cx.outside.borrow().len();
    let title = table.prose("title");
    let description = table.prose("description");
    let icons = base::icons(table);
    let metadata = base::metadata(table);
    let annotations = base::tool_annotations(table.table_over("annotations", defaults));
    let input = schema::input(cx, table);
    let output = schema::output(cx, table);
    let call = names::call(cx, input.json.as_deref());
    let action = action(cx, table, defaults, &call);
    let before = cx.findings.errors();
    let result = self::result(cx, table, &call, &action);
    if let (Some(Some(_)), Some(answer)) = (&output, &result) {
        // A misspelt `structured` is told of as such.
        if cx.findings.errors() == before {
            check_structured(table, &action, answer);
        }
    }
    let (name, input, output) = (name?, input.schema?, output?);
    let declaration = ToolDeclaration {
        name: name.value.clone(),
        title,
        description,
        icons,
        annotations,
        metadata,
        input_schema: Arc::clone(input.json()),
        output_schema: output.as_ref().map(|schema| Arc::clone(schema.json())),
    };
    Some(Tool {
        fingerprint: fingerprint(&declaration),
        declaration,
        // What is wrong with them was said with the rest of the schema.
        mirrored: header_params(input.json()).unwrap_or_default(),
        input,
        output,
        action: match action {
            Action::None => None,
            Action::Whole(spec) => Some(spec),
            Action::Many | Action::Broken(_) => return None,
        },
        result: result?.spec,
        definition: definition(cx, table, defaults, outside_before),
        at: table.at(),
    })
}

/// What was read of a tool's action.
pub(super) enum Action {
    /// There is none.
    None,
    /// There are several, which is wrong.
    Many,
    /// There is one of this kind, and something is wrong with it.
    Broken(&'static str),
    /// There is one.
    Whole(ActionSpec),
}

fn action<'a>(
    cx: &Cx<'a>,
    table: &Table<'a>,
    defaults: Option<&Table<'a>>,
    call: &names::Call,
) -> Action {
    let mut given: Vec<(&'static str, Span)> = Vec::new();
    for kind in ACTIONS {
        table.knows(kind);
        if let Some(entry) = table.entry(kind) {
            given.push((kind, entry.key_at));
        }
    }
    // All are read, for what is wrong with them.
    let mut specs: Vec<Option<ActionSpec>> = given
        .iter()
        .map(|(kind, _)| one_action(cx, table, defaults, call, kind))
        .collect();
    match given.as_slice() {
        [] => Action::None,
        [(kind, _)] => specs
            .pop()
            .flatten()
            .map_or(Action::Broken(kind), Action::Whole),
        [(first, first_at), others @ ..] => {
            for (_, at) in others {
                let message = format!("a component has one action, and `{first}` is one already");
                table.report(
                    Diagnostic::error(CONFLICT, at.clone(), message)
                        .related(first_at.clone(), "the first action"),
                );
            }
            Action::Many
        }
    }
}

fn one_action<'a>(
    cx: &Cx<'a>,
    table: &Table<'a>,
    defaults: Option<&Table<'a>>,
    call: &names::Call,
    kind: &'static str,
) -> Option<ActionSpec> {
    let names = call.names();
    let table = table.table_over(kind, defaults)?;
    Some(match kind {
        "http" => ActionSpec::Http(Arc::new(super::http::http(cx, table, names)?)),
        "shell" => ActionSpec::Shell(Arc::new(super::shell::shell(cx, table, names)?)),
        _ => ActionSpec::File(Arc::new(super::file::file(cx, table, names)?)),
    })
}

/// What the tool answers with. `None` when the tool has nothing to answer with, or its `result` is
/// broken.
struct Answer {
    spec: Option<ResultSpec>,
    answers: Answers,
}

fn result<'a>(
    cx: &Cx<'a>,
    table: &Table<'a>,
    call: &names::Call,
    action: &Action,
) -> Option<Answer> {
    let before = cx.findings.errors();
    let read = table.table("result");
    let has_result = table.has("result");
    let read = read.map(|result| {
        let names = call.names_with_output(action);
        super::result::result(cx, result, &names)
    });
    let (spec, answers) = match read {
        Some((spec, answers)) => (Some(spec), answers),
        None => (None, Answers::Nothing),
    };
    if matches!(action, Action::None)
        && matches!(answers, Answers::Nothing)
        && !table.has("actor")
        && (!has_result || spec.is_some())
        // A misspelt `text` is told of as such.
        && cx.findings.errors() == before
    {
        let message = match spec {
            Some(_) => "the tool has no action, and its `result` answers nothing",
            None => "the tool has neither an action nor a `result`",
        };
        let help = match spec {
            Some(_) => "add `text`, `structured` or `content` to `[tool.result]`",
            None => "add `[tool.shell]`, `[tool.http]`, `[tool.file]` or `[tool.result]`",
        };
        table.report(Diagnostic::error(EMPTY_COMPONENT, table.at(), message).help(help));
        return None;
    }
    Some(Answer { spec, answers })
}

/// A tool with an output schema must answer with structured content; one that never does would fail
/// at every call.
fn check_structured(table: &Table<'_>, action: &Action, answer: &Answer) {
    let help = match (answer.answers, action) {
        (Answers::Structured, _) => return,
        (Answers::Unstructured, _) => "add `structured` to `[tool.result]`",
        (_, Action::Whole(ActionSpec::Shell(shell))) => match shell.parse {
            Parse::Json | Parse::Lines => return,
            Parse::Text | Parse::Media(_) => {
                "write `parse = \"json\"` in `[tool.shell]`, or add `structured` to `[tool.result]`"
            }
        },
        (_, Action::Whole(ActionSpec::File(_))) => "add `structured` to `[tool.result]`",
        _ => return,
    };
    let key = match table.has("returns") {
        true => "returns",
        false => "output_schema",
    };
    if let Some(entry) = table.entry(key) {
        let message = "the tool has an output schema, and its answer is never structured";
        table.report(Diagnostic::error(NOT_STRUCTURED, entry.key_at, message).help(help));
    }
}

/// The characters and length of a tool's name (MCP specification, tools, "Tool Names").
fn check_name(table: &Table<'_>, name: &At<String>) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    if name.value.is_empty() || name.value.len() > 128 || !name.value.bytes().all(allowed) {
        let message = match name.value.len() {
            0..=128 => format!("`{}` cannot be a tool's name", name.value.escape_debug()),
            long => format!("a text of {long} bytes cannot be a tool's name"),
        };
        table.report(
            Diagnostic::error(BAD_NAME, name.at.clone(), message)
                .help("use 1 to 128 letters, digits, `_`, `-` and `.`"),
        );
        return false;
    }
    let awkward = if name.value.contains('.') {
        Some("several clients do not take a `.` in a tool's name")
    } else if name.value.len() > 64 {
        Some("several clients do not take a tool's name of more than 64 characters")
    } else {
        None
    };
    if let Some(why) = awkward {
        table.report(Diagnostic::warning(AWKWARD_NAME, name.at.clone(), why));
    }
    true
}

/// A digest of everything that is shown.
fn fingerprint(declaration: &ToolDeclaration) -> String {
    let shown = format!("{declaration:?}");
    let digest = ring::digest::digest(&ring::digest::SHA256, shown.as_bytes());
    STANDARD.encode(digest)
}

/// A digest of everything that makes the tool what it is: its own table, its file's defaults, the
/// folder that relative paths count from, and the files that were read for it.
fn definition(
    cx: &Cx<'_>,
    table: &Table<'_>,
    defaults: Option<&Table<'_>>,
    outside_before: usize,
) -> [u8; 32] {
    let mut digest = Digest::default();
    digest.table(table);
    if let Some(defaults) = defaults {
        digest.table(defaults);
    }
    digest.bytes(cx.folder.path().as_os_str().as_encoded_bytes());
    for outside in cx.outside.borrow().iter().skip(outside_before) {
        digest.bytes(outside.path.as_os_str().as_encoded_bytes());
        digest.bytes(outside.content.as_deref().unwrap_or_default());
    }
    digest.finish()
}
