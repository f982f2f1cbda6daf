//! Templates in manifest strings: native values, checked when loaded, bounded.
//!
//! The language is Jinja as minijinja reads it, less what reaches outside of one string
//! (`include`, `import`, `extends`, macros, files), and with these rules:
//!
//! - A string that is exactly one `{{ expr }}` is *native*: it has the value's own JSON type, and
//!   is absent when the expression is undefined. Any other string is text; an undefined value
//!   in it is an error that names the expression.
//! - `args.a.b` is undefined when any part of it is missing. `==` and `!=` take what is undefined
//!   for null. `x if c` without an `else` is undefined alone, and nothing within a text.
//! - In a text a number is decimal (`30`, never `30.0`), a boolean `true` or `false`, null
//!   `null`, a list or object its JSON; the same behind `~` and in filters that work on text.
//! - In a URL each value is percent-encoded ([`Template::url`]); `| raw` leaves it as it is.
//!
//! Filters: `abs`, `b64decode`, `b64encode`, `batch`, `bool`, `capitalize`, `chain`, `count`, `d`,
//! `default`, `dictsort`, `first`, `float`, `format`, `fromjson`, `groupby`, `indent`, `int`,
//! `items`, `join`, `last`, `length`, `lines`, `list`, `lower`, `map`, `max`, `min`, `raw`,
//! `reject`, `rejectattr`, `replace`, `reverse`, `round`, `select`, `selectattr`, `slice`, `sort`,
//! `split`, `string`, `sum`, `title`, `tojson`, `trim`, `unique`, `upper`, `urlencode`, `zip`.
//! Tests: those of minijinja that are not about HTML or the engine itself. Functions: `dict`,
//! `range`, and in a loop `loop.cycle`, `loop.changed`.
//!
//! What is read and rendered is bounded: the constants below.

mod compare;
mod convert;
mod engine;
mod error;
mod filters;
mod form;
mod locate;
mod lower;
mod names;
mod path;
mod scan;
mod scope;
mod suggest;
mod text;
mod tree;
mod url;
mod used;
mod vocabulary;

#[cfg(test)]
mod tests;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

pub use self::error::{RenderError, RenderErrorKind, TemplateError, TemplateErrorKind};
use self::form::Form;
pub use self::names::{Declared, Names};
pub use self::path::Key;
pub use self::scope::{Root, Scope};
pub use self::text::text_of;
pub use self::tree::{TooDeep, Tree};
pub use self::used::{Reference, Used};

/// Longest source of one template, in bytes.
pub const MAX_SOURCE_BYTES: usize = 64 * 1024;

/// Deepest nesting of a source: brackets, operators of one chain, blocks.
pub const MAX_NESTING: usize = 96;

/// Work of one rendering in the engine's fuel: about one for each instruction, for each two values
/// that are compared and for each 64 bytes that are read or made, so at most 32 MB of data.
pub const FUEL: u64 = 500_000;

/// Longest text that one rendering gives, and most text in a value, in bytes.
pub const MAX_OUTPUT_BYTES: usize = 16 * 1024 * 1024;

/// Most values in a list or object that an expression computes, its own parts counted.
pub const MAX_VALUES: usize = 1_000_000;

/// Deepest nesting of a value that an expression computes or a [`Tree`] holds.
pub const MAX_VALUE_DEPTH: usize = 128;

/// A template, read and compiled. Cloning shares it.
#[derive(Clone)]
pub struct Template {
    inner: Arc<Inner>,
}

struct Inner {
    source: Box<str>,
    form: Form,
}

impl Template {
    /// Reads a template. Names are not looked at yet: see [`Template::check`].
    ///
    /// # Errors
    /// Everything that is wrong in it: syntax, unknown filters, tests and functions, statements
    /// that are not available, and sizes past their bounds.
    pub fn parse(source: &str) -> Result<Self, Vec<TemplateError>> {
        Self::parse_used(source).map(|(template, _)| template)
    }

    /// The same, with what it uses.
    ///
    /// # Errors
    /// Those of [`Template::parse`].
    pub fn parse_used(source: &str) -> Result<(Self, Used), Vec<TemplateError>> {
        let (form, used) = Form::of(source)?;
        let source = source.into();
        let inner = Arc::new(Inner { source, form });
        Ok((Self { inner }, used))
    }

    /// A text that is not read as a template, whatever it holds.
    pub fn literal_text(text: impl Into<Box<str>>) -> Self {
        Self {
            inner: Arc::new(Inner {
                form: Form::Source,
                source: text.into(),
            }),
        }
    }

    /// The string that it was read from.
    pub fn source(&self) -> &str {
        &self.inner.source
    }

