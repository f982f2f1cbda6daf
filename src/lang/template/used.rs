//! What a template uses of the names around it.

use std::fmt;
use std::ops::Range;

use super::error::{TemplateError, TemplateErrorKind};
use super::names::Names;
use super::path::Key;

/// A use of a root name in a template: `secrets.token`, `args.lines[0].sku`, or a whole `args`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The root name.
    pub root: String,
    /// The written steps below it, as far as they are written out: `args.lines` for
    /// `args.lines[args.n].sku`.
    pub keys: Vec<Key>,
    /// Where it is used, in bytes of the source, from the root name to the end of the last of
    /// `keys`.
    pub range: Range<usize>,
}

impl Reference {
    /// The first step below the root, when it is a name: `token` of `secrets.token`.
    pub fn member(&self) -> Option<&str> {
        match self.keys.first() {
            Some(Key::Name(name)) => Some(name),
            _ => None,
        }
    }
}

impl fmt::Display for Reference {
    /// As it would be written: `secrets.token`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.root)?;
        self.keys.iter().try_for_each(|key| write!(f, "{key}"))
    }
}

/// One use of a name that the template does not itself define.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Use {
    pub(super) root: String,
    pub(super) root_range: Range<usize>,
    /// The written steps, each with its place.
    pub(super) keys: Vec<(Key, Range<usize>)>,
    /// Where the last of them ends.
    pub(super) end: usize,
}

/// All that a template uses, and what it sets.
#[derive(Debug, Default)]
pub struct Used {
    pub(super) uses: Vec<Use>,
    /// Names that it sets, each with its place.
    pub(super) assigned: Vec<(String, Range<usize>)>,
    /// Where the `raw` filter stands.
    pub(super) raw: Vec<Range<usize>>,
}

impl Used {
    /// What is wrong with the names, given those that exist where the template stands.
    pub fn check(&self, names: &Names) -> Vec<TemplateError> {
        let assigned = self.assigned.iter();
        let taken = assigned.filter(|(name, _)| names.is_root(name));
        let taken = taken.map(|(name, range)| {
            TemplateError::new(
                TemplateErrorKind::Misuse,
                range.clone(),
                format!("`{name}` cannot be set: it is taken"),
            )
            .help("choose another name")
        });
        let wrong = self.uses.iter().filter_map(|used| names.check(used));
        let mut errors: Vec<_> = wrong.chain(taken).collect();
        errors.sort_by_key(|error| error.range.start);
        errors
    }

    /// The uses of names that the template does not itself define, in order.
    pub fn references(self) -> Vec<Reference> {
        let uses = self.uses.into_iter();
        let mut references: Vec<_> = uses
            .map(|used| Reference {
                range: used.root_range.start..used.end,
                root: used.root,
                keys: used.keys.into_iter().map(|(key, _)| key).collect(),
            })
            .collect();
        references.sort_by_key(|reference| reference.range.start);
        references
    }
}
