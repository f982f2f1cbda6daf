//! Why nothing was read.

use crate::model::WindowError;
use crate::units::Time;
use rustix::io::Errno;
use std::io;
use std::time::Duration;

/// Why a read gave nothing. The messages are for the caller and hold no path of the system; what
/// is not there, what leads out and what the system refuses read alike.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// There is no such file, it lies outside the root, or it is neither a regular file nor a
    /// folder to list: one answer, so that it tells nothing of what is there.
    #[error("file not found")]
    NotFound,
    /// The operating system refused. The log says so, to the operator alone.
    #[error("file not found")]
    Denied,
    /// The whole file was asked for and is too large.
    #[error(
        "the file is larger than the limit of {limit} bytes; \
         ask for a part of it with `lines`, or with `offset` and `length`"
    )]
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// The window is too large.
    #[error("the part asked for is larger than the limit of {limit} bytes; ask for a smaller one")]
    PartTooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// The window cannot be.
    #[error(transparent)]
    Window(#[from] WindowError),
    /// The file system took too long, or too many reads of it were waiting.
    #[error("the file could not be read within {}", Time(*.0))]
    TimedOut(Duration),
    /// The file system failed.
    #[error("the file could not be read: {}", told(*.0))]
    Failed(io::ErrorKind),
}

/// The kind in words. The log has the system's own.
fn told(kind: io::ErrorKind) -> String {
    match kind.to_string().as_str() {
        "uncategorized error" | "other error" => "the file system failed".to_owned(),
        named => named.to_owned(),
    }
}

impl FileError {
    /// What an error of the operating system is to a caller. The log has the reason.
    pub(super) fn from_io(path: &str, error: &io::Error) -> Self {
        let outcome = match Errno::from_io_error(error) {
            // Not there, or not a name this file system can hold; XDEV and LOOP are also what
            // leaving the root and magic links give, NXIO and OPNOTSUPP a socket.
            Some(
                Errno::NOENT
                | Errno::NOTDIR
                | Errno::NAMETOOLONG
                | Errno::LOOP
                | Errno::XDEV
                | Errno::INVAL
                | Errno::ILSEQ
                | Errno::NXIO
                | Errno::NODEV
                | Errno::OPNOTSUPP
                | Errno::ISDIR,
            ) => Self::NotFound,
            Some(Errno::ACCESS | Errno::PERM) => Self::Denied,
            Some(_) => Self::Failed(error.kind()),
            // An error that cap-std made itself: permission denied is its word for leaving.
            None => match error.kind() {
                io::ErrorKind::PermissionDenied
                | io::ErrorKind::NotFound
                | io::ErrorKind::InvalidInput => Self::NotFound,
                kind => Self::Failed(kind),
            },
        };
        if outcome == Self::Denied {
            tracing::info!(?path, %error, "the system refused to let a file be read");
        } else {
            tracing::debug!(?path, %error, "file not read");
        }
        outcome
    }

    /// Nothing to read, for a reason that only the log tells.
    pub(super) fn not_found(path: &str, reason: &'static str) -> Self {
        tracing::debug!(?path, reason, "file not read");
        Self::NotFound
    }
}

/// Why a folder cannot be a root. For the operator: it names the path.
#[derive(Debug, thiserror::Error)]
#[error("cannot open the folder `{path}`")]
pub struct RootError {
    /// The folder as given.
    pub path: String,
    /// The operating system's reason.
    #[source]
    pub source: io::Error,
}
