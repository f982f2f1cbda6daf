//! `http`: one request to an upstream.

use super::Cx;
use super::codes::{BAD_HEADER, BAD_JSON, BAD_URL, CONFLICT, RAW_IN_URL, UNREADABLE};
use crate::lang::diag::Diagnostic;
use crate::lang::template::{Names, Template, Tree};
use crate::manifest::read::{At, OUT_OF_RANGE, Table, Templates};
use crate::model::{
    ClientIdentity, HeaderSpec, HostPattern, HttpBody, HttpSpec, HttpTarget, KeyPem, RetrySpec,
};
use std::time::Duration;
use toml::de::DeValue;

/// Ten minutes; a request that takes longer belongs in a job, not in a call.
const MAX_MILLIS: i64 = 600_000;
/// Header fields that the client itself writes.
const OWN_HEADERS: [&str; 10] = [
    "connection",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Reads an `http` table.
pub(super) fn http(cx: &Cx<'_>, table: Table<'_>, names: &Names) -> Option<HttpSpec> {
    let templates = Templates::new(names);
    let method = method(&table);
    let url = url(&table, &templates);
    let query = pairs(&table, &templates, "query");
    let headers = headers(&table, &templates);
    let body = body(&table, &templates);
    let timeout = table.millis("timeout_ms", 1..=MAX_MILLIS);
    super::base::warn_of_long_timeout(cx, &table, timeout.as_ref());
    let max_bytes = table.count("max_bytes", 1..=1 << 30);
    let redirects = table.integer("redirects", 0..=20);
    let retry = retry(&table);
    let accept_status = statuses(&table, "accept_status");
    let ca_pem = pem(cx, &table, "ca_file");
    let client_pem = client_identity(cx, &table);
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
        redirects: redirects
            .and_then(|read| u32::try_from(read.value).ok())
            .unwrap_or(5),
        retry,
        accept_status: accept_status.unwrap_or_default(),
        ca_pem,
        client_pem,
    })
}

