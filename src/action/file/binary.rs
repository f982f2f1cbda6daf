//! Large files that are no text, as their beginning shows: they are encoded while they are read, in parts that
//! the processor's cache holds.

use super::part::PartError;
use super::room::{self, Room};
use super::{FileError, ReadOptions, mime};
use crate::ops::{Base64, Base64Encoder};
use std::fs::File;
use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes that are read and encoded at a time: what encodes without a rest.
const CHUNK: usize = 96 * 1024;
const _: () = assert!(CHUNK.is_multiple_of(3));

/// Reads and encodes a whole file in `room`, and says its type. `None` where its beginning may be text: what was
/// read is then in `room`. Ends early once `stop` is set; the result is then nobody's.
pub(super) fn read(
    file: &mut File,
    path: &str,
    options: &ReadOptions,
    room: &mut Room,
    stop: &AtomicBool,
) -> Result<Option<(Base64, &'static str)>, PartError> {
    let bytes = &mut room.bytes;
    next(file, bytes)?;
    if bytes.len() < CHUNK || !is_no_text(bytes) {
        return Ok(None);
    }
    let mime = mime::of(path, bytes, false);
    let mut encoder = Base64Encoder::new(std::mem::take(&mut room.encoded));
    let mut length = 0;
    while !stop.load(Ordering::Relaxed) {
        length += bytes.len() as u64;
        if length > options.max_bytes {
            let limit = options.max_bytes;
            return Err(PartError::File(FileError::TooLarge { limit }));
        }
        let encoded = encoder.push(bytes);
        encoded.map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
        if bytes.len() < CHUNK {
            break;
        }
        bytes.clear();
        next(file, bytes)?;
    }
    room::give(std::mem::take(bytes));
    Ok(Some((encoder.finish(room::give), mime)))
}

/// As much as there is of a chunk.
fn next(file: &mut File, bytes: &mut Vec<u8>) -> io::Result<()> {
    bytes
        .try_reserve_exact(CHUNK)
        .map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
    file.take(CHUNK as u64).read_to_end(bytes)?;
    Ok(())
}

/// Whether a file that begins like this is no text whatever follows. A character that the chunk cuts may go on.
fn is_no_text(head: &[u8]) -> bool {
    let wrong = |error: std::str::Utf8Error| error.error_len().is_some();
    head.contains(&0) || std::str::from_utf8(head).is_err_and(wrong)
}
