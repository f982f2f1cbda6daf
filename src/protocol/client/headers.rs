//! The HTTP headers that mirror a request's body (specification: streamable-http §Standard Request
//! Headers, §Custom Headers from Tool Parameters).

use super::request::Request;
use super::version::Version;
use crate::lang::schema::HeaderParam;
use crate::lang::template::text_of;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Value};

/// The headers of this request. Without a revision, which is before the handshake, there are none.
pub fn headers(request: &Request, version: Option<Version>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let Some(version) = version else {
        return headers;
    };
    let version_header = HeaderName::from_static("mcp-protocol-version");
    headers.insert(version_header, HeaderValue::from_static(version.name()));
    if !version.is_modern() {
        return headers;
    }
    mirror(
        &mut headers,
        request.method,
        &request.params,
        &request.mirrored,
    );
    headers
}

/// Adds what a request without a handshake mirrors: its method, what it names, and these arguments.
pub(super) fn mirror(
    headers: &mut HeaderMap,
    method: &str,
    params: &Map<String, Value>,
    mirrored: &[HeaderParam],
) {
    if let Ok(method) = HeaderValue::try_from(method) {
        headers.insert(HeaderName::from_static("mcp-method"), method);
    }
    let name = match method {
        "resources/read" => params.get("uri"),
        _ => params.get("name"),
    };
    if let Some(value) = name.and_then(Value::as_str).and_then(encoded) {
        headers.insert(HeaderName::from_static("mcp-name"), value);
    }
    let Some(Value::Object(arguments)) = params.get("arguments") else {
        return;
    };
    for param in mirrored {
        let name = HeaderName::try_from(format!("mcp-param-{}", param.name));
        let value = param
            .value(arguments)
            .filter(|value| !value.is_array() && !value.is_object())
            .and_then(|value| encoded(&text_of(value)));
        if let (Ok(name), Some(value)) = (name, value) {
            headers.insert(name, value);
        }
    }
}

/// A value as a header carries it (§Value Encoding).
fn encoded(text: &str) -> Option<HeaderValue> {
    let plain = text.bytes().all(|byte| matches!(byte, 0x20..=0x7e))
        && text.trim() == text
        && !(text.starts_with("=?base64?") && text.ends_with("?="));
    if plain {
        return HeaderValue::try_from(text).ok();
    }
    HeaderValue::try_from(format!("=?base64?{}?=", STANDARD.encode(text))).ok()
}
