//! `available`: leaving a component out where something it needs is missing.

use super::Cx;
use super::codes::{NO_COMMAND, UNAVAILABLE, UNREADABLE};
use crate::lang::diag::{Code, Diagnostic, Span};
use crate::manifest::read::{OUT_OF_RANGE, Table};

/// The systems that a program in Rust can tell, as it names them.
const SYSTEMS: [&str; 11] = [
    "android",
    "dragonfly",
    "freebsd",
    "illumos",
    "ios",
    "linux",
    "macos",
    "netbsd",
    "openbsd",
    "solaris",
    "windows",
];

/// What a component can need of the machine.
const OF_THE_MACHINE: &[Code] = &[UNREADABLE, NO_COMMAND];

/// Reads the rest of a component. False when it is left out here: then a warning says why, and what
/// else this machine lacks is not said.
pub(super) fn read<T>(cx: &Cx<'_>, table: &Table<'_>, rest: impl FnOnce() -> T) -> (bool, T) {
    match available(cx, table) {
        true => (true, rest()),
        false => (false, cx.findings.without(OF_THE_MACHINE, rest)),
    }
}

fn available(cx: &Cx<'_>, table: &Table<'_>) -> bool {
    let Some(needs) = table.table("available") else {
        return true;
    };
    let mut missing = Vec::new();
    for command in needs.literals("commands").unwrap_or_default() {
        let program = cx.program(&command.value);
        if cx.environment.find_command(&program).is_none() {
            missing.push((
                command.at,
                format!("the command `{}` is not here", command.value),
            ));
        }
    }
    for variable in needs.literals("env").unwrap_or_default() {
        if cx.environment.get(&variable.value).is_none() {
            missing.push((
                variable.at,
                format!("the variable `{}` is not set", variable.value),
            ));
        }
    }
    missing.extend(other_system(&needs));
    let available = missing.is_empty();
    for (at, why) in missing {
        needs.report(Diagnostic::warning(
            UNAVAILABLE,
            at,
            format!("left out: {why}"),
        ));
    }
    needs.finish();
    available
}

/// Why this system is none of those in `os`.
fn other_system(needs: &Table<'_>) -> Option<(Span, String)> {
    let listed = needs.strings("os")?;
    let here = std::env::consts::OS;
    let words = SYSTEMS.map(|name| (name, name));
    let Some(first) = listed.first().map(|first| first.at.clone()) else {
        let at = needs.entry("os")?.at;
        needs.error(OUT_OF_RANGE, at, "`os` must list at least one system");
        return None;
    };
    let mut known = true;
    let mut found = false;
    for system in listed {
        let is_here = system.value == here;
        found |= is_here;
        known &= is_here || needs.as_word("os", system, &words).is_some();
    }
    (known && !found).then(|| (first, format!("this system is `{here}`")))
}
