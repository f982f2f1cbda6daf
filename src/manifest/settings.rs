//! The server file and the command line: `snodo.toml`, `--set KEY=VALUE`, manifest folders.

mod secrets;
mod sections;

use super::environment::Environment;
use super::read::{Findings, Layer, SYNTAX, Table, parse};
use super::regular;
use crate::lang::diag::{Code, Diagnostic, SourceFile};
use crate::model::{Identity, Settings};
use std::cell::RefCell;
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
         as `--set http.listen='[\"127.0.0.1:8080\"]'`. A value that is not TOML is taken as text.",
    ),
];

/// Where a server file is looked for when none is named, in this order.
pub const SEARCHED: [&str; 3] = ["snodo.toml", "config/snodo.toml", "/etc/snodo/snodo.toml"];

/// Bytes in the server file or in a file with a secret: 1 MiB.
const MAX_BYTES: u64 = 1 << 20;

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
    let findings = Findings::default();
    let settings = read(asked, environment, &findings);
    let whole = findings.errors() == 0;
    (settings.filter(|_| whole), findings.into_vec())
}

fn read(asked: &Asked, environment: &Environment, findings: &Findings) -> Option<Settings> {
    let path = server_file(asked, findings)?;
    let file = match &path {
        Some(path) => Some(open(path, findings)?),
        None => None,
    };
    let overrides: Vec<Arc<SourceFile>> = asked
        .set
        .iter()
        .filter_map(|text| override_file(text, findings))
        .collect();
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
    let folder = path
        .as_deref()
        .and_then(Path::parent)
        .unwrap_or(Path::new(""))
        .to_owned();
    let reader = sections::Reader {
        environment,
        folder,
        sources: RefCell::new(path.into_iter().collect()),
    };
    Some(reader.settings(table, asked))
}

/// The server file to read; the inner `None` is no file, which is fine when folders are named.
fn server_file(asked: &Asked, findings: &Findings) -> Option<Option<PathBuf>> {
    if let Some(config) = &asked.config {
        return Some(Some(config.clone()));
    }
    if !asked.paths.is_empty() {
        return Some(None);
    }
    let found = SEARCHED
        .iter()
        .map(PathBuf::from)
        .find(|path| path.is_file());
    if found.is_none() {
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
    }
    found.map(Some)
}

fn open(path: &Path, findings: &Findings) -> Option<Arc<SourceFile>> {
    let text = regular::read(path, MAX_BYTES)
        .map_err(|error| error.to_string())
        .and_then(|bytes| String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned()));
    match text {
        Ok(text) => Some(SourceFile::new(path, text)),
        Err(why) => {
            findings.push(
                Diagnostic::placeless(
                    NO_CONFIG,
                    format!("cannot read `{}`: {why}", path.display()),
                )
                .help("check the path given to `--config`"),
            );
            None
        }
    }
}

/// `KEY=VALUE` as a document of its own.
fn override_file(text: &str, findings: &Findings) -> Option<Arc<SourceFile>> {
    let parts = text
        .split_once('=')
        .map(|(key, value)| (key.trim(), value.trim()));
    let Some((key, value)) = parts.filter(|(key, _)| !key.is_empty()) else {
        findings.push(
            Diagnostic::placeless(BAD_SET, format!("`--set {text}` is not KEY=VALUE"))
                .help("write for example `--set http.listen='[\"127.0.0.1:8080\"]'`"),
        );
        return None;
    };
    let name = format!("--set {key}");
    let as_toml = SourceFile::new(&name, format!("{key} = {value}"));
    let probe = Findings::default();
    if parse(&as_toml, &probe).is_some() {
        return Some(as_toml);
    }
    let as_text = SourceFile::new(&name, format!("{key} = {}", quote(value)));
    let probe = Findings::default();
    if parse(&as_text, &probe).is_some() {
        return Some(as_text);
    }
    findings.push(
        Diagnostic::placeless(
            SYNTAX,
            format!("`--set {key}`: the key is not a dotted TOML key"),
        )
        .help("write for example `--set server.name=demo`"),
    );
    None
}

fn quote(text: &str) -> String {
    // JSON's string form is also TOML's.
    serde_json::Value::from(text).to_string()
}

/// The server's identity when nothing names it: the folder's name and this program's version.
fn default_identity(manifests: &[PathBuf]) -> Identity {
    let folder = manifests.first().and_then(|path| path.canonicalize().ok());
    let name = folder.as_deref().and_then(Path::file_stem).map_or_else(
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
