//! All components of a server, and what they have in common.

use super::{ActionSpec, Tool};
use crate::lang::diag::Span;
use std::fmt;
use std::sync::Arc;

/// What kind of component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// `[[tool]]`.
    Tool,
}

impl Kind {
    /// The word for one, as manifests write it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Tool => "tool",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// What every kind of component has beside what it declares.
pub trait Component: fmt::Debug + Send + Sync + 'static {
    /// Which kind it is.
    const KIND: Kind;

    /// What it is asked for by, unique among its kind.
    fn key(&self) -> &str;

    /// What it does; `None` answers from `result` alone.
    fn action(&self) -> Option<&ActionSpec>;

    /// Changes whenever anything that a list shows of it does.
    fn fingerprint(&self) -> &str;

    /// Changes whenever anything that the manifest says of it does, defaults and the files it names
    /// included. Two of one kind with the same digest are the same, wherever they are declared.
    fn definition(&self) -> &[u8; 32];

    /// Where it was declared, for messages.
    fn at(&self) -> &Span;
}

/// One component of any kind.
#[derive(Clone, Debug)]
pub enum AnyComponent {
    /// A tool.
    Tool(Arc<Tool>),
}

/// The components of all files, each kind by file path and place in the file.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    /// The tools.
    pub tools: Vec<Arc<Tool>>,
}

impl Catalog {
    /// Adds one after the others of its kind.
    pub fn add(&mut self, component: AnyComponent) {
        match component {
            AnyComponent::Tool(tool) => self.tools.push(tool),
        }
    }

    /// What each component does, of those that do something.
    pub fn actions(&self) -> impl Iterator<Item = &ActionSpec> {
        self.tools.iter().filter_map(|tool| tool.action())
    }

    /// How many there are.
    pub fn counts(&self) -> Counts {
        Counts {
            tools: self.tools.len(),
        }
    }
}

/// How many components of each kind there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Tools.
    pub tools: usize,
}

impl fmt::Display for Counts {
    /// `2 tools, 1 prompt`: tools always, the other kinds when there are any.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = |count| if count == 1 { "" } else { "s" };
        write!(f, "{} tool{}", self.tools, plural(self.tools))
    }
}
