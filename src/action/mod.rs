//! What a component does when it is called, and how its outcome becomes an answer.
//!
//! An action is prepared when the runtime is built (folders opened, clients made) and run once per
//! call. It sees the call's values, and knows nothing of the protocol.

pub mod actor;
pub mod answer;
pub mod ask;
mod block;
pub mod complete;
pub mod file;
pub mod http;
mod media;
pub mod outputs;
pub mod prompt;
mod render;
pub mod resource;
pub mod shell;

use crate::actor::Actors;
use crate::lang::template::{Scope, Tree};
use crate::model::ActionSpec;
use crate::ops::{Caller, Notices, ToolOutcome, Trace};
use crate::secret::Mask;
use crate::shutdown::Shutdown;
use actor::ActorAction;
use file::FileAction;
use http::{HttpAction, HttpClients, StandIn};
use outputs::Outputs;
use serde_json::{Map, Value};
use shell::{Runner, ShellAction};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// What one call brings.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The values that templates see.
    pub scope: &'a Scope,
    /// Trace context to hand on.
    pub trace: &'a Trace,
    /// What no failure and no notification may say.
    pub secrets: &'a Map<String, Value>,
    /// Where it may say how it goes.
    pub notices: &'a Notices,
    /// Who asks.
    pub caller: &'a Caller,
    /// The component's name: the logger of what its action logs.
    pub name: &'a str,
}

/// Why an action failed, for the model to read: `isError` text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure(pub String);

/// What came of an action that did not fail.
pub trait Output: Send + Sync {
    /// The answer when the component has no `result` of its own.
    ///
    /// # Errors
    /// The outcome is not what the manifest said it would be: output that should be JSON and is not.
    fn answer(&self) -> Result<ToolOutcome, Failure>;

    /// What `output` holds in the templates of `result`.
    fn value(&self) -> Value;

    /// The media type of what was got, when it is known.
    fn media_type(&self) -> Option<String> {
        None
    }

    /// What was got says that there is nothing.
    fn is_absent(&self) -> bool {
        false
    }
}

/// Why nothing was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotRead {
    /// There is nothing to read, or nothing that may be seen.
    NotFound,
    /// It could not be read.
    Failed(Failure),
}

impl From<Failure> for NotRead {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// An action ready to run.
#[derive(Debug)]
pub enum Action {
    /// Fetch over HTTP.
    Http(HttpAction),
    /// Run a command.
    Shell(ShellAction),
    /// Read a file.
    File(FileAction),
    /// Message an actor.
    Actor(ActorAction),
}

/// What actions are made ready with; one for a runtime, so that they share what can be shared.
#[derive(Debug)]
pub struct Toolbox {
    clients: HttpClients,
    runner: Runner,
    actors: Actors,
    outputs: Outputs,
}

/// Why an action cannot be made ready.
#[derive(Debug, thiserror::Error)]
pub enum PrepareError {
    /// A folder cannot be opened.
    #[error("{0}")]
    Folder(#[from] file::RootError),
    /// A certificate cannot be used.
    #[error("{0}")]
    Http(#[from] http::ClientError),
}

impl Toolbox {
    /// Empty. Children live at most `grace` once `shutdown` has begun; `helper` is this program,
    /// which sets limits on a command before it becomes it. `actors` are those that are messaged.
    pub fn new(shutdown: &Shutdown, grace: Duration, helper: PathBuf, actors: &Actors) -> Self {
        Self {
            clients: HttpClients::default(),
            runner: Runner::new(shutdown.clone(), grace, helper),
            actors: actors.clone(),
            outputs: Outputs::default(),
        }
    }

    /// Where long outputs are kept from now on.
    pub fn keep_outputs_in(&mut self, outputs: &Outputs) {
        self.outputs = outputs.clone();
    }

    /// The actors that are messaged.
    pub fn actors(&self) -> &Actors {
        &self.actors
    }

    /// Where long outputs are kept.
    pub fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    /// The same for a test of a manifest: whatever goes over the network reaches the stand-in.
    #[must_use]
    pub fn standing_in(self, upstream: Arc<StandIn>) -> Self {
        Self {
            clients: HttpClients::standing_in(upstream),
            ..self
        }
    }

    /// Takes over what the actions of the runtime before have open.
    pub fn take_over<'a>(&mut self, actions: impl Iterator<Item = &'a Action>) {
        for action in actions {
            if let Action::Http(action) = action {
                self.clients.add(action);
            }
        }
    }
}

impl Action {
    /// Makes an action ready.
    ///
    /// # Errors
    /// What it needs cannot be opened.
    pub fn prepare(spec: &ActionSpec, toolbox: &mut Toolbox) -> Result<Self, PrepareError> {
        Ok(match spec {
            ActionSpec::Http(spec) => Self::Http(HttpAction::prepare(spec, &mut toolbox.clients)?),
            ActionSpec::Shell(spec) => Self::Shell(ShellAction::new(
                spec,
                toolbox.runner.clone(),
                toolbox.outputs.clone(),
            )),
            ActionSpec::File(spec) => Self::File(FileAction::prepare(spec)?),
            ActionSpec::Actor(spec) => Self::Actor(ActorAction::new(spec, &toolbox.actors)),
        })
    }