    /// Whether it is a text without expressions.
    pub fn is_literal(&self) -> bool {
        self.literal().is_some()
    }

    /// The text, when there are no expressions in it: the source, less comments and `raw` tags.
    pub fn literal(&self) -> Option<&str> {
        match &self.inner.form {
            Form::Source => Some(&self.inner.source),
            Form::Literal(text) => Some(text),
            _ => None,
        }
    }

    /// The text before the first expression or statement: `https://api.example.com/v1/` of a URL
    /// whose path is computed.
    pub fn literal_prefix(&self) -> &str {
        match &self.inner.form {
            Form::Source => &self.inner.source,
            form => form.literal_prefix(),
        }
    }

    /// Whether it is exactly one `{{ expr }}`, which keeps the type of its value.
    pub fn is_native(&self) -> bool {
        self.inner.form.is_native()
    }

    /// Renders a value: with its own JSON type when the template is native, else text. `None` when
    /// a native expression is undefined.
    ///
    /// # Errors
    /// An undefined value within a text, an operation that does not fit its values, or a bound.
    pub fn value(&self, scope: &Scope) -> Result<Option<Value>, RenderError> {
        self.inner
            .form
            .value(&self.inner.source, scope)
            .map_err(|failed| self.render_error(failed, scope))
    }

    /// Renders a text, also of a native value. `None` when a native expression is undefined.
    ///
    /// # Errors
    /// The same as [`Template::value`].
    pub fn text(&self, scope: &Scope) -> Result<Option<String>, RenderError> {
        self.inner
            .form
            .text(&self.inner.source, scope)
            .map_err(|failed| self.render_error(failed, scope))
    }

    /// Renders a URL, or a part of one: each value is percent-encoded as one path segment or
    /// query value (RFC 3986 §2.1) but for those behind `| raw`; other text stays as written.
    /// `None` when a native expression is undefined.
    ///
    /// # Errors
    /// The same as [`Template::value`]; also a path with a `.` or `..` segment, and a control
    /// character or space behind `| raw`.
    pub fn url(&self, scope: &Scope) -> Result<Option<String>, RenderError> {
        self.inner
            .form
            .url(&self.inner.source, scope)
            .map_err(|failed| self.render_error(failed, scope))
    }

    /// What is wrong with the names of a source that is not usable for another reason, such as an
    /// unknown filter. Of one whose syntax is wrong or that is too large it says nothing.
    ///
    /// This and the methods below read the source again instead of keeping what they tell: they
    /// are for loading, not for calls.
    pub fn check_source(source: &str, names: &Names) -> Vec<TemplateError> {
        match scan::scan(source) {
            Ok(()) => form::walk(source).check(names),
            Err(_) => Vec::new(),
        }
    }

    /// The uses of names that it does not itself define, in order.
    pub fn references(&self) -> Vec<Reference> {
        form::walk(self.source()).references()
    }

    /// Whether it uses a root name.
    pub fn uses(&self, root: &str) -> bool {
        self.references()
            .iter()
            .any(|reference| reference.root == root)
    }

    /// Where the `raw` filter stands, in bytes of the source.
    pub fn raw_filters(&self) -> Vec<Range<usize>> {
        form::walk(self.source()).raw
    }

    /// The error, with the first path in the failing expression that is undefined.
    fn render_error(&self, failed: form::Failed, scope: &Scope) -> RenderError {
        let source = self.source();
        let range = failed.range.unwrap_or(0..source.len());
        let failure = match failed.failure {
            error::Failure::Undefined => self.undefined(&range, scope),
            failure => failure,
        };
        RenderError::about(source, range, &failure)
    }

    fn undefined(&self, range: &Range<usize>, scope: &Scope) -> error::Failure {
        let missing = self.references().into_iter().find(|reference| {
            let path = path::Path {
                root: reference.root.as_str().into(),
                keys: reference.keys.clone().into(),
            };
            range.start <= reference.range.start
                && reference.range.end <= range.end
                && path.find(scope).is_none()
        });
        let name = missing.and_then(|reference| self.source().get(reference.range));
        let whole = self.source().get(range.clone()).map(str::trim);
        match name {
            Some(name) if Some(name) != whole => error::Failure::Needs(name.to_owned()),
            _ => error::Failure::Undefined,
        }
    }
}

/// Templates are equal when their sources are: nothing else decides what they render.
impl PartialEq for Template {
    fn eq(&self, other: &Self) -> bool {
        self.source() == other.source()
    }
}

impl Eq for Template {}

impl fmt::Debug for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Template").field(&self.source()).finish()
    }
}
