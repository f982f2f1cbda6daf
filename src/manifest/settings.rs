//! The server file and the command line: `snodo.toml`, `--set KEY=VALUE`, manifest folders.

mod auth;
mod http;
mod oauth;
mod overrides;
mod secrets;
mod sections;
mod tls;
mod traces;

pub(super) use sections::cache;

use super::discover::{MAX_FILE_BYTES, SERVER_FILE, source_file};
use super::environment::Environment;
use super::read::{Findings, Layer, Table, parse};
use super::regular;
use crate::lang::diag::{Code, Diagnostic, Severity, SourceFile};
use crate::model::{Identity, Settings};
use std::cell::RefCell;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A server file that cannot be read, or none where one is needed.
pub const NO_CONFIG: Code = Code("no-server-file");
/// A `--set` that is not `KEY=VALUE`.
pub const BAD_SET: Code = Code("bad-set");

/// What `snodo check --explain` prints for the codes of this file.
pub const EXPLAIN: &[(Code, &str)] = &[
    (
        NO_CONFIG,
        "snodo needs to know which manifests to serve. Name their folder (`snodo serve ./manifests`), \
         name a server file (`--config FILE`), or start snodo where ./snodo.toml or \
         ./config/snodo.toml is; /etc/snodo/snodo.toml is looked at last.",
    ),
    (
        BAD_SET,
        "`--set` takes KEY=VALUE: the dotted name of a key of the server file and a TOML value, such \
         as `--set http.listen='[\"127.0.0.1:8080\"]'`. A value that is not TOML is taken as text. The \
         last `--set` of a key wins, and any of them over the server file. Relative paths in it count \
         from the folder that snodo was started in.",
    ),
];

/// Where a server file is looked for when none is named, in this order.
pub const SEARCHED: [&str; 3] = ["snodo.toml", "config/snodo.toml", "/etc/snodo/snodo.toml"];

/// What the command line says of the settings.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// `--config`.
    pub config: Option<PathBuf>,
    /// Manifest folders and files; they replace the server file's `manifests`.
    pub paths: Vec<PathBuf>,
    /// `--set`, as typed.
    pub set: Vec<String>,
}

/// Reads the settings. `None` when something is an error; the findings say what.
pub fn load(asked: &Asked, environment: &Environment) -> (Option<Settings>, Vec<Diagnostic>) {
    let (settings, found) = check(asked, environment);
    let is_error = |one: &Diagnostic| one.severity == Severity::Error;
    let is_whole = !found.iter().any(is_error);
    (settings.filter(|_| is_whole), found)
}

/// Reads the settings for a check of the manifests: they are given also when something is wrong, with
/// what is missing left empty. `None` when the server file cannot be read at all.
pub fn check(asked: &Asked, environment: &Environment) -> (Option<Settings>, Vec<Diagnostic>) {
    let findings = Findings::default();
    let settings = read(asked, environment, &findings);
    (settings, findings.into_vec())
}

fn read(asked: &Asked, environment: &Environment, findings: &Findings) -> Option<Settings> {
    let overrides: Vec<Arc<SourceFile>> = asked
        .set
        .iter()
        .filter_map(|text| overrides::file(text, findings))
        .collect();
    let (asked, path) = server_file(asked, findings)?;
    let file = match &path {
        Some(path) => Some(open(path, findings)?),
        None => None,
    };
    let mut documents = Vec::new();
    // The last `--set` of a key wins, so the last layer stands first.
    for source in overrides.iter().rev().chain(&file) {
        documents.push((source, parse(source, findings)?));
    }
    let layers = documents
        .iter()
        .map(|(file, table)| Layer {
            file,
            table,
            span: 0..0,
            inherited: None,
        })
        .collect();
    let table = Table::new(layers, findings, "in the server file");
    let reader = sections::Reader {
        environment,
        file: file.clone(),
        sources: RefCell::new(path.clone().into_iter().collect()),
    };
    Some(reader.settings(table, &asked, path))
}

/// The server file to read, and the paths of manifests that are left: a path that names a file
/// `snodo.toml` means the server file. The inner `None` is no file, which is fine when folders are
/// named.
fn server_file(asked: &Asked, findings: &Findings) -> Option<(Asked, Option<PathBuf>)> {
    let mut asked = asked.clone();
    if asked.config.is_none() {
        let is_server_file =
            |path: &PathBuf| path.file_name() == Some(OsStr::new(SERVER_FILE)) && !path.is_dir();
        if let Some(at) = asked.paths.iter().position(is_server_file) {
            asked.config = Some(asked.paths.remove(at));
        }
    }
    if let Some(config) = asked.config.clone() {
        return Some((asked, Some(config)));
    }
    let says_manifests = asked.set.iter().any(|set| {
        set.split_once('=')
            .is_some_and(|(key, _)| key.trim() == "manifests")
    });
    if !asked.paths.is_empty() {
        return Some((asked, None));
    }
    let found = searched();
    if found.is_none() && !says_manifests {
        findings.push(
            Diagnostic::placeless(
                NO_CONFIG,
                "no manifests to serve: no folder was named and no server file is here",
            )
            .help(format!(
                "name a folder of manifests, or write one of {}",
                SEARCHED.join(", ")
            )),
        );
        return None;
    }
    Some((asked, found))
}

/// The server file that is used when none is named.
pub fn searched() -> Option<PathBuf> {
    let mut paths = SEARCHED.iter().map(PathBuf::from);
    paths.find(|path| path.is_file())
}

fn open(path: &Path, findings: &Findings) -> Option<Arc<SourceFile>> {
    let bytes = match regular::read(path, MAX_FILE_BYTES) {
        Ok(bytes) => bytes,
        Err(error) => {
            let message = format!("cannot read the server file `{}`: {error}", path.display());
            findings.push(Diagnostic::placeless(NO_CONFIG, message));
            return None;
        }
    };
    match source_file(path, bytes) {
        Ok(file) => Some(file),
        Err(found) => {
            findings.push(found);
            None
        }
    }
}

/// The server's identity when nothing names it: the folder's name and this program's version.
fn default_identity(manifests: &[PathBuf]) -> Identity {
    let first = manifests.first().and_then(|path| path.canonicalize().ok());
    let name = first.as_deref().and_then(|path| match path.is_dir() {
        true => path.file_name(),
        false => path.file_stem(),
    });
    let name = name.map_or_else(
        || "snodo".to_owned(),
        |name| name.to_string_lossy().into_owned(),
    );
    Identity {
        name,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        title: None,
        instructions: None,
    }
}
