//! The report for a person: a line a test, and below it what is not as it must be.

use super::report::{Outcome, Ran, Report, label, place};
use crate::lang::diag::is_hidden;
use crate::model::Counts;
use crate::testing::{Change, Difference, Problem, Told};
use serde_json::Value;

/// Most differences of two JSON values that are shown, and lines of a text.
const MAX_DIFFERENCES: usize = 20;
const MAX_LINES: usize = 40;
/// Most characters of one line or value.
const MAX_CHARS: usize = 300;

/// How lines are written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    /// With colour.
    pub(super) color: bool,
}

/// What is printed of one test.
pub(super) fn line(ran: &Ran<'_>, style: Style) -> String {
    let (word, color) = match ran.outcome {
        Outcome::Passed => ("ok  ", "32"),
        Outcome::Failed(_) => ("FAIL", "1;31"),
        Outcome::Skipped => ("skip", "33"),
    };
    let mut out = match style.color {
        true => format!("\u{1b}[{color}m{word}\u{1b}[0m"),
        false => word.to_owned(),
    };
    out.push_str(&format!("  {}\n", shown(&label(ran.test))));
    match &ran.outcome {
        Outcome::Passed => {}
        Outcome::Failed(problems) => {
            let (file, line) = place(ran.test);
            out.push_str(&format!("      {}:{line}\n", shown(&file)));
            for line in problems.iter().flat_map(lines) {
                out.push_str(&format!("      {line}\n"));
            }
        }
        Outcome::Skipped => out.push_str("      the tool is left out here\n"),
    }
    out
}

/// The last line.
pub(super) fn summary(report: &Report<'_>, counts: &Counts) -> String {
    let (passed, failed, skipped) = (report.passed(), report.failed(), report.skipped());
    let skipped = match skipped {
        0 => String::new(),
        _ => format!(", {skipped} skipped"),
    };
    match (passed, failed) {
        (0, 0) if skipped.is_empty() => {
            format!("no tests in {counts}: a tool's tests stand in [[tool.test]] below it")
        }
        (_, 0) => format!("ok: {} passed{skipped}", tests(passed)),
        _ => format!("failed: {failed} of {}{skipped}", tests(passed + failed)),
    }
}

fn tests(count: usize) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} test{plural}")
}

/// A problem in lines.
pub(super) fn lines(problem: &Problem) -> Vec<String> {
    let about = shown(&problem.about);
    match &problem.told {
        Told::Plain(told) => vec![format!("{about}: {}", shown(told))],
        Told::Quoted { message, text } => {
            let mut lines = vec![format!("{about}: {}", shown(message))];
            lines.extend(bounded(
                text.lines().map(|line| format!("  | {}", shown(line))),
                MAX_LINES,
                "lines",
            ));
            lines
        }
        Told::Json(found) => {
            let mut lines = vec![format!("{about} differs")];
            let places = found.iter().map(|one| format!("  {}", difference(one)));
            lines.extend(bounded(places, MAX_DIFFERENCES, "differences"));
            lines
        }
        Told::Text(changes) => {
            let mut lines = vec![format!("{about} differs (- expected, + actual)")];
            let changes = changes.iter().map(|change| match change {
                Change::Same(line) => format!("    {}", shown(line)),
                Change::Missing(line) => format!("  - {}", shown(line)),
                Change::Extra(line) => format!("  + {}", shown(line)),
                Change::Gap => "    …".to_owned(),
                Change::NoLineEnd => "    (no line end)".to_owned(),
            });
            lines.extend(bounded(changes, MAX_LINES, "lines"));
            lines
        }
    }
}

fn difference(one: &Difference) -> String {
    let path = match one.path.as_str() {
        "" => "the whole".to_owned(),
        path => shown(path),
    };
    let value = |value: &Value| shown(&value.to_string());
    match (&one.expected, &one.actual) {
        (Some(expected), Some(actual)) => {
            format!(
                "{path}: expected {}, actual {}",
                value(expected),
                value(actual)
            )
        }
        (Some(expected), None) => format!("{path}: expected {}, and it is absent", value(expected)),
        (None, Some(actual)) => format!("{path}: not expected, actual {}", value(actual)),
        (None, None) => path,
    }
}

/// The first so many lines, and how many more there are.
fn bounded(lines: impl Iterator<Item = String>, most: usize, what: &str) -> Vec<String> {
    let mut all: Vec<String> = lines.collect();
    let more = all.len().saturating_sub(most);
    if more > 0 {
        all.truncate(most);
        all.push(format!("  … and {more} more {what}"));
    }
    all
}

/// A text that cannot drive a terminal, cut when it is long.
fn shown(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(MAX_CHARS));
    for (count, ch) in text.chars().enumerate() {
        if count == MAX_CHARS {
            out.push('…');
            break;
        }
        match ch {
            '\t' => out.push(ch),
            '\r' => out.push_str("\\r"),
            _ if is_hidden(ch) => out.extend(ch.escape_unicode()),
            _ => out.push(ch),
        }
    }
    out
}
