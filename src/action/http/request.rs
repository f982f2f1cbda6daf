//! What is asked for and what comes back.

use crate::model::HostPattern;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use std::time::Duration;
use url::Url;

/// A request, complete: no template is left in it.
#[derive(Clone)]
pub struct Fetch {
    /// Any method but CONNECT.
    pub method: Method,
    /// An http or https URL. Userinfo becomes a Basic `Authorization` unless the headers have one; the
    /// fragment is not sent.
    pub url: Url,
    /// Headers in order; a name may repeat. `User-Agent`, `Accept` and `Accept-Encoding` have defaults.
    /// Those of the connection are refused: see [`super::is_own_header`].
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// Names in `headers` whose values hold a secret: dropped, like `Authorization`, `Cookie` and
    /// `Proxy-Authorization`, when a redirect changes scheme, host or port.
    pub secret_headers: Vec<HeaderName>,
    /// The body; `None` and empty are the same.
    pub body: Option<Bytes>,
    /// The body holds a secret: a redirect that would send it to another origin is refused.
    pub secret_body: bool,
    /// Bounds the whole call: resolving, connecting, redirects, retries, waits and the body.
    pub timeout: Duration,
    /// Bounds the body, decoded, in bytes.
    pub max_bytes: usize,
    /// The statuses beside 2xx whose body is wanted whole. Of any other the beginning is read, up to
    /// 64 KiB in two seconds.
    pub accept_status: Vec<u16>,
    /// How many redirects are followed; 0 returns the redirect itself.
    pub redirects: u32,
    /// When the request is sent again.
    pub retry: Retry,
    /// Whose word the host is.
    pub target: Target,
}

/// When a request is sent again. Never, by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Retry {
    /// How often the request is sent in all, the first time included and redirects not counted; 0 and
    /// 1 mean once. One budget for all redirects of a call.
    pub attempts: u32,
    /// The wait before the second attempt, doubled for each further one up to 30 s, of which a random
    /// part between a half and the whole is taken. A longer `Retry-After` is honoured instead.
    pub backoff: Duration,
    /// The statuses that are worth another attempt.
    pub on: Vec<u16>,
    /// Also methods that are not idempotent (RFC 9110 §9.2.2), such as POST and PATCH.
    pub any_method: bool,
}

/// Whose word the host is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// It stands in the manifest, so it may be anywhere. A redirect to another host may not: its
    /// addresses must be public unless `allow_private`.
    Fixed {
        /// Redirects may lead to private addresses.
        allow_private: bool,
    },
    /// It came with the call. Every host asked, redirects included, must be admitted by an entry and
    /// have only public addresses, unless the entry names an exact host and port or `allow_private`.
    FromCaller {
        /// What the host may be; none means nothing may.
        allow_hosts: Vec<HostPattern>,
        /// Private addresses are allowed.
        allow_private: bool,
    },
}

/// An answer, whatever its status.
#[derive(Clone, Debug)]
pub struct Fetched {
    /// The status.
    pub status: StatusCode,
    /// The head's fields, without `Content-Encoding` and `Content-Length` where the body was decoded.
    pub headers: HeaderMap,
    /// The body, decoded.
    pub body: Bytes,
    /// The body is all that was sent. Always true where the status is 2xx or accepted.
    pub is_whole: bool,
    /// `Content-Type` as sent, when it is readable text.
    pub content_type: Option<String>,
    /// The URL that answered, without userinfo and fragment.
    pub url: Url,
}
