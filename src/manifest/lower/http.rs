//! `http`: one request to an upstream.

use super::codes::{BAD_DATA, BAD_HEADER, CONFLICT, NO_EFFECT};
use super::http_url::{url, warn_of_idle_private};
use super::{Cx, base, read_named};
use crate::lang::diag::Diagnostic;
use crate::lang::template::{Names, Tree};
use crate::manifest::read::{Entry, OUT_OF_RANGE, Table, Templates};
use crate::model::{
    ClientIdentity, HeaderSpec, HttpBody, HttpSpec, KeyPem, RetrySpec, is_own_header,
};
use std::collections::HashMap;
use std::time::Duration;

/// Ten minutes; a request that takes longer belongs in a job, not in a call.
const MAX_MILLIS: i64 = 600_000;
/// Reads an `http` table.
pub(super) fn http(cx: &Cx<'_>, table: Table<'_>, names: &Names) -> Option<HttpSpec> {
    let templates = Templates::new(names);
    let method = method(&table);
    let url = url(&table, &templates);
    let query = pairs(&table, &templates, "query");
    let headers = headers(&table, &templates);
    let body = body(&table, &templates, method.as_ref());
    let timeout = table.millis("timeout_ms", 1..=MAX_MILLIS);
    base::warn_of_long_timeout(cx, &table, timeout.as_ref());
    let max_bytes = table.count("max_bytes", 1..=1 << 30);
    let redirects = table.integer("redirects", 0..=20);
    let retry = retry(&table);
    let accept_status = statuses(&table, "accept_status");
    let ca_pem = pem(cx, &table, "ca_file");
    let client_pem = client_identity(cx, &table);
    let redirects = redirects
        .and_then(|read| u32::try_from(read.value).ok())
        .unwrap_or(5);
    if let Some((_, target)) = &url {
        warn_of_idle_private(&table, target, redirects);
    }
    table.finish();
    let (url, target) = url?;
    Some(HttpSpec {
        method: method?,
        url,
        target,
        query,
        headers,
        body,
        timeout: timeout.map_or(Duration::from_secs(10), |read| read.value),
        max_bytes: max_bytes.map_or(4 << 20, |read| read.value),
        redirects,
        retry,
        accept_status: accept_status.unwrap_or_default(),
        ca_pem,
        client_pem,
    })
}

fn method(table: &Table<'_>) -> Option<http::Method> {
    let Some(word) = table.literal("method") else {
        return (!table.has("method")).then_some(http::Method::GET);
    };
    let upper = word.value.to_ascii_uppercase();
    match http::Method::from_bytes(upper.as_bytes()) {
        Ok(method) if method != http::Method::CONNECT => Some(method),
        _ => {
            table.error(
                OUT_OF_RANGE,
                word.at,
                format!(
                    "`{}` is not a method that can be sent",
                    word.value.escape_debug()
                ),
            );
            None
        }
    }
}

fn pairs(table: &Table<'_>, templates: &Templates<'_>, key: &'static str) -> Vec<(String, Tree)> {
    let Some(sub) = table.table(key) else {
        return Vec::new();
    };
    sub.entries()
        .iter()
        .filter_map(|entry| Some((entry.key.to_owned(), templates.tree(&sub, entry)?)))
        .collect()
}

