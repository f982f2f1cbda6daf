//! A connection that knows whether it has carried an answer.

use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::TokioIo;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use tokio::io::DuplexStream;
use tokio::net::TcpStream;

/// Set once an answer came over the connection. A request that then dies on it may have met an
/// idle connection that the server was just closing.
#[derive(Clone, Debug, Default)]
pub(super) struct Used(Arc<AtomicBool>);

impl Used {
    pub(super) fn mark(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_marked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The connection and its mark, which the pool hands out with each answer and each error.
pub(super) struct Tracked {
    io: Io,
    used: Used,
}

enum Io {
    Tcp(TokioIo<TcpStream>),
    /// To a stand-in of a manifest's test.
    Memory(TokioIo<DuplexStream>),
}

impl Tracked {
    pub(super) fn new(stream: TcpStream) -> Self {
        Self::over(Io::Tcp(TokioIo::new(stream)))
    }

    pub(super) fn in_memory(stream: DuplexStream) -> Self {
        Self::over(Io::Memory(TokioIo::new(stream)))
    }

    fn over(io: Io) -> Self {
        let used = Used::default();
        Self { io, used }
    }
}

impl Connection for Tracked {
    fn connected(&self) -> Connected {
        Connected::new().extra(self.used.clone())
    }
}

impl Read for Tracked {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        match &mut self.io {
            Io::Tcp(io) => Pin::new(io).poll_read(cx, buf),
            Io::Memory(io) => Pin::new(io).poll_read(cx, buf),
        }
    }
}

impl Write for Tracked {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        match &mut self.io {
            Io::Tcp(io) => Pin::new(io).poll_write(cx, buf),
            Io::Memory(io) => Pin::new(io).poll_write(cx, buf),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.io {
            Io::Tcp(io) => Pin::new(io).poll_flush(cx),
            Io::Memory(io) => Pin::new(io).poll_flush(cx),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.io {
            Io::Tcp(io) => Pin::new(io).poll_shutdown(cx),
            Io::Memory(io) => Pin::new(io).poll_shutdown(cx),
        }
    }

    fn is_write_vectored(&self) -> bool {
        match &self.io {
            Io::Tcp(io) => io.is_write_vectored(),
            Io::Memory(io) => io.is_write_vectored(),
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match &mut self.io {
            Io::Tcp(io) => Pin::new(io).poll_write_vectored(cx, bufs),
            Io::Memory(io) => Pin::new(io).poll_write_vectored(cx, bufs),
        }
    }
}
