//! The files below a folder that a pattern names.

use super::{FileError, Root, blocking, mime, time};
use crate::lang::glob::Glob;
use cap_std::fs::{Dir, DirEntry, Metadata, MetadataExt as _};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Files listed at the most.
const MOST: usize = 10_000;

/// Names looked at, at the most, over all folders.
const LOOKS: usize = 200_000;

/// How far below the root files are looked for.
const DEPTH: usize = 32;

/// One file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its path below the root, its names parted by `/`.
    pub path: String,
    /// Its size in bytes.
    pub size: u64,
    /// Time of the last modification, RFC 3339 in UTC to the second.
    pub modified: Option<String>,
    /// Its type by its name, when that tells.
    pub mime: Option<&'static str>,
    /// What it was when it was looked at.
    pub state: FileState,
}

/// What tells one state of a file from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileState {
    identity: (u64, u64),
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl FileState {
    fn of(data: &Metadata) -> Self {
        Self {
            identity: (data.dev(), data.ino()),
            size: data.len(),
            modified: (data.mtime(), data.mtime_nsec()),
            changed: (data.ctime(), data.ctime_nsec()),
        }
    }

    /// That of the regular file at a path below a folder, which no link leads out of; `None` when
    /// there is none.
    pub fn below(folder: &Dir, path: &str) -> Option<Self> {
        let data = folder.metadata(path).ok()?;
        data.is_file().then(|| Self::of(&data))
    }

    /// That of the regular file at a path, wherever links lead; `None` when there is none.
    pub fn at(path: &Path) -> Option<Self> {
        let data = Metadata::from_just_metadata(std::fs::metadata(path).ok()?);
        data.is_file().then(|| Self::of(&data))
    }
}

impl Root {
    /// The regular files that fit the pattern, by the bytes of their paths: 10,000 of them at the
    /// most, from 200,000 names in folders up to 32 deep. Links to files are followed inside the
    /// root, links to folders are not. Names that are not UTF-8 are left out.
    ///
    /// # Errors
    /// The root cannot be read. What below it cannot be is left out.
    pub async fn walk(&self, glob: &Glob) -> Result<Vec<Listed>, FileError> {
        let glob = glob.clone();
        let walk = move |source: &super::source::Source, stop: &AtomicBool| {
            let failed = |error: &io::Error| FileError::from_io("", error);
            let root = source.open("").map_err(|error| failed(&error))?;
            let is_over = || stop.load(Ordering::Relaxed);
            files_below(&Dir::from_std_file(root), &glob, &is_over, &mut |_| {})
                .map_err(|error| failed(&error))
        };
        blocking::in_time(&self.0, "", walk).await
    }
}

/// The files that [`Root::walk`] lists, of an open folder. `seen` is told of each folder that is
/// looked into, by its path below this one; the walk ends early once `stop` says so.
///
/// # Errors
/// The folder cannot be read. What below it cannot be is left out.
pub fn files_below(
    folder: &Dir,
    glob: &Glob,
    stop: &dyn Fn() -> bool,
    seen: &mut dyn FnMut(&str),
) -> io::Result<Vec<Listed>> {
    let mut walk = Walk {
        glob,
        stop,
        seen,
        looks: 0,
        found: Vec::new(),
        is_cut: false,
    };
    walk.folder(folder, "", DEPTH)?;
    if walk.is_cut {
        tracing::warn!(
            listed = walk.found.len(),
            "a folder has more than is listed"
        );
    }
    walk.found.sort_by(|one, two| one.path.cmp(&two.path));
    Ok(walk.found)
}

struct Walk<'w> {
    glob: &'w Glob,
    stop: &'w dyn Fn() -> bool,
    seen: &'w mut dyn FnMut(&str),
    looks: usize,
    found: Vec<Listed>,
    is_cut: bool,
}

impl Walk<'_> {
    /// Looks at what is in a folder; `path` is its own, with a `/` at its end unless it is the root.
    fn folder(&mut self, dir: &Dir, path: &str, depth: usize) -> io::Result<()> {
        (self.seen)(path);
        let mut entries: Vec<(String, DirEntry)> = Vec::new();
        for entry in dir.entries()? {
            self.looks += 1;
            if self.is_over() {
                break;
            }
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            if !name.starts_with('.') || self.glob.shows_hidden() {
                entries.push((name, entry));
            }
        }
        // The same files are listed every time, also when there are too many.
        entries.sort_by(|(one, _), (two, _)| one.cmp(two));
        for (name, entry) in entries {
            if self.is_over() {
                break;
            }
            self.entry(dir, format!("{path}{name}"), &name, &entry, depth);
        }
        Ok(())
    }

    fn entry(&mut self, dir: &Dir, path: String, name: &str, entry: &DirEntry, depth: usize) {
        let Ok(kind) = entry.file_type() else { return };
        if kind.is_dir() {
            // A folder that may not be entered, or is gone, holds nothing that could be read.
            if let Some(depth) = depth.checked_sub(1)
                && let Ok(below) = entry.open_dir()
            {
                let _ = self.folder(&below, &format!("{path}/"), depth);
            }
            return;
        }
        if !self.glob.matches(&path) {
            return;
        }
        let metadata = if kind.is_symlink() {
            dir.metadata(name)
        } else {
            entry.metadata()
        };
        let Some(metadata) = metadata.ok().filter(|metadata| metadata.is_file()) else {
            return;
        };
        let modified = metadata.modified().ok();
        self.found.push(Listed {
            size: metadata.len(),
            modified: modified.and_then(|modified| time::rfc3339(modified.into_std())),
            mime: mime::guess(&path),
            state: FileState::of(&metadata),
            path,
        });
    }

    fn is_over(&mut self) -> bool {
        self.is_cut |= self.looks > LOOKS || self.found.len() >= MOST;
        self.is_cut || (self.stop)()
    }
}
