//! How many requests all HTTP/2 connections may have at once, answers included that nobody takes.
//!
//! On HTTP/1 a connection has one request at a time, so the bound on connections is one on requests.
//! On HTTP/2 each has many, and a client that opens no window leaves their answers in memory.

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
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

/// An answer that keeps its request's place.
pub(super) struct Kept<B> {
    body: B,
    place: Option<Place>,
}

impl<B> Kept<B> {
    /// Without a place where the answer is that there was none.
    pub(super) fn new(body: B, place: Option<Place>) -> Self {
        Self { body, place }
    }
}

impl<B: Body<Data = Bytes> + Unpin> Body for Kept<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        let Some(place) = &self.place else {
            return polled;
        };
        // The body is dropped when its last part is queued, so each part has the place with it.
        polled.map_ok(|frame| {
            frame.map_data(|bytes| {
                let _place = place.clone();
                Bytes::from_owner(Part { bytes, _place })
            })
        })
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

struct Part {
    bytes: Bytes,
    _place: Place,
}

impl AsRef<[u8]> for Part {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}
