//! What can be wrong with a template, when it is read and when it is rendered.

use std::fmt;
use std::ops::Range;

/// A kind of mistake in a template's source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TemplateErrorKind {
    /// The source is not a template: a tag that is not closed, an expression that does not parse.
    Syntax,
    /// The source is too long, too deeply nested, or builds values that are too large.
    TooLarge,
    /// A Jinja statement, operator or method that this language leaves out.
    Unavailable,
    /// A filter that does not exist.
    UnknownFilter,
    /// A test that does not exist.
    UnknownTest,
    /// A function that does not exist.
    UnknownFunction,
    /// A name that is not declared.
    UnknownName,
    /// A name or a filter used in a way that cannot work.
    Misuse,
}

/// One mistake in a template's source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateError {
    /// Which kind of mistake.
    pub kind: TemplateErrorKind,
    /// Where: bytes of the source, on character boundaries, `start <= end <= source.len()`.
    pub range: Range<usize>,
    /// What is wrong: lower case, no full stop, the author's words in backticks.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}

impl TemplateError {
    pub(super) fn new(
        kind: TemplateErrorKind,
        range: Range<usize>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            kind,
            range,
            message: message.into(),
            help: None,
        }
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub(super) fn help_if(mut self, help: Option<String>) -> Self {
        self.help = help;
        self
    }
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for TemplateError {}

/// A kind of failure to render.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RenderErrorKind {
    /// A value that is not there stands where one is needed.
    Undefined,
    /// The work or the result would pass a bound: fuel, bytes, items, depth.
    Bound,
    /// The value cannot stand in a URL.
    Url,
    /// An operation does not fit its values.
    Operation,
}

/// Why a template could not be rendered. The message names the expression as the author wrote
/// it and never holds a value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RenderError {
    kind: RenderErrorKind,
    range: Range<usize>,
    message: String,
}

/// Longest piece of an author's expression that a message repeats, in characters.
const SHOWN_CHARS: usize = 80;

impl RenderError {
    /// Which kind of failure.
    pub fn kind(&self) -> RenderErrorKind {
        self.kind
    }

    /// The expression that failed, in bytes of the template's source.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// An error about the expression at `range`: ``` `args.page` is undefined```.
    pub(super) fn about(source: &str, range: Range<usize>, failure: &Failure) -> Self {
        let expression = source.get(range.clone()).unwrap_or(source).trim();
        Self {
            kind: failure.kind(),
            range,
            message: format!("`{}` {failure}", shorten(expression)),
        }
    }
}

/// The expression on one line, cut when it is long.
fn shorten(expression: &str) -> String {
    let mut out = String::new();
    for (i, c) in expression.chars().enumerate() {
        if i == SHOWN_CHARS {
            out.push('…');
            break;
        }
        out.push(if c.is_control() { ' ' } else { c });
    }
    out
}

/// A failure before it is known which expression it belongs to. Reads after the expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Failure {
    #[error("is undefined")]
    Undefined,
    #[error("needs `{0}`, which is undefined")]
    Needs(String),
    #[error("takes too much work to render")]
    Fuel,
    #[error("gives more than {} bytes", super::MAX_OUTPUT_BYTES)]
    Output,
    #[error("gives more than {} values", super::MAX_VALUES)]
    Values,
    #[error("gives values nested more than {} deep", super::MAX_VALUE_DEPTH)]
    Depth,
    #[error("gives a `.` or `..` segment in the path of the URL")]
    DotSegment,
    #[error("gives a control character or a space to a URL through `raw`")]
    RawUrl,
    #[error("cannot be rendered: {0}")]
    Operation(String),
}

impl Failure {
    fn kind(&self) -> RenderErrorKind {
        match self {
            Self::Undefined | Self::Needs(_) => RenderErrorKind::Undefined,
            Self::Fuel | Self::Output | Self::Values | Self::Depth => RenderErrorKind::Bound,
            Self::DotSegment | Self::RawUrl => RenderErrorKind::Url,
            Self::Operation(_) => RenderErrorKind::Operation,
        }
    }
}
