//! `ask`, `requires`, `state`: what a component asks before it does anything.

use super::ask_question::{Question, question};
use super::codes::{BAD_NAME, CONFLICT, EMPTY_COMPONENT, NO_EFFECT};
use super::{Cx, names, result};
use crate::lang::diag::suggest::did_you_mean;
use crate::lang::diag::{Diagnostic, Span};
use crate::lang::template::Declared;
use crate::manifest::read::{Entry, OUT_OF_RANGE, Table, Templates, WRONG_TYPE};
use crate::model::{AskSpec, ClientCapabilities, ClientCapability, RoundSpec};
use toml::de::DeValue;

/// What a component asks, and which names hold something once it has been answered.
pub(super) struct Asks {
    pub(super) spec: AskSpec,
    pub(super) call: names::Call,
}

/// The keys of a round that are no questions.
const OF_A_ROUND: [&str; 2] = ["when", "skip_unsupported"];
/// Bytes of a question's name.
const MAX_ID: usize = 64;

/// Reads what a component asks.
pub(super) fn asks<'a>(cx: &Cx<'a>, table: &Table<'a>, call: &names::Call) -> Asks {
    let mut seen: Vec<(String, Declared, Span)> = Vec::new();
    let mut rounds = Vec::new();
    for item in table.tables("ask") {
        let call = call.clone().with_answers(declared(&seen));
        rounds.extend(round(cx, item, &call, &mut seen));
    }
    let has_rounds = table.has("ask");
    let sealed = table.word("state", &[("sealed", ())]);
    for (key, is_idle) in [("state", !has_rounds), ("refused", !has_rounds)] {
        if let Some(entry) = table.entry(key).filter(|_| is_idle) {
            let message = format!("`{key}` has no effect: nothing is asked");
            let found = Diagnostic::warning(NO_EFFECT, entry.key_at, message);
            table.report(found.help("add `ask`"));
        }
    }
    if rounds.len() > AskSpec::MOST {
        let message = format!("a component asks in {} rounds at the most", AskSpec::MOST);
        table.error(OUT_OF_RANGE, table.at(), message);
    }
    Asks {
        spec: AskSpec {
            rounds,
            requires: requires(table),
            sealed: sealed.is_some(),
        },
        call: match has_rounds {
            true => call.clone().with_answers(declared(&seen)),
            false => call.clone(),
        },
    }
}

/// `refused`: the same as a `result`, read by `read` with the names that hold something then.
pub(super) fn refused<'a, T>(
    table: &Table<'a>,
    asks: &Asks,
    read: impl FnOnce(Table<'a>, &names::Call) -> T,
) -> Option<T> {
    table
        .table("refused")
        .map(|refused| read(refused, &asks.call))
}

fn declared(seen: &[(String, Declared, Span)]) -> Declared {
    let answers = seen.iter();
    Declared::fields(answers.map(|(id, fields, _)| (id.clone(), fields.clone())))
}

/// One round: questions by name, beside what says when they are asked.
fn round<'a>(
    cx: &Cx<'a>,
    item: Table<'a>,
    call: &names::Call,
    seen: &mut Vec<(String, Declared, Span)>,
) -> Option<RoundSpec> {
    let before = cx.findings.errors();
    let templates = Templates::new(call.names());
    let when = result::condition(&item, &templates, "when");
    let skip = item.boolean("skip_unsupported");
    let entries = item.entries().into_iter();
    let entries: Vec<_> = entries
        .filter(|entry| !OF_A_ROUND.contains(&entry.key))
        .collect();
    if entries.is_empty() {
        item.report(
            Diagnostic::error(EMPTY_COMPONENT, item.at(), "the round asks nothing")
                .help("write a question such as `confirm = { form = \"…\", fields.ok = { type = \"boolean\" } }`"),
        );
    }
    if entries.len() > AskSpec::MOST {
        let message = format!("a round has {} questions at the most", AskSpec::MOST);
        item.error(OUT_OF_RANGE, item.at(), message);
    }
    let mut questions = Vec::new();
    for entry in &entries {
        item.knows(entry.key);
        let Some(Question { spec, fields }) = one(cx, &item, entry, call) else {
            continue;
        };
        if let Some((_, _, first)) = seen.iter().find(|(id, ..)| id == entry.key) {
            let message = format!("question `{}` stands twice", entry.key);
            item.report(
                Diagnostic::error(CONFLICT, entry.key_at.clone(), message)
                    .related(first.clone(), "the first"),
            );
        }
        seen.push((entry.key.to_owned(), fields, entry.key_at.clone()));
        questions.extend(spec);
    }
    item.finish();
    (cx.findings.errors() == before).then_some(RoundSpec {
        when,
        skip_unsupported: skip.is_some_and(|read| read.value),
        questions,
    })
}

fn one<'a>(
    cx: &Cx<'a>,
    item: &Table<'a>,
    entry: &Entry<'a>,
    call: &names::Call,
) -> Option<Question> {
    if !matches!(entry.value, DeValue::Table(_)) {
        let message = format!("question `{}` must be a table", entry.key);
        let found = Diagnostic::error(WRONG_TYPE, entry.at.clone(), message);
        item.report(match did_you_mean(entry.key, OF_A_ROUND) {
            Some(help) => found.help(help),
            None => found,
        });
        return None;
    }
    if !is_id(entry.key) {
        let message = format!("`{}` cannot be a question's name", entry.key);
        item.report(
            Diagnostic::error(BAD_NAME, entry.key_at.clone(), message)
                .help("a name is up to 64 letters, digits and `_`, no digit first"),
        );
    }
    let mut table = item.sub_table(entry)?;
    table.set_place(format!("{}, question \"{}\"", item.place(), entry.key));
    Some(question(cx, table, entry.key, call))
}

/// Templates find the answer by this name.
fn is_id(name: &str) -> bool {
    name.len() <= MAX_ID
        && name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// `requires`: what the caller's program must be able to do.
fn requires(table: &Table<'_>) -> ClientCapabilities {
    let words = table.strings("requires").unwrap_or_default().into_iter();
    let read = words.filter_map(|word| table.as_word("requires", word, &ClientCapability::WORDS));
    read.map(|read| read.value).collect()
}
