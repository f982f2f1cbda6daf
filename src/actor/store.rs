//! The states of declarative actors on disk: one file each, replaced as a whole.
//!
//! A save writes a file beside it, syncs it, renames it over the one before and syncs the folder: after
//! a crash there is the old state or the new one. What is read back is held against its checksum
//! (see `seal`). A damaged file is never overwritten: it is moved aside, and that is said.

mod seal;

use rustix::fs::{FlockOperation, flock};
use seal::Broken;
use serde_json::{Map, Value};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What follows an actor's name in the name of a file that is damaged, before a number.
const DAMAGED: &str = "damaged-";
/// Most bytes of a file that is read back: no state that was saved is larger.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// Why a state cannot be kept or restored.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// The folder cannot be made or used.
    #[error("the state folder `{}` cannot be used: {source}", .path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another process keeps its states there.
    #[error("the state folder `{}` is used by another process; give each server its own `server.state_dir`", .0.display())]
    Taken(PathBuf),
    /// There is a saved state, and it cannot be read.
    #[error("the saved state `{}` cannot be read: {source}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A later version of this program wrote it.
    #[error("the saved state `{}` was written by a later version of snodo; use that one, or move the file away", .0.display())]
    Later(PathBuf),
    /// The server was started without a folder, and only a new start takes one. Where the settings name
    /// none now, manifests are refused when they are loaded.
    #[error("`server.state_dir` takes effect when the server is started again")]
    Nowhere,
}

/// The folder of all saved states, held by this process alone.
#[derive(Debug)]
pub(super) struct StateDir {
    folder: PathBuf,
    /// Locked until it is closed.
    _lock: File,
}

/// The saved state of one actor.
#[derive(Clone, Debug)]
pub(super) struct Store {
    dir: Arc<StateDir>,
    name: String,
}

/// What was found on disk.
#[derive(Debug, PartialEq)]
pub(super) enum Restored {
    /// Nothing yet.
    Nothing,
    /// Nothing since a damaged state was moved to this path.
    Lost(PathBuf),
    /// The state as it was saved last.
    State(Map<String, Value>),
    /// Something damaged, which now lies at the path.
    Damaged {
        /// Where it lies.
        kept: PathBuf,
        /// What is wrong with it.
        why: Broken,
    },
}

/// How long a lock is waited for, and how long until it is tried again.
const PATIENCE: Duration = Duration::from_secs(1);
const MOMENT: Duration = Duration::from_millis(20);

/// Locks a file. Who has it may be about to let go: a server that is ending, or one of its children
/// between its fork and its exec, which closes the file.
fn take(lock: &File) -> rustix::io::Result<()> {
    let mut left = PATIENCE;
    loop {
        match flock(lock, FlockOperation::NonBlockingLockExclusive) {
            Err(rustix::io::Errno::WOULDBLOCK) if left > Duration::ZERO => {
                thread::sleep(MOMENT);
                left = left.saturating_sub(MOMENT);
            }
            taken => return taken,
        }
    }
}

impl StateDir {
    /// Makes `state_dir/actors` and takes it for this process. Blocks.
    ///
    /// # Errors
    /// It cannot be made, or another process has it.
    pub(super) fn open(state_dir: &Path) -> Result<Self, StateError> {
        let folder = state_dir.join("actors");
        let failed = |source| StateError::Folder {
            path: folder.clone(),
            source,
        };
        make_folder(&folder).map_err(failed)?;
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(folder.join(".lock"))
            .map_err(failed)?;
        match take(&lock) {
            Ok(()) => Ok(Self {
                folder,
                _lock: lock,
            }),
            Err(rustix::io::Errno::WOULDBLOCK) => Err(StateError::Taken(folder)),
            Err(error) => Err(failed(error.into())),
        }
    }

    /// A folder of a worker's own, made if need be. Blocks.
    ///
    /// # Errors
    /// It cannot be made.
    pub(super) fn worker_folder(&self, name: &str) -> Result<PathBuf, StateError> {
        let path = self.folder.join(format!("{name}.worker"));
        match make_folder(&path) {
            Ok(()) => Ok(path),
            Err(source) => Err(StateError::Folder { path, source }),
        }
    }
}

