//! One connection, from its first byte to its last.

use super::exchange::{InFlight, Peer};
use super::link::{Link, Order, Phase};
use super::refusal::Refusal;
use super::room::{Kept, Room};
use super::wire::{Socket, Speech, Wire};
use super::{Body, HEAD_LIMIT};
use crate::server::Endpoint;
use futures_util::future::poll_fn;
use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::{HttpService, service_fn};
use hyper_util::rt::TokioIo;
use std::convert::Infallible;
use std::error::Error;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_util::task::TaskTracker;

/// Requests at the same time on one HTTP/2 connection.
const STREAMS: u32 = 128;
/// What hyper reads and buffers at once. Its own default is 400 KiB a connection.
const BUFFER: usize = 2 * HEAD_LIMIT;
/// How long the rest of an unwanted body is read, so that the client gets to see the answer: closing
/// a socket with unread bytes would reset it (RFC 9112 §9.6).
const LINGER: Duration = Duration::from_secs(2);

/// How hyper is to speak, built once a listener. It gets no timer: [`super::links::Links`] keeps
/// the bounds on time.
pub(super) struct Protocols {
    http1: http1::Builder,
    http2: http2::Builder<Streams>,
    room: Room,
}

impl Protocols {
    /// HTTP/2 streams become tasks of `tasks`, so many `requests` at once on all connections.
    pub(super) fn new(tasks: &TaskTracker, requests: usize) -> Self {
        let mut http1 = http1::Builder::new();
        // More than 100 headers are hyper's to refuse; naming a number would cost an allocation.
        http1.max_header_size(HEAD_LIMIT).max_buf_size(BUFFER);
        let mut http2 = http2::Builder::new(Streams(tasks.clone()));
        http2
            .max_concurrent_streams(STREAMS)
            .max_header_list_size(HEAD_LIMIT as u32);
        Self {
            http1,
            http2,
            room: Room::new(requests),
        }
    }
}

/// Runs HTTP/2 streams.
#[derive(Clone, Debug)]
struct Streams(TaskTracker);

impl<F> hyper::rt::Executor<F> for Streams
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    fn execute(&self, stream: F) {
        self.0.spawn(stream);
    }
}

/// Serves a socket until it ends or is told to.
pub(super) async fn run<E: Endpoint>(
    protocols: Arc<Protocols>,
    peer: Arc<Peer<E>>,
    socket: Socket,
) {
    let link = Arc::clone(&peer.link);
    let Some(mut socket) = opened(&peer, socket).await else {
        return;
    };
    let Some(Ok(Some((speech, opening)))) = unless_told(&link, socket.sniff()).await else {
        return;
    };
    let io = TokioIo::new(Wire::new(socket, opening, link));
    // Each on the heap: a connection takes what its own protocol needs.
    match speech {
        Speech::Http1 => Box::pin(http1(protocols, peer, io)).await,
        Speech::Http2 => Box::pin(http2(protocols, peer, io)).await,
    }
}

async fn http1<E: Endpoint>(protocols: Arc<Protocols>, peer: Arc<Peer<E>>, io: TokioIo<Wire>) {
    let link = Arc::clone(&peer.link);
    let service = service_fn(move |request: Request<Incoming>| {
        let in_flight = InFlight::begin(&peer);
        async move { Ok::<_, Infallible>(in_flight.answer(request).await) }
    });
    let mut connection = protocols.http1.serve_connection(io, service);
    if drive(Pin::new(&mut connection), &link).await == Ending::Unread {
        Box::pin(linger(&link, connection.into_parts().io.into_inner())).await;
    }
}

async fn http2<E: Endpoint>(protocols: Arc<Protocols>, peer: Arc<Peer<E>>, io: TokioIo<Wire>) {
    let link = Arc::clone(&peer.link);
    let room = protocols.room.clone();
    let service = service_fn(move |request: Request<Incoming>| {
        let in_flight = InFlight::begin(&peer);
        let (place, link) = (room.take(), Arc::clone(&peer.link));
        async move {
            let answer = match place {
                Some(_) => in_flight.answer(request).await,
                None => Refusal::Crowded.response(),
            };
            Ok::<_, Infallible>(answer.map(|body| Kept::new(body, place, &link)))
        }
    });
    let connection = pin!(protocols.http2.serve_connection(io, service));
    drive(connection, &link).await;
}

