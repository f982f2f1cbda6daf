//! Whether a file that is gone or empty may still come back.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long nothing may have happened to a file that is gone or empty before that is what it means.
/// Many editors and tools save by removing or emptying the file first, and on a busy disk the next
/// step can take a while: emptying a file waits for what is being written of it.
const QUIET: Duration = Duration::from_secs(1);
/// How long files are waited for in all, whatever happens to them.
const PATIENCE: Duration = Duration::from_secs(10);

/// What is waited for.
#[derive(Debug, Default)]
pub(super) struct Awaited(Option<Since>);

#[derive(Debug)]
struct Since {
    /// When something was first missed.
    first: Instant,
    /// When what is missing was last seen to change.
    quiet: Instant,
    seen: Vec<Option<Trace>>,
}

/// Device, inode and time of the last change: every save, half of one too, leaves another.
type Trace = (u64, u64, i64, i64);

impl Awaited {
    /// Whether to wait for these files, and look again. A file that is saved over and over can be
    /// empty at every look.
    pub(super) fn may_come_back(&mut self, missing: &[PathBuf]) -> bool {
        if missing.is_empty() {
            self.0 = None;
            return false;
        }
        let now = Instant::now();
        let seen = missing.iter().map(|path| trace(path)).collect();
        let since = self.0.get_or_insert(Since {
            first: now,
            quiet: now,
            seen: Vec::new(),
        });
        if since.seen != seen {
            if now - since.quiet >= QUIET {
                since.first = now;
            }
            since.seen = seen;
            since.quiet = now;
        }
        now - since.quiet < QUIET && now - since.first < PATIENCE
    }
}

/// What a file shows of its changes; one that is gone, what its folder does.
fn trace(path: &Path) -> Option<Trace> {
    let folder = || path.parent().and_then(|folder| folder.metadata().ok());
    let data = path.metadata().ok().or_else(folder)?;
    Some((data.dev(), data.ino(), data.ctime(), data.ctime_nsec()))
}
