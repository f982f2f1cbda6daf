//! Standard output, written by a thread of its own, for the reasons of [`super::input`].

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use tokio::io::AsyncWrite;

/// Bytes taken before the thread has written them; as many again it may be writing.
const BUFFER: usize = 64 * 1024;

/// A file descriptor as a sink of bytes. Dropping it lets the thread end once the write it is in
/// ends; a client that never reads can hold the thread, but not the process.
#[derive(Debug)]
pub(super) struct Output(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    /// Something for the thread to do.
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Taken and not yet with the thread.
    buffer: Vec<u8>,
    /// The thread is writing.
    writing: bool,
    /// Nobody will write any more.
    dropped: bool,
    /// Why the thread ended.
    failed: Option<Errno>,
    /// Whoever waits for room, or for everything to be written.
    waiting: Option<Waker>,
}

impl Output {
    /// The process's standard output.
    ///
    /// # Errors
    /// When descriptors or threads run out.
    pub(super) fn stdout() -> io::Result<Self> {
        Self::new(io::stdout().as_fd().try_clone_to_owned()?)
    }

    /// Any writable descriptor, blocking or not.
    ///
    /// # Errors
    /// When threads run out.
    pub(super) fn new(sink: OwnedFd) -> io::Result<Self> {
        let shared = Arc::<Shared>::default();
        let output = Self(Arc::clone(&shared));
        std::thread::Builder::new()
            .name("stdout".to_owned())
            .spawn(move || write(&sink, &shared))?;
        Ok(output)
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        self.0.state().dropped = true;
        self.0.changed.notify_one();
    }
}

impl AsyncWrite for Output {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let mut state = self.0.state();
        if let Some(error) = state.failed {
            return Poll::Ready(Err(error.into()));
        }
        let length = bytes.len().min(BUFFER.saturating_sub(state.buffer.len()));
        if length == 0 && !bytes.is_empty() {
            state.waiting = Some(context.waker().clone());
            return Poll::Pending;
        }
        state
            .buffer
            .extend_from_slice(bytes.get(..length).unwrap_or_default());
        self.0.changed.notify_one();
        Poll::Ready(Ok(length))
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut state = self.0.state();
        if let Some(error) = state.failed {
            Poll::Ready(Err(error.into()))
        } else if state.buffer.is_empty() && !state.writing {
            Poll::Ready(Ok(()))
        } else {
            state.waiting = Some(context.waker().clone());
            Poll::Pending
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_flush(context)
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for bytes and exchanges them for the empty `spare`. `None` once there will be none.
    fn next(&self, spare: Vec<u8>) -> Option<Vec<u8>> {
        let mut state = self.state();
        while state.buffer.is_empty() && !state.dropped {
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        if state.buffer.is_empty() {
            return None;
        }
        state.writing = true;
        let taken = std::mem::replace(&mut state.buffer, spare);
        wake(state);
        Some(taken)
    }

    fn written(&self, outcome: rustix::io::Result<()>) {
        let mut state = self.state();
        state.writing = false;
        state.failed = outcome.err();
        wake(state);
    }
}

fn wake(mut state: MutexGuard<'_, State>) {
    let waiting = state.waiting.take();
    drop(state);
    if let Some(waker) = waiting {
        waker.wake();
    }
}

/// Writes until the output is dropped and all it took is written, or writing fails.
fn write(sink: &OwnedFd, shared: &Shared) {
    let mut bytes = Vec::new();
    while let Some(taken) = shared.next(bytes) {
        let outcome = write_all(sink, &taken);
        shared.written(outcome);
        if outcome.is_err() {
            return;
        }
        bytes = taken;
        bytes.clear();
    }
}

fn write_all(sink: &OwnedFd, mut bytes: &[u8]) -> rustix::io::Result<()> {
    while !bytes.is_empty() {
        match rustix::io::write(sink, bytes) {
            Ok(length) => bytes = bytes.get(length..).unwrap_or_default(),
            Err(Errno::INTR) => {}
            // Someone who shares the output made it non-blocking.
            Err(Errno::AGAIN) => {
                poll(&mut [PollFd::new(sink, PollFlags::OUT)], None)?;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::pipe::{PipeFlags, pipe_with};
    use std::io::Read as _;
    use tokio::io::AsyncWriteExt as _;

    #[tokio::test]
    async fn everything_written_arrives_in_order() {
        for flags in [PipeFlags::CLOEXEC, PipeFlags::CLOEXEC | PipeFlags::NONBLOCK] {
            let (reader, writer) = pipe_with(flags).unwrap();
            rustix::fs::fcntl_setfl(&reader, rustix::fs::OFlags::empty()).unwrap();
            let mut output = Output::new(writer).unwrap();
            let reading = std::thread::spawn(move || {
                let mut bytes = Vec::new();
                std::fs::File::from(reader).read_to_end(&mut bytes).unwrap();
                bytes
            });
            let mut expected = Vec::new();
            for number in 0..20_000u32 {
                let line = format!("line {number}\n");
                output.write_all(line.as_bytes()).await.unwrap();
                expected.extend_from_slice(line.as_bytes());
            }
            let large = vec![b'x'; 1_000_000];
            output.write_all(&large).await.unwrap();
            output.flush().await.unwrap();
            drop(output);
            expected.extend_from_slice(&large);
            let bytes = tokio::task::spawn_blocking(|| reading.join().unwrap())
                .await
                .unwrap();
            assert!(bytes == expected);
        }
    }

    #[tokio::test]
    async fn a_flush_means_that_it_was_written() {
        let (reader, writer) = pipe_with(PipeFlags::CLOEXEC).unwrap();
        let mut output = Output::new(writer).unwrap();
        output.write_all(b"abc").await.unwrap();
        output.flush().await.unwrap();
        assert_eq!(rustix::io::ioctl_fionread(&reader).unwrap(), 3);
    }

    #[tokio::test]
    async fn a_closed_reader_is_an_error() {
        let (reader, writer) = pipe_with(PipeFlags::CLOEXEC).unwrap();
        let mut output = Output::new(writer).unwrap();
        drop(reader);
        output.write_all(b"abc").await.unwrap();
        let error = output.flush().await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
        assert!(output.write_all(b"abc").await.is_err());
    }
}
