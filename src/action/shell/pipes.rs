//! The three standard streams of a child, served at once so that none waits for another.

use super::capture::{Capture, Captured, Tap};
use bytes::{Buf, Bytes};
use std::convert::Infallible;
use std::io;
use std::os::fd::OwnedFd;
use std::process::Child;
use tokio::io::AsyncWriteExt;
use tokio::net::unix::pipe;

/// Who sees a child's output while it runs.
#[derive(Default)]
pub struct Taps {
    /// Each piece of stdout.
    pub stdout: Option<Tap>,
    /// Each piece of stderr.
    pub stderr: Option<Tap>,
}

pub(super) struct Pipes {
    stdin: Feed,
    stdout: Option<Capture>,
    stderr: Option<Capture>,
}

impl Pipes {
    /// Takes the child's ends over. `ceiling` is of each of stdout and stderr.
    pub(super) fn of(
        child: &mut Child,
        input: Option<Bytes>,
        ceilings: [usize; 2],
        taps: Taps,
    ) -> io::Result<Self> {
        let capture = |end: Option<OwnedFd>, ceiling, tap| {
            let end = end.map(pipe::Receiver::from_owned_fd).transpose()?;
            io::Result::Ok(end.map(|end| Capture::new(end, ceiling, tap)))
        };
        let [out, err] = ceilings;
        let stdin = child.stdin.take().map(OwnedFd::from);
        Ok(Self {
            stdout: capture(child.stdout.take().map(OwnedFd::from), out, taps.stdout)?,
            stderr: capture(child.stderr.take().map(OwnedFd::from), err, taps.stderr)?,
            stdin: Feed {
                pipe: stdin.map(pipe::Sender::from_owned_fd).transpose()?,
                rest: input.unwrap_or_default(),
            },
        })
    }

    /// Writes and reads until every end is closed.
    async fn pump(&mut self) {
        tokio::join!(
            self.stdin.write(),
            fill(&mut self.stdout),
            fill(&mut self.stderr),
        );
    }

    /// As [`Pipes::pump`], and then waits for ever: a branch that never ends a
    /// `select!`. May be dropped and called again.
    pub(super) async fn serve(&mut self) -> Infallible {
        self.pump().await;
        std::future::pending().await
    }

    /// Reads until both outputs are closed. May be dropped and called again.
    pub(super) async fn drain(&mut self) {
        tokio::join!(fill(&mut self.stdout), fill(&mut self.stderr));
    }

    /// What stdout and stderr gave so far; what comes later is read and thrown away.
    pub(super) fn take(&mut self) -> [Captured; 2] {
        [&mut self.stdout, &mut self.stderr]
            .map(|stream| stream.as_mut().map(Capture::take).unwrap_or_default())
    }
}

async fn fill(stream: &mut Option<Capture>) {
    if let Some(stream) = stream {
        stream.fill().await;
    }
}

/// What is still to be written to the child.
struct Feed {
    pipe: Option<pipe::Sender>,
    rest: Bytes,
}

impl Feed {
    /// Writes all, then closes. A child that does not read, or stops, is no error: EPIPE ends it.
    async fn write(&mut self) {
        while let Some(pipe) = &mut self.pipe {
            if self.rest.is_empty() {
                self.pipe = None;
                break;
            }
            match pipe.write(&self.rest).await {
                Ok(written) => self.rest.advance(written),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => self.pipe = None,
            }
        }
    }
}
