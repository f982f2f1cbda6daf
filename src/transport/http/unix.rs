//! Unix sockets: replacing a dead one, guarding a live one, removing our own.

use super::bind::{BACKLOG, BindError};
use crate::model::Listen;
use std::fs::{File, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::net::{UnixListener, UnixSocket, UnixStream};
use tokio::time::{Instant, sleep};

/// How long to wait for another process that is opening a socket in the same folder.
const PATIENCE: Duration = Duration::from_secs(2);

/// The file of a socket that we listen on. Dropping it removes the file, unless another lies there
/// by now.
#[derive(Debug)]
pub(super) struct SocketFile {
    path: PathBuf,
    identity: (u64, u64),
}

impl SocketFile {
    fn new(path: &Path) -> io::Result<Self> {
        Ok(Self {
            path: path.to_owned(),
            identity: identity(path)?,
        })
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        if identity(&self.path).is_ok_and(|found| found == self.identity)
            && let Err(error) = std::fs::remove_file(&self.path)
        {
            tracing::warn!(path = %self.path.display(), %error, "cannot remove the socket");
        }
    }
}

/// Opens a socket at `path` that those may connect to whom this mode lets write to it. Which group it
/// has is the folder's or the service manager's affair.
///
/// # Errors
/// [`BindError`]: somebody listens there, something else lies there, or the system refuses.
pub(super) async fn bind(
    path: &Path,
    mode: u32,
    place: &Listen,
) -> Result<(UnixListener, SocketFile), BindError> {
    let failed = |error| BindError::new(place, error);
    // Two processes that both find a dead socket could each remove the other's new one.
    let _lock = lock_folder(path).await.map_err(failed)?;
    match std::fs::symlink_metadata(path) {
        Ok(found) if !found.file_type().is_socket() => {
            return Err(BindError::NotASocket {
                address: place.to_string(),
            });
        }
        Ok(_) if is_served(path).await => {
            return Err(BindError::InUse {
                address: place.to_string(),
            });
        }
        Ok(_) => std::fs::remove_file(path).map_err(failed)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
    }
    let socket = UnixSocket::new_stream().map_err(failed)?;
    socket.bind(path).map_err(failed)?;
    let file = SocketFile::new(path).map_err(failed)?;
    // Before `listen`, so that nobody can connect under the mode that the umask gave.
    std::fs::set_permissions(path, Permissions::from_mode(mode)).map_err(failed)?;
    Ok((socket.listen(BACKLOG).map_err(failed)?, file))
}

/// True unless a connection is refused: a full backlog and a missing right mean that somebody is
/// there.
async fn is_served(path: &Path) -> bool {
    match tokio::time::timeout(PATIENCE, UnixStream::connect(path)).await {
        Ok(Err(error)) => !matches!(
            error.kind(),
            io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound
        ),
        _ => true,
    }
}

/// The lock, until it is dropped. A folder that one may not read goes without.
async fn lock_folder(path: &Path) -> io::Result<Option<File>> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let lock = match File::open(folder) {
        Ok(lock) => lock,
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(None),
        Err(error) => return Err(error),
    };
    let deadline = Instant::now() + PATIENCE;
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(Some(lock)),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                sleep(Duration::from_millis(20)).await
            }
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::new(
                    io::ErrorKind::WouldBlock,
                    "another process holds a lock on its folder",
                ));
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    let found = std::fs::symlink_metadata(path)?;
    Ok((found.dev(), found.ino()))
}
