//! Reading the window's bytes from an open file, in bounded memory.

use super::{FileError, ReadOptions};
use crate::model::Window;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes read beyond a window of bytes: three complete its last character, a fourth tells whether
/// the file goes on after that.
const LOOKAHEAD: u64 = 4;
/// Bytes read at a time where lines are counted.
const CHUNK: usize = 64 * 1024;

/// What was read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Part {
    /// The window's bytes, then what was read beyond it.
    pub(super) bytes: Vec<u8>,
    /// How many of `bytes` are the window's.
    pub(super) wanted: usize,
    /// The window begins where the file begins.
    pub(super) from_start: bool,
    /// The file goes on after `bytes`.
    pub(super) has_more: bool,
    /// The window may begin and end inside a character.
    pub(super) cut: bool,
}

/// Why reading ended early.
#[derive(Debug)]
pub(super) enum PartError {
    /// The caller's answer.
    File(FileError),
    /// The operating system's.
    Io(io::Error),
}

impl From<io::Error> for PartError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Reads what `options` ask for. `size` is what the file system says, a hint only: files grow and
/// shrink, and those of `/proc` say 0. A whole file is read into `room`, which may hold how it begins.
/// Ends early once `stop` is set; the result is then nobody's.
pub(super) fn read(
    file: &mut File,
    size: u64,
    options: &ReadOptions,
    room: Vec<u8>,
    stop: &AtomicBool,
) -> Result<Part, PartError> {
    match options.window {
        Window::Whole => whole(file, size, options.max_bytes, room),
        Window::Bytes { offset, length } => bytes(file, offset, length, options.max_bytes),
        Window::Lines { from, to } => {
            let mut lines = Lines {
                reader: BufReader::with_capacity(CHUNK, file),
                stop,
            };
            lines.read(from, to, options.max_bytes)
        }
    }
}

fn whole(file: &mut File, size: u64, limit: u64, room: Vec<u8>) -> Result<Part, PartError> {
    let too_large = PartError::File(FileError::TooLarge { limit });
    if size > limit {
        return Err(too_large);
    }
    // One byte more than the file holds, so that its end is met without another buffer.
    let bytes = take(file, limit.saturating_add(1), size.saturating_add(1), room)?;
    if bytes.len() as u64 > limit {
        return Err(too_large);
    }
    Ok(Part {
        wanted: bytes.len(),
        bytes,
        from_start: true,
        ..Part::default()
    })
}

fn bytes(file: &mut File, offset: u64, length: Option<u64>, limit: u64) -> Result<Part, PartError> {
    let wanted = length.unwrap_or(u64::MAX).min(limit.saturating_add(1));
    let bytes = match file.seek(SeekFrom::Start(offset)) {
        Ok(_) => take(file, wanted.saturating_add(LOOKAHEAD), 0, Vec::new())?,
        // Farther than a file of this file system can reach is past the end.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    let wanted = bytes
        .len()
        .min(usize::try_from(wanted).unwrap_or(usize::MAX));
    if wanted as u64 > limit {
        return Err(PartError::File(FileError::PartTooLarge { limit }));
    }
    Ok(Part {
        bytes,
        wanted,
        from_start: offset == 0,
        has_more: false,
        cut: true,
    })
}

/// What `bytes` holds already, and what follows where the file stands: at most `most` bytes together.
fn take(file: &mut File, most: u64, hint: u64, mut bytes: Vec<u8>) -> io::Result<Vec<u8>> {
    let most = most.saturating_sub(bytes.len() as u64);
    let hint = hint.saturating_sub(bytes.len() as u64);
    let hint = usize::try_from(hint.min(most)).unwrap_or(usize::MAX);
    bytes
        .try_reserve_exact(hint)
        .map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A file read line by line: only the lines asked for are kept.
struct Lines<'a, R> {
    reader: BufReader<R>,
    stop: &'a AtomicBool,
}

impl<R: Read> Lines<'_, R> {
    fn read(&mut self, from: u64, to: Option<u64>, limit: u64) -> Result<Part, PartError> {
        self.skip(from.saturating_sub(1))?;
        let count = to.map_or(u64::MAX, |to| to.saturating_sub(from).saturating_add(1));
        let bytes = self.collect(count, limit)?;
        Ok(Part {
            wanted: bytes.len(),
            bytes,
            from_start: from == 1,
            has_more: !self.chunk()?.is_empty(),
            cut: false,
        })
    }

    fn skip(&mut self, mut lines: u64) -> Result<(), PartError> {
        while lines > 0 {
            let chunk = self.chunk()?;
            if chunk.is_empty() {
                break;
            }
            let (length, ended) = lines_in(chunk, lines);
            lines -= ended;
            self.reader.consume(length);
        }
        Ok(())
    }

    fn collect(&mut self, mut lines: u64, limit: u64) -> Result<Vec<u8>, PartError> {
        let mut bytes = Vec::new();
        while lines > 0 {
            let chunk = self.chunk()?;
            if chunk.is_empty() {
                break;
            }
            let (length, ended) = lines_in(chunk, lines);
            let chunk = chunk.get(..length).unwrap_or(chunk);
            if (bytes.len() + chunk.len()) as u64 > limit {
                return Err(PartError::File(FileError::PartTooLarge { limit }));
            }
            bytes.extend_from_slice(chunk);
            lines -= ended;
            self.reader.consume(length);
        }
        Ok(bytes)
    }

    /// What comes next; empty at the end of the file, or when the read is to stop.
    fn chunk(&mut self) -> Result<&[u8], PartError> {
        if self.stop.load(Ordering::Relaxed) {
            return Ok(&[]);
        }
        loop {
            match self.reader.fill_buf() {
                Ok(_) => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(self.reader.buffer())
    }
}

/// How many bytes of `chunk` belong to the next `lines` lines, and how many of these end in it.
fn lines_in(chunk: &[u8], lines: u64) -> (usize, u64) {
    let ends = chunk.iter().filter(|byte| **byte == b'\n').count() as u64;
    if ends < lines {
        return (chunk.len(), ends);
    }
    let mut left = lines;
    let last = chunk.iter().position(|byte| {
        left -= u64::from(*byte == b'\n');
        left == 0
    });
    (last.map_or(chunk.len(), |place| place + 1), lines)
}
