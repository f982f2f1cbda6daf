//! The immutable runtime built from a model: everything a request needs, and nothing that changes.

mod ask;
mod build;
mod changed;
mod complete;
mod cursor;
mod diff;
mod execute;
mod forget;
mod handle;
mod hub;
mod list;
mod prompts;
mod resources;
mod set;
mod shown;
mod watched;

pub use build::{Built, build, build_for_test, helper, not_started};
pub use changed::Changed;
pub use diff::Diff;
pub use handle::Handle;
pub use hub::{Full, Hub, Listener, Share};
pub use watched::{Watched, WatchedFiles};

use crate::access::Access;
use crate::action::Action;
use crate::action::outputs::{self, Outputs};
use crate::model::{Actor, Cache, Catalog, Counts, Kind, Prompt, Tool, Values};
use crate::ops::Ready;
use crate::protocol::Face;
use crate::secret::Mask;
use ask::Asking;
use resources::Resources;
use set::Set;
use shown::Shown;
use std::sync::Arc;

/// Everything a request needs, built from one set of manifests. It has no interior mutability but
/// memos, of pages and of compiled schemas: a reload builds another and swaps.
#[derive(Debug)]
pub struct Runtime {
    face: Face,
    discovery: Ready,
    tools: Set<Tool>,
    resources: Resources,
    prompts: Set<Prompt>,
    shown: Shown,
    /// Who calls. It is the same as in the runtime before while the settings are.
    access: Arc<Access>,
    /// How long and for whom reads of resources may be kept that do not say it themselves.
    read_cache: Cache,
    /// What is declared of the actors. They themselves run elsewhere, longer than this.
    actors: Set<Actor>,
    values: SharedValues,
    asking: Asking,
    /// Long outputs that can be read on. They outlive this runtime.
    outputs: Outputs,
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

    /// Who calls.
    pub fn access(&self) -> &Arc<Access> {
        &self.access
    }

    /// Whether there is a component of this kind and name.
    pub fn serves(&self, kind: Kind, key: &str) -> bool {
        match kind {
            Kind::Tool => self.tools.get(key).is_some(),
            Kind::Resource => self.resources.set.get(key).is_some(),
            Kind::Prompt => self.prompts.get(key).is_some(),
            Kind::Actor => self.actors.get(key).is_some(),
        }
    }

    /// The names of the tools.
    pub fn tool_names(&self) -> impl Iterator<Item = &str> {
        self.tools.keys()
    }

    /// What `secrets` holds in templates.
    pub fn secrets(&self) -> &serde_json::Map<String, serde_json::Value> {
        &self.values.secrets
    }

    /// Whether a resource of this URI may be there: it is declared, fits a template, or looks like a
    /// long output that is kept.
    pub fn knows(&self, uri: &str) -> bool {
        self.resources.knows(uri) || outputs::is_output(uri)
    }

    /// How many components there are.
    pub fn counts(&self) -> Counts {
        Counts {
            tools: self.tools.len(),
            resources: self.resources.set.len(),
            prompts: self.prompts.len(),
            actors: self.actors.len(),
        }
    }

    /// Whether these components, in this order, are the ones that are served.
    pub fn serves_just(&self, catalog: &Catalog) -> bool {
        self.tools.holds_just(&catalog.tools)
            && self.resources.set.holds_just(&catalog.resources)
            && self.prompts.holds_just(&catalog.prompts)
            && self.actors.holds_just(&catalog.actors)
    }

    /// Whether what was opened when this was built is still what its names lead to: another folder
    /// may lie where an action's was. Asks the file system.
    pub fn is_current(&self) -> bool {
        self.tools.is_current() && self.resources.set.is_current() && self.prompts.is_current()
    }

    /// Whether both serve the same components in the same order by the same actions. What they say
    /// of the server may differ.
    pub fn serves_as(&self, other: &Self) -> bool {
        self.tools.is_as(&other.tools)
            && self.resources.set.is_as(&other.resources.set)
            && self.prompts.is_as(&other.prompts)
            && self.actors.is_as(&other.actors)
    }

    /// A text for a caller, whoever made it, without the secrets that it may hold.
    fn hidden(&self, text: &str) -> String {
        Mask::of(&self.values.secrets).hide(text).into_owned()
    }

    /// The actions of all components.
    fn actions(&self) -> impl Iterator<Item = &Action> {
        let tools = self.tools.actions();
        let resources = self.resources.set.actions();
        tools.chain(resources).chain(self.prompts.actions())
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
