//! Reading a regular file: in bounded memory, and without ever waiting. A FIFO, a socket or a device
//! could make the program wait for ever, so none is read.

use rustix::fs::OFlags;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Why a file was not read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The system's reason.
    #[error("{}", cause(.0))]
    Io(#[from] io::Error),
    /// It is a folder, a FIFO, a socket or a device.
    #[error("it is not a regular file")]
    NotAFile,
    /// It is larger than this many bytes.
    #[error("it is larger than {0} bytes")]
    TooLarge(u64),
}

/// All bytes of a regular file, or of what a link to one leads to.
///
/// # Errors
/// Whatever the path has become: it is judged by what was opened.
pub fn read(path: &Path, max_bytes: u64) -> Result<Vec<u8>, ReadError> {
    let file = open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(ReadError::NotAFile);
    }
    if metadata.len() > max_bytes {
        return Err(ReadError::TooLarge(max_bytes));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or_default());
    // The file may grow while it is read.
    file.take(max_bytes.saturating_add(1))
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_bytes {
        return Err(ReadError::TooLarge(max_bytes));
    }
    Ok(bytes)
}

fn open(path: &Path) -> io::Result<File> {
    // Opening a FIFO waits for its other end, and a terminal may become this process's own.
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path)
}

/// The error in words, without its number where the kind says enough.
pub fn cause(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string().to_lowercase(),
    }
}