/// The socket once hands are shaken, where it speaks TLS. The bound is that of a request's head.
async fn opened<E: Endpoint>(peer: &Peer<E>, socket: Socket) -> Option<Socket> {
    let (stream, doorman) = match (socket, &peer.site.doorman) {
        (Socket::Tcp(stream), Some(doorman)) => (stream, doorman),
        (socket, _) => return Some(socket),
    };
    match Box::pin(unless_told(&peer.link, doorman.shake(stream))).await? {
        Ok(stream) => Some(Socket::Tls(Box::new(stream))),
        Err(error) => {
            tracing::debug!(%error, "a peer did not shake hands");
            None
        }
    }
}

/// Why a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    /// Everything was said.
    Over,
    /// There is, or may be, input that nobody read.
    Unread,
}

/// Lets hyper work, notes what it does, and passes on orders.
async fn drive<C: Conversation>(mut connection: Pin<&mut C>, link: &Link) -> Ending {
    let mut noted = (Phase::Head, 0);
    let mut closing = false;
    poll_fn(|cx| {
        let order = link.order(cx.waker());
        if order == Order::Abort {
            return Poll::Ready(Ending::Over);
        }
        let mut polled = connection.as_mut().poll(cx);
        // After the poll, so that a request that has already come is still taken.
        if order == Order::Close && !closing && polled.is_pending() {
            closing = true;
            connection.as_mut().close();
            polled = connection.as_mut().poll(cx);
        }
        if let Poll::Ready(result) = polled {
            let misread = result.is_err_and(|error| {
                tracing::debug!(%error, "a connection failed");
                error.is_parse()
            });
            return Poll::Ready(if misread || link.is_refused() {
                Ending::Unread
            } else {
                Ending::Over
            });
        }
        if !C::MULTIPLEXED && !link.is_running() && !link.is_blocked() {
            // hyper would wait for the rest of the body, or of a head that has only begun.
            if link.is_refused() {
                return Poll::Ready(Ending::Unread);
            }
            if closing {
                return Poll::Ready(Ending::Over);
            }
        }
        let now = link.observe(C::MULTIPLEXED, closing);
        if now != noted {
            noted = now;
            link.enter(now.0);
        }
        Poll::Pending
    })
    .await
}

/// Ends the output, then reads and forgets what still comes, for a while.
async fn linger(link: &Link, mut wire: Wire) {
    let rest = async {
        let mut scratch = [0; 4096];
        wire.shutdown().await?;
        while wire.read(&mut scratch).await? > 0 {}
        Ok::<_, std::io::Error>(())
    };
    link.enter(Phase::Busy);
    // Nothing is left to say to a peer that is gone or does not stop.
    let _ = unless_told(link, tokio::time::timeout(LINGER, rest)).await;
}

/// The future's output, or None when the connection is told to close before there is one.
async fn unless_told<F: Future>(link: &Link, future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    poll_fn(|cx| {
        let order = link.order(cx.waker());
        match future.as_mut().poll(cx) {
            Poll::Ready(output) => Poll::Ready(Some(output)),
            Poll::Pending if order == Order::None => Poll::Pending,
            Poll::Pending => Poll::Ready(None),
        }
    })
    .await
}

/// What HTTP/1 and HTTP/2 connections have in common.
trait Conversation: Future<Output = hyper::Result<()>> {
    /// True when requests overlap.
    const MULTIPLEXED: bool;
    /// Takes no further request.
    fn close(self: Pin<&mut Self>);
}

impl<S> Conversation for http1::Connection<TokioIo<Wire>, S>
where
    S: HttpService<Incoming, ResBody = Body>,
    S::Error: Into<Box<dyn Error + Send + Sync>>,
{
    const MULTIPLEXED: bool = false;

    fn close(self: Pin<&mut Self>) {
        self.graceful_shutdown();
    }
}

impl<S> Conversation for http2::Connection<TokioIo<Wire>, S, Streams>
where
    S: HttpService<Incoming, ResBody = Kept<Body>>,
    S::Future: Send + 'static,
    S::Error: Into<Box<dyn Error + Send + Sync>>,
{
    const MULTIPLEXED: bool = true;

    fn close(self: Pin<&mut Self>) {
        self.graceful_shutdown();
    }
}
