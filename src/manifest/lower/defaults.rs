//! `[defaults]`: what a file's components have in common. Here it is checked for itself, so that
//! what is wrong in it is said once, and also when no component uses it.

use super::codes::{BAD_URL, NO_EFFECT};
use super::scopes::scopes;
use super::wrap::wraps;
use super::{Cx, base, file, http, names, shell};
use crate::lang::diag::{Diagnostic, Severity};
use crate::manifest::read::{Findings, MISSING_KEY, Table};

/// The tables that a file may give defaults of.
const KINDS: [&str; 4] = ["http", "shell", "file", "annotations"];

/// Everything that a file may give defaults of.
const ALL: [&str; 6] = ["http", "shell", "file", "annotations", "wrap", "scopes"];

/// Checks a file's defaults before any component reads them. What a default leaves for the component
/// to say is not missing here.
pub fn check(cx: &Cx<'_>, defaults: &Table<'_>) {
    for kind in KINDS {
        let Some(table) = defaults.table(kind) else {
            continue;
        };
        let alone = Findings::default();
        {
            let cx = cx.reporting_to(&alone);
            let table = table.anew(&alone, format!("in [defaults.{kind}]"));
            let names = names::any_call(&cx);
            match kind {
                "http" => drop(http::http(&cx, table, names.names())),
                "shell" => drop(shell::shell(&cx, table, names.names())),
                "file" => drop(file::file(&cx, table, &names)),
                _ => drop(base::tool_annotations(Some(table))),
            }
        }
        report(cx, alone);
    }
    let alone = Findings::default();
    {
        let cx = cx.reporting_to(&alone);
        let names = names::any_call(&cx);
        scopes(&cx, &defaults.anew(&alone, "in [defaults]"), None);
        wraps(&cx, &defaults.anew(&alone, "in [defaults]"), None, &names);
    }
    report(cx, alone);
}

/// Reports what is wrong with defaults in themselves.
fn report(cx: &Cx<'_>, alone: Findings) {
    for found in alone.into_vec() {
        let is_components = matches!(found.code, MISSING_KEY | BAD_URL);
        if found.severity == Severity::Error && !is_components {
            cx.findings.push(found);
        }
    }
}

/// Ends the reading of defaults: what no component took is misspelt or forgotten.
pub fn finish(defaults: Table<'_>) {
    for kind in ALL {
        if let Some(entry) = defaults.entry(kind)
            && !defaults.was_used(kind)
        {
            let message = format!("`defaults.{kind}` is used by no component of this file");
            defaults.report(Diagnostic::warning(NO_EFFECT, entry.key_at, message));
        }
    }
    defaults.finish();
}
