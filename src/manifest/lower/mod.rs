//! From tables to the model: every rule about one component. What is found wrong is reported and
//! the next thing is read; a component with an error is not built.

mod arguments;
mod available;
mod base;
pub mod codes;
mod file;
mod http;
mod names;
mod result;
mod schema;
mod shell;
mod tool;

pub(super) use base::refuse_unserved;
pub use tool::{Lowered, tool};

use super::environment::Environment;
use super::read::Findings;
use super::regular::{self, ReadError};
use crate::lang::schema::SchemaCache;
use crate::model::Settings;
use std::cell::RefCell;
use std::path::{Path, PathBuf};

/// Bytes in one file that a manifest names: 64 MiB.
pub const MAX_OUTSIDE_BYTES: u64 = 64 << 20;

/// What lowering one file may look at.
#[derive(Debug)]
pub struct Cx<'a> {
    /// Where findings go.
    pub findings: &'a Findings,
    /// The server file.
    pub settings: &'a Settings,
    /// The process's environment.
    pub environment: &'a Environment,
    /// Compiled schemas.
    pub schemas: &'a SchemaCache,
    /// The folder of the manifest; relative paths count from it.
    pub folder: PathBuf,
    /// Files beside the manifest that were read, with their content: when one changes, the
    /// manifest is read again.
    pub outside: RefCell<Vec<Outside>>,
}

/// A file that a manifest names and that was read while the manifest was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outside {
    /// The file.
    pub path: PathBuf,
    /// Its bytes then; `None` when it could not be read.
    pub content: Option<Vec<u8>>,
}

impl Cx<'_> {
    /// A path as the manifest means it.
    pub fn resolve(&self, path: impl AsRef<Path>) -> PathBuf {
        self.folder.join(path)
    }

    /// Reads a file beside the manifest, of [`MAX_OUTSIDE_BYTES`] at the most, and remembers that
    /// the manifest depends on it.
    ///
    /// # Errors
    /// The file cannot be read, is no regular file, or is too large.
    pub fn read_outside(&self, path: &Path) -> Result<Vec<u8>, ReadError> {
        let read = regular::read(path, MAX_OUTSIDE_BYTES);
        self.outside.borrow_mut().push(Outside {
            path: path.to_owned(),
            content: read.as_ref().ok().cloned(),
        });
        read
    }
}

impl Outside {
    /// Whether the file still says what it said when it was read.
    pub fn is_current(&self) -> bool {
        regular::read(&self.path, MAX_OUTSIDE_BYTES).ok() == self.content
    }
}
