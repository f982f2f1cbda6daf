//! An ExportTraceServiceRequest in JSON (OTLP/HTTP: JSON Protobuf Encoding): ids in hexadecimal
//! digits, enums as numbers, 64-bit numbers as texts.

use crate::model::{Identity, TracesSettings};
use crate::telemetry::Finished;
use serde::Serialize;
use std::fmt::Write as _;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The kind of a span that answers a request.
const SERVER: u8 = 2;
/// The code of a status that is an error; without one it is unset.
const ERROR: u8 = 2;
/// The flags that say that it is known whether the parent is elsewhere, and that it is.
const PARENT_IS_KNOWN: u32 = 0x100;
const PARENT_IS_REMOTE: u32 = 0x200;

/// Writes spans of one resource.
pub(super) struct Encoder {
    resource: Vec<(String, String)>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Export<'a> {
    resource_spans: [ResourceSpans<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResourceSpans<'a> {
    resource: Resource<'a>,
    scope_spans: [ScopeSpans<'a>; 1],
}

#[derive(Serialize)]
struct Resource<'a> {
    attributes: Vec<Attribute<'a>>,
}

#[derive(Serialize)]
struct ScopeSpans<'a> {
    scope: Scope,
    spans: Vec<Span<'a>>,
}

#[derive(Serialize)]
struct Scope {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct Attribute<'a> {
    key: &'a str,
    value: Text<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Text<'a> {
    string_value: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Span<'a> {
    trace_id: String,
    span_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_span_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace_state: Option<&'a str>,
    flags: u32,
    name: &'a str,
    kind: u8,
    start_time_unix_nano: String,
    end_time_unix_nano: String,
    attributes: Vec<Attribute<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Status>,
}

#[derive(Serialize)]
struct Status {
    code: u8,
}

impl Encoder {
    pub(super) fn new(settings: &TracesSettings, server: &Identity) -> Self {
        let service = settings.service.as_ref().unwrap_or(&server.name);
        let mut resource = vec![
            ("service.name".to_owned(), service.clone()),
            ("service.version".to_owned(), server.version.clone()),
        ];
        for (key, value) in &settings.resource {
            resource.retain(|(known, _)| known != key);
            resource.push((key.clone(), value.clone()));
        }
        Self { resource }
    }

    /// The body that exports these.
    pub(super) fn request(&self, spans: &[Finished]) -> Vec<u8> {
        let resource = self.resource.iter();
        let export = Export {
            resource_spans: [ResourceSpans {
                resource: Resource {
                    attributes: resource.map(|(key, value)| attribute(key, value)).collect(),
                },
                scope_spans: [ScopeSpans {
                    scope: Scope {
                        name: "snodo",
                        version: env!("CARGO_PKG_VERSION"),
                    },
                    spans: spans.iter().map(span).collect(),
                }],
            }],
        };
        // Texts and numbers: there is nothing that cannot be written.
        serde_json::to_vec(&export).unwrap_or_default()
    }
}

fn span(span: &Finished) -> Span<'_> {
    let parent = match span.parent {
        Some(_) => PARENT_IS_KNOWN | PARENT_IS_REMOTE,
        None => PARENT_IS_KNOWN,
    };
    let attributes = span.attributes.iter();
    Span {
        trace_id: hex(&span.trace),
        span_id: hex(&span.id),
        parent_span_id: span.parent.as_ref().map(|parent| hex(parent)),
        trace_state: span.state.as_deref(),
        flags: u32::from(span.flags) | parent,
        name: &span.name,
        kind: SERVER,
        start_time_unix_nano: nanos(span.started, Duration::ZERO),
        end_time_unix_nano: nanos(span.started, span.took),
        attributes: attributes
            .map(|(key, value)| attribute(key, value))
            .collect(),
        status: span.failed.then_some(Status { code: ERROR }),
    }
}

fn attribute<'a>(key: &'a str, value: &'a str) -> Attribute<'a> {
    Attribute {
        key,
        value: Text {
            string_value: value,
        },
    }
}

/// So long after this time, in nanoseconds since 1970.
fn nanos(time: SystemTime, later: Duration) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    since.saturating_add(later).as_nanos().to_string()
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a string does not fail.
        let _written = write!(text, "{byte:02x}");
    }
    text
}
