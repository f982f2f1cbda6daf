//! The immutable runtime built from a model: everything a request needs, and nothing that changes.

mod build;
mod cursor;
mod diff;
mod execute;
mod handle;

pub use build::build;
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
