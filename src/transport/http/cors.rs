//! What a browser asks before it lets a page call, and after (Fetch standard §3.2).

use super::Body;
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS, ALLOW,
    VARY,
};
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};

/// Every header that the revisions define for a request.
const REQUEST_HEADERS: &str = "content-type, accept, authorization, mcp-protocol-version, mcp-session-id, last-event-id, mcp-method, mcp-name";
const METHODS: HeaderValue = HeaderValue::from_static("GET, POST, DELETE, OPTIONS");
const EXPOSED: HeaderValue = HeaderValue::from_static("Mcp-Session-Id, WWW-Authenticate");
/// Seconds for which a browser may remember the answer to a preflight.
const MAX_AGE: HeaderValue = HeaderValue::from_static("600");

/// Lets the page at `origin`, which is allowed, read this answer.
pub(super) fn expose(answer: &mut HeaderMap, origin: HeaderValue) {
    answer.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    answer.insert(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    answer.append(VARY, HeaderValue::from_static("Origin"));
}

/// The answer to OPTIONS: these are the methods. With `preflight`, a browser asks: it is told what a
/// request may carry.
pub(super) fn options(
    request: &HeaderMap,
    methods: HeaderValue,
    preflight: bool,
) -> Response<Body> {
    let mut response = Response::new(Body::default());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    headers.insert(ALLOW, methods);
    if preflight {
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, METHODS);
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, allowed_headers(request));
        headers.insert(ACCESS_CONTROL_MAX_AGE, MAX_AGE);
    }
    response
}

/// The fixed list, and of the headers asked for those that mirror a tool's parameters.
fn allowed_headers(request: &HeaderMap) -> HeaderValue {
    let mut list = String::from(REQUEST_HEADERS);
    let asked = request.get_all(ACCESS_CONTROL_REQUEST_HEADERS).iter();
    for name in asked
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
    {
        // HeaderName admits only a token, so nothing but a name can be reflected.
        let Ok(name) = HeaderName::from_bytes(name.trim().as_bytes()) else {
            continue;
        };
        if name.as_str().starts_with("mcp-param-") {
            list.push_str(", ");
            list.push_str(name.as_str());
        }
    }
    HeaderValue::try_from(list).unwrap_or(HeaderValue::from_static(REQUEST_HEADERS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_parameter_headers_are_reflected() {
        let mut request = HeaderMap::new();
        request.append(
            ACCESS_CONTROL_REQUEST_HEADERS,
            HeaderValue::from_static("content-type,Mcp-Param-Region, x-evil"),
        );
        request.append(
            ACCESS_CONTROL_REQUEST_HEADERS,
            HeaderValue::from_static("mcp-param-b c, mcp-param-two,"),
        );
        assert_eq!(
            allowed_headers(&request),
            format!("{REQUEST_HEADERS}, mcp-param-region, mcp-param-two")
        );
    }
}
