//! `actor` of a component: the message it sends, and to whom. Whether there is such an actor, and such
//! a message, is checked when all files are read.

use super::codes::{CONFLICT, NO_EFFECT};
use super::{Cx, names};
use crate::lang::diag::Diagnostic;
use crate::lang::template::{Declared, Template, Tree};
use crate::manifest::read::{MISSING_KEY, Table, Templates};
use crate::model::SendSpec;
use std::time::Duration;

/// How long a reply is waited for unless it is said.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Reads an `actor` table.
pub(super) fn send(cx: &Cx<'_>, table: Table<'_>, call: &names::Call) -> Option<SendSpec> {
    if !table.has("target") {
        table.missing("target");
    }
    let target = table.literal("target");
    let given = table.alternatives(&["call", "cast"]);
    let message =
        match given.as_slice() {
            [one] => table.as_literal(one),
            [call, cast, ..] => {
                let message = "`call` and `cast` exclude each other";
                table.report(
                    Diagnostic::error(CONFLICT, cast.key_at.clone(), message)
                        .related(call.key_at.clone(), "the call"),
                );
                None
            }
            [] => {
                let message = "missing key `call`";
                table.report(Diagnostic::error(MISSING_KEY, table.at(), message).help(
                    "write `call = \"NAME\"` to wait for a reply, or `cast = \"NAME\"` not to",
                ));
                None
            }
        };
    let is_cast = given.first().is_some_and(|entry| entry.key == "cast");
    let names = call.names();
    let payload = table.entry("message");
    let payload = match payload {
        Some(entry) => Templates::new(names).tree(&table, &entry),
        None => Template::parse(&format!("{{{{ {} }}}}", call.root()))
            .ok()
            .map(Tree::template),
    };
    let with_reply = names.clone().with("reply", Declared::Open);
    let reply = table.entry("reply");
    let has_reply = reply.is_some();
    let reply = reply.and_then(|entry| Templates::new(&with_reply).tree(&table, &entry));
    let timeout = table.millis("timeout_ms", 1..=86_400_000);
    super::base::warn_of_long_timeout(cx, &table, timeout.as_ref());
    for key in ["reply", "timeout_ms"] {
        if let Some(entry) = table.entry(key).filter(|_| is_cast) {
            let message = format!("`{key}` has no effect on a `cast`: nobody waits for a reply");
            table.error(NO_EFFECT, entry.key_at, message);
        }
    }
    let sender = table
        .place()
        .strip_prefix("in ")
        .unwrap_or_default()
        .to_owned();
    table.finish();
    let (target, message) = (target?, message?);
    if has_reply && reply.is_none() {
        return None;
    }
    Some(SendSpec {
        target: target.value,
        target_at: target.at,
        message: message.value,
        message_at: message.at,
        payload: payload?,
        reply,
        timeout: (!is_cast).then(|| timeout.map_or(TIMEOUT, |read| read.value)),
        sender,
    })
}
