//! Reading a file whole without ever waiting for anything but the disk.
//!
//! What a server was started from is read again at every reload, so it must be a regular file: the
//! other end of a FIFO would hold up every later reload, and what was read from a pipe is gone.

use rustix::fs::OFlags;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// Why a file was not read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The system's word.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A FIFO, a device, a socket or a folder.
    #[error("it is not a regular file")]
    NotAFile,
    /// More bytes than the limit, which is given.
    #[error("it is larger than {0} bytes")]
    TooLarge(u64),
}

/// The bytes of a regular file, or of the one that a link leads to; `max_bytes` at the most.
///
/// # Errors
/// See [`ReadError`].
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
