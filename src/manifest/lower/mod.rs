//! From tables to the model: every rule about one component. What is found wrong is reported and
//! the next thing is read; a component with an error is not built.

mod action;
mod actor;
mod actor_on;
mod actor_process;
mod address;
mod argument_values;
mod arguments;
mod ask;
mod ask_fields;
mod ask_question;
mod available;
mod base;
mod blocks;
pub mod codes;
mod complete;
mod contents;
mod defaults;
mod file;
mod http;
pub(in crate::manifest) mod http_url;
mod identity;
mod listing;
mod names;
mod progress;
mod prompt;
mod resource;
mod result;
mod schema;
mod schema_place;
mod scopes;
mod send;
mod shell;
mod shell_program;
mod test;
mod test_answers;
mod test_expect;
mod test_upstream;
mod tool;
mod wrap;

pub(super) use action::ACTIONS;
pub use actor::actor;
pub(super) use actor::unknown_message;
pub(super) use base::refuse_unserved;
pub use defaults::{check as check_defaults, finish as finish_defaults};
pub use prompt::prompt;
pub use resource::resource;
pub(super) use scopes::is_usable as scope_is_usable;
pub use tool::tool;

use super::environment::Environment;
use super::read::{At, Findings, Table};
use super::regular::{self, ReadError};
use crate::lang::diag::{Diagnostic, SourceFile};
use crate::lang::schema::SchemaCache;
use crate::lang::template::Names;
use crate::model::{AnyComponent, Kind, Settings, Tool, ToolTest};
use codes::UNREADABLE;
use std::cell::{OnceCell, RefCell};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes in one file that a manifest names: 64 MiB.
pub const MAX_OUTSIDE_BYTES: u64 = 64 << 20;

/// A component and what it is asked for by.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// Which kind it is.
    pub kind: Kind,
    /// The component; `None` when it is broken or left out here.
    pub component: Option<AnyComponent>,
    /// Its name or URI, when it has a usable one: it is taken even by a broken component, but not by
    /// one that is left out here, so that each system may have its own component of a name.
    pub key: Option<At<String>>,
}

/// A test and its tool; no tool when that is left out or broken.
pub type TestOf = (Option<Arc<Tool>>, ToolTest);

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
    /// The folder of the manifest, as it is shown and as it is opened.
    pub folder: Folder,
    /// Files beside the manifest that were read, with their content: when one changes, the
    /// manifest is read again.
    pub outside: &'a RefCell<Vec<Outside>>,
    /// The tests beside the tools, each with its tool unless that is left out or broken.
    pub tests: &'a RefCell<Vec<TestOf>>,
    /// The names of every call, once one was needed.
    pub call_names: OnceCell<Names>,
}

/// The folder of a manifest; relative paths count from it.
#[derive(Clone, Debug)]
pub struct Folder {
    shown: PathBuf,
    absolute: PathBuf,
}

impl Folder {
    /// The folder of this file.
    pub fn of(file: &Path) -> Self {
        let shown = file.parent().unwrap_or(Path::new("")).to_owned();
        let absolute = match shown.as_os_str().is_empty() {
            true => std::path::absolute("."),
            false => std::path::absolute(&shown),
        };
        Self {
            absolute: absolute.unwrap_or_else(|_| shown.clone()),
            shown,
        }
    }

    /// The folder itself, absolute.
    pub fn path(&self) -> &Path {
        &self.absolute
    }
}

/// A file that a manifest names and that was read while the manifest was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outside {
    /// The file.
    pub path: PathBuf,
    /// SHA-256 of its bytes then; `None` when it could not be read. The bytes may be many, or a private key's.
    pub digest: Option<[u8; 32]>,
}

impl Outside {
    /// Whether the file still is what it was.
    pub fn is_unchanged(&self) -> bool {
        regular::digest(&self.path, MAX_OUTSIDE_BYTES).ok() == self.digest
    }
}

impl<'a> Cx<'a> {
    /// The same, reporting elsewhere.
    fn reporting_to<'b>(&self, findings: &'b Findings) -> Cx<'b>
    where
        'a: 'b,
    {
        Cx {
            findings,
            settings: self.settings,
            environment: self.environment,
            schemas: self.schemas,
            folder: self.folder.clone(),
            outside: self.outside,
            tests: self.tests,
            call_names: self.call_names.clone(),
        }
    }

    /// A path as the manifest means it, absolute.
    pub fn resolve(&self, path: impl AsRef<Path>) -> PathBuf {
        self.folder.absolute.join(path)
    }

    /// A program as the manifest means it: a path counts from its folder, a bare name is looked up
    /// where it is started.
    pub fn program(&self, name: &str) -> String {
        match name.contains('/') {
            true => self.resolve(name).to_string_lossy().into_owned(),
            false => name.to_owned(),
        }
    }

    /// A path as the manifest means it, for people: as short as the manifest's own is shown.
    pub fn shown(&self, path: impl AsRef<Path>) -> PathBuf {
        self.folder.shown.join(path)
    }

    /// Reads a file beside the manifest, of [`MAX_OUTSIDE_BYTES`] at the most, and remembers that
    /// the manifest depends on it.
    ///
    /// # Errors
    /// The system's, when the file cannot be read; it is no regular file, or larger than [`MAX_OUTSIDE_BYTES`].
    pub fn read_outside(&self, path: impl AsRef<Path>) -> Result<Vec<u8>, ReadError> {
        let path = self.resolve(path);
        let read = regular::read(&path, MAX_OUTSIDE_BYTES);
        self.outside.borrow_mut().push(Outside {
            path,
            digest: read.as_ref().ok().map(|bytes| regular::digest_of(bytes)),
        });
        read
    }
}

/// Reads a file that a key names, and says when it cannot be read.
fn read_named(cx: &Cx<'_>, table: &Table<'_>, file: &At<String>) -> Option<Vec<u8>> {
    match cx.read_outside(&file.value) {
        Ok(bytes) => Some(bytes),
        Err(error) => {
            let message = format!("cannot read `{}`: {error}", file.value);
            table.report(Diagnostic::error(UNREADABLE, file.at.clone(), message).help(FROM_FOLDER));
            None
        }
    }
}

/// What is said where a path leads nowhere.
const FROM_FOLDER: &str = "relative paths count from the manifest's folder";

/// A file that was read with a manifest, for findings about it.
fn outside_file(cx: &Cx<'_>, path: &str, text: String) -> std::sync::Arc<SourceFile> {
    SourceFile::new(cx.shown(path), text)
}
