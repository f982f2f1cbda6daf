//! An answer's body: read in pieces, decoded, counted.

use super::decode::Decoder;
use super::error::Fault;
use crate::ops::Notices;
use bytes::Bytes;
use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH};
use http_body_util::BodyExt;
use hyper::body::Body;
use std::time::Duration;
use tokio::time::timeout;

/// How much more than the bound may come over the wire. Nothing useful grows when it is encoded;
/// a body made of empty blocks would else be read for ever.
const OVERHEAD: usize = 64 * 1024;
/// How much is decoded before other tasks get their turn.
const PIECE: usize = 8 * 1024;

/// The smallest body of which it is told how much has come: a smaller one is there at once.
const WORTH_TELLING: u64 = 64 * 1024;

/// Most bytes of a body of which only the beginning is wanted, and how long it may take to come.
const BEGINNING: usize = 64 * 1024;
const SOON: Duration = Duration::from_secs(2);

/// Reads the body, at most `max` bytes decoded. How much of a large one has come over the wire, and of
/// how much where that was said, is told to `notices`. The fields that described the encoded body are
/// removed from `headers` when there was one.
pub(super) async fn read(
    headers: &mut HeaderMap,
    mut body: impl Body<Data = Bytes> + Unpin,
    max: usize,
    notices: &Notices,
) -> Result<Bytes, Fault> {
    if body.is_end_stream() {
        return Ok(Bytes::new());
    }
    let mut decoder = Decoder::for_head(headers, max)?;
    if decoder.is_identity() && body.size_hint().lower() > max as u64 {
        return Err(Fault::TooLarge(max));
    }
    fill(&mut decoder, &mut body, max, notices).await?;
    if !decoder.is_identity() {
        headers.remove(CONTENT_ENCODING);
        headers.remove(CONTENT_LENGTH);
    }
    Ok(decoder.finish()?.into())
}

/// Reads what can be had of the beginning of a body, and whether that is all of it. What is wrong
/// with the body, or takes too long to come, only ends the beginning.
pub(super) async fn read_beginning(
    headers: &HeaderMap,
    mut body: impl Body<Data = Bytes> + Unpin,
) -> (Bytes, bool) {
    let Ok(mut decoder) = Decoder::for_head(headers, BEGINNING) else {
        return (Bytes::new(), false);
    };
    let filled = timeout(
        SOON,
        fill(&mut decoder, &mut body, BEGINNING, &Notices::none()),
    )
    .await;
    let is_whole = matches!(filled, Ok(Ok(())));
    (decoder.into_beginning().into(), is_whole)
}

async fn fill(
    decoder: &mut Decoder,
    body: &mut (impl Body<Data = Bytes> + Unpin),
    max: usize,
    notices: &Notices,
) -> Result<(), Fault> {
    let mut wire = 0_usize;
    let total = body.size_hint().exact();
    while let Some(frame) = body.frame().await {
        // A trailer is no part of the body.
        let Ok(data) = frame.map_err(|_| Fault::Truncated)?.into_data() else {
            continue;
        };
        wire = wire.saturating_add(data.len());
        if wire > max.saturating_add(OVERHEAD) {
            return Err(Fault::TooLarge(max));
        }
        if total.unwrap_or(wire as u64) >= WORTH_TELLING {
            notices.progress(wire as f64, total.map(|total| total as f64), None);
        }
        for piece in data.chunks(PIECE) {
            decoder.push(piece)?;
            if decoder.is_identity() {
                tokio::task::consume_budget().await;
            } else {
                // A piece may have become a thousand times as much.
                tokio::task::yield_now().await;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use futures_util::{StreamExt as _, stream};
    use http::HeaderValue;
    use http_body_util::{Full, StreamBody};
    use hyper::body::Frame;
    use std::convert::Infallible;
    use std::io::Write as _;
    use tokio::time::Instant;

    #[tokio::test]
    async fn of_a_large_body_the_beginning_is_read_to_a_whole_piece() {
        let frame = || Ok::<_, Infallible>(Frame::data(Bytes::from(vec![b'a'; 10_000])));
        let large = StreamBody::new(stream::iter(std::iter::repeat_with(frame).take(20)));
        let (bytes, is_whole) = read_beginning(&HeaderMap::new(), large).await;
        // Of 8192 and 1808 bytes in turn, as many as fit.
        assert_eq!((bytes.len(), is_whole), (60_000, false));
        let small = Full::new(Bytes::from_static(b"small"));
        let (bytes, is_whole) = read_beginning(&HeaderMap::new(), small).await;
        assert_eq!((&*bytes, is_whole), (&b"small"[..], true));
    }

    #[tokio::test]
    async fn the_beginning_of_an_encoded_body_is_decoded() {
        let text = "text ".repeat(100_000).into_bytes();
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&text).unwrap();
        let body = Full::new(Bytes::from(encoder.finish().unwrap()));
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        let (bytes, is_whole) = read_beginning(&headers, body).await;
        assert!(!is_whole && !bytes.is_empty() && bytes.len() <= BEGINNING);
        assert!(text.starts_with(&bytes));
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_stops_coming_ends_the_beginning() {
        let piece = Ok::<_, Infallible>(Frame::data(Bytes::from_static(b"begun")));
        let hanging = stream::iter([piece]).chain(stream::pending());
        let began = Instant::now();
        let body = StreamBody::new(hanging);
        let (bytes, is_whole) = read_beginning(&HeaderMap::new(), body).await;
        assert_eq!((&*bytes, is_whole), (&b"begun"[..], false));
        assert_eq!(began.elapsed(), SOON);
    }
}
