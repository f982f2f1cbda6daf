//! A call: its hops, and the attempts at each.

use super::body;
use super::client::{Client, IDLE_PER_ORIGIN, Pool};
use super::error::Fault;
use super::failure::{send_fault, was_closing, was_refused};
use super::hop::Hop;
use super::origin::Origin;
use super::request::{Fetch, Fetched};
use super::retry;
use super::stream::Used;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderValue, Method, Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_util::client::legacy;
use tokio::time::Instant;

/// A call under way.
pub(super) struct Call<'c> {
    client: &'c Client,
    fetch: &'c Fetch,
    deadline: Option<Instant>,
    hop: Hop,
    /// Repeats made in all, over all hops.
    repeats: u32,
}

impl<'c> Call<'c> {
    /// Refuses what cannot be sent; connects to nothing.
    pub(super) fn new(
        client: &'c Client,
        fetch: &'c Fetch,
        deadline: Option<Instant>,
    ) -> Result<Self, Fault> {
        Ok(Self {
            client,
            fetch,
            deadline,
            hop: Hop::first(fetch)?,
            repeats: 0,
        })
    }

    /// The origin that is being asked.
    pub(super) fn origin(&self) -> &Origin {
        &self.hop.origin
    }

    /// Follows redirects to the answer.
    pub(super) async fn run(&mut self) -> Result<Fetched, Fault> {
        let mut followed = 0;
        loop {
            let response = self.send().await?;
            let next = if self.fetch.redirects == 0 {
                None
            } else {
                self.hop
                    .follow(response.status(), response.headers(), self.fetch)?
            };
            let Some(next) = next else {
                return self.read(response).await;
            };
            if followed == self.fetch.redirects {
                return Err(Fault::TooManyRedirects(self.fetch.redirects));
            }
            followed += 1;
            self.hop = next;
        }
    }

    /// The hop's answer, after as many attempts as the manifest grants. A wait that would not end in
    /// time is not begun: what there is, is the answer.
    async fn send(&mut self) -> Result<Response<Incoming>, Fault> {
        loop {
            let outcome = self.attempt().await;
            let tries = self.repeats.saturating_add(1);
            let (retry, method) = (&self.fetch.retry, &self.hop.method);
            let Some(delay) = retry::delay(retry, tries, method, &outcome, retry::jitter()) else {
                return outcome;
            };
            let wake = Instant::now().checked_add(delay);
            let in_time = match (wake, self.deadline) {
                (Some(wake), Some(deadline)) => wake < deadline,
                (wake, None) => wake.is_some(),
                (None, _) => false,
            };
            if !in_time {
                return outcome;
            }
            drop(outcome);
            self.repeats = tries;
            tokio::time::sleep(delay).await;
        }
    }

    /// Sends the hop's request. What costs no attempt: a pooled connection that the server had
    /// closed meanwhile, where repeating is harmless (RFC 9112 §9.3.1), each such try using one up;
    /// and, once, a stream that the server says it never looked at (RFC 9113 §8.7).
    async fn attempt(&self) -> Result<Response<Incoming>, Fault> {
        let lane = self.hop.lane(&self.fetch.target)?;
        let pool = self.client.pool(lane);
        let repeat = retry::may_repeat(&self.fetch.retry, &self.hop.method);
        let (mut closing, mut refused) = (IDLE_PER_ORIGIN, 1);
        loop {
            match self.once(pool).await? {
                Ok(response) => return Ok(response),
                Err(error) if repeat && closing > 0 && was_closing(&error) => closing -= 1,
                Err(error) if refused > 0 && was_refused(&error) => refused -= 1,
                Err(error) => return Err(send_fault(&error)),
            }
        }
    }

    async fn once(&self, pool: &Pool) -> Result<Result<Response<Incoming>, legacy::Error>, Fault> {
        let mut request = Request::new(Full::new(self.hop.body.clone()));
        *request.method_mut() = self.hop.method.clone();
        *request.uri_mut() = self.hop.uri()?;
        *request.headers_mut() = self.hop.headers.clone();
        if self.hop.body.is_empty() && takes_body(request.method()) {
            // Without it some servers answer 411 (RFC 9110 §8.6); the connection leaves it out.
            request
                .headers_mut()
                .insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
        }
        let outcome = pool.request(request).await;
        if let Some(used) = outcome
            .as_ref()
            .ok()
            .and_then(|r| r.extensions().get::<Used>())
        {
            used.mark();
        }
        Ok(outcome)
    }

    async fn read(&self, response: Response<Incoming>) -> Result<Fetched, Fault> {
        let (head, body) = response.into_parts();
        let mut headers = head.headers;
        let wanted =
            head.status.is_success() || self.fetch.accept_status.contains(&head.status.as_u16());
        let (body, is_whole) = if wanted {
            let Fetch {
                max_bytes, notices, ..
            } = self.fetch;
            let body = body::read(&mut headers, body, *max_bytes, notices).await?;
            (body, true)
        } else {
            body::read_beginning(&headers, body).await
        };
        let content_type = headers
            .get(CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .map(str::to_owned);
        Ok(Fetched {
            status: head.status,
            headers,
            body,
            is_whole,
            content_type,
            url: self.hop.url.clone(),
        })
    }
}

/// True for a method that gives a body a meaning (RFC 9110 §9.3).
fn takes_body(method: &Method) -> bool {
    matches!(*method, Method::POST | Method::PUT | Method::PATCH)
}
