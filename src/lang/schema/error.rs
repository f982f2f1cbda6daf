//! What is wrong with a schema: where in it, what, and what to do.

use std::fmt;

/// Findings kept of one schema; a document with more is wrong all over.
pub(super) const MAX_ERRORS: usize = 100;

/// Longest piece of a schema repeated in a message, in characters.
const MAX_QUOTE: usize = 120;

/// One finding about a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaError {
    /// JSON Pointer (RFC 6901) into the schema; empty for the whole document.
    pub pointer: String,
    /// Which rule it breaks.
    pub kind: SchemaErrorKind,
    /// What is wrong: lower case, no full stop, the author's words in backticks.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}

/// The rules a schema can break.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SchemaErrorKind {
    /// The document is not an object, or an input schema's root is not `type: "object"`.
    Root,
    /// `$schema` names a dialect other than 2020-12 and draft-07.
    Dialect,
    /// The dialect's meta-schema does not allow it.
    MetaSchema,
    /// A `$ref` or `$dynamicRef` leads out of the document. Nothing is ever fetched.
    ExternalReference,
    /// A reference into the document leads to nothing, or to something that is not a schema.
    DanglingReference,
    /// References lead back to where they began without going down into the value.
    ReferenceCycle,
    /// An `$id` or anchor that is not one, or that is given twice.
    Identifier,
    /// A regular expression that no engine here takes.
    Pattern,
    /// Too deep, too large, or too expensive to check a value against.
    TooLarge,
    /// The validator refuses it for another reason.
    Unsupported,
    /// An `x-mcp-header` that breaks a rule of the specification.
    Header,
    /// A `default` that its own schema refuses. A warning.
    Default,
    /// A regular expression that works here and is not ECMA-262. A warning.
    PatternPortability,
    /// A word that looks like a misspelt keyword and is ignored. A warning.
    UnknownKeyword,
}

impl SchemaErrorKind {
    /// Whether the schema is usable all the same.
    pub fn is_warning(self) -> bool {
        matches!(
            self,
            Self::Default | Self::PatternPortability | Self::UnknownKeyword
        )
    }
}

impl SchemaError {
    pub(super) fn new(
        kind: SchemaErrorKind,
        pointer: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            pointer: pointer.into(),
            kind,
            message: message.into(),
            help: None,
        }
    }

    #[must_use]
    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.pointer.is_empty() {
            write!(f, "at {}: ", self.pointer)?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for SchemaError {}

/// `text` for a message: cut to a bound, control characters written as escapes.
pub(super) fn quote(text: &str) -> String {
    clip(text, MAX_QUOTE)
}

/// The first `limit` characters of `text` and `…` if there are more, control characters written
/// as escapes.
pub(super) fn clip(text: &str, limit: usize) -> String {
    let mut out = String::with_capacity(text.len().min(limit + 3));
    for (n, c) in text.chars().enumerate() {
        if n == limit {
            out.push('…');
            break;
        }
        if c.is_control() {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}
