//! `available`: leaving a component out where something it needs is missing.

use super::Cx;
use super::codes::UNAVAILABLE;
use crate::lang::diag::Diagnostic;
use crate::manifest::read::Table;

/// False when the component is left out here; a warning says why.
pub(super) fn available(cx: &Cx<'_>, table: &Table<'_>) -> bool {
    let Some(needs) = table.table("available") else {
        return true;
    };
    let mut missing = Vec::new();
    for command in needs.strings("commands").unwrap_or_default() {
        if cx.environment.find_command(&command.value).is_none() {
            missing.push((
                command.at,
                format!("the command `{}` is not here", command.value),
            ));
        }
    }
    for variable in needs.strings("env").unwrap_or_default() {
        if cx.environment.get(&variable.value).is_none() {
            missing.push((
                variable.at,
                format!("the variable `{}` is not set", variable.value),
            ));
        }
    }
    if let Some(systems) = needs.strings("os")
        && !systems
            .iter()
            .any(|system| system.value == std::env::consts::OS)
        && let Some(first) = systems.first()
    {
        missing.push((
            first.at.clone(),
            format!("this system is `{}`", std::env::consts::OS),
        ));
    }
    let available = missing.is_empty();
    for (at, why) in missing {
        table.report(Diagnostic::warning(
            UNAVAILABLE,
            at,
            format!("left out: {why}"),
        ));
    }
    needs.finish();
    available
}
