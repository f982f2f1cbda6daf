//! How a command's output says how far it has come: the validated form of `progress`.

use regex::{Regex, RegexBuilder};

/// Bytes that a compiled pattern may take.
const COMPILED: usize = 1 << 20;

/// What of a command's output is progress.
#[derive(Clone, Debug)]
pub enum ProgressSpec {
    /// Each line is one step, and says what it is.
    Lines,
    /// The lines that match are.
    Pattern(ProgressPattern),
}

/// A regular expression with a group `progress`, and perhaps `total` and `message`. It is matched
/// in time linear in the line.
#[derive(Clone, Debug)]
pub struct ProgressPattern(Regex);

/// What a line says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reached<'t> {
    /// How much is done.
    pub progress: f64,
    /// How much there is.
    pub total: Option<f64>,
    /// What is being done; not empty.
    pub message: Option<&'t str>,
}

/// Why a pattern cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// It is no regular expression that is understood.
    #[error("the pattern is not a regular expression: {0}")]
    Syntax(String),
    /// It would take too much memory.
    #[error("the pattern is too large")]
    TooLarge,
    /// It has no group that says how far the command is.
    #[error("the pattern has no group named `progress`")]
    NoProgress,
}

impl ProgressPattern {
    /// The groups that mean something.
    pub const GROUPS: [&'static str; 3] = ["progress", "total", "message"];

    /// Compiles a pattern.
    ///
    /// # Errors
    /// See [`PatternError`].
    pub fn new(pattern: &str) -> Result<Self, PatternError> {
        let compiled = RegexBuilder::new(pattern).size_limit(COMPILED).build();
        let regex = compiled.map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => PatternError::TooLarge,
            error => PatternError::Syntax(reason(&error.to_string())),
        })?;
        let has_progress = regex
            .capture_names()
            .flatten()
            .any(|name| name == "progress");
        if !has_progress {
            return Err(PatternError::NoProgress);
        }
        Ok(Self(regex))
    }

    /// The named groups that mean nothing.
    pub fn strange_groups(&self) -> impl Iterator<Item = &str> {
        let names = self.0.capture_names().flatten();
        names.filter(|name| !Self::GROUPS.contains(name))
    }

    /// What a line says; `None` when it does not match, or its `progress` is no number.
    pub fn read<'t>(&self, line: &'t str) -> Option<Reached<'t>> {
        let found = self.0.captures(line)?;
        let group = |name| found.name(name).map(|group| group.as_str().trim());
        Some(Reached {
            progress: group("progress")?.parse().ok()?,
            total: group("total").and_then(|total| total.parse().ok()),
            message: group("message").filter(|message| !message.is_empty()),
        })
    }
}

/// The last line of what the engine says: the ones before show the pattern.
fn reason(error: &str) -> String {
    let last = error.lines().last().unwrap_or(error).trim();
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_by_its_groups() {
        let pattern = r"^\[(?<progress>\S+)/(?<total>\S+)\](?<message>.*)";
        let pattern = ProgressPattern::new(pattern).unwrap();
        let read = |line| pattern.read(line);
        let reached = |progress, total, message| {
            Some(Reached {
                progress,
                total,
                message,
            })
        };
        assert_eq!(read("[1/3] build "), reached(1.0, Some(3.0), Some("build")));
        assert_eq!(read("[.5/x]  "), reached(0.5, None, None));
        assert_eq!(read("[x/3] build"), None);
        assert_eq!(read("1/3"), None);
    }

    #[test]
    fn what_cannot_be_used_says_why() {
        for (pattern, error) in [
            (
                "(?<progress>",
                PatternError::Syntax("unclosed group".into()),
            ),
            (
                r"(?<progress>.)\1",
                PatternError::Syntax("backreferences are not supported".into()),
            ),
            (r"(\d+)", PatternError::NoProgress),
            (r"(?<Progress>\d+)", PatternError::NoProgress),
            (r"(?<progress>\w{1000}{1000})", PatternError::TooLarge),
        ] {
            assert_eq!(ProgressPattern::new(pattern).unwrap_err(), error);
        }
    }
}