fn headers(table: &Table<'_>, templates: &Templates<'_>) -> Vec<HeaderSpec> {
    let Some(sub) = table.table("headers") else {
        return Vec::new();
    };
    let mut headers = Vec::new();
    // Names are the same in any case (RFC 9110 §5.1), so a component's `authorization` replaces the
    // `Authorization` of its defaults.
    let mut seen: HashMap<http::HeaderName, (usize, Entry<'_>)> = HashMap::new();
    for (layer, entry) in sub.layered_entries() {
        let Some(name) = header_name(&sub, &entry) else {
            continue;
        };
        if let Some((before, first)) = seen.get(&name) {
            if *before == layer {
                let message = format!("the header field `{name}` is given twice");
                sub.report(
                    Diagnostic::error(CONFLICT, entry.key_at, message)
                        .related(first.key_at.clone(), "the first"),
                );
            }
            continue;
        }
        seen.insert(name.clone(), (layer, entry.clone()));
        let Some(read) = templates.read(&sub, &entry) else {
            continue;
        };
        let literal = read.value.literal();
        if literal.is_some_and(|text| http::HeaderValue::from_bytes(text.as_bytes()).is_err()) {
            let message = "a header value cannot hold control characters";
            sub.error(BAD_HEADER, read.at, message);
            continue;
        }
        let secret = read.value.uses("secrets");
        headers.push(HeaderSpec {
            name,
            value: read.value,
            secret,
        });
    }
    headers
}

/// A field's name that may be given; says why it may not.
pub(super) fn header_name(sub: &Table<'_>, entry: &Entry<'_>) -> Option<http::HeaderName> {
    let shown = entry.key.escape_debug();
    let Ok(name) = http::HeaderName::from_bytes(entry.key.as_bytes()) else {
        let message = format!("`{shown}` is not a header field's name");
        sub.error(BAD_HEADER, entry.key_at.clone(), message);
        return None;
    };
    if is_own_header(&name) {
        let message = format!("the header field `{shown}` is set by snodo");
        sub.error(BAD_HEADER, entry.key_at.clone(), message);
        return None;
    }
    Some(name)
}

fn body<'a>(
    table: &Table<'a>,
    templates: &Templates<'_>,
    method: Option<&http::Method>,
) -> HttpBody {
    let given = table.alternatives(&["json", "form", "body"]);
    if let [first, second, ..] = given.as_slice() {
        let message = format!("`{}` and `{}` exclude each other", first.key, second.key);
        table.report(
            Diagnostic::error(CONFLICT, second.key_at.clone(), message)
                .related(first.key_at.clone(), "the first body"),
        );
    }
    let Some(first) = given.first() else {
        return HttpBody::Empty;
    };
    if method == Some(&http::Method::GET) && !table.has("method") {
        let message = format!(
            "`{}` is sent with a GET request, whose body most servers ignore",
            first.key
        );
        table.report(
            Diagnostic::warning(NO_EFFECT, first.key_at.clone(), message)
                .help("write `method = \"POST\"`"),
        );
    }
    match first.key {
        "json" => templates
            .merged_tree(table, "json")
            .map_or(HttpBody::Empty, HttpBody::Json),
        "form" => HttpBody::Form(pairs(table, templates, "form")),
        _ => templates
            .key(table, "body")
            .map_or(HttpBody::Empty, |read| HttpBody::Text(read.value)),
    }
}

fn retry(table: &Table<'_>) -> RetrySpec {
    let mut spec = RetrySpec {
        attempts: 1,
        backoff: Duration::from_millis(200),
        on: vec![429, 502, 503, 504],
        any_method: false,
    };
    let Some(sub) = table.table("retry") else {
        return spec;
    };
    spec.attempts = sub
        .integer("attempts", 1..=10)
        .and_then(|read| u32::try_from(read.value).ok())
        .unwrap_or(3);
    if let Some(read) = sub.millis("backoff_ms", 1..=60_000) {
        spec.backoff = read.value;
    }
    if let Some(on) = statuses(&sub, "on") {
        spec.on = on;
    }
    spec.any_method = sub.boolean("any_method").is_some_and(|read| read.value);
    sub.finish();
    spec
}

fn statuses(table: &Table<'_>, key: &'static str) -> Option<Vec<u16>> {
    let items = table.array(key)?;
    let statuses = items
        .iter()
        .filter_map(|item| table.as_integer(item, 100..=599))
        .filter_map(|read| u16::try_from(read.value).ok());
    Some(statuses.collect())
}

fn pem(cx: &Cx<'_>, table: &Table<'_>, key: &'static str) -> Option<Vec<u8>> {
    let path = table.literal(key)?;
    let bytes = read_named(cx, table, &path)?;
    if !bytes.windows(10).any(|part| part == b"-----BEGIN") {
        let message = format!("`{}` is not a PEM file", path.value);
        table.error(BAD_DATA, path.at, message);
        return None;
    }
    Some(bytes)
}

fn client_identity(cx: &Cx<'_>, table: &Table<'_>) -> Option<ClientIdentity> {
    let chain = pem(cx, table, "client_cert_file");
    let key = pem(cx, table, "client_key_file");
    match (table.has("client_cert_file"), table.has("client_key_file")) {
        (true, false) => table.missing("client_key_file"),
        (false, true) => table.missing("client_cert_file"),
        _ => {}
    }
    Some(ClientIdentity {
        chain: chain?,
        key: KeyPem(key?),
    })
}
