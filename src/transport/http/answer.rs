//! What an answer's body consists of: one message, or events as they come.

use super::link::Link;
use super::sse;
use crate::protocol::Pieces;
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
    Whole(Pieces),
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
        Self::Whole(Pieces::default())
    }
}

impl Body {
    /// One message.
    pub(super) fn whole(message: impl Into<Pieces>) -> Self {
        Self::Whole(message.into())
    }

    /// Messages as they come, on the connection of this link.
    pub(super) fn events(parts: Parts, link: &Arc<Link>) -> Self {
        Self::from(parts, link, KEEP_ALIVE)
    }

    /// Messages as they come, the first of which may be long in coming: what is between here and the
    /// client sees at once that it is a stream.
    pub(super) fn listening(parts: Parts, link: &Arc<Link>) -> Self {
        Self::from(parts, link, Duration::ZERO)
    }

    fn from(parts: Parts, link: &Arc<Link>, silence: Duration) -> Self {
        link.hold();
        Self::Events(Box::new(Events {
            parts,
            silence: Box::pin(sleep(silence)),
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
            Self::Whole(message) => Poll::Ready(message.pop().map(Frame::data).map(Ok)),
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

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::stream;
    use http_body_util::BodyExt as _;
    use std::future::pending;
    use std::time::Instant as Epoch;

    fn link() -> Arc<Link> {
        Arc::new(Link::new(Epoch::now()))
    }

    async fn next(body: &mut Body) -> Option<Bytes> {
        let frame = body.frame().await?.unwrap();
        Some(frame.into_data().unwrap())
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_stream_says_that_it_is_there_every_15_seconds() {
        let link = link();
        let parts = stream::once(async {
            tokio::time::sleep(Duration::from_secs(40)).await;
            Part::More(Bytes::from_static(b"1"))
        });
        let parts = stream::StreamExt::chain(parts, stream::once(pending()));
        let mut body = Body::events(Box::pin(parts), &link);
        let begun = Instant::now();
        let mut heard = Vec::new();
        for _ in 0..4 {
            let bytes = next(&mut body).await.unwrap();
            heard.push((begun.elapsed().as_secs(), bytes));
        }
        let (comment, event) = (":\n\n", "event: message\ndata: 1\n\n");
        let expected = [(15, comment), (30, comment), (40, event), (55, comment)];
        assert_eq!(heard, expected.map(|(at, text)| (at, Bytes::from(text))));
    }

    #[tokio::test]
    async fn a_stream_keeps_its_connection_busy_until_it_is_dropped() {
        let link = link();
        let mut body = Body::events(Box::pin(stream::empty()), &link);
        assert!(link.is_running());
        assert_eq!(next(&mut body).await, None);
        assert!(link.is_running());
        drop(body);
        assert!(!link.is_running());
    }

    #[tokio::test]
    async fn one_message_is_one_frame_of_known_length() {
        let mut body = Body::whole(Bytes::from_static(b"abc"));
        assert_eq!(body.size_hint().exact(), Some(3));
        assert!(!body.is_end_stream());
        assert_eq!(next(&mut body).await, Some(Bytes::from_static(b"abc")));
        assert!(body.is_end_stream());
        assert_eq!(next(&mut body).await, None);
        assert!(Body::default().is_end_stream());
    }
}
