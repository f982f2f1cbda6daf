//! A stateful process that components message: the validated form of `[[actor]]`, and of the action
//! that messages one.

use super::{ActionSpec, Component, Kind, LimitsSpec, WrapSpec};
use crate::lang::diag::Span;
use crate::lang::template::{Template, Tree};
use crate::secret::Secret;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// An actor: what it is made of, and how it is kept.
#[derive(Debug)]
pub struct Actor {
    /// 1 to 128 of `[A-Za-z0-9_.-]`, unique in the server.
    pub name: String,
    /// What handles its messages.
    pub body: Body,
    /// Most messages that wait.
    pub mailbox: usize,
    /// Messages that it sends itself.
    pub timers: Vec<Timer>,
    /// What happens when its worker ends.
    pub supervision: Supervision,
    /// Its state outlives the process, in a file below `server.state_dir`. For a worker: it is given a
    /// folder there.
    pub persist: bool,
    /// What it held in memory is carried over when its manifest changes.
    pub keep_state: bool,
    /// Changes whenever anything that the manifest says of it does, and the values that it uses.
    pub definition: [u8; 32],
    /// Where it was declared, for messages.
    pub at: Span,
}

/// What handles an actor's messages.
#[derive(Debug)]
pub enum Body {
    /// State in memory, and templates.
    Declared(DeclaredSpec),
    /// A process that speaks JSON lines.
    Worker(WorkerSpec),
}

/// A declarative actor.
#[derive(Debug)]
pub struct DeclaredSpec {
    /// The state that it begins with. Its members are the ones there are.
    pub state: Map<String, Value>,
    /// What it does on each message, by the message's name.
    pub on: BTreeMap<String, Handler>,
    /// What `env` holds in its templates.
    pub env: Arc<Map<String, Value>>,
}

/// What a declarative actor does on one message.
#[derive(Debug, Default)]
pub struct Handler {
    /// Only when this holds.
    pub when: Option<Template>,
    /// The error when it does not.
    pub otherwise: Option<Template>,
    /// Members of the state and their new values, computed from the old ones.
    pub set: Vec<(String, Tree)>,
    /// What the caller gets, computed after `set`; an empty object when absent.
    pub reply: Option<Tree>,
}

/// A worker process.
pub struct WorkerSpec {
    /// The program and its arguments.
    pub argv: Vec<OsString>,
    /// Its whole environment.
    pub env: Vec<(OsString, OsString)>,
    /// Its working folder.
    pub cwd: PathBuf,
    /// Limits set on it.
    pub limits: LimitsSpec,
    /// Longest time it may take for one message before it counts as hung.
    pub timeout: Duration,
    /// Longest line it may write, in bytes.
    pub max_line: usize,
    /// From the end of its input to SIGKILL.
    pub kill_after: Duration,
    /// The secrets of the server, which its log lines may not show.
    pub secrets: BTreeMap<String, Secret>,
}

impl fmt::Debug for WorkerSpec {
    /// Arguments and environment may hold secrets: only the program is shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkerSpec")
            .field("program", &self.argv.first())
            .field("cwd", &self.cwd)
            .finish_non_exhaustive()
    }
}

/// A message that an actor sends itself, again and again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timer {
    /// From one to the next, and before the first.
    pub interval: Duration,
    /// The message's name; it comes with an empty object.
    pub message: String,
}

/// Whether a worker that has ended is started again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restart {
    /// Always.
    Permanent,
    /// When it failed: another exit code than 0, a signal, or it hung.
    Transient,
    /// Never.
    Temporary,
}

/// How a worker is kept running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Supervision {
    /// Whether it is started again.
    pub restart: Restart,
    /// How often within `window`; one more, and the actor is down.
    pub max_restarts: u32,
    /// The time in which restarts are counted.
    pub window: Duration,
    /// The pause before the first restart; it doubles with each further one within the window.
    pub backoff: Duration,
}

impl Component for Actor {
    const KIND: Kind = Kind::Actor;

    fn key(&self) -> &str {
        &self.name
    }

    fn action(&self) -> Option<&ActionSpec> {
        None
    }

    fn wraps(&self) -> &[WrapSpec] {
        &[]
    }

    fn fingerprint(&self) -> &str {
        ""
    }

    fn definition(&self) -> &[u8; 32] {
        &self.definition
    }

    fn at(&self) -> &Span {
        &self.at
    }
}

/// `actor` of a component: the message it sends, and to whom.
#[derive(Debug)]
pub struct SendSpec {
    /// The actor's name.
    pub target: String,
    /// Where the target is named.
    pub target_at: Span,
    /// The message's name.
    pub message: String,
    /// Where the message is named.
    pub message_at: Span,
    /// What goes with it.
    pub payload: Tree,
    /// How the reply becomes a JSON object; it is one already when absent.
    pub reply: Option<Tree>,
    /// How long a reply is waited for. `None` is a cast: nobody waits.
    pub timeout: Option<Duration>,
    /// The component that sends it, for messages: `tool "add"`.
    pub sender: String,
}
