//! What an answer's body consists of: one message, or events as they come.

use super::link::Link;
use super::sse;
use crate::server::{Part, Parts};
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::{Instant, Sleep, sleep};

/// After how long a silence a stream says that it is still there.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// The body of an answer.
pub(super) enum Body {
    /// One message, or nothing.
    Whole(Bytes),
    /// A stream of events.
    Events(Box<Events>),
}

/// The messages of a request as events, and a comment in each silence. Its connection is busy as long
/// as it is there; dropping it cancels the request.
///
/// hyper asks for the next event only when the peer took enough of those before, so at most one waits
/// here.
pub(super) struct Events {
    parts: Parts,
    silence: Pin<Box<Sleep>>,
    _busy: Busy,
}

/// Keeps a connection busy.
struct Busy(Arc<Link>);

impl Default for Body {
    fn default() -> Self {
        Self::Whole(Bytes::new())
    }
}

impl Body {
    /// One message.
    pub(super) fn whole(message: Bytes) -> Self {
        Self::Whole(message)
    }

    /// Messages as they come, on the connection of this link.
    pub(super) fn events(parts: Parts, link: &Arc<Link>) -> Self {
        link.hold();
        Self::Events(Box::new(Events {
            parts,
            silence: Box::pin(sleep(KEEP_ALIVE)),
            _busy: Busy(Arc::clone(link)),
        }))
    }
}

impl HttpBody for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.get_mut() {
            Self::Whole(message) if message.is_empty() => Poll::Ready(None),
            Self::Whole(message) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(message))))),
            Self::Events(events) => events
                .poll_next(cx)
                .map(|next| next.map(Frame::data).map(Ok)),
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Whole(message) if message.is_empty())
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(message) => SizeHint::with_exact(message.len() as u64),
            Self::Events(_) => SizeHint::default(),
        }
    }
}

impl Events {
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let bytes = match self.parts.as_mut().poll_next(cx) {
            Poll::Ready(Some(Part::More(message) | Part::Last(message))) => sse::event(&message),
            Poll::Ready(None) => return Poll::Ready(None),
            Poll::Pending => {
                std::task::ready!(self.silence.as_mut().poll(cx));
                sse::comment()
            }
        };
        self.silence.as_mut().reset(Instant::now() + KEEP_ALIVE);
        Poll::Ready(Some(bytes))
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.end();
    }
}
