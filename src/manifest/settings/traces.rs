//! `[traces]`: where spans of requests are exported.

use super::sections::{Reader, section};
use crate::lang::diag::Diagnostic;
use crate::manifest::lower::codes::{BAD_NAME, BAD_URL, CONFLICT};
use crate::manifest::read::{At, Entry, OUT_OF_RANGE, Table};
use crate::model::{TracesSettings, is_own_header};
use crate::secret::Secret;
use http::{HeaderName, HeaderValue, header};
use std::time::Duration;
use toml::de::DeValue;
use url::Url;

/// Where a collector takes traces, when only its address is given (OTLP/HTTP Request).
const PATH: &str = "/v1/traces";
/// Most headers, and most attributes of the resource.
const MOST: usize = 64;
/// Bytes of an attribute's name or value.
const MOST_BYTES: usize = 1024;

impl Reader<'_> {
    /// `[traces]`.
    pub(super) fn traces(&self, table: &Table<'_>) -> Option<TracesSettings> {
        let traces = section(table, "traces")?;
        let endpoint = traces.required_string("endpoint");
        let endpoint = endpoint.and_then(|named| endpoint_of(&traces, &named));
        let headers = traces.table("headers").map(|table| self.headers(&table));
        let timeout = traces.millis("timeout_ms", 100..=60_000);
        let ratio = traces
            .entry("ratio")
            .and_then(|entry| ratio(&traces, &entry));
        let service = traces.string("service").filter(|name| {
            let is_usable = (1..=MOST_BYTES).contains(&name.value.len());
            if !is_usable {
                let message = "`service` must be a text of 1 to 1024 bytes";
                traces.error(OUT_OF_RANGE, name.at.clone(), message);
            }
            is_usable
        });
        let resource = traces.table("resource").map(|table| attributes(&table));
        let ca = traces.string("ca_file").map(|file| {
            let read = self.pem(&traces, &file);
            read.into_iter().collect()
        });
        traces.finish();
        Some(TracesSettings {
            endpoint: endpoint?,
            headers: headers.unwrap_or_default(),
            timeout: timeout.map_or(Duration::from_secs(10), |read| read.value),
            ratio: ratio.unwrap_or(1.0),
            service: service.map(|read| read.value),
            resource: resource.unwrap_or_default(),
            ca: ca.unwrap_or_default(),
        })
    }

    /// Headers by name: a text, or where the secret comes from.
    fn headers(&self, table: &Table<'_>) -> Vec<(HeaderName, Secret)> {
        let entries = table.entries();
        if entries.len() > MOST {
            let message = format!("there can be {MOST} headers at the most");
            table.error(OUT_OF_RANGE, table.at(), message);
        }
        let mut headers: Vec<(HeaderName, Secret)> = Vec::new();
        for entry in &entries {
            let place = format!("in header \"{}\"", entry.key);
            let value = match entry.value {
                DeValue::String(_) => table.as_string(entry).map(|text| Secret::new(text.value)),
                _ => self.secret(table, entry, &place),
            };
            let name = HeaderName::from_bytes(entry.key.as_bytes()).ok();
            let Some(name) = name.filter(is_free) else {
                let message = format!(
                    "`{}` is no header that can be given",
                    entry.key.escape_debug()
                );
                table.error(BAD_NAME, entry.key_at.clone(), message);
                continue;
            };
            if headers.iter().any(|(known, _)| *known == name) {
                let message = format!("`{name}` is given twice");
                table.error(CONFLICT, entry.key_at.clone(), message);
                continue;
            }
            let Some(value) = value else { continue };
            if HeaderValue::from_str(value.reveal()).is_err() {
                let message = format!("the value of `{name}` cannot stand in a header");
                table.error(OUT_OF_RANGE, entry.key_at.clone(), message);
                continue;
            }
            headers.push((name, value));
        }
        headers
    }
}

/// Whether the exporter does not write it itself.
fn is_free(name: &HeaderName) -> bool {
    const OWN: [HeaderName; 4] = [
        header::ACCEPT,
        header::CONTENT_ENCODING,
        header::CONTENT_TYPE,
        header::USER_AGENT,
    ];
    !is_own_header(name) && !OWN.contains(name)
}

/// The URL; that of a collector without a path is where collectors take traces.
fn endpoint_of(table: &Table<'_>, named: &At<String>) -> Option<Url> {
    let parsed = Url::parse(&named.value).ok().filter(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none()
    });
    let Some(mut url) = parsed else {
        let message = "`endpoint` must be an http or https URL without user and fragment";
        table.report(
            Diagnostic::error(BAD_URL, named.at.clone(), message)
                .help("write for example `http://127.0.0.1:4318`; credentials go to `headers`"),
        );
        return None;
    };
    if url.path() == "/" {
        url.set_path(PATH);
    }
    Some(url)
}

/// A number from 0 to 1.
fn ratio<'a>(table: &Table<'a>, entry: &Entry<'a>) -> Option<f64> {
    let number = match entry.value {
        DeValue::Float(number) => number.as_str().parse::<f64>().ok(),
        DeValue::Integer(number) => number.as_str().parse::<f64>().ok(),
        _ => return table.wrong_type(entry, "a number"),
    };
    let ratio = number.filter(|number| (0.0..=1.0).contains(number));
    if ratio.is_none() {
        let message = format!("`{}` must be a number from 0 to 1", entry.key);
        table.error(OUT_OF_RANGE, entry.at.clone(), message);
    }
    ratio
}

/// Texts by name.
fn attributes(table: &Table<'_>) -> Vec<(String, String)> {
    let entries = table.entries();
    if entries.len() > MOST {
        let message = format!("there can be {MOST} attributes at the most");
        table.error(OUT_OF_RANGE, table.at(), message);
    }
    let mut attributes = Vec::new();
    for entry in &entries {
        let Some(text) = table.as_string(entry) else {
            continue;
        };
        if entry.key.is_empty() || entry.key.len().max(text.value.len()) > MOST_BYTES {
            let message = "an attribute has a name, and its name and text 1024 bytes at the most";
            table.error(OUT_OF_RANGE, text.at, message);
            continue;
        }
        attributes.push((entry.key.to_owned(), text.value));
    }
    attributes
}
