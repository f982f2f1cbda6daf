//! A resolved command: what to run, and with what around it.

use crate::model::LimitsSpec;
use crate::process::Launch;
use bytes::Bytes;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// One command, complete: nothing of the daemon's own environment is added to it.
#[derive(Clone)]
pub struct Command {
    /// The program, then its arguments; each is one element of the child's `argv`, no shell between.
    pub argv: Vec<OsString>,
    /// The child's whole environment. Of two entries with one name the last counts.
    pub env: Vec<(OsString, OsString)>,
    /// The folder the child starts in.
    pub cwd: PathBuf,
    /// What the child reads on its standard input; `None` is `/dev/null`.
    pub stdin: Option<Bytes>,
    /// How long the child may run, counted from its start.
    pub timeout: Duration,
    /// How many bytes of stdout are kept.
    pub max_stdout: usize,
    /// How many bytes of stderr are kept.
    pub max_stderr: usize,
    /// How long the group has between SIGTERM and SIGKILL.
    pub kill_after: Duration,
    /// Limits the child runs under.
    pub limits: LimitsSpec,
}

impl Command {
    /// What the child is started with.
    pub(super) fn launch(&self) -> Launch<'_> {
        Launch {
            argv: &self.argv,
            env: &self.env,
            cwd: &self.cwd,
            limits: self.limits,
        }
    }
}

impl fmt::Debug for Command {
    /// Arguments, environment and input may hold secrets: only the program is shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let program: Option<&Path> = self.argv.first().map(Path::new);
        f.debug_struct("Command")
            .field("program", &program)
            .field("cwd", &self.cwd)
            .finish_non_exhaustive()
    }
}
