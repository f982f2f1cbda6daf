//! The immutable runtime built from a model: everything a request needs, and nothing that changes.

mod build;
mod cursor;
mod diff;
mod execute;
mod handle;

pub use build::{Built, build, build_for_test};
pub use diff::Diff;
pub use handle::Handle;

use crate::action::Action;
use crate::model::{Tool, Values};
use crate::ops::Ready;
use crate::protocol::Face;
use cursor::Cursors;
use std::collections::HashMap;
use std::sync::Arc;

/// Everything a request needs, built from one set of manifests. It has no interior mutability: a
/// reload builds another and swaps.
#[derive(Debug)]
pub struct Runtime {
    face: Face,
    discovery: Ready,
    tools: ToolSet,
    values: SharedValues,
    cursors: Cursors,
}

/// The tools, found by name, and the pages that list them.
#[derive(Debug)]
struct ToolSet {
    by_name: HashMap<String, Entry>,
    pages: Vec<Ready>,
    /// What the manifests say of each, in the order of the list.
    definitions: Vec<[u8; 32]>,
}

/// A tool with its action ready to run.
#[derive(Clone, Debug)]
struct Entry {
    tool: Arc<Tool>,
    action: Option<Arc<Action>>,
}

/// What `secrets` and `env` hold in templates, made once.
#[derive(Clone)]
struct SharedValues {
    secrets: Arc<serde_json::Map<String, serde_json::Value>>,
    env: Arc<serde_json::Map<String, serde_json::Value>>,
}

impl Runtime {
    /// What the dialects need to know of the server to read a request and write an answer.
    pub fn face(&self) -> &Face {
        &self.face
    }

    /// Whether there is a tool of this name.
    pub fn serves(&self, tool: &str) -> bool {
        self.tools.by_name.contains_key(tool)
    }

    /// How many tools there are.
    pub fn tools(&self) -> usize {
        self.tools.by_name.len()
    }

    /// Whether these tools, in this order, are the ones that are served.
    pub fn serves_just(&self, tools: &[Arc<Tool>]) -> bool {
        let wanted = tools.iter().map(|tool| &tool.definition);
        wanted.eq(&self.tools.definitions)
    }

    /// Whether what was opened when this was built is still what its names lead to: another folder
    /// may lie where an action's was. Asks the file system.
    pub fn is_current(&self) -> bool {
        self.tools.by_name.values().all(Entry::is_current)
    }

    /// Whether both serve the same tools in the same order by the same actions. What they say of
    /// the server may differ.
    pub fn serves_as(&self, other: &Self) -> bool {
        self.tools.definitions == other.tools.definitions
            && self.tools.by_name.iter().all(|(name, entry)| {
                let same = other.tools.by_name.get(name);
                same.is_some_and(|same| entry.has_action_of(same))
            })
    }
}

impl Entry {
    fn is_current(&self) -> bool {
        let action = self.action.as_ref();
        action.is_none_or(|action| action.is_current())
    }

    fn has_action_of(&self, other: &Self) -> bool {
        match (&self.action, &other.action) {
            (Some(one), Some(two)) => Arc::ptr_eq(one, two),
            (one, two) => one.is_none() && two.is_none(),
        }
    }
}

impl SharedValues {
    fn of(values: &Values) -> Self {
        let secrets = values.secrets.iter();
        let env = values.env.iter();
        Self {
            secrets: Arc::new(
                secrets
                    .map(|(name, secret)| (name.clone(), secret.reveal().into()))
                    .collect(),
            ),
            env: Arc::new(
                env.map(|(name, value)| (name.clone(), value.as_str().into()))
                    .collect(),
            ),
        }
    }
}

impl std::fmt::Debug for SharedValues {
    /// Names only: values may be secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = self.secrets.keys().chain(self.env.keys());
        f.debug_set().entries(names).finish()
    }
}
