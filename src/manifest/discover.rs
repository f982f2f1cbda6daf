//! Which files are manifests, and their text.
//!
//! Everything here blocks on the file system: call it where blocking is allowed. A problem with
//! one path never hides the others.

mod explain;
mod read;

pub use explain::EXPLAIN;
pub use read::{
    FILE_TOO_LARGE, MAX_FILE_BYTES, NOT_A_FILE, NOT_UTF8, UNREADABLE_FILE, VANISHED_FILE, read,
    source_file,
};

use super::regular::cause;
use crate::lang::diag::{Code, Diagnostic, Severity};
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, FileType, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A path that was named does not exist.
pub const PATH_NOT_FOUND: Code = Code("path-not-found");
/// A folder cannot be listed.
pub const UNREADABLE_FOLDER: Code = Code("unreadable-folder");
/// A `.toml` link leads nowhere. A warning.
pub const BROKEN_LINK: Code = Code("broken-link");
/// A folder that was named holds no manifest. A warning.
pub const NO_MANIFESTS: Code = Code("no-manifests");
/// A folder that is searched holds a server file that is not in use. A warning.
pub const UNUSED_SERVER_FILE: Code = Code("unused-server-file");
/// A folder lies deeper than [`MAX_DEPTH`].
pub const FOLDER_TOO_DEEP: Code = Code("folder-too-deep");
/// There are more than [`MAX_FILES`] manifests or [`MAX_ENTRIES`] entries.
pub const TOO_MANY_FILES: Code = Code("too-many-files");

/// The name that a server file has, and no manifest.
pub const SERVER_FILE: &str = "snodo.toml";
/// Folders inside one another, below one that was named.
pub const MAX_DEPTH: usize = 32;
/// Manifest files in all.
pub const MAX_FILES: usize = 100_000;
/// Entries of folders that are looked at, manifests or not.
pub const MAX_ENTRIES: usize = 1_000_000;

/// A manifest file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The file: the path the user named, and below a folder the way down from it.
    pub path: PathBuf,
    /// The path the user named that led here: a folder above the file, or the file itself.
    pub root: PathBuf,
}

/// What a search came to, and where it looked: what it would say after a change of any of these
/// folders or links, only another search can tell.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// The manifests, in order.
    pub found: Vec<Found>,
    /// What stood in the way of finding more.
    pub diagnostics: Vec<Diagnostic>,
    /// The folders that were listed.
    pub folders: Vec<PathBuf>,
    /// The links that were followed, or could not be.
    pub links: Vec<PathBuf>,
    /// Something that had been listed was gone when it was looked at.
    pub unsettled: bool,
}

/// The manifests that `paths` name, and what stood in the way of finding more.
///
/// A **folder** is searched with all below it. A manifest is a regular file, or a link to one,
/// whose name ends in `.toml` and does not begin with `.` or `_`; anything else is passed over in
/// silence, FIFOs and editors' files included. A folder whose name begins with `.` or `_` is not
/// entered (Kubernetes keeps a ConfigMap's versions in `..data`); a link to a folder is. A **file**
/// named itself, and a folder, is taken whatever its name.
///
/// `server_file` is the one in use: met in a folder, it is no manifest, whatever its name. Any other
/// file of the name [`SERVER_FILE`] is none either; that one is unused is said.
///
/// The order is that of `paths`, and below a folder the byte order of the names at each level. A
/// file that is reached twice (by device and inode) comes once, where it was reached first.
///
/// Diagnostics are errors, except [`BROKEN_LINK`], [`NO_MANIFESTS`] and [`UNUSED_SERVER_FILE`]. The
/// search stops at [`MAX_FILES`] and [`MAX_ENTRIES`], and does not go below [`MAX_DEPTH`].
pub fn discover(paths: &[PathBuf], server_file: Option<&Path>) -> Survey {
    let limits = Limits {
        depth: MAX_DEPTH,
        files: MAX_FILES,
        entries: MAX_ENTRIES,
    };
    discover_within(paths, server_file, limits)
}

struct Limits {
    depth: usize,
    files: usize,
    entries: usize,
}

fn discover_within(paths: &[PathBuf], server_file: Option<&Path>, limits: Limits) -> Survey {
    let mut search = Search {
        limits,
        server_file: server_file
            .and_then(|path| fs::metadata(path).ok())
            .map(|metadata| identity(&metadata)),
        root: PathBuf::new(),
        survey: Survey::default(),
        seen: HashSet::new(),
        reached: 0,
        entries: 0,
        full: false,
    };
    for path in paths {
        search.root.clone_from(path);
        search.named(path);
    }
    search.survey
}

struct Search {
    limits: Limits,
    /// Device and inode of the server file in use.
    server_file: Option<(u64, u64)>,
    root: PathBuf,
    survey: Survey,
    /// Device and inode of each file and folder: what ends loops of links.
    seen: HashSet<(u64, u64)>,
    /// Manifests met, and folders met again: what makes a folder no empty one.
    reached: usize,
    entries: usize,
    full: bool,
}

