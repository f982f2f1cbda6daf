//! Where two texts differ, by line.

use similar::{ChangeTag, TextDiff};
use std::time::Duration;

/// How long the search for the shortest difference may take; then a longer one is told.
const PATIENCE: Duration = Duration::from_millis(500);
/// Unchanged lines that are told around a change.
const AROUND: usize = 2;

/// One line of a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is in both.
    Same(String),
    /// It is expected and is not there.
    Missing(String),
    /// It is there and is not expected.
    Extra(String),
    /// Lines that are in both are left out here.
    Gap,
    /// The text before has no line end at its end, and the other has.
    NoLineEnd,
}

/// The lines that differ, and those around them.
pub(super) fn changes(expected: &str, actual: &str) -> Vec<Change> {
    // A carriage return alone ends no line.
    let before: Vec<&str> = expected.split_inclusive('\n').collect();
    let after: Vec<&str> = actual.split_inclusive('\n').collect();
    let diff = TextDiff::configure()
        .timeout(PATIENCE)
        .diff_slices(&before, &after);
    let mut changes = Vec::new();
    for (index, group) in diff.grouped_ops(AROUND).iter().enumerate() {
        if index > 0 {
            changes.push(Change::Gap);
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let line = change.value();
            let ended = line.ends_with('\n');
            let line = line.strip_suffix('\n').unwrap_or(line).to_owned();
            changes.push(match change.tag() {
                ChangeTag::Equal => Change::Same(line),
                ChangeTag::Delete => Change::Missing(line),
                ChangeTag::Insert => Change::Extra(line),
            });
            if !ended && change.tag() != ChangeTag::Equal {
                changes.push(Change::NoLineEnd);
            }
        }
    }
    // Where neither ends in a line end, that is no difference.
    if !expected.ends_with('\n') && !actual.ends_with('\n') {
        changes.retain(|change| *change != Change::NoLineEnd);
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(line: &str) -> Change {
        Change::Same(line.into())
    }

    fn missing(line: &str) -> Change {
        Change::Missing(line.into())
    }

    fn extra(line: &str) -> Change {
        Change::Extra(line.into())
    }

    #[test]
    fn lines_that_differ_stand_with_those_around_them() {
        let expected = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let actual = "one\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";
        assert_eq!(
            changes(expected, actual),
            [
                missing("1"),
                extra("one"),
                same("2"),
                same("3"),
                Change::Gap,
                same("8"),
                same("9"),
                extra("10"),
            ]
        );
    }

    #[test]
    fn a_line_end_is_a_difference() {
        assert_eq!(
            changes("a\nb", "a\nb\n"),
            [same("a"), missing("b"), Change::NoLineEnd, extra("b")]
        );
        assert_eq!(changes("a", "b"), [missing("a"), extra("b")]);
        assert_eq!(changes("", "b\n"), [extra("b")]);
    }
}
