//! `[[tool]]`: one tool, whole.

use super::action::{Action, action};
use super::codes::{EMPTY_COMPONENT, NOT_STRUCTURED};
use super::result::Answers;
use super::scopes::scopes;
use super::wrap::{check_cache, wraps};
use super::{Cx, Lowered, ask, available, base, identity, names, schema, test};
use crate::lang::diag::Diagnostic;
use crate::lang::schema::header_params;
use crate::manifest::read::{At, Table};
use crate::model::{ActionSpec, AnyComponent, Kind, Parse, ResultSpec, Tool, ToolDeclaration};
use std::sync::Arc;

/// Reads one `[[tool]]`. `defaults` is the file's `[defaults]`, when it has one.
pub fn tool<'a>(cx: &Cx<'a>, mut table: Table<'a>, defaults: Option<&Table<'a>>) -> Lowered {
    let before = cx.findings.errors();
    let name = identity::name(&mut table, Kind::Tool);
    let (is_available, tool) =
        available::read(cx, &table, || build(cx, &table, name.as_ref(), defaults));
    let tests = test::tests(cx, &table, name.as_ref());
    table.finish();
    let is_whole = is_available && cx.findings.errors() == before;
    let tool = tool.filter(|_| is_whole).map(Arc::new);
    let tests = tests.into_iter().map(|test| (tool.clone(), test));
    cx.tests.borrow_mut().extend(tests);
    Lowered {
        kind: Kind::Tool,
        component: tool.map(AnyComponent::Tool),
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
    let input = schema::input(cx, table, defaults);
    let output = schema::output(cx, table);
    let call = names::call(cx, input.json.as_deref());
    let asks = ask::asks(cx, table, &call);
    let call = &asks.call;
    let action = action(cx, table, defaults, call);
    let wraps = wraps(cx, table, defaults, call);
    let scopes = scopes(cx, table, defaults);
    check_cache(table, &wraps, &action);
    let refused = ask::refused(table, &asks, |refused, call| {
        super::result::result(cx, refused, call.names()).0
    });
    let before = cx.findings.errors();
    let result = self::result(cx, table, call, &action);
    if let (Some(Some(_)), Some(answer)) = (&output, &result) {
        // A misspelt `structured` is told of as such.
        if cx.findings.errors() == before {
            check_structured(table, &action, answer);
        }
    }
    let (name, input, output) = (name?, input.schema?, output?);
    let shown = (
        &name.value,
        &title,
        &description,
        &icons,
        &annotations,
        &metadata,
    );
    let fingerprint = identity::fingerprint(&shown, &[Some(&*input), output.as_deref()]);
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
        fingerprint,
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
        asks: asks.spec,
        refused,
        wraps,
        scopes: scopes?,
        result: result?.spec,
        definition: identity::definition(cx, table, defaults, outside_before),
        at: table.at(),
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
            None => {
                "add `[tool.shell]`, `[tool.http]`, `[tool.file]`, `[tool.actor]` or `[tool.result]`"
            }
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
