//! What came of the tests.

use crate::lang::diag::position;
use crate::model::ToolTest;
use crate::testing::Problem;
use std::time::Duration;

/// What came of one test.
#[derive(Debug)]
pub(super) enum Outcome {
    /// All was as it must be.
    Passed,
    /// Something was not.
    Failed(Vec<Problem>),
    /// The tool is left out here (`available`).
    Skipped,
}

/// One test that was run.
#[derive(Debug)]
pub(super) struct Ran<'t> {
    pub(super) test: &'t ToolTest,
    pub(super) outcome: Outcome,
    pub(super) took: Duration,
}

/// All of them, in the order of the files.
#[derive(Debug, Default)]
pub(super) struct Report<'t> {
    pub(super) tests: Vec<Ran<'t>>,
}

impl Report<'_> {
    pub(super) fn failed(&self) -> usize {
        self.count(|outcome| matches!(outcome, Outcome::Failed(_)))
    }

    pub(super) fn skipped(&self) -> usize {
        self.count(|outcome| matches!(outcome, Outcome::Skipped))
    }

    pub(super) fn passed(&self) -> usize {
        self.count(|outcome| matches!(outcome, Outcome::Passed))
    }

    fn count(&self, wanted: impl Fn(&Outcome) -> bool) -> usize {
        let outcomes = self.tests.iter().map(|ran| &ran.outcome);
        outcomes.filter(|outcome| wanted(outcome)).count()
    }
}

/// How a test is named: `TOOL: TEST`.
pub(super) fn label(test: &ToolTest) -> String {
    format!("{}: {}", test.tool, test.name)
}

/// The file of a test and the line of its name, counted from 1.
pub(super) fn place(test: &ToolTest) -> (String, usize) {
    let file = &test.at.file;
    let line = position::locate(file.text(), test.at.start).line;
    (file.path().to_string_lossy().into_owned(), line)
}
