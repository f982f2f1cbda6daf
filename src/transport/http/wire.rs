//! The bytes of one connection: TCP or a Unix socket, what was read ahead, and what the listener is
//! told about them.

use super::link::Link;
use bytes::{Buf, Bytes, BytesMut};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream};
use tokio_rustls::server::TlsStream;

/// How an HTTP/2 connection begins when the client knows beforehand (RFC 9113 §3.4).
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// What is read ahead at the most: usually the whole of the first request.
const OPENING: usize = 8 * 1024;

/// An accepted socket.
#[derive(Debug)]
pub(super) enum Socket {
    Tcp(TcpStream),
    Unix(UnixStream),
    /// TCP, once hands are shaken.
    Tls(Box<TlsStream<TcpStream>>),
}

/// The protocol that a connection speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speech {
    /// HTTP/1.1 or HTTP/1.0.
    Http1,
    /// HTTP/2, by prior knowledge or because hands were shaken on it: it begins the same.
    Http2,
}

impl Socket {
    /// Reads until it is plain which protocol this is: the first read, for all but slow peers. None
    /// when the peer closes before. The caller bounds the time.
    ///
    /// # Errors
    /// The socket's.
    pub(super) async fn sniff(&mut self) -> io::Result<Option<(Speech, Bytes)>> {
        let mut opening = BytesMut::with_capacity(OPENING);
        loop {
            if self.read_buf(&mut opening).await? == 0 {
                return Ok(None);
            }
            let common = PREFACE
                .iter()
                .zip(&opening)
                .take_while(|(a, b)| a == b)
                .count();
            if common == PREFACE.len() {
                return Ok(Some((Speech::Http2, opening.freeze())));
            }
            if common < opening.len() {
                return Ok(Some((Speech::Http1, opening.freeze())));
            }
        }
    }
}

/// A socket whose first bytes were read already, and whose link hears of every read and write.
#[derive(Debug)]
pub(super) struct Wire {
    socket: Socket,
    opening: Bytes,
    link: Arc<Link>,
}

impl Wire {
    /// `opening` is what [`Socket::sniff`] read.
    pub(super) fn new(socket: Socket, opening: Bytes, link: Arc<Link>) -> Self {
        Self {
            socket,
            opening,
            link,
        }
    }
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.opening.has_remaining() {
            let length = buf.remaining().min(self.opening.len());
            buf.put_slice(&self.opening.split_to(length));
            self.link.heard();
            return Poll::Ready(Ok(()));
        }
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.socket).poll_read(cx, buf))?;
        if buf.filled().len() > before {
            self.link.heard();
        }
        Poll::Ready(Ok(()))
    }
}

impl Wire {
    fn note(&self, outcome: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        match &outcome {
            Poll::Ready(_) => self.link.wrote(),
            Poll::Pending => self.link.blocked(),
        }
        outcome
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.socket).poll_write(cx, buf);
        self.note(outcome)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.socket).poll_write_vectored(cx, bufs);
        self.note(outcome)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.socket).poll_flush(cx);
        // By TLS the peer has taken what was written only once it is flushed.
        if matches!(self.socket, Socket::Tls(_)) {
            match flushed {
                Poll::Pending => self.link.blocked(),
                Poll::Ready(_) if self.link.is_blocked() => self.link.wrote(),
                Poll::Ready(_) => {}
            }
        }
        flushed
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(cx)
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_read(cx, buf),
            Self::Unix(stream) => Pin::new(stream).poll_read(cx, buf),
            Self::Tls(stream) => Pin::new(stream).poll_read(cx, buf),
        }
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_write(cx, buf),
            Self::Unix(stream) => Pin::new(stream).poll_write(cx, buf),
            Self::Tls(stream) => Pin::new(stream).poll_write(cx, buf),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_write_vectored(cx, bufs),
            Self::Unix(stream) => Pin::new(stream).poll_write_vectored(cx, bufs),
            Self::Tls(stream) => Pin::new(stream).poll_write_vectored(cx, bufs),
        }
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            // Sockets keep nothing back.
            Self::Tcp(_) | Self::Unix(_) => Poll::Ready(Ok(())),
            Self::Tls(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Unix(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Tls(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}
