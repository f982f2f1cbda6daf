//! Standard input, read by a thread of its own.
//!
//! Whether a read would wait cannot be asked of every kind of input, and making it non-blocking
//! would make it so for everyone who shares it. A thread of the runtime's own pool would keep the
//! process from ending while it waits; this one ends when the input is dropped.

use bytes::{Buf as _, Bytes};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::mpsc;

/// Bytes read at a time.
const READ: usize = 64 * 1024;
/// Reads ahead of what was taken.
const AHEAD: usize = 2;

/// A file descriptor as a stream of bytes.
#[derive(Debug)]
pub(super) struct Input {
    reads: mpsc::Receiver<io::Result<Bytes>>,
    current: Bytes,
    /// Closing it wakes the thread.
    _alive: OwnedFd,
}

impl Input {
    /// The process's standard input.
    ///
    /// # Errors
    /// When descriptors or threads run out.
    pub(super) fn stdin() -> io::Result<Self> {
        Self::new(io::stdin().as_fd().try_clone_to_owned()?)
    }

    /// Any readable descriptor, blocking or not.
    ///
    /// # Errors
    /// When descriptors or threads run out.
    pub(super) fn new(source: OwnedFd) -> io::Result<Self> {
        let (stop, alive) = pipe_with(PipeFlags::CLOEXEC)?;
        let (send, reads) = mpsc::channel(AHEAD);
        std::thread::Builder::new()
            .name("stdin".to_owned())
            .spawn(move || read(&source, &stop, &send))?;
        Ok(Self {
            reads,
            current: Bytes::new(),
            _alive: alive,
        })
    }
}

impl AsyncRead for Input {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.current.is_empty() {
            match ready!(self.reads.poll_recv(context)) {
                Some(read) => self.current = read?,
                None => return Poll::Ready(Ok(())),
            }
        }
        let length = self.current.len().min(buffer.remaining());
        buffer.put_slice(self.current.get(..length).unwrap_or_default());
        self.current.advance(length);
        Poll::Ready(Ok(()))
    }
}

/// Reads until the end, an error, or the other end of `stop` or `send` is dropped.
fn read(source: &OwnedFd, stop: &OwnedFd, send: &mpsc::Sender<io::Result<Bytes>>) {
    let mut buffer = vec![0; READ];
    loop {
        match read_once(source, stop, &mut buffer) {
            Ok(None) => return,
            Ok(Some(read)) => {
                let read = Bytes::copy_from_slice(buffer.get(..read).unwrap_or_default());
                // The empty read is the end of the input, which closing the channel says.
                if read.is_empty() || send.blocking_send(Ok(read)).is_err() {
                    return;
                }
            }
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(error) => {
                let _ = send.blocking_send(Err(error.into()));
                return;
            }
        }
    }
}

/// Waits for input, or for the stop (`None`).
fn read_once(
    source: &OwnedFd,
    stop: &OwnedFd,
    buffer: &mut [u8],
) -> rustix::io::Result<Option<usize>> {
    let mut waiting = [
        PollFd::new(source, PollFlags::IN),
        PollFd::new(stop, PollFlags::IN),
    ];
    poll(&mut waiting, None)?;
    let [_, stopped] = waiting;
    if !stopped.revents().is_empty() {
        return Ok(None);
    }
    rustix::io::read(source, buffer).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt as _;

    #[tokio::test]
    async fn bytes_come_until_the_end() {
        let (reader, writer) = pipe_with(PipeFlags::CLOEXEC).unwrap();
        let mut input = Input::new(reader).unwrap();
        let writing = std::thread::spawn(move || {
            use std::io::Write as _;
            let mut writer = std::fs::File::from(writer);
            for _ in 0..40 {
                writer.write_all(&[b'x'; 10_000]).unwrap();
            }
        });
        let mut bytes = Vec::new();
        input.read_to_end(&mut bytes).await.unwrap();
        assert_eq!(bytes.len(), 400_000);
        assert_eq!(input.read(&mut [0]).await.unwrap(), 0);
        writing.join().unwrap();
    }

    #[tokio::test]
    async fn dropping_the_input_ends_its_thread() {
        // A thread that waits for input, and one that waits for its reads to be taken.
        for waiting_writes in [0, 1_000_000] {
            let (reader, writer) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK).unwrap();
            let input = Input::new(reader).unwrap();
            let mut written = 0;
            while written < waiting_writes {
                match rustix::io::write(&writer, &[b'x'; 4096]) {
                    Ok(length) => written += length,
                    Err(_) => break,
                }
            }
            drop(input);
            // The thread held the only reader: the pipe is broken once it has ended.
            let broken = tokio::task::spawn_blocking(move || {
                let mut waiting = [PollFd::new(&writer, PollFlags::empty())];
                let limit = rustix::time::Timespec {
                    tv_sec: 20,
                    tv_nsec: 0,
                };
                poll(&mut waiting, Some(&limit)).unwrap();
                let [waited] = waiting;
                waited.revents().contains(PollFlags::ERR)
            });
            assert!(broken.await.unwrap());
        }
    }

    #[tokio::test]
    async fn an_error_is_given_once_and_then_the_end() {
        // A folder can be opened and not be read.
        let folder = std::fs::File::open("/").unwrap();
        let mut input = Input::new(folder.into()).unwrap();
        assert!(input.read(&mut [0; 8]).await.is_err());
        assert_eq!(input.read(&mut [0; 8]).await.unwrap(), 0);
    }
}
