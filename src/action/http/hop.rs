//! One request of a call, where it may go, and the request that a redirect makes of it.

use super::dial::Reach;
use super::error::Fault;
use super::headers::{bare, is_credential, prepare};
use super::origin::Origin;
use super::request::Fetch;
use crate::model::HttpTarget;
use bytes::Bytes;
use http::header::{CONTENT_ENCODING, CONTENT_LANGUAGE, CONTENT_LOCATION, CONTENT_TYPE, LOCATION};
use http::{HeaderMap, HeaderName, Method, StatusCode, Uri};
use url::Url;

/// A request as it is sent. Its URL has neither userinfo nor fragment.
#[derive(Clone)]
pub(super) struct Hop {
    pub(super) method: Method,
    pub(super) url: Url,
    pub(super) origin: Origin,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
    /// No redirect has led away from the host in the call's own URL.
    home: bool,
    /// A redirect has changed scheme, host or port: what belonged to the first origin is gone.
    crossed: bool,
}

/// Which pool a request takes its connection from. Connections of different lanes are never mixed:
/// one made under a wider rule must not serve a request under a narrower one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lane {
    pub(super) reach: Reach,
    /// The client's certificate is shown.
    pub(super) identity: bool,
}

impl Hop {
    /// The call's first request.
    pub(super) fn first(fetch: &Fetch) -> Result<Self, Fault> {
        if fetch.method == Method::CONNECT {
            return Err(Fault::Method(fetch.method.clone()));
        }
        let origin = Origin::of(&fetch.url).ok_or(Fault::Scheme)?;
        let (headers, url) = prepare(fetch)?;
        Ok(Self {
            method: fetch.method.clone(),
            url,
            origin,
            headers,
            body: fetch.body.clone().unwrap_or_default(),
            home: true,
            crossed: false,
        })
    }

    /// Where the request may go, by whose word its host is.
    pub(super) fn lane(&self, target: &HttpTarget) -> Result<Lane, Fault> {
        let (any, named) = match target {
            HttpTarget::Fixed { allow_private } => (self.home || *allow_private, true),
            HttpTarget::FromCaller {
                allow_hosts,
                allow_private,
            } => {
                let mut admitting = allow_hosts
                    .iter()
                    .filter(|entry| self.origin.is_admitted_by(entry))
                    .peekable();
                if admitting.peek().is_none() {
                    return Err(Fault::HostNotAllowed);
                }
                admitting.fold((*allow_private, false), |(any, named), entry| {
                    (any || entry.admits_private(), named || entry.names_hosts())
                })
            }
        };
        Ok(Lane {
            reach: if any { Reach::Any } else { Reach::Public },
            identity: named && !self.crossed,
        })
    }

    /// The URL as HTTP carries it. That both readings of it name the same host and port is checked,
    /// since the one is judged and the other connected to.
    pub(super) fn uri(&self) -> Result<Uri, Fault> {
        let uri: Uri = self.url.as_str().parse().map_err(|_| Fault::Url)?;
        if uri.host() == self.url.host_str() && uri.port_u16() == self.url.port() {
            Ok(uri)
        } else {
            Err(Fault::Url)
        }
    }

    /// The request that an answer leads to (RFC 9110 §15.4); `None` when the answer is no redirect.
    pub(super) fn follow(
        &self,
        status: StatusCode,
        answer: &HeaderMap,
        fetch: &Fetch,
    ) -> Result<Option<Self>, Fault> {
        if !matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308) {
            return Ok(None);
        }
        let Some(location) = answer.get(LOCATION) else {
            return Ok(None);
        };
        let (url, origin) = self.locate(location.as_bytes()).ok_or(Fault::Location)?;
        if self.origin.https && !origin.https {
            return Err(Fault::Downgrade);
        }
        let mut next = Self {
            url,
            origin,
            ..self.clone()
        };
        if becomes_get(status, &self.method) {
            next.method = Method::GET;
            next.drop_body();
        }
        if next.origin != self.origin {
            next.leave(&self.origin, &fetch.secret_headers);
            if fetch.secret_body && !next.body.is_empty() {
                return Err(Fault::SecretBody);
            }
        }
        Ok(Some(next))
    }

    fn locate(&self, location: &[u8]) -> Option<(Url, Origin)> {
        let text = std::str::from_utf8(location).ok()?;
        let url = bare(self.url.join(text).ok()?);
        let origin = Origin::of(&url)?;
        Some((url, origin))
    }

    fn drop_body(&mut self) {
        self.body = Bytes::new();
        for name in [
            CONTENT_ENCODING,
            CONTENT_LANGUAGE,
            CONTENT_LOCATION,
            CONTENT_TYPE,
        ] {
            self.headers.remove(name);
        }
    }

    /// Takes nothing of the old origin along. The host's own move to https is still at home: TLS
    /// proves that it is the same host, at whichever port.
    fn leave(&mut self, old: &Origin, secret: &[HeaderName]) {
        self.crossed = true;
        self.home &= self.origin.host == old.host && self.origin.https && !old.https;
        let gone: Vec<HeaderName> = self
            .headers
            .keys()
            .filter(|name| is_credential(name, secret))
            .cloned()
            .collect();
        for name in gone {
            self.headers.remove(name);
        }
    }
}

/// 303 asks for another document; 301 and 302 do to a POST, as every client has always read them.
fn becomes_get(status: StatusCode, method: &Method) -> bool {
    match status {
        StatusCode::SEE_OTHER => *method != Method::HEAD,
        StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND => *method == Method::POST,
        _ => false,
    }
}
