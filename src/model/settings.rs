//! The server file, validated: identity, listeners, limits, logs; and the values that templates
//! may see.

use super::{AuthSettings, Cache, HttpSettings, Identity, Listen, TracesSettings};
use crate::lang::diag::Span;
use crate::lang::schema::Validation;
use crate::secret::Secret;
use crate::telemetry::LogSettings;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// Everything the server file and the command line say.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The server file that says it; `None` when there is none.
    pub server_file: Option<PathBuf>,
    /// Folders and files of manifests, in the order given.
    pub manifests: Vec<PathBuf>,
    /// `[server]`.
    pub server: ServerSettings,
    /// `[http]`: listeners and their limits.
    pub http: HttpSettings,
    /// `[auth]`.
    pub auth: AuthSettings,
    /// Longest time a request may take.
    pub request_timeout: Duration,
    /// Most requests in flight on one stdio stream, and at work over HTTP.
    pub max_in_flight: usize,
    /// Most requests that wait for a turn over HTTP.
    pub max_queued: usize,
    /// `[metrics]`: where reports are served, metrics among them. Nowhere when empty.
    pub reports: Vec<Listen>,
    /// `[traces]`; `None` when spans are not recorded.
    pub traces: Option<TracesSettings>,
    /// `[reload]`.
    pub reload: ReloadSettings,
    /// `[log]`.
    pub log: LogSettings,
    /// What `secrets.NAME` and `env.NAME` hold.
    pub values: Values,
    /// The files that these settings were read from: the server file, files with secrets.
    pub sources: Vec<PathBuf>,
}

/// `[server]`.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerSettings {
    /// Name, version, title, instructions.
    pub identity: Identity,
    /// The revisions of the protocol that are spoken; all that this program knows when absent.
    pub protocols: Option<Vec<Revision>>,
    /// How far arguments are checked.
    pub validation: Validation,
    /// What a broken manifest at start means.
    pub on_error: OnError,
    /// Where states of actors are kept.
    pub state_dir: Option<PathBuf>,
    /// The key of cursors and sessions; made at start when absent.
    pub secret: Option<Secret>,
    /// What was the secret before: its seals are still understood.
    pub earlier_secrets: Vec<Secret>,
    /// How long the state that goes with questions holds.
    pub ask_ttl: Duration,
    /// Most entries on a page of a list, 1 to 10,000.
    pub page_size: usize,
    /// Caching of lists and of discovery.
    pub caches: Caches,
    /// How long requests in flight may go on once the server stops.
    pub grace: Duration,
}

/// A revision of the protocol, as the server file names it. Whether there is one of that name is known
/// where the runtime is built.
#[derive(Clone, Debug)]
pub struct Revision {
    /// Its name.
    pub name: String,
    /// Where it is named.
    pub at: Span,
}

impl PartialEq for Revision {
    /// By name: where it stands makes no difference to what is served.
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// How long and for whom results may be kept, by what they are of (`server.cache`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caches {
    /// `tools/list`.
    pub tools: Cache,
    /// `resources/list`, `resources/templates/list`, and reads of resources that do not say it
    /// themselves.
    pub resources: Cache,
    /// `prompts/list`.
    pub prompts: Cache,
    /// `server/discover`.
    pub discovery: Cache,
}

/// What a broken manifest at start means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnError {
    /// The server does not start.
    Refuse,
    /// The server starts without the components of that file, and says so.
    Skip,
}

/// `[reload]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReloadSettings {
    /// Manifests are watched.
    pub watch: bool,
    /// Look at the files this often instead of waiting for events: for network file systems.
    pub poll: Option<Duration>,
    /// How long files must be quiet before they are read.
    pub debounce: Duration,
}

/// What templates may see beside the call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values {
    /// `secrets.NAME`.
    pub secrets: BTreeMap<String, Secret>,
    /// `env.NAME`: the variables that `server.env` lists.
    pub env: BTreeMap<String, String>,
}
