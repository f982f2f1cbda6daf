//! Named pipes: a tool that waits until the test says so, and a word from a tool to the test.

use super::within;
use std::fs::{File, OpenOptions};
use std::io::Read as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A named pipe.
pub struct Fifo(PathBuf);

impl Fifo {
    /// Makes one.
    pub fn make(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let status = Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(status.success());
        Self(path)
    }

    /// One that was made before.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Waits until somebody reads from it, and gives the end to write to. Who reads goes on when it
    /// is dropped.
    pub fn until_read(&self) -> File {
        let mut options = OpenOptions::new();
        options
            .write(true)
            .custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
        within("somebody reads from the pipe", || {
            options.open(&self.0).ok()
        })
    }

    /// The end to read from. Open it before anyone writes, so that they need not wait.
    pub fn reader(&self) -> File {
        let mut options = OpenOptions::new();
        options
            .read(true)
            .custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
        options.open(&self.0).unwrap()
    }

    /// Waits for one line from a [`Fifo::reader`].
    pub fn line(reader: &mut File) -> String {
        let mut text = String::new();
        within("a line from the pipe", || {
            let mut part = [0; 4096];
            if let Ok(length) = reader.read(&mut part) {
                text.push_str(std::str::from_utf8(&part[..length]).unwrap());
            }
            text.split_once('\n').map(|(line, _)| line.to_owned())
        })
    }
}

/// Waits until none of these processes is left: not running, and not a zombie that `parent` has
/// to reap. (Who reaps an orphan is not `parent`'s business.)
pub fn gone(pids: &[u32], parent: u32) {
    within("the processes are gone", || {
        pids.iter().all(|pid| is_gone(*pid, parent)).then_some(())
    });
}

fn is_gone(pid: u32, parent: u32) -> bool {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else {
        return true;
    };
    // `pid (name) state ppid …`; the name may hold anything.
    let after = stat.rsplit_once(") ").map_or("", |(_, after)| after);
    let mut fields = after.split(' ');
    let zombie = fields.next() == Some("Z");
    let of: Option<u32> = fields.next().and_then(|ppid| ppid.parse().ok());
    zombie && of != Some(parent)
}
