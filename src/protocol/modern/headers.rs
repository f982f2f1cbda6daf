//! The HTTP headers that mirror a request's body, compared with it (specification: streamable-http
//! §Request Metadata, §Server Validation). Intermediaries act on the headers and this server on the
//! body, so a request where the two differ is refused before anything is done about it.

use crate::protocol::codes::{Fault, excerpt};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::AsHeaderName;
use http::{HeaderMap, HeaderName};
use std::borrow::Cow;

const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// That `MCP-Protocol-Version` is the version in the body.
pub(super) fn check_version(headers: &HeaderMap, version: &str) -> Result<(), Fault> {
    compare(
        "MCP-Protocol-Version",
        only(headers, VERSION, "MCP-Protocol-Version")?,
        version,
    )
}

/// That `Mcp-Method` is the method and, where the method's parameters name their object, that
/// `Mcp-Name` is that name. A request whose body has no name is refused for that instead.
pub(super) fn check_target(
    headers: &HeaderMap,
    method: &str,
    name: Option<&str>,
) -> Result<(), Fault> {
    compare("Mcp-Method", only(headers, METHOD, "Mcp-Method")?, method)?;
    let Some(name) = name else {
        return Ok(());
    };
    compare(
        "Mcp-Name",
        &decoded("Mcp-Name", only(headers, NAME, "Mcp-Name")?)?,
        name,
    )
}

/// A mirrored value as it was before it was encoded for a header (§Value Encoding).
///
/// # Errors
/// It has the form of an encoded value and is no Base64 (RFC 4648 §4) of UTF-8.
pub(super) fn decoded<'a>(name: &str, value: &'a str) -> Result<Cow<'a, str>, Fault> {
    let encoded = value
        .strip_prefix("=?base64?")
        .and_then(|rest| rest.strip_suffix("?="));
    let Some(encoded) = encoded else {
        return Ok(Cow::Borrowed(value));
    };
    STANDARD
        .decode(encoded)
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .map(Cow::Owned)
        .ok_or_else(|| Fault::HeaderMismatch(format!("the {name} header is not Base64 of UTF-8")))
}

/// The one value of a header; `name` is how errors write it.
///
/// # Errors
/// It is missing, stands more than once, or holds characters that no value has.
pub(super) fn only<'a>(
    headers: &'a HeaderMap,
    header: impl AsHeaderName,
    name: &str,
) -> Result<&'a str, Fault> {
    let mut values = headers.get_all(header).iter();
    let what = match (values.next(), values.next()) {
        (Some(value), None) => match value.to_str() {
            Ok(value) => return Ok(value),
            Err(_) => "holds characters that are not visible ASCII",
        },
        (None, _) => "is missing",
        (Some(_), Some(_)) => "stands more than once",
    };
    Err(Fault::HeaderMismatch(format!("the {name} header {what}")))
}

fn compare(name: &str, header: &str, body: &str) -> Result<(), Fault> {
    if header == body {
        return Ok(());
    }
    Err(Fault::HeaderMismatch(format!(
        "{name} header value '{}' does not match body value '{}'",
        excerpt(header),
        excerpt(body)
    )))
}
