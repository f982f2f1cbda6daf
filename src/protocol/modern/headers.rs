//! The HTTP headers that mirror a request's body, compared with it (specification: streamable-http
//! §Request Metadata, §Server Validation). Intermediaries act on the headers and this server on the
//! body, so a request where the two differ is refused before anything is done about it.

use crate::protocol::codes::{Fault, excerpt};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::AsHeaderName;
use http::{HeaderMap, HeaderValue};
use std::borrow::Cow;

/// The headers that mirror what every request has, found in one walk.
#[derive(Clone, Copy, Default)]
pub(super) struct Mirrors<'a> {
    version: Values<'a>,
    method: Values<'a>,
    name: Values<'a>,
}

impl<'a> Mirrors<'a> {
    /// Finds them. Whether they are as they must be is said where they are asked for.
    pub(super) fn find(headers: &'a HeaderMap) -> Self {
        let mut mirrors = Self::default();
        for (name, value) in headers {
            match name.as_str() {
                "mcp-protocol-version" => mirrors.version.add(value),
                "mcp-method" => mirrors.method.add(value),
                "mcp-name" => mirrors.name.add(value),
                _ => {}
            }
        }
        mirrors
    }

    /// That `MCP-Protocol-Version` is the version in the body.
    pub(super) fn check_version(&self, version: &str) -> Result<(), Fault> {
        let name = "MCP-Protocol-Version";
        compare(name, self.version.only(name)?, version)
    }

    /// That `Mcp-Method` is the method and, where the method's parameters name their object, that
    /// `Mcp-Name` is that name. A request whose body has no name is refused for that instead.
    pub(super) fn check_target(&self, method: &str, name: Option<&str>) -> Result<(), Fault> {
        compare("Mcp-Method", self.method.only("Mcp-Method")?, method)?;
        let Some(name) = name else {
            return Ok(());
        };
        let header = decoded("Mcp-Name", self.name.only("Mcp-Name")?)?;
        compare("Mcp-Name", &header, name)
    }
}

/// What stands in a message under one header's name.
#[derive(Clone, Copy, Default)]
enum Values<'a> {
    #[default]
    Missing,
    One(&'a HeaderValue),
    Several,
}

impl<'a> Values<'a> {
    fn add(&mut self, value: &'a HeaderValue) {
        *self = match self {
            Self::Missing => Self::One(value),
            Self::One(_) | Self::Several => Self::Several,
        };
    }

    /// As [`only`].
    fn only(self, name: &str) -> Result<&'a str, Fault> {
        let what = match self {
            Self::One(value) => match value.to_str() {
                Ok(value) => return Ok(value),
                Err(_) => "holds characters that are not visible ASCII",
            },
            Self::Missing => "is missing",
            Self::Several => "stands more than once",
        };
        Err(Fault::HeaderMismatch(format!("the {name} header {what}")))
    }
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
    let mut values = Values::default();
    for value in headers.get_all(header) {
        values.add(value);
    }
    values.only(name)
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
