//! How many requests all HTTP/2 connections may have at once, answers included that nobody takes.
//!
//! On HTTP/1 a connection has one request at a time, so the bound on connections is one on requests.
//! On HTTP/2 each has many, and a client that opens no window leaves their answers in memory.

use super::link::{Link, Untaken};
use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The places of requests.
#[derive(Clone, Debug)]
pub(super) struct Room(Arc<Semaphore>);

/// The place of one request. It is free again when all parts of the answer are sent or dropped.
#[derive(Clone, Debug)]
pub(super) struct Place {
    _permit: Arc<OwnedSemaphorePermit>,
}

impl Room {
    /// Room for this many requests.
    pub(super) fn new(requests: usize) -> Self {
        let requests = requests.clamp(1, Semaphore::MAX_PERMITS);
        Self(Arc::new(Semaphore::new(requests)))
    }

    /// A place, or None when none is free.
    pub(super) fn take(&self) -> Option<Place> {
        let permit = Arc::clone(&self.0).try_acquire_owned().ok()?;
        Some(Place {
            _permit: Arc::new(permit),
        })
    }
}

/// What of a message is handed over at once. hyper asks for more only when the peer has room for it, so
/// this is how finely it is seen that a peer takes what it is sent.
const PIECE: usize = 64 * 1024;

/// An answer on HTTP/2: it keeps its request's place, and its connection's link knows whether the peer
/// takes it.
pub(super) struct Kept<B> {
    body: B,
    /// What the body gave and was not handed over yet.
    rest: Bytes,
    place: Option<Place>,
    link: Arc<Link>,
    /// While it is the peer's turn to make room for more.
    waits: Option<Untaken>,
}

impl<B> Kept<B> {
    /// On the connection of this link; without a place where the answer is that there was none.
    pub(super) fn new(body: B, place: Option<Place>, link: &Arc<Link>) -> Self {
        Self {
            body,
            rest: Bytes::new(),
            place,
            link: Arc::clone(link),
            waits: Some(Untaken::new(link)),
        }
    }
}

impl<B: Body<Data = Bytes> + Unpin> Body for Kept<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        // hyper asks when the peer has room: it took what came before.
        self.waits = None;
        if self.rest.is_empty() {
            let frame = match ready!(Pin::new(&mut self.body).poll_frame(cx)) {
                Some(Ok(frame)) => frame,
                end => return Poll::Ready(end),
            };
            match frame.into_data() {
                Ok(data) => self.rest = data,
                Err(frame) => return Poll::Ready(Some(Ok(frame))),
            }
        }
        let length = self.rest.len().min(PIECE);
        let bytes = self.rest.split_to(length);
        self.waits = Some(Untaken::new(&self.link));
        // The body is dropped when its last part is queued, so each part has the place with it.
        let part = Part {
            bytes,
            _place: self.place.clone(),
            _untaken: Untaken::new(&self.link),
        };
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_owner(part)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (rest, mut hint) = (self.rest.len() as u64, self.body.size_hint());
        if rest > 0 {
            let upper = hint.upper().map(|upper| upper + rest);
            hint.set_lower(hint.lower() + rest);
            if let Some(upper) = upper {
                hint.set_upper(upper);
            }
        }
        hint
    }
}

struct Part {
    bytes: Bytes,
    _place: Option<Place>,
    _untaken: Untaken,
}

impl AsRef<[u8]> for Part {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}
