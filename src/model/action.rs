//! What a component does: the validated form of `http`, `shell` and `file`.

use super::{HostPattern, ProgressSpec, SendSpec};
use crate::lang::glob::Glob;
use crate::lang::template::{Template, Tree};
use http::header;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// A component's action.
#[derive(Debug)]
pub enum ActionSpec {
    /// Fetch over HTTP.
    Http(Arc<HttpSpec>),
    /// Run a command.
    Shell(Arc<ShellSpec>),
    /// Read a file.
    File(Arc<FileSpec>),
    /// Message an actor.
    Actor(Arc<SendSpec>),
}

impl ActionSpec {
    /// Whether its output may be kept to be read on.
    pub fn overflows(&self) -> bool {
        matches!(self, Self::Shell(spec) if spec.overflow.is_some())
    }

    /// Whether it may log to its caller.
    pub fn logs(&self) -> bool {
        match self {
            Self::Shell(spec) => spec.log,
            Self::Http(_) | Self::File(_) | Self::Actor(_) => false,
        }
    }
}

/// `http`: one request to an upstream.
#[derive(Debug)]
pub struct HttpSpec {
    /// The method, upper case.
    pub method: http::Method,
    /// The URL; values in it are percent-encoded for where they stand.
    pub url: Template,
    /// Whether scheme and host are literal, and if not, which hosts a call may name.
    pub target: HttpTarget,
    /// Query parameters added to the URL; a list repeats its key.
    pub query: Vec<(String, Tree)>,
    /// Header fields.
    pub headers: Vec<HeaderSpec>,
    /// The request's body.
    pub body: HttpBody,
    /// Bounds the whole call, retries included.
    pub timeout: Duration,
    /// Most bytes of a body, decompressed.
    pub max_bytes: usize,
    /// Most redirects followed; 0 gives the redirect itself.
    pub redirects: u32,
    /// When to try again.
    pub retry: RetrySpec,
    /// Statuses beside 2xx that are no failure.
    pub accept_status: Vec<u16>,
    /// Certificates trusted beside the platform's, as PEM.
    pub ca_pem: Option<Vec<u8>>,
    /// The client's certificate chain and key, as PEM.
    pub client_pem: Option<ClientIdentity>,
}

/// A client certificate with its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientIdentity {
    /// The certificate and its chain, PEM, the client's own first.
    pub chain: Vec<u8>,
    /// Its private key, PEM (PKCS #8, PKCS #1 or SEC 1), not encrypted.
    pub key: KeyPem,
}

/// A private key; its `Debug` shows nothing.
#[derive(Clone, PartialEq, Eq)]
pub struct KeyPem(pub Vec<u8>);

impl std::fmt::Debug for KeyPem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("KeyPem(…)")
    }
}

/// Whose word the host is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HttpTarget {
    /// It stands in the manifest, so it may be anywhere. A redirect to another host may not: its
    /// addresses must be public unless `allow_private`.
    Fixed {
        /// Redirects may lead to private addresses.
        allow_private: bool,
    },
    /// It comes with the call. Every host asked, redirects included, must be admitted by an entry and
    /// have only public addresses, unless the entry names an exact host and port or `allow_private`.
    FromCaller {
        /// What the host may be; none means nothing may.
        allow_hosts: Vec<HostPattern>,
        /// Private addresses are allowed.
        allow_private: bool,
    },
}

/// One header field.
#[derive(Debug)]
pub struct HeaderSpec {
    /// Its name.
    pub name: http::HeaderName,
    /// Its value.
    pub value: Template,
    /// The value uses a secret: it is dropped when a redirect leaves the host.
    pub secret: bool,
}

/// True for a field that describes the connection or the message's framing (RFC 9110 §7.6.1), which
/// the client writes itself. `Host` is one: it always names the host that is connected to.
pub fn is_own_header(name: &http::HeaderName) -> bool {
    const OWN: [http::HeaderName; 8] = [
        header::CONNECTION,
        header::CONTENT_LENGTH,
        header::EXPECT,
        header::HOST,
        header::TE,
        header::TRAILER,
        header::TRANSFER_ENCODING,
        header::UPGRADE,
    ];
    OWN.contains(name) || matches!(name.as_str(), "keep-alive" | "proxy-connection")
}

/// A request's body.
#[derive(Debug)]
pub enum HttpBody {
    /// None.
    Empty,
    /// `application/json`.
    Json(Tree),
    /// `application/x-www-form-urlencoded`; a list repeats its key.
    Form(Vec<(String, Tree)>),
    /// As it is; the type is the author's `content-type` header.
    Text(Template),
}

/// When a request is sent again. Never, by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RetrySpec {
    /// How often it is sent in all, the first time included and redirects not counted; 0 and 1 mean
    /// once. One budget for all redirects of a call.
    pub attempts: u32,
    /// The wait before the second attempt, doubled for each further one up to 30 s, of which a random
    /// part between a half and the whole is taken. A longer `Retry-After` is honoured instead.
    pub backoff: Duration,
    /// The statuses that are worth another attempt.
    pub on: Vec<u16>,
    /// Also methods that are not idempotent (RFC 9110 §9.2.2), such as POST and PATCH.
    pub any_method: bool,
}

