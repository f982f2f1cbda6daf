//! Reading that may wait for a disk or a network, on a thread meant for it.

use super::content::{Body, FileContent, Found, Listing};
use super::encode::Encoded;
use super::part::{self, Part, PartError};
use super::room::Room;
use super::source::Source;
use super::{FileError, ReadOptions, binary, encode, folder, mime, time};
use std::fs::{File, Metadata};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::Semaphore;

/// How long a read may take, waiting for its turn included.
const PATIENCE: Duration = Duration::from_secs(30);

/// Reads that may wait at one time, over all roots. A network file system that does not answer
/// holds its threads until it does; the runtime has 512 of them, which other work needs too.
static THREADS: Semaphore = Semaphore::const_new(256);

/// Reads on another thread: `opened`, or what `source` finds at `path`. Dropping the future, or
/// the end of its patience, stops the reading at its next step; a thread that the kernel does not
/// let go keeps its turn until it is.
pub(super) async fn read(
    source: &Arc<Source>,
    path: &str,
    options: ReadOptions,
    opened: Option<File>,
    room: Room,
) -> Result<Found, FileError> {
    let owned = path.to_owned();
    let work = move |source: &Source, stop: &AtomicBool| {
        read_now(source, &owned, &options, (opened, room), stop)
    };
    in_time(source, path, work).await
}

/// Does work on another thread, as [`read`] does; `path` is for the log.
pub(super) async fn in_time<T: Send + 'static>(
    source: &Arc<Source>,
    path: &str,
    work: impl FnOnce(&Source, &AtomicBool) -> Result<T, FileError> + Send + 'static,
) -> Result<T, FileError> {
    tokio::time::timeout(PATIENCE, in_turn(source, path, work))
        .await
        .unwrap_or_else(|_| {
            tracing::warn!(?path, "the file system did not answer in time");
            Err(FileError::TimedOut(PATIENCE))
        })
}

async fn in_turn<T: Send + 'static>(
    source: &Arc<Source>,
    path: &str,
    work: impl FnOnce(&Source, &AtomicBool) -> Result<T, FileError> + Send + 'static,
) -> Result<T, FileError> {
    // The source's turn first: one that hangs must not hold turns that others wait for.
    let own = Arc::clone(&source.turns).acquire_owned().await;
    let shared = THREADS.acquire().await;
    let stop = StopOnDrop::default();
    let stopped = Arc::clone(&stop.0);
    let source = Arc::clone(source);
    let read = tokio::task::spawn_blocking(move || {
        let _turns = (own, shared);
        work(&source, &stopped)
    });
    match read.await {
        Ok(found) => found,
        Err(error) => {
            tracing::error!(?path, %error, "reading a file ended");
            Err(FileError::Failed(std::io::ErrorKind::Other))
        }
    }
}

fn read_now(
    source: &Source,
    path: &str,
    options: &ReadOptions,
    (opened, mut room): (Option<File>, Room),
    stop: &AtomicBool,
) -> Result<Found, FileError> {
    let failed = |error: &std::io::Error| FileError::from_io(path, error);
    let mut file = match opened {
        Some(file) => file,
        None => source.open(path).map_err(|error| failed(&error))?,
    };
    let metadata = file.metadata().map_err(|error| failed(&error))?;
    if metadata.is_dir() {
        if !options.list_directories {
            return Err(FileError::not_found(path, "it is a folder"));
        }
        let (entries, truncated) =
            folder::list(&file, Listing::MOST, stop).map_err(|error| failed(&error))?;
        return Ok(Found::Folder(Listing {
            path: path.to_owned(),
            entries,
            modified: modified(&metadata),
            truncated,
        }));
    }
    if !metadata.is_file() {
        return Err(FileError::not_found(path, "it is not a regular file"));
    }
    let not_read = |error| match error {
        PartError::File(error) => error,
        PartError::Io(error) => failed(&error),
    };
    if room.is_large() {
        let read = binary::read(&mut file, path, options, &mut room, stop);
        if let Some((encoded, mime)) = read.map_err(not_read)? {
            let encoded = Encoded {
                body: Body::Base64(encoded),
                has_more: false,
            };
            return Ok(found(path, &metadata, mime, encoded));
        }
    }
    let part = part::read(&mut file, metadata.len(), options, room.bytes, stop);
    let part = part.map_err(not_read)?;
    Ok(content(path, &metadata, part, options, room.encoded))
}

/// The answer for a regular file. Base64 is written in `room`.
pub(super) fn content(
    path: &str,
    metadata: &Metadata,
    part: Part,
    options: &ReadOptions,
    room: Vec<u8>,
) -> Found {
    let head = if part.from_start {
        part.bytes.as_slice()
    } else {
        &[]
    };
    let is_text = encode::is_text(&part, options.encoding);
    let mime = mime::of(path, head, is_text);
    let encoded = encode::encode(part, options.encoding, is_text, room);
    found(path, metadata, mime, encoded)
}

fn found(path: &str, metadata: &Metadata, mime: &str, encoded: Encoded) -> Found {
    Found::File(FileContent {
        path: path.to_owned(),
        mime: mime.to_owned(),
        body: encoded.body,
        size: metadata.len(),
        modified: modified(metadata),
        has_more: encoded.has_more,
    })
}

fn modified(metadata: &Metadata) -> Option<String> {
    metadata.modified().ok().and_then(time::rfc3339)
}

/// Tells the thread that nobody waits for it any more.
#[derive(Default)]
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