    /// Whether what it has open is still what the manifest names: not when another folder has taken
    /// the name of a `file` action's. Asks the file system.
    pub fn is_current(&self) -> bool {
        match self {
            Self::File(action) => action.is_current(),
            Self::Http(_) | Self::Shell(_) | Self::Actor(_) => true,
        }
    }

    /// Runs it. Dropping the future stops what it started.
    ///
    /// # Errors
    /// Why it failed, with every secret hidden.
    pub async fn run(&self, call: Call<'_>) -> Result<Arc<dyn Output>, Failure> {
        // On the heap, so that a request is small where nothing runs.
        let ran: Result<Arc<dyn Output>, Failure> = match self {
            Self::Http(action) => Box::pin(action.run(call)).await.map(shared),
            Self::Shell(action) => Box::pin(action.run(call)).await.map(shared),
            Self::File(action) => Box::pin(action.run(call)).await.map(shared),
            Self::Actor(action) => Box::pin(action.run(call)).await.map(shared),
        };
        ran.map_err(|failure| call.hidden(failure))
    }

    /// Runs it to read a resource, which may not be there.
    ///
    /// # Errors
    /// Why nothing was read, with every secret hidden.
    pub async fn read(&self, call: Call<'_>) -> Result<Arc<dyn Output>, NotRead> {
        let output = match self {
            Self::File(action) => match Box::pin(action.read(call)).await {
                Ok(output) => shared(output),
                Err(NotRead::NotFound) => return Err(NotRead::NotFound),
                Err(NotRead::Failed(failure)) => return Err(call.hidden(failure).into()),
            },
            Self::Http(_) | Self::Shell(_) | Self::Actor(_) => self.run(call).await?,
        };
        if output.is_absent() {
            return Err(NotRead::NotFound);
        }
        Ok(output)
    }

    /// The files that stand in a list of their own; `None` when the action has none.
    pub fn listing(&self) -> Option<&FileAction> {
        match self {
            Self::File(action) => action.listing().map(|_| action),
            Self::Http(_) | Self::Shell(_) | Self::Actor(_) => None,
        }
    }
}

impl Call<'_> {
    /// The secrets as a text may hold them.
    fn mask(&self) -> Mask {
        Mask::of(self.secrets)
    }

    /// The same for text that is seen line by line.
    fn line_mask(&self) -> Mask {
        Mask::of_lines(self.secrets)
    }

    fn hidden(&self, Failure(text): Failure) -> Failure {
        Failure(self.mask().hide(text).into_owned())
    }
}

/// The `_meta` of an answer.
fn metadata(metadata: Option<&Tree>, scope: &Scope) -> Result<Map<String, Value>, Failure> {
    let Some(metadata) = metadata else {
        return Ok(Map::new());
    };
    match render::tree("result.metadata", metadata, scope)? {
        Some(Value::Object(members)) => Ok(members),
        _ => Ok(Map::new()),
    }
}

fn shared(output: impl Output + 'static) -> Arc<dyn Output> {
    Arc::new(output)
}