impl Search {
    fn named(&mut self, path: &Path) {
        let shown = path.display();
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => {
                let (reached, problems) = (self.reached, self.survey.diagnostics.len());
                let searched = self.folder(path, &metadata, 0);
                if searched && reached == self.reached && problems == self.survey.diagnostics.len()
                {
                    let message = format!("there is no manifest in `{shown}`");
                    self.survey
                        .diagnostics
                        .push(warning(NO_MANIFESTS, message).help(
                            "a manifest's name ends in `.toml` and does not begin with `.` or `_`",
                        ));
                }
            }
            Ok(metadata) if metadata.is_file() => self.file(path, &metadata),
            Ok(_) => self.survey.diagnostics.push(read::not_a_file(path)),
            Err(error) => {
                let found = match error.kind() {
                    io::ErrorKind::NotFound => {
                        let message = format!("`{shown}` does not exist");
                        Diagnostic::placeless(PATH_NOT_FOUND, message)
                            .help("name a folder of manifests, or a manifest")
                    }
                    _ => read::unreadable(path, &error),
                };
                self.survey.diagnostics.push(found);
            }
        }
    }

    /// True when the folder was searched now, false when it had been before.
    fn folder(&mut self, path: &Path, metadata: &Metadata, depth: usize) -> bool {
        if self.full || !self.seen.insert(identity(metadata)) {
            self.reached += 1;
            return false;
        }
        if depth > self.limits.depth {
            let message = format!(
                "`{}` lies more than {} folders deep",
                path.display(),
                self.limits.depth
            );
            self.survey.diagnostics.push(
                Diagnostic::placeless(FOLDER_TOO_DEEP, message)
                    .help("name a folder further down, or make the tree flatter"),
            );
            return true;
        }
        self.survey.folders.push(path.to_path_buf());
        for (name, kind) in self.names(path) {
            self.entry(&path.join(name), kind, depth);
            if self.full {
                break;
            }
        }
        true
    }

    /// The entries that may matter, by name in byte order.
    fn names(&mut self, folder: &Path) -> Vec<(OsString, FileType)> {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            // Gone since it was listed: as if it had never been there.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.survey.unsettled = true;
                return Vec::new();
            }
            Err(error) => {
                self.unlistable(folder, &error);
                return Vec::new();
            }
        };
        let mut names = Vec::new();
        for entry in entries {
            self.entries += 1;
            if self.entries > self.limits.entries {
                let what = format!("more than {} files and folders", self.limits.entries);
                self.stop(&what);
                break;
            }
            match entry.and_then(|entry| Ok((entry.file_name(), entry.file_type()?))) {
                Ok((name, kind)) if concerns(&name, kind) => names.push((name, kind)),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    self.survey.unsettled = true;
                }
                Err(error) => {
                    self.unlistable(folder, &error);
                    break;
                }
            }
        }
        names.sort_unstable_by(|(a, _), (b, _)| a.as_bytes().cmp(b.as_bytes()));
        names
    }

    fn entry(&mut self, path: &Path, kind: FileType, depth: usize) {
        if kind.is_symlink() {
            self.survey.links.push(path.to_path_buf());
        }
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => {
                self.folder(path, &metadata, depth + 1);
            }
            Ok(metadata) if metadata.is_file() && is_toml(path) => {
                if !self.is_server_file(path, &metadata) {
                    self.file(path, &metadata);
                }
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound && !kind.is_symlink() => {
                self.survey.unsettled = true;
            }
            Err(_) if !is_toml(path) => {}
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                self.survey.diagnostics.push(read::unreadable(path, &error));
            }
            Err(_) => {
                // Read again: a link that has just been removed is no finding.
                if fs::symlink_metadata(path).is_ok() {
                    let message = format!("the link `{}` leads to no file", path.display());
                    self.survey
                        .diagnostics
                        .push(warning(BROKEN_LINK, message).help("mend the link, or remove it"));
                }
            }
        }
    }

    /// True for the server file in use, and for one that is not, which is then said.
    fn is_server_file(&mut self, path: &Path, metadata: &Metadata) -> bool {
        if self.server_file == Some(identity(metadata)) {
            return true;
        }
        if path.file_name() != Some(OsStr::new(SERVER_FILE)) {
            return false;
        }
        let shown = path.display();
        let message = format!("the server file `{shown}` is not used");
        self.survey.diagnostics.push(
            warning(UNUSED_SERVER_FILE, message).help(format!("use it with `--config {shown}`")),
        );
        true
    }

    fn file(&mut self, path: &Path, metadata: &Metadata) {
        self.reached += 1;
        if self.full || !self.seen.insert(identity(metadata)) {
            return;
        }
        if self.survey.found.len() == self.limits.files {
            let what = format!("more than {} manifests", self.limits.files);
            self.stop(&what);
            return;
        }
        self.survey.found.push(Found {
            path: path.to_path_buf(),
            root: self.root.clone(),
        });
    }

    fn stop(&mut self, what: &str) {
        self.full = true;
        let message = format!("{what} below `{}`", self.root.display());
        self.survey.diagnostics.push(
            Diagnostic::placeless(TOO_MANY_FILES, message)
                .help("name the folder that holds the manifests, not one above it"),
        );
    }

    fn unlistable(&mut self, folder: &Path, error: &io::Error) {
        let (shown, cause) = (folder.display(), cause(error));
        let message = format!("cannot list the folder `{shown}`: {cause}");
        let mut found = Diagnostic::placeless(UNREADABLE_FOLDER, message);
        if error.kind() == io::ErrorKind::PermissionDenied {
            found = found
                .help("let this user read and enter the folder, or rename it to begin with `_`");
        }
        self.survey.diagnostics.push(found);
    }
}

/// Whether an entry can be a manifest or lead to one, by what its folder says of it. A link can be
/// either.
fn concerns(name: &OsString, kind: FileType) -> bool {
    let hidden = matches!(name.as_bytes().first(), Some(b'.' | b'_') | None);
    !hidden && (kind.is_dir() || kind.is_symlink() || kind.is_file() && is_toml(Path::new(name)))
}

fn is_toml(path: &Path) -> bool {
    path.as_os_str().as_bytes().ends_with(b".toml")
}

fn identity(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

fn warning(code: Code, message: String) -> Diagnostic {
    Diagnostic {
        severity: Severity::Warning,
        ..Diagnostic::placeless(code, message)
    }
}

#[cfg(test)]
mod tests;
