//! What can be wrong with a template or a URI.

use std::ops::Range;

/// Why a template is refused: the shape that it has and that cannot be matched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct UriTemplateError {
    /// Where: bytes of the template, on character boundaries.
    pub range: Range<usize>,
    /// What is wrong: lower case, no full stop, the author's words in backticks.
    pub message: String,
    /// What to do.
    pub help: Option<&'static str>,
}

impl UriTemplateError {
    pub(super) fn new(range: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            range,
            message: message.into(),
            help: None,
        }
    }

    pub(super) fn help(mut self, help: &'static str) -> Self {
        self.help = Some(help);
        self
    }
}

/// Why a text is not an absolute URI (RFC 3986 §4.3).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct UriError {
    /// Where: bytes of the text, on character boundaries.
    pub range: Range<usize>,
    /// What is wrong: lower case, no full stop.
    pub message: &'static str,
}

impl UriError {
    pub(super) fn new(range: Range<usize>, message: &'static str) -> Self {
        Self { range, message }
    }
}
