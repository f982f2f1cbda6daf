//! The head that is sent: the caller's fields, what userinfo means, defaults.

use super::decode::ACCEPTED;
use super::error::Fault;
use super::request::Fetch;
use crate::model::is_own_header;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{self, Entry, HeaderMap, HeaderName, HeaderValue};
use percent_encoding::percent_decode_str;
use url::Url;

/// What `User-Agent` is unless it is given.
const AGENT: &str = concat!("snodo/", env!("CARGO_PKG_VERSION"));

/// True for a field that belongs to one origin and is not taken to another.
pub(super) fn is_credential(name: &HeaderName, secret: &[HeaderName]) -> bool {
    const CREDENTIALS: [HeaderName; 3] = [
        header::AUTHORIZATION,
        header::COOKIE,
        header::PROXY_AUTHORIZATION,
    ];
    CREDENTIALS.contains(name) || secret.contains(name)
}

/// The fields to send, and the URL without the userinfo and the fragment that are not sent with it.
pub(super) fn prepare(fetch: &Fetch) -> Result<(HeaderMap, Url), Fault> {
    let mut headers = HeaderMap::new();
    for (name, value) in &fetch.headers {
        if is_own_header(name) {
            return Err(Fault::Header(name.clone()));
        }
        let mut value = value.clone();
        value.set_sensitive(value.is_sensitive() || is_credential(name, &fetch.secret_headers));
        headers.append(name, value);
    }
    if let (Entry::Vacant(entry), Some(basic)) =
        (headers.entry(header::AUTHORIZATION), basic(&fetch.url))
    {
        entry.insert(basic);
    }
    let encodings = if headers.contains_key(header::RANGE) {
        // A range of an encoded body cannot be decoded.
        "identity"
    } else {
        ACCEPTED
    };
    for (name, default) in [
        (header::USER_AGENT, AGENT),
        (header::ACCEPT, "*/*"),
        (header::ACCEPT_ENCODING, encodings),
    ] {
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(default));
    }
    Ok((headers, bare(fetch.url.clone())))
}

/// The URL without userinfo and fragment.
pub(super) fn bare(mut url: Url) -> Url {
    // These fail on a URL without a host only, which has neither.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_fragment(None);
    url
}

/// Userinfo as Basic credentials (RFC 7617).
fn basic(url: &Url) -> Option<HeaderValue> {
    if url.username().is_empty() && url.password().is_none() {
        return None;
    }
    let mut plain: Vec<u8> = percent_decode_str(url.username()).collect();
    plain.push(b':');
    plain.extend(percent_decode_str(url.password().unwrap_or_default()));
    let mut value = HeaderValue::try_from(format!("Basic {}", STANDARD.encode(plain))).ok()?;
    value.set_sensitive(true);
    Some(value)
}
