//! The answers that the transport gives itself, without asking the server. One table.
//!
//! | status | when | connection (HTTP/1) |
//! |---|---|---|
//! | 400 | `Host` missing, twice, malformed; a body whose framing is broken | closed for a broken body |
//! | 403 | `Host` or `Origin` not allowed | kept |
//! | 400, 401, 403 | no credentials that are good here; with `WWW-Authenticate` (`access`) | kept |
//! | 404 | another path than the endpoint's | kept |
//! | 405 | a method that is not served, or GET or DELETE without a session; with `Allow` | kept |
//! | 406 | neither JSON nor an event stream is accepted, or GET without the latter | kept |
//! | 408 | the body stalled | closed |
//! | 413 | the body is too large | closed |
//! | 415 | not `application/json` in UTF-8, or compressed | kept |
//! | 503 | too much of other bodies is held, or too many HTTP/2 requests; with `Retry-After` | closed |
//!
//! "Kept" means: if the body has a Content-Length and all of it had come already. Each carries a JSON-RPC
//! error without an id (the specification's MAY), -32600, or -32603 for 503. Besides, hyper answers
//! a head that it cannot read with a bare 400, 414 or 431 and closes.

use super::Body;
use crate::access::Denied;
use bytes::Bytes;
use http::header::{ACCEPT_ENCODING, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderValue, Response, StatusCode};

/// Why a request was not handed to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    BadHost,
    HostNotAllowed,
    OriginNotAllowed,
    UnknownPath,
    MethodNotAllowed,
    NotAcceptable,
    NoStream,
    BodyBroken,
    BodyStalled,
    BodyTooLarge,
    MediaType,
    Encoding,
    Busy,
    Crowded,
}

macro_rules! error {
    ($message:literal) => {
        error!("-32600", $message)
    };
    ($code:literal, $message:literal) => {
        concat!(
            r#"{"jsonrpc":"2.0","error":{"code":"#,
            $code,
            r#","message":""#,
            $message,
            r#""}}"#
        )
    };
}

impl Refusal {
    /// The table: status and body.
    fn parts(self) -> (StatusCode, &'static str) {
        match self {
            Self::BadHost => (
                StatusCode::BAD_REQUEST,
                error!("exactly one valid Host is needed"),
            ),
            Self::HostNotAllowed => (
                StatusCode::FORBIDDEN,
                error!("this Host is not allowed; see http.allowed_hosts"),
            ),
            Self::OriginNotAllowed => (
                StatusCode::FORBIDDEN,
                error!("this Origin is not allowed; see http.allowed_origins"),
            ),
            Self::UnknownPath => (
                StatusCode::NOT_FOUND,
                error!("nothing is served at this path"),
            ),
            Self::MethodNotAllowed => (
                StatusCode::METHOD_NOT_ALLOWED,
                error!("messages are sent with POST; GET and DELETE need a session"),
            ),
            Self::NotAcceptable => (
                StatusCode::NOT_ACCEPTABLE,
                error!("Accept must allow application/json or text/event-stream"),
            ),
            Self::NoStream => (
                StatusCode::NOT_ACCEPTABLE,
                error!("GET opens a stream: Accept must allow text/event-stream"),
            ),
            Self::BodyBroken => (
                StatusCode::BAD_REQUEST,
                error!("the request body could not be read"),
            ),
            Self::BodyStalled => (
                StatusCode::REQUEST_TIMEOUT,
                error!("the request body came too slowly"),
            ),
            Self::BodyTooLarge => (
                StatusCode::PAYLOAD_TOO_LARGE,
                error!("the request body is too large; see http.max_body_bytes"),
            ),
            Self::MediaType => (
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                error!("Content-Type must be application/json in UTF-8"),
            ),
            Self::Encoding => (
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                error!("the request body must not be compressed"),
            ),
            Self::Busy => (
                StatusCode::SERVICE_UNAVAILABLE,
                error!("-32603", "too many request bodies at the same time"),
            ),
            Self::Crowded => (
                StatusCode::SERVICE_UNAVAILABLE,
                error!(
                    "-32603",
                    "too many HTTP/2 requests at the same time; see http.max_connections"
                ),
            ),
        }
    }

    /// True when the rest of the connection's input cannot be made sense of, or is not wanted.
    pub(super) fn closes(self) -> bool {
        matches!(
            self,
            Self::BodyBroken | Self::BodyStalled | Self::BodyTooLarge | Self::Busy
        )
    }

    /// The answer.
    pub(super) fn response(self) -> Response<Body> {
        let (status, body) = self.parts();
        let mut response = Response::new(Body::whole(Bytes::from_static(body.as_bytes())));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        match self {
            Self::Encoding => headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity")),
            Self::Busy | Self::Crowded => {
                headers.insert(RETRY_AFTER, HeaderValue::from_static("1"))
            }
            _ => None,
        };
        response
    }
}

/// Why a request was not handed to the server, or by whom.
#[derive(Debug)]
pub(super) enum Refused {
    /// By the transport.
    Here(Refusal),
    /// By who says who may call.
    Denied(Denied),
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        Self::Here(refusal)
    }
}

impl From<Denied> for Refused {
    fn from(denied: Denied) -> Self {
        Self::Denied(denied)
    }
}

impl Refused {
    /// See [`Refusal::closes`].
    pub(super) fn closes(&self) -> bool {
        matches!(self, Self::Here(refusal) if refusal.closes())
    }

    /// The answer.
    pub(super) fn response(self) -> Response<Body> {
        let denied = match self {
            Self::Here(refusal) => return refusal.response(),
            Self::Denied(denied) => denied,
        };
        let body = format!(
            r#"{{"jsonrpc":"2.0","error":{{"code":-32600,"message":"{}"}}}}"#,
            denied.why
        );
        let mut response = Response::new(Body::whole(Bytes::from(body)));
        *response.status_mut() = denied.status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        denied_by(&denied, headers);
        response
    }
}

/// What a caller that is not served is told beside the body.
pub(super) fn denied_by(denied: &Denied, headers: &mut HeaderMap) {
    if denied.status == StatusCode::SERVICE_UNAVAILABLE {
        headers.insert(RETRY_AFTER, HeaderValue::from_static("5"));
    }
    if let Some(challenge) = &denied.challenge {
        headers.insert(WWW_AUTHENTICATE, challenge.clone());
    }
}
