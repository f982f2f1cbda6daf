//! Starting a child as the leader of its own group. The only place of this program that does.

use super::error::ProcessError;
use super::group::Group;
use super::launch::Launch;
use super::watch::keep_zombies;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;
use tokio::time::sleep;

/// How often, and after what time, a program that is being written is tried again.
const BUSY_RETRIES: u32 = 5;
const BUSY_PAUSE: Duration = Duration::from_millis(20);

/// Starts children. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Starter {
    helper: PathBuf,
}

impl Starter {
    /// `helper` is this program's own binary, from [`own_binary`](super::own_binary): children that
    /// run under limits start by it.
    pub fn new(helper: PathBuf) -> Self {
        Self { helper }
    }

    /// Starts a child that leads its own process group; standard output and error are pipes, and so
    /// is standard input with `stdin`, else `/dev/null`. Must be called inside a tokio runtime.
    ///
    /// The child gets the three standard descriptors and no other of this program's own, and the
    /// default action of SIGPIPE, which Rust ignores: the standard library sees to both.
    ///
    /// # Errors
    /// When it could not be started; see [`ProcessError`].
    pub async fn start(&self, launch: Launch<'_>, stdin: bool) -> Result<Group, ProcessError> {
        let path = launch.resolve()?;
        let failed = |error| ProcessError::from_io(error, launch.program(), launch.cwd);
        keep_zombies().map_err(failed)?;
        let spawned = self.spawn_when_written(launch, &path, stdin).await;
        let mut group = spawned.map_err(|error| match failed(error) {
            // The program itself has just been seen.
            ProcessError::Interpreter(program) if !launch.limits.is_empty() => {
                ProcessError::NoHelper(program)
            }
            error => error,
        })?;
        group.watch().map_err(failed)?;
        Ok(group)
    }

    /// A file somebody writes cannot be executed (ETXTBSY). Often that is over at once: its writer is
    /// done, but a process forked meanwhile holds its descriptor until it executes another program.
    async fn spawn_when_written(
        &self,
        launch: Launch<'_>,
        path: &Path,
        stdin: bool,
    ) -> io::Result<Group> {
        for _ in 0..BUSY_RETRIES {
            match self.spawn(launch, path, stdin) {
                Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => {}
                spawned => return spawned.map(Group::new),
            }
            sleep(BUSY_PAUSE).await;
        }
        self.spawn(launch, path, stdin).map(Group::new)
    }

    /// The path is absolute and nothing runs between fork and exec, so that the standard library
    /// uses posix_spawn, whose cost does not grow with this program's memory.
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that starts children; the caller owns the group at once"
    )]
    fn spawn(&self, launch: Launch<'_>, path: &Path, stdin: bool) -> io::Result<Child> {
        let mut child = if launch.limits.is_empty() {
            let mut child = std::process::Command::new(path);
            child.args(launch.argv.iter().skip(1));
            child.arg0(launch.argv.first().map_or(path.as_os_str(), |name| name));
            child
        } else {
            let mut child = std::process::Command::new(&self.helper);
            child.arg0("snodo").args(launch.limits.to_arguments());
            child.arg(path).args(launch.argv);
            child
        };
        child
            .env_clear()
            .envs(launch.env.iter().map(|(name, value)| (name, value)))
            .current_dir(launch.cwd)
            .process_group(0)
            .stdin(if stdin { Stdio::piped() } else { Stdio::null() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
    }
}
