//! Images and other bytes of a result, kept as files.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

/// How many names are tried for a file before it is given up.
const NAMES: u32 = 10_000;

/// Keeps what comes, if there is a folder for it.
pub(super) struct Saver {
    folder: Option<PathBuf>,
    stem: String,
}

/// What became of it.
pub(super) enum Saved {
    /// It is in this file.
    At(PathBuf),
    /// It is this many bytes, and was not to be kept.
    Not(usize),
    /// It is no base64.
    Broken,
}

impl Saver {
    /// Keeps files in this folder, named after `name`.
    pub(super) fn new(folder: Option<&Path>, name: &str) -> Self {
        let plain = |c: char| {
            if c.is_ascii_alphanumeric() || "-_".contains(c) {
                c
            } else {
                '_'
            }
        };
        let stem: String = name.chars().map(plain).take(60).collect();
        Self {
            folder: folder.map(Path::to_owned),
            stem: if stem.is_empty() {
                "result".into()
            } else {
                stem
            },
        }
    }

    /// Keeps this, under a name that no file has yet.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn save(&mut self, media: &str, data: &str) -> Result<Saved, String> {
        let Ok(bytes) = STANDARD.decode(data) else {
            return Ok(Saved::Broken);
        };
        let Some(folder) = &self.folder else {
            return Ok(Saved::Not(bytes.len()));
        };
        let cannot = |path: &Path, error| format!("cannot write `{}`: {error}", path.display());
        std::fs::create_dir_all(folder).map_err(|error| cannot(folder, error))?;
        for number in 1..=NAMES {
            let path = folder.join(format!("{}-{number}.{}", self.stem, ending(media)));
            let file = OpenOptions::new().write(true).create_new(true).open(&path);
            match file {
                Ok(mut file) => {
                    file.write_all(&bytes)
                        .map_err(|error| cannot(&path, error))?;
                    return Ok(Saved::At(path));
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(cannot(&path, error)),
            }
        }
        Err(format!(
            "`{}` is full of files of this name",
            folder.display()
        ))
    }
}

/// How the name of a file of this type ends.
fn ending(media: &str) -> &'static str {
    let essence = media.split(';').next().unwrap_or_default().trim();
    match essence.to_ascii_lowercase().as_str() {
        "image/png" => "png",
        "image/jpeg" => "jpg",
        "image/gif" => "gif",
        "image/webp" => "webp",
        "image/svg+xml" => "svg",
        "audio/mpeg" => "mp3",
        "audio/wav" | "audio/x-wav" => "wav",
        "audio/ogg" => "ogg",
        "application/pdf" => "pdf",
        "application/json" => "json",
        "application/zip" => "zip",
        "text/html" => "html",
        "text/csv" => "csv",
        other if other.starts_with("text/") => "txt",
        _ => "bin",
    }
}
