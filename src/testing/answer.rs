//! A tool's answer held against what is expected of it.

use super::block;
use super::json_diff::{Manner, differences};
use super::problem::{Problem, Told};
use super::text_diff;
use crate::model::{Ending, Expectation, ProtocolErrorExpectation};
use crate::ops::{Block, OpError, ToolOutcome};
use crate::protocol::error_code;
use serde_json::Value;

/// What of the answer is not as expected. An answer that ends otherwise than expected is told as
/// that alone: what else it holds is the consequence.
pub(super) fn compare(
    expect: &Expectation,
    answered: &Result<ToolOutcome, OpError>,
) -> Vec<Problem> {
    match (&expect.ending, answered) {
        (Ending::ProtocolError(expected), Err(error)) => protocol_error(expected, error),
        (Ending::ProtocolError(_), Ok(outcome)) => {
            let what = match outcome.is_error {
                true => "a protocol error is expected, and the call answered with an error",
                false => "a protocol error is expected, and the call succeeded",
            };
            vec![quoted("protocol_error", what, text(outcome))]
        }
        (_, Err(error)) => {
            let what = format!("the call ended with protocol error {}", error_code(error));
            vec![quoted("is_error", what, error.to_string())]
        }
        (Ending::Success, Ok(outcome)) if outcome.is_error => {
            let what = "expected false, and the call answered with an error";
            vec![quoted("is_error", what, text(outcome))]
        }
        (Ending::Error, Ok(outcome)) if !outcome.is_error => {
            let what = "expected true, and the call succeeded";
            vec![quoted("is_error", what, text(outcome))]
        }
        (_, Ok(outcome)) => result(expect, outcome),
    }
}

fn result(expect: &Expectation, outcome: &ToolOutcome) -> Vec<Problem> {
    let mut problems = texts(expect, &text(outcome));
    for (key, expected, manner) in [
        ("structured", &expect.structured, Manner::Whole),
        (
            "structured_matches",
            &expect.structured_matches,
            Manner::Part,
        ),
    ] {
        let Some(expected) = expected else {
            continue;
        };
        match &outcome.structured {
            Some(actual) => problems.extend(json(key, expected, actual, manner)),
            None => {
                let what = "the answer has no structured content";
                problems.push(quoted(key, what, text(outcome)));
            }
        }
    }
    if let Some(expected) = &expect.content {
        let expected: Value = expected.iter().cloned().map(Value::Object).collect();
        let actual: Value = outcome.content.iter().map(block::members).collect();
        problems.extend(json("content", &expected, &actual, Manner::Part));
    }
    if let Some(expected) = &expect.metadata {
        let actual = Value::Object(outcome.meta.clone());
        problems.extend(json("metadata", expected, &actual, Manner::Whole));
    }
    problems
}

fn texts(expect: &Expectation, actual: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    if let Some(expected) = &expect.text
        && without_line_end(expected) != without_line_end(actual)
    {
        let (expected, actual) = (without_line_end(expected), without_line_end(actual));
        let changes = text_diff::changes(expected, actual);
        problems.push(Problem::new("text", Told::Text(changes)));
    }
    if let Some(pattern) = &expect.text_matches
        && !pattern.is_match(actual)
    {
        let what = format!("`{pattern}` is not found in the text");
        problems.push(quoted("text_matches", what, actual));
    }
    for (key, parts) in [
        ("text_contains", &expect.text_contains),
        ("error_contains", &expect.error_contains),
    ] {
        for part in parts.iter().filter(|part| !actual.contains(*part)) {
            let what = format!("`{part}` is not in the text");
            problems.push(quoted(key, what, actual));
        }
    }
    problems
}

fn protocol_error(expected: &ProtocolErrorExpectation, error: &OpError) -> Vec<Problem> {
    let mut problems = Vec::new();
    let (code, message) = (error_code(error), error.to_string());
    if let Some(expected) = expected.code.filter(|expected| *expected != code) {
        problems.push(Problem::differs("protocol_error.code", expected, code));
    }
    if let Some(expected) = &expected.message
        && *expected != message
    {
        let changes = text_diff::changes(expected, &message);
        problems.push(Problem::new("protocol_error.message", Told::Text(changes)));
    }
    if let Some(expected) = &expected.data {
        let key = "protocol_error.data";
        match error {
            OpError::Declared {
                data: Some(data), ..
            } => problems.extend(json(key, expected, data, Manner::Whole)),
            _ => {
                let what = Told::Plain("the error has no `data`".into());
                problems.push(Problem::new(key, what));
            }
        }
    }
    problems
}

/// What the tool said, whichever way it ended.
pub(super) fn said(answered: &Result<ToolOutcome, OpError>) -> String {
    match answered {
        Ok(outcome) => text(outcome),
        Err(error) => error.to_string(),
    }
}

/// A command ends its last line, and who writes a text in a manifest does not.
fn without_line_end(text: &str) -> &str {
    text.strip_suffix('\n').unwrap_or(text)
}

/// The texts of all text blocks, a line end between two.
fn text(outcome: &ToolOutcome) -> String {
    let texts = outcome.content.iter().filter_map(|block| match block {
        Block::Text { text, .. } => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

pub(super) fn quoted(about: &str, message: impl Into<String>, text: impl Into<String>) -> Problem {
    Problem::new(
        about,
        Told::Quoted {
            message: message.into(),
            text: text.into(),
        },
    )
}

pub(super) fn json(
    about: &str,
    expected: &Value,
    actual: &Value,
    manner: Manner,
) -> Option<Problem> {
    let found = differences(expected, actual, manner);
    (!found.is_empty()).then(|| Problem::new(about, Told::Json(found)))
}
