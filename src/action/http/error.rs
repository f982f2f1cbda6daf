//! Why a fetch gave no answer, in words that a model may read.

use super::origin::Origin;
use crate::units::{Size, Time};
use http::{HeaderName, Method};
use std::fmt;
use std::io;
use std::time::Duration;

/// A fetch that failed: where, and why. Its text names scheme, host and port at the most, and never
/// userinfo, a path, a query, a header's value or anything the upstream wrote, but for the name of a
/// content-encoding that is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchError {
    at: Option<Origin>,
    fault: Fault,
}

impl FetchError {
    pub(super) fn new(at: Option<Origin>, fault: Fault) -> Self {
        Self { at, fault }
    }

    /// The server that was being asked, the last of the redirects followed; `None` when the request
    /// itself was refused.
    #[cfg(test)]
    pub(super) fn at(&self) -> Option<&Origin> {
        self.at.as_ref()
    }

    /// Why.
    pub fn fault(&self) -> &Fault {
        &self.fault
    }
}

impl fmt::Display for FetchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.at {
            Some(origin) => write!(f, "{origin}: {}", self.fault),
            None => write!(f, "{}", self.fault),
        }
    }
}

impl std::error::Error for FetchError {}

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The URL's scheme is another than http and https.
    #[error("only http and https URLs can be fetched")]
    Scheme,
    /// The URL is one that HTTP cannot carry (longer than 64 KiB).
    #[error("the URL cannot be sent over HTTP")]
    Url,
    /// CONNECT asks for a tunnel, not for a document.
    #[error("method `{0}` cannot be used")]
    Method(Method),
    /// The header belongs to the connection and is the client's own.
    #[error("header `{0}` is set by the client itself and cannot be given")]
    Header(HeaderName),
    /// No entry of `allow_hosts` admits the host.
    #[error("host not allowed")]
    HostNotAllowed,
    /// The host is at an address that only the manifest's own word opens. Nothing was connected to.
    #[error("address not allowed")]
    AddressNotAllowed,
    /// The name has no address.
    #[error("could not resolve the host")]
    Resolve,
    /// Nobody listens there.
    #[error("connection refused")]
    Refused,
    /// There is no route.
    #[error("host unreachable")]
    Unreachable,
    /// The connection, or TLS upon it, was not there in time.
    #[error("could not connect within {}", Time(*.0))]
    ConnectTimeout(Duration),
    /// The connection failed in another way.
    #[error("could not connect: {0}")]
    Connect(io::ErrorKind),
    /// The platform has no trusted certificates and the manifest names no `ca_file`.
    #[error("no trusted certificates are installed on this machine")]
    NoRoots,
    /// The server's certificate was refused.
    #[error("TLS certificate is not valid: {0}")]
    Certificate(&'static str),
    /// TLS failed in another way.
    #[error("TLS failed: {0}")]
    Tls(&'static str),
    /// The connection ended before an answer came.
    #[error("connection closed before the response")]
    Closed,
    /// An HTTP/2 server ended the exchange with an error.
    #[error("the server broke the exchange off")]
    Reset,
    /// The answer's head is not HTTP.
    #[error("response is not valid HTTP")]
    Protocol,
    /// The answer's head is well over 64 KiB or has over 100 fields.
    #[error("response head is too large")]
    HeadTooLarge,
    /// The body ended before its end.
    #[error("response ended early")]
    Truncated,
    /// The decoded body is over the bound, in bytes.
    #[error("response larger than {}", Size(*.0))]
    TooLarge(usize),
    /// The body's content-encoding is none that is known, or several.
    #[error("content-encoding `{0}` is not supported")]
    Encoding(String),
    /// The body is not what its content-encoding says.
    #[error("response is not valid {0}")]
    Damaged(&'static str),
    /// More redirects than the bound.
    #[error("too many redirects: more than {0}")]
    TooManyRedirects(u32),
    /// A redirect would leave TLS.
    #[error("redirect from https to http refused")]
    Downgrade,
    /// A redirect names no URL that can be fetched.
    #[error("redirect to a URL that is not valid")]
    Location,
    /// A redirect would carry a body that holds a secret to another host.
    #[error("redirect to another host refused: the request body holds a secret")]
    SecretBody,
    /// The whole call took too long.
    #[error("timed out after {}", Time(*.0))]
    TimedOut(Duration),
}

impl Fault {
    /// True when the request may well succeed if sent again: nothing of an answer was seen, and the
    /// cause is not one that stays.
    pub(super) fn may_pass(&self) -> bool {
        matches!(
            self,
            Self::Resolve
                | Self::Refused
                | Self::Unreachable
                | Self::ConnectTimeout(_)
                | Self::Connect(_)
                | Self::Closed
                | Self::Reset
        )
    }
}
