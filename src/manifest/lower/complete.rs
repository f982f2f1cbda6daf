//! `complete`: how a value is completed, from a list or live.

use super::action::{ACTIONS, Action, action};
use super::codes::EMPTY_COMPONENT;
use super::{Cx, names};
use crate::lang::diag::Diagnostic;
use crate::manifest::read::{OUT_OF_RANGE, Table, Templates};
use crate::model::{CompleteSpec, LiveSpec};
use toml::de::DeValue;

/// Reads a list of candidates, or where to ask for them, at `key` of a table.
pub(super) fn complete<'a>(
    cx: &Cx<'a>,
    table: &Table<'a>,
    key: &'a str,
    call: &names::Call,
    defaults: Option<&Table<'a>>,
) -> Option<CompleteSpec> {
    let entry = table.entry(key)?;
    match entry.value {
        DeValue::Array(_) => {
            let values = table.literals(key)?;
            Some(CompleteSpec::List(
                values.into_iter().map(|value| value.value).collect(),
            ))
        }
        DeValue::Table(_) => live(cx, table.table(key)?, call, defaults),
        _ => table.wrong_type(&entry, "a list of strings, or a table with an action"),
    }
}

fn live<'a>(
    cx: &Cx<'a>,
    table: Table<'a>,
    call: &names::Call,
    defaults: Option<&Table<'a>>,
) -> Option<CompleteSpec> {
    let before = cx.findings.errors();
    let action = action(cx, &table, defaults, call);
    let names = call.names_with_output(&action);
    let values = Templates::new(&names).key(&table, "values");
    if let Some(values) = &values
        && !values.value.is_native()
    {
        let message = "`values` must be one `{{ … }}` that gives a list";
        table.error(OUT_OF_RANGE, values.at.clone(), message);
    }
    let filter = table.boolean("filter").is_none_or(|read| read.value);
    if matches!(action, Action::None) && values.is_none() && cx.findings.errors() == before {
        let message = "nothing says which values there are";
        let actions = ACTIONS.map(|kind| format!("`{kind}`")).join(", ");
        table.report(
            Diagnostic::error(EMPTY_COMPONENT, table.at(), message)
                .help(format!("add one of {actions}, or `values`")),
        );
    }
    let is_whole = cx.findings.errors() == before;
    table.finish();
    let action = match action {
        Action::None => None,
        Action::Whole(spec) => Some(spec),
        Action::Many | Action::Broken(_) => return None,
    };
    is_whole.then(|| {
        CompleteSpec::Live(LiveSpec {
            action,
            values: values.map(|read| read.value),
            filter,
        })
    })
}
