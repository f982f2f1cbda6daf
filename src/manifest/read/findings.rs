//! Collecting what is wrong, so that nothing stops at the first.

use crate::lang::diag::{Diagnostic, Severity};
use std::cell::RefCell;
use std::sync::Arc;

/// Everything found wrong while one set of files is read.
#[derive(Debug, Default)]
pub struct Findings(RefCell<Vec<Diagnostic>>);

impl Findings {
    /// Adds one. The same thing said of the same place again is dropped: what a file's defaults
    /// get wrong is found once for every component that uses them.
    pub fn push(&self, diagnostic: Diagnostic) {
        let mut all = self.0.borrow_mut();
        let same = |seen: &Diagnostic| {
            seen.code == diagnostic.code
                && seen.message == diagnostic.message
                && match (&seen.at, &diagnostic.at) {
                    (Some(a), Some(b)) => {
                        a.start == b.start && a.end == b.end && Arc::ptr_eq(&a.file, &b.file)
                    }
                    _ => false,
                }
        };
        if !all.iter().any(same) {
            all.push(diagnostic);
        }
    }

    /// How many errors there are.
    pub fn errors(&self) -> usize {
        let all = self.0.borrow();
        all.iter()
            .filter(|found| found.severity == Severity::Error)
            .count()
    }

    /// Takes all out.
    pub fn into_vec(self) -> Vec<Diagnostic> {
        self.0.into_inner()
    }
}
