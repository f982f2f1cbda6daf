//! `actor` of a component: the message it sends, and to whom. Whether there is such an actor, and such
//! a message, is checked when all files are read.

use super::codes::{CONFLICT, NO_EFFECT};
use super::{Cx, names};
use crate::lang::diag::Diagnostic;
use crate::lang::template::{Declared, Names, Template, Tree};
use crate::manifest::read::{MISSING_KEY, Table, Templates};
use crate::model::SendSpec;
use std::time::Duration;

/// How long a reply is waited for unless it is said.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Reads the `actor` table of an action. All that the call brings is sent, unless it says otherwise.
pub(super) fn send(cx: &Cx<'_>, table: Table<'_>, call: &names::Call) -> Option<SendSpec> {
    let all = native(call.root());
    sent(cx, table, call.names(), all)
}

/// Reads the `actor` table of a wrapper: the actor is told of the call, and its reply decides.
pub(super) fn ask(cx: &Cx<'_>, table: Table<'_>, call: &names::Call) -> Option<SendSpec> {
    if let Some(cast) = table.entry("cast") {
        let message = "a wrapper waits for the reply, which decides: write `call`";
        table.error(CONFLICT, cast.key_at, message);
    }
    let names = ["component", "kind", "completing"].into_iter();
    let names = names.fold(call.names().clone(), |names, name| {
        names.with(name, Declared::Open)
    });
    let told = told(call.root());
    let spec = sent(cx, table, &names, told)?;
    spec.timeout.is_some().then_some(spec)
}

/// What an actor is told of a call.
fn told(root: &str) -> Option<Tree> {
    let client = [("name", "client.name"), ("version", "client.version")];
    let mut caller = members(&[("principal", "auth.principal"), ("scopes", "auth.scopes")])?;
    caller.push(("client".to_owned(), Tree::map(members(&client)?).ok()?));
    let mut told = members(&[
        ("component", "component"),
        ("kind", "kind"),
        ("operation", "request.method"),
        ("completing", "completing"),
        ("arguments", root),
    ])?;
    told.push(("caller".to_owned(), Tree::map(caller).ok()?));
    Tree::map(told).ok()
}

fn members(pairs: &[(&str, &str)]) -> Option<Vec<(String, Tree)>> {
    let pairs = pairs.iter();
    pairs
        .map(|(name, expression)| Some(((*name).to_owned(), native(expression)?)))
        .collect()
}

fn native(expression: &str) -> Option<Tree> {
    let template = Template::parse(&format!("{{{{ {expression} }}}}")).ok()?;
    Some(Tree::template(template))
}

/// `all` is what is sent when there is no `message`.
fn sent(cx: &Cx<'_>, table: Table<'_>, names: &Names, all: Option<Tree>) -> Option<SendSpec> {
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
    let payload = match table.entry("message") {
        Some(entry) => Templates::new(names).tree(&table, &entry),
        None => all,
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
