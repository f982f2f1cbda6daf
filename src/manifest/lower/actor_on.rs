//! Declarative actors: `state`, and what is done `on` each message.

use super::{Cx, names};
use crate::lang::diag::Diagnostic;
use crate::lang::diag::suggest::did_you_mean;
use crate::lang::template::{Names, Template, Tree};
use crate::manifest::read::{
    Entry, NOT_LITERAL, OUT_OF_RANGE, Table, Templates, UNKNOWN_KEY, placeholder, to_json, within,
};
use crate::model::{DeclaredSpec, Handler};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;
use toml::de::DeValue;

/// Reads `state` and `on`.
pub(super) fn declared<'a>(cx: &Cx<'a>, table: &Table<'a>) -> Option<DeclaredSpec> {
    let state = state(table);
    let names = names::actor(cx, state.as_ref());
    let mut on = BTreeMap::new();
    if let Some(messages) = table.table("on") {
        for entry in messages.entries() {
            if entry.key.is_empty() {
                messages.error(OUT_OF_RANGE, entry.key_at.clone(), "a message needs a name");
            }
            if let Some(handler) = messages.sub_table(&entry) {
                let handler = self::handler(handler, &names, state.as_ref());
                on.insert(entry.key.to_owned(), handler);
            }
        }
        if on.is_empty() {
            messages.error(
                OUT_OF_RANGE,
                messages.at(),
                "`on` must have at least one message",
            );
        }
    }
    let env = cx.settings.values.env.iter();
    Some(DeclaredSpec {
        state: state?,
        on,
        env: Arc::new(
            env.map(|(name, value)| (name.clone(), value.as_str().into()))
                .collect(),
        ),
    })
}

/// The state that the actor begins with; empty when it has none, `None` when it is said wrong.
fn state(table: &Table<'_>) -> Option<Map<String, Value>> {
    table.knows("state");
    if !table.has("state") {
        return Some(Map::new());
    }
    let members = table.table("state")?;
    let mut state = Map::new();
    let mut whole = true;
    for entry in members.entries() {
        whole &= is_literal(&members, &entry);
        match to_json(&members, &entry) {
            Some(value) => drop(state.insert(entry.key.to_owned(), value)),
            None => whole = false,
        }
    }
    whole.then_some(state)
}

/// Says that nothing is filled in here.
fn is_literal(table: &Table<'_>, entry: &Entry<'_>) -> bool {
    match entry.value {
        DeValue::String(text) => match placeholder(text) {
            Some(range) => {
                let message = "`state` is what the actor begins with: it cannot hold a template";
                table.report(
                    Diagnostic::error(NOT_LITERAL, within(&entry.at, range), message)
                        .help("let a message set it: `[actor.on.NAME]` with `set`"),
                );
                false
            }
            None => true,
        },
        DeValue::Array(_) => {
            let items = entry.items();
            items.iter().filter(|item| !is_literal(table, item)).count() == 0
        }
        DeValue::Table(_) => {
            let members = entry.members();
            members
                .iter()
                .filter(|member| !is_literal(table, member))
                .count()
                == 0
        }
        _ => true,
    }
}

fn handler(table: Table<'_>, names: &Names, state: Option<&Map<String, Value>>) -> Handler {
    let templates = Templates::new(names);
    let when = condition(&table, &templates);
    let otherwise = templates.key(&table, "otherwise").map(|read| read.value);
    if let Some(entry) = table.entry("otherwise").filter(|_| !table.has("when")) {
        let message = "`otherwise` is said when `when` does not hold, and there is none";
        table.error(super::codes::NO_EFFECT, entry.key_at, message);
    }
    let set = table
        .table("set")
        .map(|members| set(&members, &templates, state));
    let reply = table.entry("reply");
    let reply = reply.and_then(|entry| templates.tree(&table, &entry));
    table.finish();
    Handler {
        when,
        otherwise,
        set: set.unwrap_or_default(),
        reply,
    }
}

/// `when`: true or false, or one expression, since any other text would always hold.
fn condition(table: &Table<'_>, templates: &Templates<'_>) -> Option<Template> {
    let entry = table.entry("when")?;
    let read = match entry.value {
        DeValue::Boolean(value) => {
            return Template::parse(&format!("{{{{ {value} }}}}")).ok();
        }
        DeValue::String(_) => templates.read(table, &entry)?,
        _ => return table.wrong_type(&entry, "one `{{ … }}`, true or false"),
    };
    if !read.value.is_native() {
        let message = "`when` must be one `{{ … }}`: any other text always holds";
        table.error(OUT_OF_RANGE, read.at, message);
        return None;
    }
    Some(read.value)
}

/// `set`: members of the state and their new values.
fn set(
    members: &Table<'_>,
    templates: &Templates<'_>,
    state: Option<&Map<String, Value>>,
) -> Vec<(String, Tree)> {
    let mut set = Vec::new();
    for entry in members.entries() {
        if let Some(state) = state.filter(|state| !state.contains_key(entry.key)) {
            let message = format!("the state has no `{}`", entry.key.escape_debug());
            let known = || state.keys().map(String::as_str);
            let help = did_you_mean(entry.key, known())
                .unwrap_or_else(|| "give it a first value in `state`".to_owned());
            members
                .report(Diagnostic::error(UNKNOWN_KEY, entry.key_at.clone(), message).help(help));
        }
        if let Some(tree) = templates.tree(members, &entry) {
            set.push((entry.key.to_owned(), tree));
        }
    }
    set
}