/// Makes a folder and those above it, each of them on disk when this returns.
fn make_folder(path: &Path) -> io::Result<()> {
    let missing = path.ancestors().take_while(|folder| !folder.exists());
    let missing: Vec<&Path> = missing.collect();
    DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    for parent in missing.iter().rev().filter_map(|made| made.parent()) {
        match parent.as_os_str().is_empty() {
            true => sync_folder(Path::new("."))?,
            false => sync_folder(parent)?,
        }
    }
    Ok(())
}

/// Puts the names in a folder on disk.
fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

impl Store {
    pub(super) fn new(dir: &Arc<StateDir>, name: &str) -> Self {
        Self {
            dir: Arc::clone(dir),
            name: name.to_owned(),
        }
    }

    /// The file of the state.
    pub(super) fn path(&self) -> PathBuf {
        self.file("state")
    }

    fn file(&self, end: &str) -> PathBuf {
        self.dir.folder.join(format!("{}.{end}", self.name))
    }

    /// What was saved last. A damaged file is moved aside. Blocks.
    ///
    /// # Errors
    /// The file cannot be read or moved, or is from a later version: to begin anew would overwrite it.
    pub(super) fn restore(&self) -> Result<Restored, StateError> {
        let path = self.path();
        let unreadable = |source| StateError::Unreadable {
            path: path.clone(),
            source,
        };
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let moved = self.damaged().map_err(unreadable)?;
                return Ok(moved.map_or(Restored::Nothing, Restored::Lost));
            }
            Err(error) => return Err(unreadable(error)),
        };
        let mut bytes = Vec::new();
        file.take(MAX_FILE_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(unreadable)?;
        match seal::open(&bytes, &self.name) {
            Ok(state) => Ok(Restored::State(state)),
            Err(Broken::Later) => Err(StateError::Later(path)),
            Err(why) => {
                let kept = self.aside();
                std::fs::rename(&path, &kept).map_err(unreadable)?;
                Ok(Restored::Damaged { kept, why })
            }
        }
    }

    /// A name that no damaged file has yet.
    fn aside(&self) -> PathBuf {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let stamp = since.unwrap_or_default().as_nanos();
        self.file(&format!("{DAMAGED}{stamp}"))
    }

    /// The damaged file that was moved aside last.
    fn damaged(&self) -> io::Result<Option<PathBuf>> {
        let begin = format!("{}.{DAMAGED}", self.name);
        let mut last = None;
        for entry in std::fs::read_dir(&self.dir.folder)? {
            let name = entry?.file_name();
            let stamp = name.to_str().and_then(|name| name.strip_prefix(&begin));
            // Another actor may be called like a damaged file.
            last = last.max(stamp.and_then(|stamp| stamp.parse::<u128>().ok()));
        }
        Ok(last.map(|stamp| self.file(&format!("{DAMAGED}{stamp}"))))
    }

    /// Saves a state: when this returns, it is on disk. Blocks.
    ///
    /// # Errors
    /// The system's. The state before is still there, or when the last step failed, the new one.
    pub(super) fn save(&self, state: &Map<String, Value>) -> io::Result<()> {
        let sealed = seal::seal(state, &self.name)?;
        let beside = self.file("state.new");
        // First, so that running out of descriptors is no fault between the steps.
        let folder = File::open(&self.dir.folder)?;
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(true)
            .write(true)
            .mode(0o600)
            .open(&beside)?;
        let written = file.write_all(&sealed).and_then(|()| file.sync_all());
        let renamed = written.and_then(|()| std::fs::rename(&beside, self.path()));
        if renamed.is_err() {
            // On a full disk half a state takes room that others need.
            let _left = std::fs::remove_file(&beside);
        }
        renamed.and_then(|()| folder.sync_all())
    }
}

#[cfg(test)]
mod tests;
