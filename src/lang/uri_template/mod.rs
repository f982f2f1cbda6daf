//! URI templates of resources: RFC 6570 in the shapes that can be matched without ambiguity.
//!
//! A template is a literal scheme, an authority that is one literal, one `{var}` or empty, and a path
//! whose segments are each one literal or one `{var}`. One path expression may vary in length:
//! `{+var}` (one or more segments), `{/var}` (none or one) or `{/var*}` (any number). The segments
//! around it are taken from each end, so a URI can be split in one way only. `{?a,b}` and `{&c}`
//! stand at the end. Everything else is refused by name, because it could never be matched or could
//! be matched in two ways.
//!
//! Matching reads a URI a fixed number of times, from end to end, and never goes back.

mod decode;
mod error;
mod expand;
mod index;
mod matching;
mod overlap;
mod parse;
mod syntax;
#[cfg(test)]
mod tests;
mod uri;

pub use error::{UriError, UriTemplateError};
pub use index::TemplateIndex;
pub use matching::Bindings;
pub use overlap::{Overlap, overlaps};
pub use uri::Uri;

/// Most bytes of a template.
pub const MAX_BYTES: usize = 1024;

/// Most variables of a template, each counted as often as it stands there.
pub const MAX_VARIABLES: usize = 32;

/// The variable name that a template cannot use: it holds the requested URI.
pub const RESERVED_NAME: &str = "uri";

/// A parsed template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UriTemplate {
    source: String,
    /// In lower case.
    scheme: String,
    /// A literal may be empty, and is compared without case.
    authority: Part,
    /// Path segments from the front.
    before: Vec<Part>,
    /// The one expression that varies in length.
    open: Option<Open>,
    /// Path segments up to the end.
    after: Vec<Part>,
    /// The names of query parameters, each once.
    query: Vec<String>,
}

/// An authority or a path segment.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// Compared as it is written, without decoding.
    Literal(String),
    /// Binds all of it; it is not empty.
    Variable(String),
}

/// A path expression that varies in length.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Open {
    kind: OpenKind,
    name: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OpenKind {
    /// `{+var}`: one or more segments.
    Reserved,
    /// `{/var}`: none or one.
    Optional,
    /// `{/var*}`: any number.
    Exploded,
}

impl OpenKind {
    fn least(self) -> usize {
        match self {
            Self::Reserved => 1,
            Self::Optional | Self::Exploded => 0,
        }
    }

    fn most(self) -> usize {
        match self {
            Self::Optional => 1,
            Self::Reserved | Self::Exploded => usize::MAX,
        }
    }
}

impl UriTemplate {
    /// Reads a template of at most [`MAX_BYTES`] bytes and [`MAX_VARIABLES`] variables.
    ///
    /// # Errors
    /// The first shape that is not one of these, by name, with its place.
    pub fn parse(source: &str) -> Result<Self, UriTemplateError> {
        parse::parse(source)
    }

    /// The template as it was written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// What makes it the same as another: its text with the scheme and a literal host in lower case.
    pub fn canonical(&self) -> String {
        let host = self.source.get(self.scheme.len() + "://".len()..);
        let host = host.unwrap_or_default();
        match &self.authority {
            Part::Literal(literal) => {
                let rest = host.get(literal.len()..).unwrap_or_default();
                format!("{}://{}{rest}", self.scheme, literal.to_ascii_lowercase())
            }
            Part::Variable(_) => format!("{}://{host}", self.scheme),
        }
    }

    /// The variables' names in the order of the template, each once.
    pub fn variables(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        let open = self.open.iter().map(|open| open.name.as_str());
        let all = std::iter::once(&self.authority)
            .chain(&self.before)
            .filter_map(Part::variable)
            .chain(open)
            .chain(self.after.iter().filter_map(Part::variable))
            .chain(self.query.iter().map(String::as_str));
        for name in all {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// The variables that bind one whole segment or the authority: `{var}` and `{/var}`. What they
    /// bind should be one name when it is used as a path.
    pub fn one_segment_variables(&self) -> Vec<&str> {
        let optional = self.open.as_ref();
        let optional = optional.filter(|open| open.kind == OpenKind::Optional);
        std::iter::once(&self.authority)
            .chain(&self.before)
            .chain(&self.after)
            .filter_map(Part::variable)
            .chain(optional.map(|open| open.name.as_str()))
            .collect()
    }

    /// The variables that every matching URI binds.
    pub fn required_variables(&self) -> Vec<&str> {
        let open = self.open.as_ref();
        let open = open.filter(|open| open.kind.least() > 0);
        std::iter::once(&self.authority)
            .chain(&self.before)
            .chain(&self.after)
            .filter_map(Part::variable)
            .chain(open.map(|open| open.name.as_str()))
            .collect()
    }

    /// How many path segments a matching URI has: the least and the most.
    fn segments(&self) -> (usize, usize) {
        let fixed = self.before.len() + self.after.len();
        match &self.open {
            Some(open) => (
                fixed + open.kind.least(),
                fixed.saturating_add(open.kind.most()),
            ),
            None => (fixed, fixed),
        }
    }
}

impl Part {
    fn variable(&self) -> Option<&str> {
        match self {
            Self::Variable(name) => Some(name),
            Self::Literal(_) => None,
        }
    }

    fn literal(&self) -> Option<&str> {
        match self {
            Self::Literal(text) => Some(text),
            Self::Variable(_) => None,
        }
    }
}
