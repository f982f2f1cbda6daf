//! Where files are read from: a folder that cannot be left, or one path of the operator's.

use super::content::Found;
use super::room::Room;
use super::{FileError, ReadOptions, RootError, blocking, cached};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt as _};
use rustix::fs::OFlags;
use std::fs::File;
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Reads of one source that may wait at one time; more wait for their turn.
pub(super) const TURNS: usize = 16;

/// A folder, opened once. Paths are resolved below it by the kernel (`openat2` with
/// `RESOLVE_BENEATH` on Linux, component by component elsewhere and where that is not to be had),
/// so that no `..`, absolute path, link or exchange of a folder for a link leads out. Links and
/// `..` that stay inside are followed. Cloning is cheap.
///
/// The handle stays with the folder it was opened on: when the folder is moved, so is the root;
/// when another takes its name, it is not seen, but [`Root::is_at`] tells. Only when the folder has
/// been removed is its path opened again, so that one that was deleted and made anew is found.
#[derive(Clone, Debug)]
pub struct Root(pub(super) Arc<Source>);

impl Root {
    /// Opens a folder. Links on the way to it are followed: the path is the operator's word.
    ///
    /// # Errors
    /// When it cannot be opened or is not a folder.
    pub fn open(folder: &Path) -> Result<Self, RootError> {
        let dir =
            Dir::open_ambient_dir(folder, ambient_authority()).map_err(|source| RootError {
                path: folder.display().to_string(),
                source,
            })?;
        Ok(Self(Arc::new(Source {
            quick: cached::is_local(&dir),
            place: Place::Below {
                dir,
                path: folder.to_owned(),
            },
            turns: Arc::new(Semaphore::new(TURNS)),
        })))
    }

    /// False when another folder than the one that is open has this name now.
    pub fn is_at(&self, folder: &Path) -> bool {
        let Place::Below { dir, .. } = &self.0.place else {
            return true;
        };
        match (rustix::fs::fstat(dir), rustix::fs::stat(folder)) {
            (Ok(open), Ok(named)) => (open.st_dev, open.st_ino) == (named.st_dev, named.st_ino),
            _ => true,
        }
    }

    /// Reads the file at `path`, relative to the root; `""` and `"."` are the root itself. A name
    /// may hold any byte but `/` and NUL: what of a URI may become a path is the caller's to say.
    ///
    /// What the kernel has in memory is read at once; the rest on another thread, for 30 s at the
    /// most. Dropping the future ends the wait.
    ///
    /// # Errors
    /// See [`FileError`]. A path that leads out is [`FileError::NotFound`].
    pub async fn read(&self, path: &str, options: &ReadOptions) -> Result<Found, FileError> {
        self.0.read(path, options).await
    }
}

/// One path, written in a manifest. It is the operator's word and opened anew for each read, as
/// it stands: links lead where they lead, and a file put in its place is seen. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Fixed {
    source: Arc<Source>,
    path: String,
}

impl Fixed {
    /// Takes a path. `shown` is what [`FileContent::path`](super::FileContent::path) says: the
    /// path as the manifest has it. The file need not exist yet.
    pub fn new(path: &Path, shown: &str) -> Self {
        // A file that is not there tells nothing of its file system, and is never read at once.
        let file = open_options().open(path);
        Self {
            source: Arc::new(Source {
                quick: file.is_ok_and(|file| cached::is_local(&file)),
                place: Place::At(path.to_owned()),
                turns: Arc::new(Semaphore::new(TURNS)),
            }),
            path: shown.to_owned(),
        }
    }

    /// Reads the file, as [`Root::read`] does.
    ///
    /// # Errors
    /// See [`FileError`].
    pub async fn read(&self, options: &ReadOptions) -> Result<Found, FileError> {
        self.source.read(&self.path, options).await
    }
}

/// What both kinds share.
#[derive(Debug)]
pub(super) struct Source {
    place: Place,
    /// Reading at once may be tried.
    quick: bool,
    /// Held by reads that may wait.
    pub(super) turns: Arc<Semaphore>,
}

#[derive(Debug)]
enum Place {
    Below { dir: Dir, path: PathBuf },
    At(PathBuf),
}

impl Source {
    async fn read(self: &Arc<Self>, path: &str, options: &ReadOptions) -> Result<Found, FileError> {
        options.window.checked()?;
        if path.contains('\0') {
            return Err(FileError::not_found(path, "the path holds a NUL"));
        }
        let opened = if self.quick {
            self.open_at_once(path)
        } else {
            None
        };
        let mut room = Room::default();
        if let Some(file) = &opened
            && let Ok(metadata) = file.metadata()
            && metadata.is_file()
        {
            if let Some(part) = cached::read(file, metadata.len(), options) {
                return Ok(blocking::content(
                    path,
                    &metadata,
                    part,
                    options,
                    Vec::new(),
                ));
            }
            room = Room::of(metadata.len(), options);
        }
        blocking::read(self, path, *options, opened, room).await
    }

    fn open_at_once(&self, path: &str) -> Option<File> {
        match &self.place {
            Place::Below { dir, .. } => cached::open_below(dir, relative(path)),
            Place::At(path) => cached::open_plain(path),
        }
    }

    /// Opens for reading; may wait for the disk, never for the other end of a FIFO or a device.
    pub(super) fn open(&self, path: &str) -> io::Result<File> {
        match &self.place {
            Place::Below { dir, path: root } => match open_below(dir, path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound && is_removed(dir) => {
                    open_below(&Dir::open_ambient_dir(root, ambient_authority())?, path)
                }
                opened => opened,
            },
            Place::At(path) => open_options().open(path),
        }
    }
}

fn open_below(dir: &Dir, path: &str) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(no_waiting());
    dir.open_with(relative(path), &options)
        .map(cap_std::fs::File::into_std)
}

/// A folder that has no name any more.
fn is_removed(dir: &Dir) -> bool {
    rustix::fs::fstat(dir).is_ok_and(|stat| stat.st_nlink == 0)
}

/// The empty path is the root itself.
fn relative(path: &str) -> &Path {
    Path::new(if path.is_empty() { "." } else { path })
}

fn open_options() -> std::fs::OpenOptions {
    let mut options = std::fs::OpenOptions::new();
    options.read(true).custom_flags(no_waiting());
    options
}

/// Neither wait for a FIFO's writer or a line's carrier, nor take a terminal for one's own.
fn no_waiting() -> i32 {
    (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed()
}
