//! `scopes`: what a caller must hold to be shown a component and to use it.

use super::Cx;
use super::codes::UNHELD_SCOPE;
use crate::lang::diag::Diagnostic;
use crate::manifest::read::{At, OUT_OF_RANGE, Table};
use crate::model::is_scope;
use std::sync::Arc;

/// Most scopes in one list.
const MOST: usize = 64;

/// Reads the scopes of a component: its own, or those of its file's defaults. `None` when they cannot
/// be read: the component must not be served as if it had none.
pub(super) fn scopes<'a>(
    cx: &Cx<'a>,
    table: &Table<'a>,
    defaults: Option<&Table<'a>>,
) -> Option<Arc<[String]>> {
    let (table, listed) = match (table.has("scopes"), defaults) {
        (true, _) | (_, None) => (table, table.array("scopes")),
        (false, Some(defaults)) => {
            table.knows("scopes");
            (defaults, defaults.default_array("scopes"))
        }
    };
    let Some(items) = listed else {
        return (!table.has("scopes")).then(Arc::default);
    };
    let read: Vec<At<String>> = items
        .iter()
        .filter_map(|item| table.as_literal(item))
        .collect();
    let mut scopes = Vec::with_capacity(read.len());
    for scope in &read {
        if is_usable(table, scope) {
            check_granted(cx, table, scope);
            scopes.push(scope.value.clone());
        }
    }
    let is_whole = scopes.len() == items.len();
    scopes.sort();
    scopes.dedup();
    if scopes.len() > MOST {
        let message = format!("a list of scopes has at most {MOST}");
        table.error(OUT_OF_RANGE, table.at(), message);
        return None;
    }
    is_whole.then(|| scopes.into())
}

/// Whether a text can be a scope; says why not.
pub(in crate::manifest) fn is_usable(table: &Table<'_>, scope: &At<String>) -> bool {
    let usable = is_scope(&scope.value);
    if !usable {
        let message = format!("`{}` cannot be a scope", scope.value.escape_debug());
        table.report(
            Diagnostic::error(OUT_OF_RANGE, scope.at.clone(), message)
                .help("use 1 to 256 printable ASCII characters without blanks, `\"` and `\\`"),
        );
    }
    usable
}

/// A scope that nobody can come to hold is a slip more often than a wish.
fn check_granted(cx: &Cx<'_>, table: &Table<'_>, scope: &At<String>) {
    let auth = &cx.settings.auth;
    if auth.can_grant(&scope.value) {
        return;
    }
    let message = format!("no caller has the scope `{}`", scope.value);
    let help = match auth.on {
        true => "give it to a token in `[auth]` of the server file, or correct its spelling",
        false => "the server file says nothing of who may call: add `[[auth.tokens]]` to it",
    };
    table.report(Diagnostic::warning(UNHELD_SCOPE, scope.at.clone(), message).help(help));
}
