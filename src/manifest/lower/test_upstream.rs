//! `http` of a test: what stands in for the upstream.

use super::Cx;
use super::codes::{BAD_DATA, BAD_HEADER, BAD_URL, CONFLICT, UNREADABLE};
use super::http::header_name;
use super::test::{exclude, json};
use crate::lang::diag::Diagnostic;
use crate::manifest::read::{At, Entry, MISSING_KEY, OUT_OF_RANGE, Table};
use crate::model::{
    RequestExpectation, UpstreamAnswer, UpstreamBody, UpstreamFault, UpstreamReply,
};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderName, HeaderValue, Method};
use toml::de::DeValue;
use url::Url;

/// The ways to write a body.
const BODIES: [&str; 5] = ["json", "text", "body", "bytes", "file"];

/// The words of `error`.
const FAULTS: [(&str, UpstreamFault); 4] = [
    ("refused", UpstreamFault::Refused),
    ("timeout", UpstreamFault::Timeout),
    ("closed", UpstreamFault::Closed),
    ("unknown_host", UpstreamFault::UnknownHost),
];

/// Reads `http`: one answer, or one for each request in order. `None` when something is wrong.
pub(super) fn answers<'a>(
    cx: &Cx<'_>,
    table: &Table<'a>,
    entry: &Entry<'a>,
) -> Option<Vec<UpstreamAnswer>> {
    let tables = match entry.value {
        DeValue::Array(_) => table.tables("http"),
        DeValue::Table(_) => table.table("http").into_iter().collect(),
        _ => return table.wrong_type(entry, "a table or an array of tables"),
    };
    let before = cx.findings.errors();
    let answers = tables.into_iter().map(|table| answer(cx, table));
    let answers: Vec<Option<UpstreamAnswer>> = answers.collect();
    let is_whole = cx.findings.errors() == before;
    is_whole.then(|| answers.into_iter().flatten().collect())
}

fn answer(cx: &Cx<'_>, table: Table<'_>) -> Option<UpstreamAnswer> {
    let fault = table.word("error", &FAULTS);
    let others = ["expect", "status", "headers"];
    exclude(&table, "error", &others, ": there is no answer then");
    exclude(&table, "error", &BODIES, ": there is no answer then");
    let expect = table.table("expect").map(request).unwrap_or_default();
    let status = table.integer("status", 200..=599);
    let mut headers = headers(&table);
    let (body, content_type) = body(cx, &table);
    table.finish();
    if let Some(fault) = fault {
        return Some(UpstreamAnswer {
            expect,
            reply: UpstreamReply::Fault(fault.value),
        });
    }
    if let Some(content_type) = content_type
        && !headers.iter().any(|(name, _)| name == CONTENT_TYPE)
    {
        headers.push((CONTENT_TYPE, HeaderValue::from_static(content_type)));
    }
    Some(UpstreamAnswer {
        expect,
        reply: UpstreamReply::Response {
            status: status.map_or(Some(200), |read| u16::try_from(read.value).ok())?,
            headers,
            body,
        },
    })
}

/// The fields of an answer: a text each, or several for a field that repeats.
fn headers(table: &Table<'_>) -> Vec<(HeaderName, HeaderValue)> {
    let Some(sub) = table.table("headers") else {
        return Vec::new();
    };
    let mut headers = Vec::new();
    for entry in sub.entries() {
        let Some(name) = header_name(&sub, &entry) else {
            continue;
        };
        let values = match entry.value {
            DeValue::Array(_) => entry.items(),
            _ => vec![entry],
        };
        for value in values.iter().filter_map(|value| sub.as_string(value)) {
            match HeaderValue::from_bytes(value.value.as_bytes()) {
                Ok(value) => headers.push((name.clone(), value)),
                Err(_) => {
                    let message = "a header value cannot hold control characters";
                    sub.error(BAD_HEADER, value.at, message);
                }
            }
        }
    }
    headers
}