fn method(table: &Table<'_>) -> Option<http::Method> {
    let Some(word) = table.string("method") else {
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

/// The URL and who chooses its host. A relative URL continues `[defaults.http] url`.
fn url(table: &Table<'_>, templates: &Templates<'_>) -> Option<(Template, HttpTarget)> {
    let own = table.own_entry("url");
    let base = table.inherited_entry("url");
    let allow_hosts = table.strings("allow_hosts");
    let allow_private = table
        .boolean("allow_private")
        .is_some_and(|read| read.value);
    let Some(entry) = own.clone().or_else(|| base.clone()) else {
        table.missing("url");
        return None;
    };
    let own_text = own.and_then(|own| table.as_string(&own));
    let base_text = base.and_then(|base| table.as_string(&base));
    let read = templates.read(table, &entry)?;
    let (text, read) = match (own_text, base_text) {
        (Some(own), Some(base)) if is_relative(&own.value, &read.value) => {
            let joined = join(&base.value, &own.value);
            let template = Template::parse(&joined).ok()?;
            (
                joined,
                At {
                    value: template,
                    at: own.at,
                },
            )
        }
        (Some(own), _) => (own.value, read),
        (None, Some(base)) => (base.value, read),
        (None, None) => return None,
    };
    if !read.value.raw_filters().is_empty() {
        table.report(Diagnostic::warning(
            RAW_IN_URL,
            read.at.clone(),
            "`| raw` puts a value into the URL without percent-encoding",
        ));
    }
    let target = target(table, &text, &read, allow_hosts, allow_private)?;
    Some((read.value, target))
}

/// A value cannot be an absolute URL, since it is encoded as one segment, unless it is `| raw`.
fn is_relative(url: &str, template: &Template) -> bool {
    !names_scheme(url) && (!url.starts_with("{{") || template.raw_filters().is_empty())
}

/// Whether `://` stands before the path and the query.
fn names_scheme(url: &str) -> bool {
    url.find(['/', '?', '#'])
        .and_then(|end| Some((url.get(..end)?, url.get(end..)?)))
        .is_some_and(|(head, rest)| head.ends_with(':') && rest.starts_with("//"))
}

/// `https://api.example.com/v1` and `/books` make `https://api.example.com/v1/books`.
fn join(base: &str, rest: &str) -> String {
    if rest.is_empty() || rest.starts_with(['?', '#']) {
        return format!("{base}{rest}");
    }
    format!(
        "{}/{}",
        base.trim_end_matches('/'),
        rest.trim_start_matches('/')
    )
}

/// Whether the scheme and host are the manifest's own, and if not, which hosts a call may name.
fn target(
    table: &Table<'_>,
    text: &str,
    read: &At<Template>,
    allow_hosts: Option<Vec<At<String>>>,
    allow_private: bool,
) -> Option<HttpTarget> {
    let authority_end = text
        .split_once("://")
        .map(|(scheme, rest)| scheme.len() + 3 + rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let head = authority_end.and_then(|end| text.get(..end));
    let literal_head = head.filter(|head| !head.contains("{{") && !head.contains("{%"));
    if let Some(head) = literal_head {
        let parsed = url::Url::parse(head).ok();
        let usable = parsed
            .as_ref()
            .is_some_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
        if !usable {
            table.report(
                Diagnostic::error(
                    BAD_URL,
                    read.at.clone(),
                    format!("`{}` is not an HTTP address", head.escape_debug()),
                )
                .help("write `https://host/path`"),
            );
            return None;
        }
        if let Some(first) = allow_hosts.as_ref().and_then(|hosts| hosts.first()) {
            table.report(Diagnostic::warning(
                super::codes::NO_EFFECT,
                first.at.clone(),
                "`allow_hosts` has no effect: the URL names its host itself",
            ));
        }
        return Some(HttpTarget::Fixed { allow_private });
    }
    let hosts = allow_hosts.unwrap_or_default();
    let Some(first) = hosts.first() else {
        table.report(
            Diagnostic::error(BAD_URL, read.at.clone(), "the URL's scheme and host must be literal text")
                .help("name the host, give `[defaults.http] url` a base, or list the hosts a call may name in `allow_hosts`"),
        );
        return None;
    };
    if is_relative(text, &read.value) {
        table.report(
            Diagnostic::error(
                BAD_URL,
                read.at.clone(),
                "a value is encoded as one part of a URL, so it cannot be a whole one",
            )
            .related(first.at.clone(), "decides which hosts may be reached")
            .help("write `| raw` behind it"),
        );
        return None;
    }
    Some(HttpTarget::FromCaller {
        allow_hosts: patterns(table, &hosts),
        allow_private,
    })
}

fn patterns(table: &Table<'_>, hosts: &[At<String>]) -> Vec<HostPattern> {
    let mut patterns = Vec::new();
    for host in hosts {
        match host.value.parse() {
            Ok(pattern) => patterns.push(pattern),
            Err(error) => table.error(BAD_URL, host.at.clone(), format!("{error}")),
        }
    }
    patterns
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
    for entry in sub.entries() {
        let name = http::HeaderName::from_bytes(entry.key.as_bytes()).ok();
        let Some(name) = name.filter(|name| !OWN_HEADERS.contains(&name.as_str())) else {
            sub.error(
                BAD_HEADER,
                entry.key_at.clone(),
                format!(
                    "`{}` is not a header field that can be set",
                    entry.key.escape_debug()
                ),
            );
            continue;
        };
        let Some(read) = templates.read(&sub, &entry) else {
            continue;
        };
        if read
            .value
            .literal()
            .is_some_and(|text| text.contains(['\r', '\n', '\0']))
        {
            sub.error(
                BAD_HEADER,
                read.at,
                "a header value cannot hold CR, LF or NUL",
            );
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

fn body(table: &Table<'_>, templates: &Templates<'_>) -> HttpBody {
    let given: Vec<&'static str> = ["json", "form", "body"]
        .into_iter()
        .filter(|key| table.has(key))
        .collect();
    let json = table.entry("json");
    let text = templates.key(table, "body");
    let form = pairs(table, templates, "form");
    if let [_, second, ..] = given.as_slice() {
        table.error(
            CONFLICT,
            table.at(),
            format!(
                "only one of `json`, `form` and `body` can be given, and `{second}` is a second"
            ),
        );
    }
    match given.first() {
        Some(&"json") => json
            .and_then(|entry| templates.tree(table, &entry))
            .map_or(HttpBody::Empty, HttpBody::Json),
        Some(&"form") => HttpBody::Form(form),
        Some(_) => text.map_or(HttpBody::Empty, |read| HttpBody::Text(read.value)),
        None => HttpBody::Empty,
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
    let mut statuses = Vec::new();
    for item in table.array(key)? {
        let status = match item.value {
            DeValue::Integer(number) => u16::from_str_radix(number.as_str(), number.radix()).ok(),
            _ => None,
        };
        match status {
            Some(status) if (100..=599).contains(&status) => statuses.push(status),
            _ => table.error(
                OUT_OF_RANGE,
                item.at,
                "a status is an integer from 100 to 599",
            ),
        }
    }
    Some(statuses)
}

fn pem(cx: &Cx<'_>, table: &Table<'_>, key: &'static str) -> Option<Vec<u8>> {
    let path = table.string(key)?;
    match cx.read_outside(&cx.resolve(&path.value)) {
        Ok(bytes) if bytes.windows(10).any(|part| part == b"-----BEGIN") => Some(bytes),
        Ok(_) => {
            table.error(
                BAD_JSON,
                path.at,
                format!("`{}` is not a PEM file", path.value),
            );
            None
        }
        Err(error) => {
            table.error(
                UNREADABLE,
                path.at,
                format!("cannot read `{}`: {error}", path.value),
            );
            None
        }
    }
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
