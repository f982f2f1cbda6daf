//! Mirrored header values: what a client of ours mirrors is taken, and whatever stands in a header
//! is taken just when it means what the body says.
//!
//! The input is an object of arguments, which is mirrored; or a text for the body, a line feed, and
//! what stands in the header.

use crate::serving::{Serving, fields};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, HeaderValue};
use serde_json::{Map, Value, json};
use snodo::lang::schema::header_params;
use snodo::protocol::client::{Request, Said, Version, headers};

/// The code of an answer to a request whose headers and body differ.
const MISMATCH: i64 = -32020;

pub fn run(input: &[u8]) {
    if let Ok(arguments) = serde_json::from_slice::<Map<String, Value>>(input) {
        let request = call(arguments.into());
        assert_ne!(code(&request, &mirrored(&request)), Some(MISMATCH));
        return;
    }
    let Some(at) = input.iter().position(|byte| *byte == b'\n') else {
        return;
    };
    let (text, header) = (&input[..at], &input[at + 1..]);
    if let (Ok(text), Ok(header)) = (std::str::from_utf8(text), HeaderValue::from_bytes(header)) {
        argument(text, &header);
        name(text, &header);
    }
}

/// An argument against its header.
fn argument(text: &str, header: &HeaderValue) {
    let request = call(json!({ "region": text }));
    let mut sent = mirrored(&request);
    sent.insert("mcp-param-region", header.clone());
    let found = code(&request, &sent);
    assert_eq!(
        found != Some(MISMATCH),
        means(header).as_deref() == Some(text),
        "{found:?}"
    );
}

/// The URI that is read against `Mcp-Name`.
fn name(text: &str, header: &HeaderValue) {
    let request = Request::new("resources/read").with("uri", text);
    let mut sent = headers(&request, Some(Version::NEWEST));
    sent.insert("mcp-name", header.clone());
    let found = code(&request, &sent);
    assert_eq!(
        found != Some(MISMATCH),
        means(header).as_deref() == Some(text),
        "{found:?}"
    );
}

/// What a value means (specification: streamable-http §Value Encoding).
fn means(header: &HeaderValue) -> Option<String> {
    let text = header.to_str().ok()?;
    let encoded = text
        .strip_prefix("=?base64?")
        .and_then(|rest| rest.strip_suffix("?="));
    match encoded {
        Some(encoded) => String::from_utf8(STANDARD.decode(encoded).ok()?).ok(),
        None => Some(text.to_owned()),
    }
}

/// The arguments of `mirrored` that are.
const SCHEMA: &str = r#"{ "type": "object", "properties": {
    "region": { "type": "string", "x-mcp-header": "Region" },
    "n": { "type": "integer", "x-mcp-header": "N" } } }"#;

fn call(arguments: Value) -> Request {
    let schema = serde_json::from_str(SCHEMA).expect("JSON");
    let mirrored = header_params(&schema).expect("a schema");
    let request = Request::new("tools/call").with("name", "mirrored");
    request.with("arguments", arguments).mirroring(mirrored)
}

/// The headers, as the server gets them: by way of bytes.
fn mirrored(request: &Request) -> HeaderMap {
    let headers = headers(request, Some(Version::NEWEST));
    let lines = headers.iter().map(|(name, value)| {
        let value = value.to_str().expect("visible ASCII");
        format!("{name}: {value}\n")
    });
    fields(lines.collect::<String>().as_bytes())
}

/// The code of the error that this is answered with.
fn code(request: &Request, headers: &HeaderMap) -> Option<i64> {
    let body = request.encode(Version::NEWEST, Said::default(), 1);
    let answered = Serving::get().post(headers, &body).expect("an answer");
    let last = answered.messages.last().expect("an answer");
    let answer: Value = serde_json::from_slice(last).expect("JSON");
    answer["error"]["code"].as_i64()
}