/// The body, and the type that it has unless `headers` says another.
fn body(cx: &Cx<'_>, table: &Table<'_>) -> (UpstreamBody, Option<&'static str>) {
    let empty = UpstreamBody::Bytes(Bytes::new());
    let given = table.alternatives(&BODIES);
    if let [first, second, ..] = given.as_slice() {
        let message = format!("`{}` and `{}` exclude each other", first.key, second.key);
        table.report(
            Diagnostic::error(CONFLICT, second.key_at.clone(), message)
                .related(first.key_at.clone(), "the first body"),
        );
    }
    let Some(entry) = given.first() else {
        return (empty, None);
    };
    let (body, content_type) = match entry.key {
        "json" => (
            json(table, entry).map(|value| value.to_string().into()),
            Some("application/json"),
        ),
        "text" => (
            table.as_string(entry).map(|read| read.value.into()),
            Some("text/plain; charset=utf-8"),
        ),
        "body" => (table.as_string(entry).map(|read| read.value.into()), None),
        "bytes" => (bytes(table, entry), None),
        _ => return file(cx, table, entry).unwrap_or((empty, None)),
    };
    (body.map_or(empty, UpstreamBody::Bytes), content_type)
}

fn bytes<'a>(table: &Table<'a>, entry: &Entry<'a>) -> Option<Bytes> {
    let read = table.as_string(entry)?;
    let bare: String = read.value.split_ascii_whitespace().collect();
    match STANDARD.decode(bare) {
        Ok(bytes) => Some(bytes.into()),
        Err(_) => {
            table.error(BAD_DATA, read.at, "`bytes` is not base64");
            None
        }
    }
}

/// A file is read when the test runs: a server does not need it, so its absence is a warning.
fn file<'a>(
    cx: &Cx<'_>,
    table: &Table<'a>,
    entry: &Entry<'a>,
) -> Option<(UpstreamBody, Option<&'static str>)> {
    let read = table.as_literal(entry)?;
    let path = cx.resolve(&read.value);
    if !path.is_file() {
        let message = format!("`{}` is not a file that can be read", read.value);
        table.report(
            Diagnostic::warning(UNREADABLE, read.at, message)
                .help("relative paths count from the manifest's folder"),
        );
    }
    let guessed = mime_guess::from_path(&read.value).first_raw();
    Some((UpstreamBody::File(path), guessed))
}

/// `expect` of an answer: what must have been asked.
fn request(table: Table<'_>) -> RequestExpectation {
    if table.entries().is_empty() {
        let found = Diagnostic::error(MISSING_KEY, table.at(), "`expect` says nothing");
        table.report(found.help("write `method`, `url`, `headers`, `json` or `body`"));
    }
    exclude(&table, "json", &["body"], "");
    let expect = RequestExpectation {
        method: table
            .literal("method")
            .and_then(|read| method(&table, read)),
        url: table.literal("url").and_then(|read| url(&table, read)),
        headers: sent_headers(&table),
        json: table.entry("json").and_then(|entry| json(&table, &entry)),
        body: table.string("body").map(|read| read.value),
    };
    table.finish();
    expect
}

fn method(table: &Table<'_>, read: At<String>) -> Option<Method> {
    let upper = read.value.to_ascii_uppercase();
    let method = Method::from_bytes(upper.as_bytes()).ok();
    if method.is_none() {
        let message = format!("`{}` is not a method", read.value.escape_debug());
        table.error(OUT_OF_RANGE, read.at, message);
    }
    method
}

fn url(table: &Table<'_>, read: At<String>) -> Option<Url> {
    let url = Url::parse(&read.value).ok();
    let url = url.filter(|url| matches!(url.scheme(), "http" | "https"));
    if url.is_none() {
        let message = format!(
            "`{}` is not a whole http or https URL",
            read.value.escape_debug()
        );
        let found = Diagnostic::error(BAD_URL, read.at, message);
        table.report(found.help("write it as it is sent, with its query"));
    }
    url
}

/// The fields that a request must have; those of the connection may be among them.
fn sent_headers(table: &Table<'_>) -> Vec<(HeaderName, String)> {
    let Some(sub) = table.table("headers") else {
        return Vec::new();
    };
    let entries = sub.entries();
    let headers = entries.iter().filter_map(|entry| {
        let value = sub.as_string(entry)?;
        let name = HeaderName::from_bytes(entry.key.as_bytes()).ok();
        if name.is_none() {
            let shown = entry.key.escape_debug();
            let message = format!("`{shown}` is not a header field's name");
            sub.error(BAD_HEADER, entry.key_at.clone(), message);
        }
        Some((name?, value.value))
    });
    headers.collect()
}
