//! Reading a regular file: in bounded memory, and without ever waiting. A FIFO, a socket or a device
//! could make the program wait for ever, so none is read.

use ring::digest::{Context, Digest, SHA256};
use rustix::fs::OFlags;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Bytes that are read at a time where a file is not wanted whole.
const PIECE: usize = 64 * 1024;

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
    let (file, length) = opened(path, max_bytes)?;
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
    // The file may grow while it is read.
    file.take(max_bytes.saturating_add(1))
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_bytes {
        return Err(ReadError::TooLarge(max_bytes));
    }
    Ok(bytes)
}

/// SHA-256 of what [`read`] would give, in little memory.
///
/// # Errors
/// Those of [`read`].
pub fn digest(path: &Path, max_bytes: u64) -> Result<[u8; 32], ReadError> {
    let (file, length) = opened(path, max_bytes)?;
    let mut file = file.take(max_bytes.saturating_add(1));
    let mut context = Context::new(&SHA256);
    let length = usize::try_from(length).unwrap_or(PIECE);
    let (mut piece, mut read) = (vec![0; length.clamp(4096, PIECE)], 0_u64);
    loop {
        let part = match file.read(&mut piece) {
            Ok(count) => piece.get(..count).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error.into()),
        };
        if part.is_empty() {
            break;
        }
        context.update(part);
        read += part.len() as u64;
    }
    if read > max_bytes {
        return Err(ReadError::TooLarge(max_bytes));
    }
    Ok(array(context.finish()))
}

/// SHA-256 of bytes.
pub fn digest_of(bytes: &[u8]) -> [u8; 32] {
    array(ring::digest::digest(&SHA256, bytes))
}

fn array(digest: Digest) -> [u8; 32] {
    let mut array = [0; 32];
    array.copy_from_slice(digest.as_ref());
    array
}

/// The file, and how long it says it is.
fn opened(path: &Path, max_bytes: u64) -> Result<(File, u64), ReadError> {
    let file = open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(ReadError::NotAFile);
    }
    if metadata.len() > max_bytes {
        return Err(ReadError::TooLarge(max_bytes));
    }
    Ok((file, metadata.len()))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_that_of_what_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        for size in [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE] {
            let bytes: Vec<u8> = (0..size).map(|place| (place % 251) as u8).collect();
            std::fs::write(&path, &bytes).unwrap();
            let most = size as u64;
            assert_eq!(read(&path, most).unwrap(), bytes);
            assert_eq!(digest(&path, most).unwrap(), digest_of(&bytes), "{size}");
            if size > 0 {
                let refused = digest(&path, most - 1);
                assert!(matches!(refused, Err(ReadError::TooLarge(_))), "{size}");
            }
        }
        assert_ne!(digest_of(b"a"), digest_of(b"b"));
        assert!(matches!(digest(folder.path(), 9), Err(ReadError::NotAFile)));
        assert!(matches!(
            digest(&folder.path().join("gone"), 9),
            Err(ReadError::Io(_))
        ));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_that_says_it_is_empty_is_read() {
        // Its length is 0, whatever it holds.
        let path = Path::new("/proc/version");
        let bytes = read(path, 4096).unwrap();
        assert!(!bytes.is_empty());
        assert_eq!(digest(path, 4096).unwrap(), digest_of(&bytes));
        assert!(matches!(digest(path, 4), Err(ReadError::TooLarge(4))));
    }
}
