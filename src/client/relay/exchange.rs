//! One exchange with the server, and what can be made of how it ended.

use super::deliver::Server;
use super::parts::Notices;
use crate::client::error::ClientError;
use crate::client::http::{SESSION, is};
use crate::client::sse::Events;
use crate::protocol::client::{answers, is_told, one_line};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use serde_json::Value;
use tokio::time::timeout;

/// An answer of this size and more is no error that says that a session is over.
const SMALL: usize = 4096;

/// How an exchange ended.
pub(super) enum Outcome {
    /// With the answer, and the session that it may begin.
    Answer(Bytes, Option<HeaderValue>),
    /// The server does not know the session.
    SessionLost(ClientError),
    /// The server is not there. `sent` says that it may have got the request all the same.
    Away { error: ClientError, sent: bool },
    /// It is there and does not take the request.
    Failed(ClientError),
}

impl Server {
    /// Posts a request and reads to its answer. What comes before goes to `notices`.
    pub(super) async fn ask(
        &self,
        message: Bytes,
        headers: &HeaderMap,
        id: &Value,
        notices: &Notices,
    ) -> Outcome {
        let sending = self.http.send(Method::POST, message, headers);
        let response = match timeout(self.silence(), sending).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return away(error),
            Err(_) => return Outcome::Failed(self.http.broken("no answer came")),
        };
        let session = response.headers().get(SESSION).cloned();
        if response.status().is_success() && is(&response, "text/event-stream") {
            return match self.events(response, id, notices).await {
                Ok(Some(answer)) => Outcome::Answer(answer, session),
                Ok(None) => Outcome::Away {
                    error: self.http.broken("the stream ended before the answer came"),
                    sent: true,
                },
                Err(error @ ClientError::TooLarge { .. }) => Outcome::Failed(error),
                Err(error) => Outcome::Away { error, sent: true },
            };
        }
        let (status, is_json) = (response.status(), is(&response, "application/json"));
        let body = match timeout(self.silence(), self.http.whole(response)).await {
            Ok(Ok(body)) => body,
            Ok(Err(error @ ClientError::TooLarge { .. })) => return Outcome::Failed(error),
            Ok(Err(error)) => return Outcome::Away { error, sent: true },
            Err(_) => return Outcome::Failed(self.http.broken("the answer does not end")),
        };
        let in_session = headers.contains_key(SESSION);
        let lost = match status {
            StatusCode::NOT_FOUND => in_session,
            // What some servers say of a session from before their restart.
            StatusCode::BAD_REQUEST => {
                in_session && !(is_json && body.len() < SMALL && names(&body, id))
            }
            _ => false,
        };
        if lost {
            return Outcome::SessionLost(self.http.status(status, &body));
        }
        if is_json && answers(&body, id) {
            return Outcome::Answer(one_line(body, id), session);
        }
        let error = self.http.status(status, &body);
        match status.as_u16() {
            // Said by what stands before a server.
            502 | 504 => Outcome::Away { error, sent: true },
            503 => Outcome::Away { error, sent: false },
            200..=299 => Outcome::Failed(self.http.broken("what came is no answer")),
            _ => Outcome::Failed(error),
        }
    }

    /// Posts what has no answer.
    pub(super) async fn post(&self, message: Bytes, headers: &HeaderMap) -> Result<(), Outcome> {
        let sending = self.http.send(Method::POST, message, headers);
        let response = match timeout(self.silence(), sending).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(away(error)),
            Err(_) => return Err(Outcome::Failed(self.http.broken("no answer came"))),
        };
        let status = response.status();
        if status.is_success() {
            return Ok(());
        }
        let body = self.http.whole(response).await.unwrap_or_default();
        let error = self.http.status(status, &body);
        let in_session = headers.contains_key(SESSION);
        Err(match status.as_u16() {
            400 | 404 if in_session => Outcome::SessionLost(error),
            502..=504 => Outcome::Away { error, sent: true },
            _ => Outcome::Failed(error),
        })
    }

    /// Passes events on, up to the answer to the request of this id; with `null`, to the end.
    ///
    /// # Errors
    /// The stream broke off, or an event is too large.
    pub(super) async fn events(
        &self,
        response: Response<Incoming>,
        id: &Value,
        notices: &Notices,
    ) -> Result<Option<Bytes>, ClientError> {
        let mut body = response.into_body();
        let mut events = Events::new(self.http.bound());
        let mut passed_over = false;
        loop {
            let frame = match timeout(self.silence(), body.frame()).await {
                Ok(Some(Ok(frame))) => frame,
                Ok(Some(Err(_))) => return Err(self.http.broken("the stream broke off")),
                Ok(None) => return Ok(None),
                Err(_) => return Err(self.http.broken("the stream fell silent")),
            };
            let Ok(data) = frame.into_data() else {
                continue;
            };
            for event in events.push(&data).map_err(|_| self.http.too_large())? {
                if !id.is_null() && answers(&event, id) {
                    return Ok(Some(one_line(event.into(), id)));
                }
                if !is_told(&event) {
                    // Once is enough of a server that goes on so.
                    if !std::mem::replace(&mut passed_over, true) {
                        self.say("passed over what is no message for this client");
                    }
                    continue;
                }
                // The client is gone: so is whoever reads this.
                let _gone = notices.send(one_line(event.into(), &Value::Null)).await;
            }
        }
    }
}

/// Whether an answer names the request.
fn names(body: &[u8], id: &Value) -> bool {
    let answer: Value = serde_json::from_slice(body).unwrap_or_default();
    answer.get("id") == Some(id)
}

fn away(error: ClientError) -> Outcome {
    let sent = !matches!(
        error,
        ClientError::Socket { .. } | ClientError::Unreachable { .. }
    );
    match error {
        ClientError::Socket { .. }
        | ClientError::Unreachable { .. }
        | ClientError::Broken { .. } => Outcome::Away { error, sent },
        other => Outcome::Failed(other),
    }
}
