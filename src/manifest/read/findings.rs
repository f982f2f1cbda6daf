//! Collecting what is wrong, so that nothing stops at the first.

use crate::lang::diag::{Code, Diagnostic, Severity};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

/// Everything found wrong while one set of files is read.
#[derive(Debug, Default)]
pub struct Findings(RefCell<Found>);

#[derive(Debug, Default)]
struct Found {
    all: Vec<Diagnostic>,
    errors: usize,
    /// Which findings there are at a place: the file's address, first and last byte.
    at: HashMap<(usize, usize, usize), Vec<usize>>,
    /// What is not taken at present.
    unwanted: &'static [Code],
}

impl Findings {
    /// Adds one. The same thing said of the same place again is dropped: what a file's defaults
    /// get wrong is found once for every component that uses them.
    pub fn push(&self, diagnostic: Diagnostic) {
        let mut found = self.0.borrow_mut();
        let found = &mut *found;
        if found.unwanted.contains(&diagnostic.code) {
            return;
        }
        if let Some(span) = &diagnostic.at {
            let place = (Arc::as_ptr(&span.file).addr(), span.start, span.end);
            let here = found.at.entry(place).or_default();
            let same = |seen: &Diagnostic| {
                seen.code == diagnostic.code && seen.message == diagnostic.message
            };
            if here.iter().filter_map(|at| found.all.get(*at)).any(same) {
                return;
            }
            here.push(found.all.len());
        }
        if diagnostic.severity == Severity::Error {
            found.errors += 1;
        }
        found.all.push(diagnostic);
    }

    /// Does the work; findings of these codes that it makes are dropped.
    pub fn without<T>(&self, codes: &'static [Code], work: impl FnOnce() -> T) -> T {
        let before = std::mem::replace(&mut self.0.borrow_mut().unwanted, codes);
        let done = work();
        self.0.borrow_mut().unwanted = before;
        done
    }

    /// How many errors there are.
    pub fn errors(&self) -> usize {
        self.0.borrow().errors
    }

    /// Takes all out.
    pub fn into_vec(self) -> Vec<Diagnostic> {
        self.0.into_inner().all
    }
}
