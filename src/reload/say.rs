//! Saying what was found wrong, in the log: as `snodo check` prints it, and each thing once.

use crate::lang::diag::position::locate;
use crate::lang::diag::{self, Diagnostic, RenderStyle, Severity};
use crate::model::Kind;
use crate::telemetry::LogFormat;
use std::collections::HashSet;

/// Where log lines say that they come from: findings are those of the manifests, whoever prints them.
const TARGET: &str = "snodo::manifest";
/// What a log line names at the most.
const NAMED: usize = 20;
/// Findings that are said at once, at the most.
const SAID: usize = 100;

/// Says findings: in a text log line by line as they are printed on a terminal, in a JSON log one
/// event each with its parts.
/// The first of many: a file that is none of TOML could fill a disk.
pub fn say(found: &[Diagnostic], format: LogFormat) {
    let said = most(found);
    match format {
        LogFormat::Text => say_lines(&said),
        LogFormat::Json => said.iter().for_each(say_parts),
    }
    let more = found.len() - said.len();
    if more > 0 {
        tracing::warn!(target: TARGET, "{more} more findings; `snodo check` shows all");
    }
}

/// What is said of findings: so many of them, errors before warnings.
pub(super) fn most(found: &[Diagnostic]) -> Vec<Diagnostic> {
    let of = |severity| move |each: &&Diagnostic| each.severity == severity;
    let errors = found.iter().filter(of(Severity::Error));
    let warnings = found.iter().filter(of(Severity::Warning));
    errors.chain(warnings).take(SAID).cloned().collect()
}

fn say_lines(found: &[Diagnostic]) {
    let error = found.iter().any(|each| each.severity == Severity::Error);
    for line in diag::render(found, &RenderStyle::default()).lines() {
        if error {
            tracing::error!(target: TARGET, "{line}");
        } else {
            tracing::warn!(target: TARGET, "{line}");
        }
    }
}

fn say_parts(found: &Diagnostic) {
    let at = found.at.as_ref();
    let file = at.map(|at| at.file.path().display().to_string());
    let place = at.map(|at| locate(at.file.text(), at.start));
    let (line, column) = (place.map(|at| at.line), place.map(|at| at.column));
    let (code, label, help) = (found.code.0, &found.label, &found.help);
    let (label, help) = (label.as_deref(), help.as_deref());
    let message = &found.message;
    match found.severity {
        Severity::Error => {
            tracing::error!(target: TARGET, code, file, line, column, label, help, "{message}");
        }
        Severity::Warning => {
            tracing::warn!(target: TARGET, code, file, line, column, label, help, "{message}");
        }
    }
}

/// Remembers what was said of a set that is served.
#[derive(Debug, Default)]
pub(super) struct Said(HashSet<String>);

impl Said {
    /// What is new among these, which are remembered in the place of those before.
    pub(super) fn new_of(&mut self, found: &[Diagnostic]) -> Vec<Diagnostic> {
        let before = std::mem::take(&mut self.0);
        self.0 = found.iter().map(key).collect();
        let new = found.iter().filter(|each| !before.contains(&key(each)));
        new.cloned().collect()
    }
}

/// What makes two findings the same thing to say, wherever in its file it stands.
fn key(found: &Diagnostic) -> String {
    let file = found.at.as_ref().map(|at| at.file.path().display());
    let label = found.label.as_deref().unwrap_or_default();
    format!("{}\0{file:?}\0{label}\0{}", found.code.0, found.message)
}

/// Names for a log line: the first few, and how many more.
pub(super) fn short(names: &[(Kind, String)]) -> String {
    let named = names.iter().take(NAMED).map(|(kind, name)| match kind {
        Kind::Tool => name.clone(),
        _ => format!("{kind} {name}"),
    });
    let mut text: Vec<String> = named.collect();
    if let Some(more) = names.len().checked_sub(NAMED).filter(|more| *more > 0) {
        text.push(format!("{more} more"));
    }
    text.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::diag::{SourceFile, Span};
    use crate::manifest::discover::NO_MANIFESTS;
    use crate::manifest::lower::codes::AWKWARD_NAME;

    fn warning(text: &str, start: usize) -> Diagnostic {
        let file = SourceFile::new("a.toml", text);
        let at = Span {
            file,
            start,
            end: start + 1,
        };
        Diagnostic::warning(AWKWARD_NAME, at, "something")
    }

    #[test]
    fn a_warning_is_said_again_only_after_it_was_gone() {
        let mut said = Said::default();
        let here = [warning("x = 1", 0)];
        assert_eq!(said.new_of(&here).len(), 1);
        assert_eq!(said.new_of(&here).len(), 0);
        let lower_down = [warning("# more\nx = 1", 7)];
        assert_eq!(said.new_of(&lower_down).len(), 0);
        let with_another = [
            warning("# more\nx = 1", 7),
            Diagnostic::placeless(NO_MANIFESTS, "another"),
        ];
        assert_eq!(said.new_of(&with_another).len(), 1);
        assert_eq!(said.new_of(&[]).len(), 0);
        assert_eq!(said.new_of(&here).len(), 1);
    }

    #[test]
    fn long_lists_are_cut() {
        let named = |number| (Kind::Tool, format!("t{number}"));
        let names: Vec<_> = (0..5000).map(named).collect();
        assert_eq!(short(&names[..2]), "t0, t1");
        assert!(short(&names).ends_with("t19, 4980 more"));
        assert_eq!(short(&[]), "");
    }
}
