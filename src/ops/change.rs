//! What listeners are told of (specification: subscriptions).

use std::sync::Arc;

/// A list that callers see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListKind {
    /// `tools/list`.
    Tools,
    /// `prompts/list`.
    Prompts,
    /// `resources/list` and `resources/templates/list`.
    Resources,
}

/// Something that has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A list: it is worth asking for again.
    List(ListKind),
    /// The resource of this URI: it is worth reading again.
    Resource(Arc<str>),
}

/// What a listener wants to be told of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Changes of the list of tools.
    pub tools: bool,
    /// Changes of the list of prompts.
    pub prompts: bool,
    /// Changes of the lists of resources.
    pub resources: bool,
    /// Changes of these resources, each URI once, in byte order: [`Filter::MOST`] of
    /// [`Filter::MOST_BYTES`] at the most. `None` where the caller names none.
    pub uris: Option<Vec<Arc<str>>>,
}

impl Filter {
    /// Most URIs of one listener.
    pub const MOST: usize = 1000;
    /// Most bytes of them together.
    pub const MOST_BYTES: usize = 512 * 1024;

    /// Whether changes of this list are wanted.
    pub fn wants(&self, list: ListKind) -> bool {
        match list {
            ListKind::Tools => self.tools,
            ListKind::Prompts => self.prompts,
            ListKind::Resources => self.resources,
        }
    }
}
