//! What every component may say of itself: title, description, icons, metadata, annotations.

use super::Cx;
use super::codes::{BAD_META_KEY, BAD_URL, NO_EFFECT, NOT_SERVED};
use crate::lang::diag::Diagnostic;
use crate::manifest::read::{At, Entry, OUT_OF_RANGE, Table, to_json};
use crate::model::{Annotations, Icon, Role, Theme, ToolAnnotations};
use serde_json::{Map, Value};
use std::time::Duration;
use toml::de::DeValue;

/// `icons = [{ src, mime_type, sizes, theme }]`.
pub(super) fn icons(table: &Table<'_>) -> Vec<Icon> {
    let mut icons = Vec::new();
    for item in table.tables("icons") {
        let src = item.required_string("src");
        let mime_type = item.string("mime_type").map(|read| read.value);
        let sizes = item.strings("sizes").unwrap_or_default();
        let theme = item
            .word("theme", &[("light", Theme::Light), ("dark", Theme::Dark)])
            .map(|read| read.value);
        for size in &sizes {
            if !is_size(&size.value) {
                item.report(
                    Diagnostic::error(
                        OUT_OF_RANGE,
                        size.at.clone(),
                        format!("`{}` is not an icon size", size.value),
                    )
                    .help("write width and height such as `48x48`, or `any`"),
                );
            }
        }
        if let Some(src) = src {
            let scheme = url::Url::parse(&src.value)
                .ok()
                .map(|url| url.scheme().to_owned());
            if matches!(scheme.as_deref(), Some("https" | "http" | "data")) {
                icons.push(Icon {
                    src: src.value,
                    mime_type,
                    sizes: sizes.into_iter().map(|size| size.value).collect(),
                    theme,
                });
            } else {
                item.report(
                    Diagnostic::error(BAD_URL, src.at, "an icon's `src` must be an absolute URI")
                        .help("write an `https:`, `http:` or `data:` URI"),
                );
            }
        }
        item.finish();
    }
    icons
}

fn is_size(text: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    text == "any"
        || text
            .split_once('x')
            .is_some_and(|(width, height)| digits(width) && digits(height))
}

/// `metadata`: the `_meta` object of a declaration.
pub(super) fn metadata(cx: &Cx<'_>, table: &Table<'_>) -> Map<String, Value> {
    let Some(entry) = table.entry("metadata") else {
        return Map::new();
    };
    if !matches!(entry.value, DeValue::Table(_)) {
        let _: Option<()> = table.wrong_type(&entry, "a table");
        return Map::new();
    }
    let mut metadata = Map::new();
    for member in entry.members() {
        if check_meta_key(table, &member)
            && let Some(value) = to_json(&member, cx.findings)
        {
            metadata.insert(member.key.to_owned(), value);
        }
    }
    metadata
}

/// Reports a `_meta` key that is not allowed. True when it is.
pub(super) fn check_meta_key(table: &Table<'_>, member: &Entry<'_>) -> bool {
    let Some(why) = bad_meta_key(member.key) else {
        return true;
    };
    table.error(
        BAD_META_KEY,
        member.key_at.clone(),
        format!("`{}` cannot be a metadata key: {why}", member.key),
    );
    false
}

/// Why a `_meta` key is not allowed (MCP 2026-07-28, "Key name format").
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
        title: hints.string("title").map(|read| read.value),
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
    for word in hints.strings("audience").unwrap_or_default() {
        match word.value.as_str() {
            "user" => annotations.audience.push(Role::User),
            "assistant" => annotations.audience.push(Role::Assistant),
            other => hints.error(
                OUT_OF_RANGE,
                word.at,
                format!("`audience` is `user` or `assistant`, not `{other}`"),
            ),
        }
    }
    if let Some(entry) = hints.entry("priority") {
        let number = to_json(&entry, hints.findings()).and_then(|value| value.as_f64());
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
    annotations.last_modified = hints.string("last_modified").map(|read| read.value);
    hints.finish();
    Some(annotations)
}

/// Warns of an action that may take longer than the request that it is for.
pub(super) fn warn_of_long_timeout(cx: &Cx<'_>, table: &Table<'_>, timeout: Option<&At<Duration>>) {
    let limit = cx.settings.request_timeout;
    if let Some(timeout) = timeout.filter(|timeout| timeout.value >= limit) {
        table.report(
            Diagnostic::warning(
                NO_EFFECT,
                timeout.at.clone(),
                format!("every request ends after {} ms", limit.as_millis()),
            )
            .help("raise `http.request_timeout_ms` in the server file, or lower `timeout_ms`"),
        );
    }
}

/// Refuses keys that the language has and this version does not serve.
pub(in crate::manifest) fn refuse_unserved(table: &Table<'_>, keys: &[&'static str]) {
    for key in keys {
        if let Some(entry) = table.entry(key) {
            table.error(
                NOT_SERVED,
                entry.key_at,
                format!("`{key}` is not served by this version of snodo"),
            );
        }
    }
}
