//! The action of a component: at most one, of any kind.

use super::codes::CONFLICT;
use super::{Cx, names};
use crate::lang::diag::{Diagnostic, Span};
use crate::manifest::read::Table;
use crate::model::ActionSpec;
use std::sync::Arc;

/// The actions that a component may have.
pub(in crate::manifest) const ACTIONS: [&str; 4] = ["http", "shell", "file", "actor"];

/// What was read of a component's action.
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

/// Reads the action of a component: at most one.
pub(super) fn action<'a>(
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
    if kind == "actor" {
        let spec = super::send::send(cx, table.table(kind)?, call)?;
        return Some(ActionSpec::Actor(Arc::new(spec)));
    }
    let names = call.names();
    let table = table.table_over(kind, defaults)?;
    Some(match kind {
        "http" => ActionSpec::Http(Arc::new(super::http::http(cx, table, names)?)),
        "shell" => ActionSpec::Shell(Arc::new(super::shell::shell(cx, table, names)?)),
        _ => ActionSpec::File(Arc::new(super::file::file(cx, table, call)?)),
    })
}
