//! What is asked for and what comes back.

use crate::model::{HttpTarget, RetrySpec};
use crate::ops::Notices;
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
    /// Those of the connection are refused: see [`crate::model::is_own_header`].
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
    pub retry: RetrySpec,
    /// Who hears how much of a large body has come.
    pub notices: Notices,
    /// Whose word the host is.
    pub target: HttpTarget,
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