/// Where execvp(3) looks for a program when the environment has no `PATH`.
pub const DEFAULT_PATH: &str = "/bin:/usr/bin";

/// `shell`: one command.
#[derive(Debug)]
pub struct ShellSpec {
    /// What is run.
    pub program: Program,
    /// Bytes for its standard input.
    pub stdin: Option<Template>,
    /// Variables set for it.
    pub env: Vec<(String, Template)>,
    /// Variables of the daemon's own environment that it sees, by name, with their values.
    pub pass_env: Vec<(String, String)>,
    /// Its working folder.
    pub cwd: PathBuf,
    /// How long it may run.
    pub timeout: Duration,
    /// Most bytes kept of each of its outputs.
    pub max_output: usize,
    /// From SIGTERM to SIGKILL.
    pub kill_after: Duration,
    /// Exit codes that are no failure.
    pub success: Vec<i32>,
    /// What its output is.
    pub parse: Parse,
    /// What of its standard output is progress.
    pub progress: Option<ProgressSpec>,
    /// What it says on standard error is a log.
    pub log: bool,
    /// Output past `max_output` can be read on for this long.
    pub overflow: Option<Duration>,
    /// Limits set on it.
    pub limits: LimitsSpec,
}

impl ShellSpec {
    /// Bytes kept at the most of an output that is longer than its answer may be.
    pub const MOST_KEPT: usize = 16 << 20;
}

/// What a `shell` action runs.
#[derive(Debug)]
pub enum Program {
    /// An argument list; the first is the program.
    Command(Vec<ArgSpec>),
    /// Literal text given to an interpreter.
    Script {
        /// The interpreter and its own arguments.
        interpreter: Vec<String>,
        /// The text, one more argument.
        text: String,
    },
}

/// One element of an argument list.
#[derive(Debug)]
pub struct ArgSpec {
    /// Its value; a list becomes several elements.
    pub value: Template,
    /// A value may begin with `-` here: the author said so, or a literal `--` stands before it.
    pub allow_dash: bool,
}

/// What a command's standard output is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parse {
    /// Text.
    Text,
    /// One JSON value.
    Json,
    /// A list of lines.
    Lines,
    /// Bytes of this media type.
    Media(String),
}

/// Limits set on a command; `None` leaves what the daemon itself runs under.
///
/// A limit above the hard limit the daemon has is lowered to it, and a `nice` that only root may
/// set has no effect: in both cases the command runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimitsSpec {
    /// Added to the daemon's nice value, 0 to 19, as nice(1) does.
    pub nice: Option<i32>,
    /// Bytes of address space of each process of the command (RLIMIT_AS).
    pub memory_bytes: Option<u64>,
    /// Seconds of CPU time of each process (RLIMIT_CPU): SIGXCPU, then SIGKILL one second later.
    pub cpu_seconds: Option<u64>,
    /// Processes and threads (RLIMIT_NPROC). The kernel counts **all of the user's**, not the
    /// command's alone, and does not hold root to it.
    pub processes: Option<u64>,
}

impl LimitsSpec {
    /// True when nothing is limited.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// `file`: one file, or one folder's list.
#[derive(Debug)]
pub struct FileSpec {
    /// The folder that paths cannot leave; for a literal path alone, its own folder.
    pub root: PathBuf,
    /// The path below the root.
    pub path: Template,
    /// There is no `root`: `path` is the manifest's own word, one name in that folder, and may be
    /// a link to anywhere.
    pub literal_path: bool,
    /// Most bytes read.
    pub max_bytes: u64,
    /// The part that is read.
    pub window: WindowSpec,
    /// How bytes become text.
    pub encoding: Encoding,
    /// A folder answers with its entries.
    pub list_directories: bool,
    /// Which files of the folder stand in a list of their own.
    pub listing: Option<ListingSpec>,
    /// Changes are told to those who listen.
    pub watch: bool,
}

/// `list`: the files of a folder that are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListingSpec {
    /// Which.
    pub glob: Glob,
    /// The variable that stands for a path.
    pub variable: String,
    /// What stands before it in the path.
    pub prefix: String,
    /// What stands behind it.
    pub suffix: String,
}

impl ListingSpec {
    /// The variable's value for the file at this path; `None` when no value leads to it.
    pub fn value<'p>(&self, path: &'p str) -> Option<&'p str> {
        let inner = path.strip_prefix(&*self.prefix)?;
        let inner = inner.strip_suffix(&*self.suffix)?;
        (!inner.is_empty()).then_some(inner)
    }
}

/// The part of a file that is read.
#[derive(Debug)]
pub enum WindowSpec {
    /// All of it.
    Whole,
    /// `from-to`, lines counted from 1.
    Lines(Template),
    /// Bytes.
    Bytes {
        /// First byte, 0 when absent.
        offset: Option<Template>,
        /// How many.
        length: Option<Template>,
    },
}

/// How a file's bytes are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Text when the part read is UTF-8 without NUL, else base64.
    Auto,
    /// Text; what is not UTF-8 becomes U+FFFD.
    Text,
    /// Base64.
    Base64,
}
