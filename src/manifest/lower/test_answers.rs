//! `answers` of a test: what whoever is asked says.

use crate::lang::diag::Diagnostic;
use crate::lang::diag::suggest::did_you_mean;
use crate::manifest::read::{Entry, Table, UNKNOWN_KEY, to_json};
use crate::model::TestAnswer;
use toml::de::DeValue;

/// Reads the answers of a test; `tool` says what is asked.
pub(super) fn answers(tool: &Table<'_>, table: &Table<'_>) -> Vec<(String, TestAnswer)> {
    let Some(answers) = table.table("answers") else {
        return Vec::new();
    };
    let asked = asked(tool);
    let mut read = Vec::new();
    for entry in answers.entries() {
        if !asked.contains(&entry.key) {
            let message = format!("nothing is asked by the name `{}`", entry.key);
            let found = Diagnostic::error(UNKNOWN_KEY, entry.key_at.clone(), message);
            answers.report(match did_you_mean(entry.key, asked.iter().copied()) {
                Some(help) => found.help(help),
                None => found,
            });
            continue;
        }
        read.extend(answer(&answers, &entry).map(|answer| (entry.key.to_owned(), answer)));
    }
    read
}

fn answer<'a>(answers: &Table<'a>, entry: &Entry<'a>) -> Option<TestAnswer> {
    let words = [
        ("accept", TestAnswer::Accepted(serde_json::Map::new())),
        ("decline", TestAnswer::Declined),
        ("cancel", TestAnswer::Cancelled),
    ];
    match entry.value {
        DeValue::Table(_) => match to_json(answers, entry)? {
            serde_json::Value::Object(members) => Some(TestAnswer::Accepted(members)),
            _ => None,
        },
        DeValue::String(text) if words.iter().any(|(word, _)| *word == text.as_ref()) => {
            let mut words = words.into_iter();
            words
                .find(|(word, _)| *word == text.as_ref())
                .map(|(_, answer)| answer)
        }
        _ => answers.wrong_type(entry, "a table, or one of `accept`, `decline`, `cancel`"),
    }
}

/// The names of the questions that a tool asks.
fn asked<'a>(tool: &Table<'a>) -> Vec<&'a str> {
    let Some(rounds) = tool.entry("ask") else {
        return Vec::new();
    };
    let rounds = rounds.items().into_iter();
    let questions = rounds.flat_map(|round| round.members());
    let questions = questions.filter(|entry| matches!(entry.value, DeValue::Table(_)));
    questions.map(|entry| entry.key).collect()
}
