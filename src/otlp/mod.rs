//! Spans on their way to a collector (OpenTelemetry Protocol over HTTP, in JSON).
//!
//! One task takes what has ended, some at a time, and sends it. While a collector fails or hangs,
//! spans wait in a bounded queue in front of the task, and what finds it full is dropped and counted.

mod encode;

use crate::action::http::{Client, ClientError, ClientOptions};
use crate::model::{Identity, TracesSettings};
use crate::telemetry::{Ended, Finished, Traces};
use bytes::Bytes;
use encode::Encoder;
use http::header::{CONTENT_TYPE, RETRY_AFTER, USER_AGENT};
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode, Uri};
use http_body_util::{BodyExt as _, Full, Limited};
use serde_json::Value;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

/// Spans of one request.
const MOST: usize = 512;
/// How long the first span of a request waits for others.
const GATHER: Duration = Duration::from_secs(1);
/// How often a request is made, and the pauses between: the first, doubled each time, and the longest.
const ATTEMPTS: u32 = 5;
const PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// Bytes of an answer that are read.
const MOST_ANSWER: usize = 64 * 1024;

/// Exports spans. Dropping it ends it at once.
#[derive(Debug)]
pub struct Exporter {
    stop: CancellationToken,
    task: AbortOnDropHandle<()>,
}

/// What the task works with.
struct Work {
    ended: Ended,
    client: Client,
    uri: Uri,
    headers: HeaderMap,
    timeout: Duration,
    encoder: Encoder,
    stop: CancellationToken,
    /// The last attempt failed, and that was said.
    failing: bool,
}

/// Why a collector has not taken spans.
#[derive(Debug, thiserror::Error)]
enum NotTaken {
    #[error("no answer within {0:?}")]
    Late(Duration),
    #[error("{0}")]
    Unreachable(String),
    #[error("it answered with status {}", .status.as_u16())]
    Status {
        status: StatusCode,
        after: Option<Duration>,
    },
}

impl NotTaken {
    /// Whether it may be taken later, and when at the earliest (OTLP/HTTP: Failures).
    fn again(&self) -> Option<Duration> {
        match self {
            Self::Late(_) | Self::Unreachable(_) => Some(Duration::ZERO),
            Self::Status { status, after } => {
                matches!(status.as_u16(), 429 | 502 | 503 | 504).then(|| after.unwrap_or_default())
            }
        }
    }
}

impl Exporter {
    /// Starts to export, in a task of its own; what is to be exported is given to the other end. `server`
    /// is whose spans they are.
    ///
    /// # Errors
    /// The certificates to trust cannot be read.
    pub fn start(
        settings: &TracesSettings,
        server: &Identity,
    ) -> Result<(Self, Traces), ClientError> {
        let client = Client::new(&ClientOptions {
            ca: settings.ca.clone(),
            identity: None,
        })?;
        let mut headers = HeaderMap::new();
        for (name, value) in &settings.headers {
            // What cannot stand in a header was refused when it was read.
            if let Ok(mut value) = HeaderValue::from_str(value.reveal()) {
                value.set_sensitive(true);
                headers.insert(name, value);
            }
        }
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let agent = concat!("snodo/", env!("CARGO_PKG_VERSION"));
        headers.insert(USER_AGENT, HeaderValue::from_static(agent));
        let (traces, ended) = Traces::new(settings.ratio);
        let stop = CancellationToken::new();
        let work = Work {
            ended,
            client,
            // Every URL of http is a URI.
            uri: settings.endpoint.as_str().parse().unwrap_or_default(),
            headers,
            timeout: settings.timeout,
            encoder: Encoder::new(settings, server),
            stop: stop.clone(),
            failing: false,
        };
        let task = AbortOnDropHandle::new(tokio::spawn(work.run()));
        Ok((Self { stop, task }, traces))
    }

    /// Exports what has ended, as far as it can within this time.
    pub async fn finish(self, within: Duration) {
        self.stop.cancel();
        if timeout(within, self.task).await.is_err() {
            tracing::warn!("the collector of traces is too slow; the last spans are lost");
        }
    }
}

