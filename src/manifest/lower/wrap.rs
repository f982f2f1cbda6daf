//! `wrap`: what stands around a component's action.

use super::action::Action;
use super::codes::{CONFLICT, EMPTY_COMPONENT};
use super::{Cx, names};
use crate::lang::diag::Diagnostic;
use crate::lang::template::{Names, Template};
use crate::manifest::read::{At, MISSING_KEY, Table, Templates};
use crate::model::{ActionSpec, WrapSpec};
use std::sync::Arc;
use std::time::Duration;

const KINDS: [&str; 5] = ["timeout_ms", "concurrency", "rate_limit", "cache", "actor"];
/// A day, in milliseconds.
const DAY: i64 = 86_400_000;

/// Reads the wrappers of a component: its own, or those of its file's defaults.
pub(super) fn wraps<'a>(
    cx: &Cx<'a>,
    table: &Table<'a>,
    defaults: Option<&Table<'a>>,
    call: &names::Call,
) -> Vec<WrapSpec> {
    let items = match (table.has("wrap"), defaults) {
        (true, _) | (_, None) => table.tables("wrap"),
        (false, Some(defaults)) => defaults.default_tables("wrap"),
    };
    let items = items.into_iter();
    items.filter_map(|item| wrap(cx, item, call)).collect()
}

/// Whether an actor is asked before the calls of this component go on.
pub(super) fn asks_an_actor(table: &Table<'_>, defaults: Option<&Table<'_>>) -> bool {
    let own = table.entry("wrap");
    let wrap = own.or_else(|| defaults?.entry("wrap"));
    let items = wrap.map(|wrap| wrap.items()).unwrap_or_default();
    let mut items = items.iter();
    items.any(|item| {
        let members = item.members();
        members.iter().any(|member| member.key == "actor")
    })
}

/// An answer that is kept must not name what is gone sooner, or is for one caller.
pub(super) fn check_cache(table: &Table<'_>, wraps: &[WrapSpec], action: &Action) {
    let caches = |wrap: &WrapSpec| matches!(wrap, WrapSpec::Cache { .. });
    if let Action::Whole(action) = action
        && ActionSpec::overflows(action)
        && wraps.iter().any(caches)
    {
        let at = table.own_entry("wrap").map(|entry| entry.key_at);
        let message = "`cache` would keep where `overflow` put an output for a while";
        let help = "remove one of the two, or raise `max_output_bytes` instead of `overflow`";
        let at = at.unwrap_or_else(|| table.at());
        table.report(Diagnostic::error(CONFLICT, at, message).help(help));
    }
}

fn wrap(cx: &Cx<'_>, item: Table<'_>, call: &names::Call) -> Option<WrapSpec> {
    let before = cx.findings.errors();
    let given = item.alternatives(&KINDS);
    match given.as_slice() {
        [_] => {}
        // What is misspelt is told of as such.
        [] if !item.entries().is_empty() => {}
        [] => item.report(
            Diagnostic::error(EMPTY_COMPONENT, item.at(), "the wrapper does nothing").help(
                format!(
                    "write one of {}",
                    KINDS.map(|kind| format!("`{kind}`")).join(", ")
                ),
            ),
        ),
        [first, second, ..] => item.report(
            Diagnostic::error(
                CONFLICT,
                second.key_at.clone(),
                format!("a wrapper is one thing, and `{}` is one already", first.key),
            )
            .related(first.key_at.clone(), "the first")
            .help("write `wrap = [{ … }, { … }]`, the outermost first"),
        ),
    }
    let timeout = millis(&item, "timeout_ms").map(WrapSpec::Timeout);
    let concurrency = concurrency(&item);
    let rate = item
        .table("rate_limit")
        .and_then(|table| rate_limit(table, call.names()));
    let cache = item.table("cache").and_then(|table| cache(table, call));
    let actor = item.table("actor").and_then(|table| {
        let spec = super::send::ask(cx, table, call)?;
        Some(WrapSpec::Actor(Arc::new(spec)))
    });
    item.finish();
    let one = timeout.or(concurrency).or(rate).or(cache).or(actor)?;
    (cx.findings.errors() == before).then_some(one)
}

fn concurrency(item: &Table<'_>) -> Option<WrapSpec> {
    let limit = item.count("concurrency", 1..=100_000);
    let queue = item.count("queue", 0..=100_000);
    if let (Some(queue), false) = (&queue, item.has("concurrency")) {
        let message = "`queue` belongs to `concurrency`";
        item.error(CONFLICT, queue.at.clone(), message);
    }
    Some(WrapSpec::Concurrency {
        limit: limit?.value,
        queue: queue.map_or(0, |read| read.value),
    })
}

fn rate_limit(table: Table<'_>, names: &Names) -> Option<WrapSpec> {
    for key in ["limit", "window_ms"] {
        if !table.has(key) {
            table.missing(key);
        }
    }
    let limit = table.count("limit", 1..=100_000);
    let window = millis(&table, "window_ms");
    let key = Templates::new(names).key(&table, "key");
    table.finish();
    Some(WrapSpec::RateLimit {
        limit: limit?.value,
        window: window?,
        key: key.map(|read| read.value),
    })
}

fn cache(table: Table<'_>, call: &names::Call) -> Option<WrapSpec> {
    if !table.has("ttl_ms") {
        table.error(MISSING_KEY, table.at(), "missing key `ttl_ms`");
    }
    let ttl = millis(&table, "ttl_ms");
    let key: Option<At<Template>> = Templates::new(call.names()).key(&table, "key");
    let key = match (table.has("key"), key) {
        (true, key) => key.map(|read| read.value),
        // Whoever asks: what one caller is told is not for another.
        (false, _) => Template::parse(&format!("{{{{ [{}, auth] }}}}", call.told_by())).ok(),
    };
    table.finish();
    Some(WrapSpec::Cache {
        ttl: ttl?,
        key: key?,
    })
}

fn millis<'a>(table: &Table<'a>, key: &'a str) -> Option<Duration> {
    table.millis(key, 1..=DAY).map(|read| read.value)
}
