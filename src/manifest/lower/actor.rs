//! `[[actor]]`: one actor, whole.

use super::actor_process::process;
use super::codes::{CONFLICT, EMPTY_COMPONENT, NO_EFFECT, NO_STATE_DIR, UNKNOWN_MESSAGE};
use super::{Cx, Lowered, actor_on, available, identity};
use crate::lang::diag::Diagnostic;
use crate::lang::diag::suggest::did_you_mean;
use crate::manifest::read::{At, Entry, Table};
use crate::model::{Actor, AnyComponent, Body, Kind, Restart, Supervision, Timer};
use std::sync::Arc;
use std::time::Duration;
use toml::de::DeValue;

/// A day.
const MAX_MILLIS: i64 = 86_400_000;

/// Reads one `[[actor]]`.
pub fn actor<'a>(cx: &Cx<'a>, mut table: Table<'a>) -> Lowered {
    let before = cx.findings.errors();
    let outside_before = cx.outside.borrow().len();
    let name = identity::name(&mut table, Kind::Actor);
    let (is_available, mut actor) =
        available::read(cx, &table, || build(cx, &table, name.as_ref()));
    if let Some(actor) = &mut actor {
        let says = identity::definition(cx, &table, None, outside_before);
        actor.definition = super::actor_process::with_values(says, &actor.body);
    }
    table.finish();
    let is_whole = is_available && cx.findings.errors() == before;
    Lowered {
        kind: Kind::Actor,
        component: actor
            .filter(|_| is_whole)
            .map(|actor| AnyComponent::Actor(Arc::new(actor))),
        key: name.filter(|_| is_available),
    }
}

fn build<'a>(cx: &Cx<'a>, table: &Table<'a>, name: Option<&At<String>>) -> Option<Actor> {
    // For whoever reads the manifest: no client is told of an actor.
    table.prose("description");
    let mailbox = table.count("mailbox", 1..=1 << 20);
    let supervision = supervision(table);
    let persist = flag(table, "persist");
    if persist && cx.settings.server.state_dir.is_none() {
        say_no_state_dir(table);
    }
    let body = body(cx, table);
    let timers = timers(table, body.as_ref());
    let keep_state = flag(table, "keep_state");
    if let Some(Body::Worker(_)) = body
        && let Some(entry) = table.entry("keep_state").filter(|_| keep_state)
    {
        let message = "`keep_state` carries declarative state over; a worker keeps its own";
        table.report(
            Diagnostic::error(NO_EFFECT, entry.key_at, message)
                .help("let the worker keep it in a file: `persist = true` gives it a folder"),
        );
    }
    Some(Actor {
        name: name?.value.clone(),
        body: body?,
        mailbox: mailbox.map_or(1024, |read| read.value),
        timers,
        supervision,
        persist,
        keep_state,
        definition: [0; 32],
        at: table.at(),
    })
}

fn flag<'a>(table: &Table<'a>, key: &'a str) -> bool {
    table.boolean(key).is_some_and(|read| read.value)
}

fn say_no_state_dir(table: &Table<'_>) {
    if let Some(entry) = table.entry("persist") {
        let message = "`persist` needs a folder for states, and none is set";
        table.report(
            Diagnostic::error(NO_STATE_DIR, entry.key_at, message)
                .help("write `state_dir = \"…\"` under `[server]` of the server file"),
        );
    }
}

fn supervision(table: &Table<'_>) -> Supervision {
    let restart = table.word(
        "restart",
        &[
            ("permanent", Restart::Permanent),
            ("transient", Restart::Transient),
            ("temporary", Restart::Temporary),
        ],
    );
    let max_restarts = table.integer("max_restarts", 0..=1_000_000);
    let window = table.millis("restart_window_ms", 1..=MAX_MILLIS);
    let backoff = table.millis("backoff_ms", 0..=30_000);
    Supervision {
        restart: restart.map_or(Restart::Permanent, |read| read.value),
        max_restarts: max_restarts.map_or(3, |read| u32::try_from(read.value).unwrap_or(u32::MAX)),
        window: window.map_or(Duration::from_secs(5), |read| read.value),
        backoff: backoff.map_or(Duration::from_millis(100), |read| read.value),
    }
}

/// What handles the messages: `state` and `on`, or `process`.
fn body<'a>(cx: &Cx<'a>, table: &Table<'a>) -> Option<Body> {
    let (state, on) = (table.entry("state"), table.entry("on"));
    let declared = state.as_ref().or(on.as_ref());
    let worker = table.table("process");
    if let (Some(entry), Some(declared)) = (table.entry("process"), declared) {
        let message = format!("`process` and `{}` exclude each other", declared.key);
        table.report(
            Diagnostic::error(CONFLICT, entry.key_at, message)
                .related(declared.key_at.clone(), "a declarative actor"),
        );
    }
    if let Some(worker) = worker {
        let spec = process(cx, worker).map(Body::Worker);
        return spec.filter(|_| declared.is_none());
    }
    if table.has("process") {
        return None;
    }
    if on.is_none() {
        let message = match state {
            Some(_) => "the actor has a state, and no message does anything with it",
            None => "the actor has neither `on` nor `process`",
        };
        table.report(Diagnostic::error(EMPTY_COMPONENT, table.at(), message).help(
            "add `[actor.on.NAME]` for each message, or `[actor.process]` with the command of a worker",
        ));
        return None;
    }
    actor_on::declared(cx, table).map(Body::Declared)
}

/// `every`: one timer, or a list of them.
fn timers<'a>(table: &Table<'a>, body: Option<&Body>) -> Vec<Timer> {
    let Some(entry) = table.entry("every") else {
        return Vec::new();
    };
    let items: Vec<Entry<'a>> = match entry.value {
        DeValue::Array(_) => entry.items(),
        _ => vec![entry],
    };
    let tables = items.iter().filter_map(|item| table.sub_table(item));
    tables
        .filter_map(|timer| {
            for key in ["interval_ms", "message"] {
                if !timer.has(key) {
                    timer.missing(key);
                }
            }
            let interval = timer.millis("interval_ms", 1..=MAX_MILLIS);
            let message = timer.literal("message");
            if let (Some(message), Some(body)) = (&message, body) {
                check_message(&timer, message, body);
            }
            timer.finish();
            Some(Timer {
                interval: interval?.value,
                message: message?.value,
            })
        })
        .collect()
}

/// Says that a declarative actor has no such message.
fn check_message(table: &Table<'_>, message: &At<String>, body: &Body) {
    if let Some(found) = unknown_message(message, body) {
        table.report(found);
    }
}

/// What is said of a message that an actor does not have; nothing for a worker, which is not asked.
pub(in crate::manifest) fn unknown_message(
    message: &At<String>,
    body: &Body,
) -> Option<Diagnostic> {
    let Body::Declared(spec) = body else {
        return None;
    };
    if spec.on.contains_key(&message.value) {
        return None;
    }
    let text = format!(
        "the actor has no message `{}`",
        message.value.escape_debug()
    );
    let known = || spec.on.keys().map(String::as_str);
    let help = did_you_mean(&message.value, known()).unwrap_or_else(|| {
        let listed: Vec<String> = known().map(|name| format!("`{name}`")).collect();
        format!("its messages are {}", listed.join(", "))
    });
    Some(Diagnostic::error(UNKNOWN_MESSAGE, message.at.clone(), text).help(help))
}
