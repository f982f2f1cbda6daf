//! Editing somebody else's file: all of it or nothing, with a copy of what was there.

use super::super::remote::Failed;
use super::edit::Refused;
use std::fs::{File, OpenOptions, Permissions};
use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _, chown};
use std::path::{Path, PathBuf};

/// The largest file that is edited, in bytes.
const LARGEST: u64 = 16 * 1024 * 1024;
/// How many copies may stand beside it.
const COPIES: u32 = 100;
/// A new file is its owner's: such files hold keys.
const OWN: u32 = 0o600;

/// What became of the file.
#[derive(Debug)]
pub(super) enum Edited {
    /// It said so before.
    Unchanged,
    /// It was not there.
    Made,
    /// It was changed; a copy of what it was is here.
    Changed(PathBuf),
}

/// Gives the file the text that `change` makes of its own. Nobody sees it half written; when anything
/// fails it is as it was. A link stays a link.
///
/// # Errors
/// Why it was left alone.
pub(super) fn edit(
    named: &Path,
    change: impl FnOnce(&str) -> Result<String, Refused>,
) -> Result<Edited, Failed> {
    let fail = |what: &str, error: &dyn std::fmt::Display| {
        Failed::Here(format!(
            "{what} `{}`: {error}; nothing was written",
            named.display()
        ))
    };
    let before = read(named).map_err(|error| fail("cannot read", &error))?;
    if before.is_none() && named.is_symlink() {
        return Err(fail("cannot read", &"it is a link to nothing"));
    }
    let text = before.as_deref().unwrap_or_default();
    let after = change(text).map_err(|refused| {
        let help = match &refused {
            Refused::Taken(_) => {
                Some("--name gives this one another name; --replace replaces that one")
            }
            _ => None,
        };
        let help = help.map_or_else(String::new, |help| format!("\n  = help: {help}"));
        Failed::Here(format!(
            "`{}` was left as it is: {refused}{help}",
            named.display()
        ))
    })?;
    if before.as_deref() == Some(after.as_str()) {
        return Ok(Edited::Unchanged);
    }
    let cannot = |error: std::io::Error| fail("cannot write", &error);
    let (path, mode) = match &before {
        Some(_) => {
            let path = named.canonicalize().map_err(cannot)?;
            let mode = path.metadata().map_err(cannot)?.permissions().mode();
            (path, mode & 0o7777)
        }
        None => {
            let folder = named.parent().filter(|folder| *folder != Path::new(""));
            if let Some(folder) = folder {
                std::fs::create_dir_all(folder).map_err(cannot)?;
            }
            (named.to_owned(), OWN)
        }
    };
    let owner = path.metadata().ok().map(|about| (about.uid(), about.gid()));
    let copy = match &before {
        Some(text) => Some(keep(&path, text, mode).map_err(cannot)?),
        None => None,
    };
    let new = beside(&path, &format!("snodo-{}", std::process::id()));
    let written = write(&new, &after, mode).and_then(|()| {
        // Somebody with more rights than the owner may edit it for them.
        let (uid, gid) = owner.unzip();
        let about = new.metadata()?;
        if owner.is_some_and(|owner| owner != (about.uid(), about.gid())) {
            chown(&new, uid, gid)?;
        }
        if read(named)? != before {
            return Err(std::io::Error::other("it was changed meanwhile"));
        }
        std::fs::rename(&new, &path)
    });
    if let Err(error) = written {
        let _gone = std::fs::remove_file(&new);
        return Err(cannot(error));
    }
    Ok(copy.map_or(Edited::Made, Edited::Changed))
}

/// The file's text; `None` when there is none.
fn read(path: &Path) -> std::io::Result<Option<String>> {
    let opened = OpenOptions::new()
        .read(true)
        // A pipe that nobody writes to is not waited for.
        .custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed())
        .open(path);
    let file = match opened {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let about = file.metadata()?;
    if !about.is_file() || about.len() > LARGEST {
        return Err(std::io::Error::other("it is no file of a client"));
    }
    let mut text = String::new();
    file.take(LARGEST).read_to_string(&mut text)?;
    Ok(Some(text))
}

/// Writes a copy under a name that is free.
fn keep(path: &Path, text: &str, mode: u32) -> std::io::Result<PathBuf> {
    for number in 0..COPIES {
        let copy = match number {
            0 => beside(path, "bak"),
            number => beside(path, &format!("bak{number}")),
        };
        match write(&copy, text, mode) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            written => return written.map(|()| copy),
        }
    }
    Err(std::io::Error::other("there are too many copies of it"))
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(ending);
    path.with_file_name(name)
}

/// Writes a new file, to the disk.
fn write(path: &Path, text: &str, mode: u32) -> std::io::Result<()> {
    let mut file: File = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(OWN)
        .open(path)?;
    file.write_all(text.as_bytes())?;
    file.set_permissions(Permissions::from_mode(mode))?;
    file.sync_all()
}
