//! Which names a template may use.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::error::{TemplateError, TemplateErrorKind};
use super::path::Key;
use super::suggest::nearest;
use super::used::Use;

/// Most names that a help line lists.
const MAX_LISTED: usize = 8;

/// What a name leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Declared {
    /// Anything below it may be used: what stands there is not known when the template is read.
    Open,
    /// Only these members. A list's elements are open, whatever they are.
    Fields(BTreeMap<String, Declared>),
}

impl Declared {
    /// These members and no other.
    pub fn fields<N: Into<String>>(fields: impl IntoIterator<Item = (N, Declared)>) -> Self {
        let fields = fields.into_iter();
        Self::Fields(fields.map(|(name, field)| (name.into(), field)).collect())
    }

    /// Members of these names and no other, with anything below them.
    pub fn names<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        Self::fields(names.into_iter().map(|name| (name, Self::Open)))
    }
}

/// The root names of a place in a manifest. Cloning shares what they lead to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// Sorted by name. They are few.
    roots: Vec<(Cow<'static, str>, Arc<Root>)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Root {
    declared: Declared,
    /// Whether it can be used as a whole, or by a computed name.
    whole: bool,
    help: Option<String>,
}

impl Names {
    /// No names.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a root name, which can be used as a whole too: `args`, `output`.
    #[must_use]
    pub fn with(self, name: impl Into<Cow<'static, str>>, declared: Declared) -> Self {
        let root = Root {
            declared,
            whole: true,
            help: None,
        };
        self.insert(name.into(), root)
    }

    /// Adds a root name of which only members can be used, each by its written name: `secrets`,
    /// `env`. `help` says how to declare one: ``declare it in `[secrets]` ``.
    #[must_use]
    pub fn with_members(
        self,
        name: impl Into<Cow<'static, str>>,
        declared: Declared,
        help: impl Into<String>,
    ) -> Self {
        let root = Root {
            declared,
            whole: false,
            help: Some(help.into()),
        };
        self.insert(name.into(), root)
    }

    fn insert(mut self, name: Cow<'static, str>, root: Root) -> Self {
        let root = Arc::new(root);
        match self.place(&name) {
            Ok(at) => {
                if let Some(known) = self.roots.get_mut(at) {
                    known.1 = root;
                }
            }
            Err(at) => self.roots.insert(at, (name, root)),
        }
        self
    }

    /// Where the name is, or would be.
    fn place(&self, name: &str) -> Result<usize, usize> {
        self.roots
            .binary_search_by(|(known, _)| (**known).cmp(name))
    }

    fn get(&self, name: &str) -> Option<&Root> {
        let at = self.place(name).ok()?;
        self.roots.get(at).map(|(_, root)| &**root)
    }

    pub(super) fn is_root(&self, name: &str) -> bool {
        self.place(name).is_ok()
    }

    /// What is wrong with one use of a name.
    pub(super) fn check(&self, used: &Use) -> Option<TemplateError> {
        let Some(root) = self.get(&used.root) else {
            return Some(self.unknown_root(used));
        };
        if !root.whole && !matches!(used.keys.first(), Some((Key::Name(_), _))) {
            let name = &used.root;
            let error = TemplateError::new(
                TemplateErrorKind::Misuse,
                used.root_range.clone(),
                format!("`{name}` can only be used by a written name"),
            );
            return Some(error.help(format!("write `{name}.NAME`")));
        }
        let mut declared = &root.declared;
        let mut path = used.root.clone();
        for (key, range) in &used.keys {
            let (Declared::Fields(fields), Key::Name(name)) = (declared, key) else {
                return None;
            };
            let Some(field) = fields.get(&**name) else {
                return Some(unknown_field(root, fields, &path, key, range.clone()));
            };
            declared = field;
            path.push_str(&key.to_string());
        }
        None
    }

    fn unknown_root(&self, used: &Use) -> TemplateError {
        let error = TemplateError::new(
            TemplateErrorKind::UnknownName,
            used.root_range.clone(),
            format!("unknown name `{}`", used.root),
        );
        let known = || self.roots.iter().map(|(name, _)| &**name);
        let help = match nearest(&used.root, known()) {
            Some(name) => Some(format!("did you mean `{name}`?")),
            None => list("the names here are", known()),
        };
        error.help_if(help)
    }
}

fn unknown_field(
    root: &Root,
    fields: &BTreeMap<String, Declared>,
    path: &str,
    key: &Key,
    range: Range<usize>,
) -> TemplateError {
    let error = TemplateError::new(
        TemplateErrorKind::UnknownName,
        range,
        format!("unknown name `{path}{key}`"),
    );
    let word = match key {
        Key::Name(name) => &**name,
        Key::Index(_) => "",
    };
    let known = || fields.keys().map(String::as_str);
    let help = match nearest(word, known()) {
        Some(name) => Some(format!("did you mean `{path}{}`?", Key::Name(name.into()))),
        None if root.help.is_some() => root.help.clone(),
        None if fields.is_empty() => Some(format!("`{path}` has no names below it")),
        None => list(&format!("`{path}` has"), known()),
    };
    error.help_if(help)
}

/// A help line with all names, when they are few.
fn list<'a>(intro: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
    (!names.is_empty() && names.len() <= MAX_LISTED)
        .then(|| format!("{intro} {}", names.join(", ")))
}
