//! `snodo init`: a small project that runs.

use super::output::{self, Word};
use crate::manifest::schema;
use clap::Args;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What `snodo init --help` ends with.
pub(super) const EXAMPLES: &str = "\
Examples:
  snodo init                     in this folder
  snodo init my-tools            in a folder of its own

Writes snodo.toml, manifests/hello.toml, and in .snodo the schemas by which editors complete and
check both. Nothing is written when one of these files is there already.

Exit codes: 0 written, 1 not written (standard error says why), 2 misused.";

/// `snodo init [DIR]`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The folder, which is made if it is not there
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,
}

/// The files, and what is in them.
const FILES: [(&str, &str); 4] = [
    ("snodo.toml", include_str!("init/snodo.toml")),
    ("manifests/hello.toml", include_str!("init/hello.toml")),
    (".snodo/config.schema.json", schema::CONFIG),
    (".snodo/manifest.schema.json", schema::MANIFEST),
];

/// The folders that they are in.
const FOLDERS: [&str; 2] = ["manifests", ".snodo"];

/// Writes the project and says what can be done with it.
pub(super) fn run(arguments: &Arguments) -> ExitCode {
    let folder = &arguments.folder;
    match write(folder) {
        Ok(()) => output::result(&next(folder)),
        Err(why) => {
            output::say(Word::Error, &why, None);
            ExitCode::FAILURE
        }
    }
}

fn write(folder: &Path) -> Result<(), String> {
    let there = FILES.map(|(name, _)| folder.join(name));
    if let Some(path) = there.iter().find(|path| path.symlink_metadata().is_ok()) {
        return Err(format!(
            "`{}` is there already; nothing was written",
            path.display()
        ));
    }
    let cannot = |path: &Path, error| format!("cannot write `{}`: {error}", path.display());
    for below in FOLDERS.map(|below| folder.join(below)) {
        std::fs::create_dir_all(&below).map_err(|error| cannot(&below, error))?;
    }
    let name = name(folder);
    for (path, (_, text)) in there.iter().zip(FILES) {
        let text = text.replace("\"NAME\"", &format!("\"{name}\""));
        let file = OpenOptions::new().write(true).create_new(true).open(path);
        file.and_then(|mut file| file.write_all(text.as_bytes()))
            .map_err(|error| cannot(path, error))?;
    }
    Ok(())
}

/// The server's name: the folder's, as far as it can stand between quotation marks.
fn name(folder: &Path) -> String {
    let whole = folder.canonicalize().unwrap_or_default();
    let name = whole.file_name().unwrap_or_default().to_string_lossy();
    let plain = |c: char| {
        if c.is_alphanumeric() || "-_. ".contains(c) {
            c
        } else {
            '-'
        }
    };
    let name: String = name.chars().map(plain).collect();
    if name.trim().is_empty() {
        "my-tools".to_owned()
    } else {
        name
    }
}

fn next(folder: &Path) -> String {
    let mut text = String::new();
    for (name, _) in FILES {
        text.push_str(&format!("wrote {}\n", plain_path(&folder.join(name))));
    }
    text.push_str("\nNext:\n");
    if folder != Path::new(".") {
        text.push_str(&format!("  cd {}\n", folder.display()));
    }
    text.push_str(
        "  snodo check                  says what is wrong, if anything is\n  \
         snodo list                   says what there is\n  \
         snodo call greet name=Ada    calls a tool\n  \
         snodo serve                  serves on http://127.0.0.1:4000/mcp\n",
    );
    text
}

fn plain_path(path: &Path) -> String {
    let path = path.strip_prefix(".").unwrap_or(path);
    path.display().to_string()
}