impl Work {
    async fn run(mut self) {
        let mut batch = Vec::with_capacity(MOST);
        while self.gather(&mut batch).await {
            let spans = batch.len() as u64;
            match self.export(&batch).await {
                Ok(refused) => {
                    let refused = refused.min(spans);
                    self.ended.exported(spans - refused);
                    self.ended.dropped(refused);
                }
                Err(_) => self.ended.dropped(spans),
            }
            batch.clear();
        }
    }

    /// Waits for spans, and gathers those that end soon after. False when there are no more.
    async fn gather(&mut self, batch: &mut Vec<Finished>) -> bool {
        let stop = self.stop.clone();
        let due = tokio::select! {
            biased;
            () = stop.cancelled() => None,
            _ = self.ended.spans.recv_many(batch, MOST) => Some(Instant::now() + GATHER),
        };
        if let Some(due) = due {
            while batch.len() < MOST {
                let more = self.ended.spans.recv_many(batch, MOST - batch.len());
                let more = stop.run_until_cancelled(timeout_at(due, more)).await;
                if !matches!(more, Some(Ok(1..))) {
                    break;
                }
            }
        } else {
            while batch.len() < MOST
                && let Ok(span) = self.ended.spans.try_recv()
            {
                batch.push(span);
            }
        }
        !batch.is_empty()
    }

    /// Sends these spans, several times if need be. The number is how many the collector refused.
    async fn export(&mut self, batch: &[Finished]) -> Result<u64, NotTaken> {
        let body = Bytes::from(self.encoder.request(batch));
        let mut pause = PAUSE;
        let mut attempt = 1;
        loop {
            let sent = match timeout(self.timeout, self.send(body.clone())).await {
                Ok(sent) => sent,
                Err(_) => Err(NotTaken::Late(self.timeout)),
            };
            self.say(&sent);
            let error = match sent {
                Ok(refused) => return Ok(refused),
                Err(error) => error,
            };
            let again = error.again().filter(|_| attempt < ATTEMPTS);
            let Some(after) = again.filter(|_| !self.stop.is_cancelled()) else {
                return Err(error);
            };
            let wait = sleep(after.max(pause).min(LONGEST_PAUSE));
            self.stop.run_until_cancelled(wait).await;
            pause *= 2;
            attempt += 1;
        }
    }

    async fn send(&self, body: Bytes) -> Result<u64, NotTaken> {
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.uri.clone();
        *request.headers_mut() = self.headers.clone();
        let opened = self.client.open(request).await;
        let response = opened.map_err(|fault| NotTaken::Unreachable(fault.to_string()))?;
        let status = response.status();
        if !status.is_success() {
            let after = response.headers().get(RETRY_AFTER);
            let after = after.and_then(|after| after.to_str().ok()?.trim().parse().ok());
            return Err(NotTaken::Status {
                status,
                after: after.map(Duration::from_secs),
            });
        }
        // Whatever else it says, it has taken them.
        let read = Limited::new(response.into_body(), MOST_ANSWER).collect();
        let said = read.await.map(|body| body.to_bytes()).unwrap_or_default();
        let said: Value = serde_json::from_slice(&said).unwrap_or_default();
        Ok(refused(&said["partialSuccess"]["rejectedSpans"]))
    }

    /// Says when it begins to fail and when it works again, and nothing in between.
    fn say(&mut self, sent: &Result<u64, NotTaken>) {
        match sent {
            Err(error) if !self.failing => {
                tracing::warn!(%error, "cannot export traces");
            }
            Ok(_) if self.failing => tracing::info!("traces are exported again"),
            _ => {}
        }
        self.failing = sent.is_err();
    }
}

/// A 64-bit number as JSON has it in Protobuf: a text, or a number.
fn refused(said: &Value) -> u64 {
    let text = said.as_str().and_then(|text| text.parse().ok());
    text.or(said.as_u64()).unwrap_or(0)
}
