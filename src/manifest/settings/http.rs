//! `[http]`: where the server listens, and what bounds its connections.

use super::sections::{Reader, section};
use crate::lang::diag::Diagnostic;
use crate::manifest::read::{OUT_OF_RANGE, Table};
use crate::model::{HttpSettings, Listen};
use std::time::Duration;

/// What bounds requests, on either transport.
pub(super) struct Requests {
    /// How long one may take.
    pub(super) timeout: Duration,
    /// How many on one stdio stream, and at work over HTTP.
    pub(super) in_flight: usize,
    /// How many may wait over HTTP.
    pub(super) queued: usize,
}

impl Reader<'_> {
    /// `[metrics]`: where reports are served.
    pub(super) fn reports(&self, table: &Table<'_>) -> Vec<Listen> {
        let Some(metrics) = section(table, "metrics") else {
            return Vec::new();
        };
        if !metrics.has("listen") {
            metrics.missing("listen");
        }
        let listen = self.listen(&metrics).unwrap_or_default();
        metrics.finish();
        listen
    }

    /// `[http]`: the transport's settings, and what bounds a request on either transport.
    pub(super) fn http(&self, table: &Table<'_>) -> (HttpSettings, Requests) {
        let mut settings = HttpSettings::default();
        let mut requests = Requests {
            timeout: Duration::from_secs(60),
            in_flight: 256,
            queued: 1024,
        };
        let Some(http) = section(table, "http") else {
            return (settings, requests);
        };
        if let Some(listen) = self.listen(&http) {
            settings.listen = listen;
        }
        if let Some(path) = http.string("path") {
            if path.value.starts_with('/') && !path.value.contains(['?', '#', ' ']) {
                settings.path = path.value;
            } else {
                http.error(
                    OUT_OF_RANGE,
                    path.at,
                    "`path` must begin with `/` and hold no `?`, `#` or space",
                );
            }
        }
        settings.allowed_origins = listed(
            &http,
            "allowed_origins",
            is_origin,
            "an origin such as `https://app.example.com`, or `*`",
        );
        settings.allowed_hosts = listed(
            &http,
            "allowed_hosts",
            is_host,
            "a host such as `mcp.example.com` or `mcp.example.com:8080`, or `*`",
        );
        for (key, bounds, field) in [
            (
                "max_connections",
                1..=1_000_000,
                &mut settings.max_connections,
            ),
            (
                "max_body_bytes",
                1024..=1 << 30,
                &mut settings.max_body_bytes,
            ),
            (
                "max_subscriptions",
                0..=100_000,
                &mut settings.max_subscriptions,
            ),
            ("max_in_flight", 1..=100_000, &mut requests.in_flight),
            ("max_queued", 0..=100_000, &mut requests.queued),
        ] {
            if let Some(read) = http.count(key, bounds) {
                *field = read.value;
            }
        }
        for (key, field) in [
            ("head_timeout_ms", &mut settings.head_timeout),
            ("body_timeout_ms", &mut settings.body_timeout),
            ("idle_timeout_ms", &mut settings.idle_timeout),
            ("write_timeout_ms", &mut settings.write_timeout),
            ("request_timeout_ms", &mut requests.timeout),
        ] {
            if let Some(read) = http.millis(key, 1..=86_400_000) {
                *field = read.value;
            }
        }
        settings.tls = self.tls(&http);
        if let Some(mode) = socket_mode(&http) {
            settings.socket_mode = mode;
        }
        http.finish();
        (settings, requests)
    }

    /// `listen`: addresses with a port, `unix:` and a path, or `systemd`.
    fn listen(&self, http: &Table<'_>) -> Option<Vec<Listen>> {
        let items = http.array("listen")?;
        if items.is_empty()
            && let Some(entry) = http.entry("listen")
        {
            let message = "`listen` must name at least one address";
            http.error(OUT_OF_RANGE, entry.at, message);
        }
        let mut places = Vec::new();
        for item in &items {
            let Some(text) = http.as_string(item) else {
                continue;
            };
            match text.value.parse() {
                Ok(Listen::Unix(path)) => {
                    let path = self.resolve(&text.at, &path.to_string_lossy());
                    places.push(Listen::Unix(path));
                }
                Ok(place) => places.push(place),
                Err(error) => http.error(OUT_OF_RANGE, text.at, format!("{error}")),
            }
        }
        (!places.is_empty()).then_some(places)
    }
}

/// `socket_mode`: permission bits as `chmod` takes them.
fn socket_mode(http: &Table<'_>) -> Option<u32> {
    let read = http.string("socket_mode")?;
    let digits = (3..=4).contains(&read.value.len());
    let is_octal = digits && read.value.bytes().all(|byte| (b'0'..=b'7').contains(&byte));
    let mode = is_octal.then(|| u32::from_str_radix(&read.value, 8).ok());
    let mode = mode.flatten().filter(|mode| *mode <= 0o777);
    if mode.is_none() {
        let message = "`socket_mode` must be three octal digits";
        http.report(
            Diagnostic::error(OUT_OF_RANGE, read.at, message)
                .help("write `\"0600\"` for the owner alone, `\"0660\"` for the group too"),
        );
    }
    mode
}

/// An array of texts that are each of one kind.
fn listed<'a>(http: &Table<'a>, key: &'a str, is_one: fn(&str) -> bool, what: &str) -> Vec<String> {
    let mut listed = Vec::new();
    for text in http.strings(key).unwrap_or_default() {
        if text.value == "*" || is_one(&text.value) {
            listed.push(text.value);
        } else {
            let message = format!("`{}` cannot stand in `{key}`", text.value.escape_debug());
            http.report(
                Diagnostic::error(OUT_OF_RANGE, text.at, message).help(format!("write {what}")),
            );
        }
    }
    listed
}

/// `scheme://host[:port]`, as a browser writes it (RFC 6454 §6.2).
fn is_origin(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else {
        return false;
    };
    let is_scheme_byte = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(is_scheme_byte)
        && is_host(rest.strip_suffix('/').unwrap_or(rest))
}

/// `host[:port]`.
fn is_host(text: &str) -> bool {
    let authority = text.parse::<http::uri::Authority>();
    let is_host = |authority: http::uri::Authority| {
        let host = authority.host();
        // What follows a colon need not be a port for it to be read.
        !host.is_empty() && (authority.as_str() == host || authority.port_u16().is_some())
    };
    !text.contains('@') && authority.is_ok_and(is_host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_and_hosts() {
        for text in [
            "https://a.example",
            "http://a:1/",
            "vscode-webview://x",
            "http://[::1]:2",
        ] {
            assert!(is_origin(text), "{text}");
        }
        for text in [
            "a.example",
            "https://",
            "https://a/b",
            "https://u@a",
            "://a",
            "1x://a",
            "null",
        ] {
            assert!(!is_origin(text), "{text}");
        }
        for text in ["a", "a.example:80", "[::1]", "[::1]:3"] {
            assert!(is_host(text), "{text}");
        }
        for text in ["", "http://a", "a/b", "a b", "a:x", "u@a"] {
            assert!(!is_host(text), "{text}");
        }
    }
}
