//! Diagnostics: what is wrong in which file, where, and what to do about it.
//!
//! A check never stops at the first problem: it pushes a [`Diagnostic`] and goes on. Positions
//! are byte ranges in a [`SourceFile`]; lines and columns are computed when printed.

mod cells;
mod excerpt;
mod json;
mod order;
pub mod position;
mod render;
mod sarif;
pub mod suggest;

pub use cells::{is_hidden, tame};
pub use json::{document, json};
pub use render::{RenderStyle, render};
pub use sarif::sarif;

use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One file that was read, kept whole so that a diagnostic can show the line it is about.
#[derive(Debug)]
pub struct SourceFile {
    path: PathBuf,
    text: String,
}

impl SourceFile {
    /// A file as the user names it (`path` is shown as is) and its text.
    pub fn new(path: impl Into<PathBuf>, text: impl Into<String>) -> Arc<Self> {
        Arc::new(Self {
            path: path.into(),
            text: text.into(),
        })
    }

    /// The path as it is shown.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// A byte range in a file. `start <= end`, both on character boundaries of the file's text.
#[derive(Clone, Debug)]
pub struct Span {
    /// The file.
    pub file: Arc<SourceFile>,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// How bad a finding is: an error keeps a manifest from being served, a warning does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The manifest is refused.
    Error,
    /// Worth saying; the manifest is served.
    Warning,
}

/// A stable name for a kind of finding, in kebab case (`unknown-key`), with a text that
/// `snodo check --explain` prints. All codes stand in [`codes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Code(pub &'static str);

/// One finding.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// Which kind of finding.
    pub code: Code,
    /// Error or warning.
    pub severity: Severity,
    /// What is wrong: lower case, no full stop, the user's words in backticks.
    pub message: String,
    /// Where; `None` when there is no place (a folder that does not exist).
    pub at: Option<Span>,
    /// What the place is, printed beside the carets: `in tool "order", argument "lines.sku"`.
    pub label: Option<String>,
    /// Other places that matter, each with what it is: `first declared here`.
    pub related: Vec<(Span, String)>,
    /// What to do.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error of this kind at this place.
    pub fn error(code: Code, at: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: Severity::Error,
            message: message.into(),
            at: Some(at),
            label: None,
            related: Vec::new(),
            help: None,
        }
    }

    /// A warning of this kind at this place.
    pub fn warning(code: Code, at: Span, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(code, at, message)
        }
    }

    /// An error that has no place in a file.
    pub fn placeless(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: Severity::Error,
            message: message.into(),
            at: None,
            label: None,
            related: Vec::new(),
            help: None,
        }
    }

    /// Adds what the place is.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// Adds another place that matters.
    #[must_use]
    pub fn related(mut self, at: Span, what: impl Into<String>) -> Self {
        self.related.push((at, what.into()));
        self
    }

    /// Adds what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
