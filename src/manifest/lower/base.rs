//! What every component may say of itself: title, description, icons, metadata, annotations.

use super::Cx;
use super::codes::{BAD_META_KEY, BAD_URL, NO_EFFECT, NOT_SERVED};
use crate::lang::diag::{Diagnostic, Span};
use crate::manifest::read::{At, Entry, OUT_OF_RANGE, Table, to_json};
use crate::model::{Annotations, Icon, Role, Theme, ToolAnnotations};
use crate::units::Time;
use serde_json::{Map, Value};
use std::time::Duration;
use toml::de::DeValue;

/// `icons = [{ src, mime_type, sizes, theme }]`.
pub(super) fn icons(table: &Table<'_>) -> Vec<Icon> {
    let mut icons = Vec::new();
    for item in table.tables("icons") {
        let src = required_literal(&item, "src");
        let mime_type = item.literal("mime_type");
        if let Some(mime_type) = &mime_type {
            check_media_type(&item, &mime_type.value, &mime_type.at);
        }
        let sizes = item.strings("sizes").unwrap_or_default();
        let theme = item
            .word("theme", &[("light", Theme::Light), ("dark", Theme::Dark)])
            .map(|read| read.value);
        for size in sizes.iter().filter(|size| !is_size(&size.value)) {
            let message = format!("`{}` is not an icon size", size.value);
            item.report(
                Diagnostic::error(OUT_OF_RANGE, size.at.clone(), message)
                    .help("write width and height such as `48x48`, or `any`"),
            );
        }
        if let Some(src) = src {
            check_icon_source(&item, &src);
            icons.push(Icon {
                src: src.value,
                mime_type: mime_type.map(|read| read.value),
                sizes: sizes.into_iter().map(|size| size.value).collect(),
                theme,
            });
        }
        item.finish();
    }
    icons
}

fn check_icon_source(item: &Table<'_>, src: &At<String>) {
    let parsed = url::Url::parse(&src.value).ok();
    let scheme = parsed.as_ref().map(url::Url::scheme);
    if !matches!(scheme, Some("https" | "http" | "data")) {
        let message = "an icon's `src` must be an absolute URI";
        item.report(
            Diagnostic::error(BAD_URL, src.at.clone(), message)
                .help("write an `https:`, `http:` or `data:` URI"),
        );
    }
}

fn required_literal<'a>(table: &Table<'a>, key: &'a str) -> Option<At<String>> {
    if !table.has(key) {
        table.missing(key);
    }
    table.literal(key)
}

/// Refuses what is no media type: `type/subtype`, parameters after a `;` (RFC 9110 §8.3.1).
pub(super) fn check_media_type(table: &Table<'_>, text: &str, at: &Span) {
    if !is_media_type(text) {
        let message = format!("`{text}` is not a media type");
        table.report(
            Diagnostic::error(OUT_OF_RANGE, at.clone(), message)
                .help("write type and subtype such as `image/png`"),
        );
    }
}

/// Whether a text is a media type.
pub(super) fn is_media_type(text: &str) -> bool {
    let essence = text.split(';').next().unwrap_or_default().trim_end();
    let is_token = |part: &str| {
        let tchar = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$&^_.+-".contains(&byte);
        !part.is_empty() && part.bytes().all(tchar)
    };
    let is_printable = text.bytes().all(|byte| (0x20..0x7f).contains(&byte));
    let parts = essence.split_once('/');
    is_printable && parts.is_some_and(|(kind, subtype)| is_token(kind) && is_token(subtype))
}

fn is_size(text: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    text == "any"
        || text
            .split_once('x')
            .is_some_and(|(width, height)| digits(width) && digits(height))
}

/// `metadata`: the `_meta` object of a declaration.
pub(super) fn metadata(table: &Table<'_>) -> Map<String, Value> {
    let Some(entries) = table.table("metadata") else {
        return Map::new();
    };
    let mut metadata = Map::new();
    for member in entries.entries() {
        if is_meta_key(&entries, &member)
            && let Some(value) = to_json(&entries, &member)
        {
            metadata.insert(member.key.to_owned(), value);
        }
    }
    metadata
}

/// Whether a member may stand in `_meta`; says why not.
pub(super) fn is_meta_key(table: &Table<'_>, member: &Entry<'_>) -> bool {
    let refused = bad_meta_key(member.key);
    if let Some(why) = refused {
        let message = format!("`{}` cannot be a metadata key: {why}", member.key);
        table.error(BAD_META_KEY, member.key_at.clone(), message);
    }
    refused.is_none()
}

