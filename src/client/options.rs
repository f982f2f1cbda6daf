//! What is connected to, and how.

use crate::protocol::client::{Said, Version};
use http::HeaderMap;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// A server.
#[derive(Clone, Debug)]
pub enum Target {
    /// At an http or https URL.
    Http(Url),
    /// Behind a Unix socket; the endpoint's path on it.
    Unix(PathBuf, String),
    /// A program that speaks over its standard streams.
    Program(Program),
}

/// Who is given what a program writes to standard error, and what is said of it beside.
pub type Aside = Arc<dyn Fn(&[u8]) + Send + Sync>;

/// A program to start.
#[derive(Clone)]
pub struct Program {
    /// The program and its arguments.
    pub argv: Vec<OsString>,
    /// Its whole environment.
    pub env: Vec<(OsString, OsString)>,
    /// The folder it starts in.
    pub cwd: PathBuf,
    /// What it is called in messages.
    pub shown: String,
    /// Where its standard error goes, as it comes.
    pub stderr: Aside,
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program")
            .field("shown", &self.shown)
            .finish_non_exhaustive()
    }
}

/// How a server is spoken to.
#[derive(Clone)]
pub struct Options {
    /// The one revision to speak; without it the newest that both know.
    pub version: Option<Version>,
    /// Bounds the wait for each answer. In a relay, how long a server may send nothing while it is asked.
    pub timeout: Duration,
    /// Bounds each message of the server, in bytes.
    pub max_bytes: usize,
    /// Further headers of each HTTP request: credentials.
    pub headers: HeaderMap,
    /// Certificates in PEM form that are trusted beside the platform's.
    pub ca: Vec<Vec<u8>>,
    /// What the client says it can do.
    pub said: Said,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            version: None,
            timeout: Duration::from_secs(60),
            max_bytes: 64 * 1024 * 1024,
            headers: HeaderMap::new(),
            ca: Vec::new(),
            said: Said::default(),
        }
    }
}
