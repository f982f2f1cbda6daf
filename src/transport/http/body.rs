//! Taking in a request's body: bounded in size, in time, and in what all bodies together hold.

use super::refusal::Refusal;
use crate::model::HttpSettings;
use bytes::{Bytes, BytesMut};
use futures_util::FutureExt;
use http_body_util::BodyExt;
use hyper::body::{Body as _, Incoming};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// Bytes a second that a body must come at, on average, once the longest stall has passed. Without
/// it one byte now and then would hold memory for ever.
const SLOWEST: f64 = 8.0 * 1024.0;
/// How many bodies of the largest size may be on their way at the same time.
const LARGEST_AT_ONCE: usize = 64;
/// What is set aside for a body on the word of its Content-Length alone.
const TRUSTED: usize = 64 * 1024;

/// The bounds on bodies, shared by all connections.
#[derive(Debug)]
pub(super) struct Intake {
    max: usize,
    stall: Duration,
    held: AtomicUsize,
}

impl Intake {
    /// Nothing held yet.
    pub(super) fn new(settings: &HttpSettings) -> Self {
        Self {
            max: settings.max_body_bytes,
            stall: settings.body_timeout,
            held: AtomicUsize::new(0),
        }
    }

    /// The whole body. One that came with its head in a single piece is not copied and sets no
    /// timer.
    ///
    /// # Errors
    /// 413 as soon as the size is known to be too large, before anything is read if the head said
    /// so; 408; 400 when the framing is broken or the client has gone; 503.
    pub(super) async fn collect(&self, body: &mut Incoming) -> Result<Bytes, Refusal> {
        if body.size_hint().lower() > self.max as u64 {
            return Err(Refusal::BodyTooLarge);
        }
        let Some(first) = self.next(body, None).await? else {
            return Ok(Bytes::new());
        };
        if first.len() > self.max {
            return Err(Refusal::BodyTooLarge);
        }
        if body.is_end_stream() {
            return Ok(first);
        }
        let begun = Instant::now();
        let mut held = Held {
            intake: self,
            bytes: 0,
        };
        held.add(first.len())?;
        let mut next = self.next(body, Some((begun, first.len()))).await?;
        if next.is_none() {
            return Ok(first);
        }
        let announced = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
        let mut whole = BytesMut::with_capacity(first.len() + announced.min(TRUSTED));
        whole.extend_from_slice(&first);
        drop(first);
        while let Some(piece) = next {
            if piece.len() > self.max - whole.len() {
                return Err(Refusal::BodyTooLarge);
            }
            held.add(piece.len())?;
            whole.extend_from_slice(&piece);
            next = if body.is_end_stream() {
                None
            } else {
                self.next(body, Some((begun, whole.len()))).await?
            };
        }
        Ok(whole.freeze())
    }

    /// The next piece that is not empty, or the end.
    async fn next(
        &self,
        body: &mut Incoming,
        so_far: Option<(Instant, usize)>,
    ) -> Result<Option<Bytes>, Refusal> {
        loop {
            let frame = match body.frame().now_or_never() {
                Some(frame) => frame,
                None => timeout_at(self.deadline(so_far), body.frame())
                    .await
                    .map_err(|_| Refusal::BodyStalled)?,
            };
            match frame {
                None => return Ok(None),
                Some(Err(_)) => return Err(Refusal::BodyBroken),
                // Trailers carry nothing that is wanted.
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) if !data.is_empty() => return Ok(Some(data)),
                    _ => {}
                },
            }
        }
    }

    /// Until when the next piece must come.
    fn deadline(&self, so_far: Option<(Instant, usize)>) -> Instant {
        let stalled = Instant::now() + self.stall;
        match so_far {
            None => stalled,
            Some((begun, bytes)) => {
                stalled.min(begun + self.stall + Duration::from_secs_f64(bytes as f64 / SLOWEST))
            }
        }
    }
}

/// What one body holds of the common allowance, given back when it is dropped.
struct Held<'a> {
    intake: &'a Intake,
    bytes: usize,
}

impl Held<'_> {
    fn add(&mut self, bytes: usize) -> Result<(), Refusal> {
        self.bytes += bytes;
        let before = self.intake.held.fetch_add(bytes, Relaxed);
        let allowance = self.intake.max.saturating_mul(LARGEST_AT_ONCE);
        if before.saturating_add(bytes) > allowance {
            Err(Refusal::Busy)
        } else {
            Ok(())
        }
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.intake.held.fetch_sub(self.bytes, Relaxed);
    }
}

/// Takes what has already come of a body that nobody will read. True when that was all of it, so
/// that the connection can go on with the next request.
pub(super) fn discard(body: &mut Incoming) -> bool {
    // A bound, so that a fast peer is not read for ever in one go.
    for _ in 0..16 {
        if body.is_end_stream() {
            return true;
        }
        match body.frame().now_or_never() {
            None | Some(Some(Err(_))) => return false,
            Some(None) => return true,
            Some(Some(Ok(_))) => {}
        }
    }
    false
}
