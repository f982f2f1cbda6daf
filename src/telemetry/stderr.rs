//! The process's stderr, written to without its lock.

use super::queue::Sink;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use std::io;
use std::os::fd::AsFd;

/// Stderr. Writing waits until it is read: only a queue's own thread may do that.
#[derive(Debug)]
pub(super) struct Stderr(io::Stderr);

impl Stderr {
    pub(super) fn new() -> Self {
        Self(io::stderr())
    }
}

impl Sink for Stderr {
    fn put(&mut self, lines: &[u8]) -> io::Result<()> {
        write_all(&self.0, lines)
    }
}

/// Writes straight to the descriptor: holding the standard library's lock in a write that blocks
/// would hold up whoever else writes to stderr, main's last words included.
fn write_all(fd: impl AsFd, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match rustix::io::write(&fd, bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
            Err(Errno::INTR) => {}
            // A client that started this process may have made its end, and so ours, non-blocking.
            Err(Errno::AGAIN) => wait_writable(&fd)?,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

fn wait_writable(fd: impl AsFd) -> io::Result<()> {
    let mut fds = [PollFd::new(&fd, PollFlags::OUT)];
    match poll(&mut fds, None) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{OFlags, fcntl_setfl};
    use std::fs::File;
    use std::io::Read;
    use std::thread;

    #[test]
    fn a_pipe_that_does_not_block_still_gets_everything() {
        let (reader, writer) = rustix::pipe::pipe().unwrap();
        fcntl_setfl(&writer, OFlags::NONBLOCK).unwrap();
        let sent: Vec<u8> = (0..1_000_000u32).map(|n| n.to_le_bytes()[0]).collect();
        let expected = sent.clone();
        let writing = thread::spawn(move || write_all(&writer, &sent));
        let mut got = Vec::new();
        File::from(reader).read_to_end(&mut got).unwrap();
        writing.join().unwrap().unwrap();
        assert!(got == expected);
    }

    #[test]
    fn a_reader_that_is_gone_is_an_error() {
        let (reader, writer) = rustix::pipe::pipe().unwrap();
        drop(reader);
        let error = write_all(&writer, b"x").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
}