/// Why a `_meta` key is not allowed (MCP specification, "Key name format").
fn bad_meta_key(key: &str) -> Option<&'static str> {
    let (prefix, name) = match key.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    };
    if let Some(prefix) = prefix {
        let labels: Vec<&str> = prefix.split('.').collect();
        let ok = |label: &&str| {
            label.starts_with(|c: char| c.is_ascii_alphabetic())
                && label.ends_with(|c: char| c.is_ascii_alphanumeric())
                && label
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b == b'-')
        };
        if !labels.iter().all(ok) {
            return Some("each label before the `/` is letters, digits and `-`, a letter first");
        }
        if matches!(labels.get(1), Some(&("mcp" | "modelcontextprotocol"))) {
            return Some("this prefix is reserved for the protocol");
        }
    } else if matches!(
        key,
        "progressToken" | "traceparent" | "tracestate" | "baggage"
    ) {
        return Some("this name is reserved for the protocol");
    }
    let edge = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    let inner = name
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
    let ok = (name.is_empty() && prefix.is_some())
        || (edge(name.chars().next()) && edge(name.chars().last()) && inner);
    (!ok).then_some("the name is letters, digits, `-`, `_` and `.`, a letter or digit at each end")
}

/// A tool's `annotations`.
pub(super) fn tool_annotations(hints: Option<Table<'_>>) -> ToolAnnotations {
    let Some(hints) = hints else {
        return ToolAnnotations::default();
    };
    let flag = |key| hints.boolean(key).map(|read| read.value);
    let annotations = ToolAnnotations {
        title: hints.prose("title"),
        read_only: flag("read_only"),
        destructive: flag("destructive"),
        idempotent: flag("idempotent"),
        open_world: flag("open_world"),
    };
    hints.finish();
    annotations
}

/// The `annotations` of a content block.
pub(super) fn block_annotations(table: &Table<'_>) -> Option<Annotations> {
    let hints = table.table("annotations")?;
    let mut annotations = Annotations::default();
    let roles = [("user", Role::User), ("assistant", Role::Assistant)];
    for word in hints.strings("audience").unwrap_or_default() {
        if let Some(role) = hints.as_word("audience", word, &roles) {
            annotations.audience.push(role.value);
        }
    }
    if let Some(entry) = hints.entry("priority") {
        let number = match entry.value {
            DeValue::Integer(_) | DeValue::Float(_) => to_json(&hints, &entry),
            _ => None,
        };
        let number = number.and_then(|value| value.as_f64());
        match number {
            Some(priority) if (0.0..=1.0).contains(&priority) => {
                annotations.priority = Some(priority)
            }
            _ => hints.error(
                OUT_OF_RANGE,
                entry.at,
                "`priority` must be a number from 0.0 to 1.0",
            ),
        }
    }
    annotations.last_modified = last_modified(&hints);
    hints.finish();
    Some(annotations)
}

/// `last_modified`: a time, as TOML's own or as text.
fn last_modified(hints: &Table<'_>) -> Option<String> {
    let entry = hints.entry("last_modified")?;
    let text = match entry.value {
        DeValue::Datetime(time) => time.to_string(),
        _ => hints.as_string(&entry)?.value,
    };
    let is_time = text
        .parse::<toml::value::Datetime>()
        .is_ok_and(|time| time.date.is_some());
    if !is_time {
        hints.report(
            Diagnostic::error(
                OUT_OF_RANGE,
                entry.at,
                "`last_modified` must be an ISO 8601 time",
            )
            .help("write for example `2025-01-12T15:00:58Z`"),
        );
    }
    is_time.then_some(text)
}

/// Warns of an action that may take longer than the request that it is for.
pub(super) fn warn_of_long_timeout(cx: &Cx<'_>, table: &Table<'_>, timeout: Option<&At<Duration>>) {
    let limit = cx.settings.request_timeout;
    if let Some(timeout) = timeout.filter(|timeout| timeout.value >= limit) {
        table.report(
            Diagnostic::warning(
                NO_EFFECT,
                timeout.at.clone(),
                format!("every request ends after {}", Time(limit)),
            )
            .help("raise `http.request_timeout_ms` in the server file, or lower `timeout_ms`"),
        );
    }
}

/// Refuses keys that the language has and this version does not serve.
pub(in crate::manifest) fn refuse_unserved(table: &Table<'_>, keys: &[&'static str]) {
    for key in keys.iter().filter(|key| table.has(key)) {
        if let Some(entry) = table.entry(key) {
            let message = format!("`{key}` is not served by this version of snodo");
            table.error(NOT_SERVED, entry.key_at, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_keys() {
        for key in [
            "a",
            "9",
            "a-b_c.d",
            "com.example/",
            "com.example/a",
            "c-1.x/a",
            "mcp.x/a",
            "com.example.mcp/a",
        ] {
            assert_eq!(bad_meta_key(key), None, "{key}");
        }
        for key in [
            "",
            "/",
            "/a",
            "-a",
            "a-",
            "a b",
            "é",
            "1com/a",
            "com-/a",
            "com..x/a",
            "com.x/a/b",
            "io.modelcontextprotocol/a",
            "dev.mcp/a",
            "com.mcp.tools/",
            "progressToken",
            "traceparent",
            "a\u{1b}",
        ] {
            assert!(bad_meta_key(key).is_some(), "{key}");
        }
    }

    #[test]
    fn media_types() {
        for text in [
            "image/png",
            "text/plain; charset=utf-8",
            "application/ld+json",
        ] {
            assert!(is_media_type(text), "{text}");
        }
        for text in [
            "", "png", "/png", "image/", "a/b/c", "a b/c", "text/é", "a/b;\n",
        ] {
            assert!(!is_media_type(text), "{text}");
        }
    }
}
