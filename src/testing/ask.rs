//! What a test says when the tool asks.

use super::problem::{Problem, Told};
use crate::model::{TestAnswer, ToolTest};
use crate::ops::{Input, InputRequest, InputRequired};
use serde_json::{Map, Value, json};

/// What comes back with the answers of the test.
///
/// # Errors
/// The test has no answer to a question, or one that was not taken.
pub(super) fn answer(
    test: &ToolTest,
    required: InputRequired,
    given: &mut Vec<String>,
) -> Result<Input, Problem> {
    let mut responses = Map::new();
    for (name, request) in required.requests {
        let mut answers = test.answers.iter();
        let Some((_, answer)) = answers.find(|(known, _)| *known == name) else {
            let what = format!("the tool asks, and the test has no answer: add `answers.{name}`");
            return Err(Problem::new("answers", Told::Plain(what)));
        };
        if given.contains(&name) {
            let what = "the answer does not fit the question: it is asked again";
            return Err(Problem::new(
                format!("answers.{name}"),
                Told::Plain(what.into()),
            ));
        }
        responses.insert(name.clone(), response(&request, answer));
        given.push(name);
    }
    Ok(Input {
        responses,
        state: required.state,
    })
}

fn response(request: &InputRequest, answer: &TestAnswer) -> Value {
    let members = match answer {
        TestAnswer::Declined => return json!({ "action": "decline" }),
        TestAnswer::Cancelled => return json!({ "action": "cancel" }),
        TestAnswer::Accepted(members) => members.clone(),
    };
    match request {
        InputRequest::Form { .. } => json!({ "action": "accept", "content": members }),
        InputRequest::Url { .. } => json!({ "action": "accept" }),
        InputRequest::Sample { .. } => {
            let text = members.get("text").cloned().unwrap_or_default();
            let own = |name: &str, other: &str| {
                let own = members.get(name).cloned();
                own.unwrap_or_else(|| other.into())
            };
            json!({
                "role": own("role", "assistant"),
                "model": own("model", "test"),
                "stopReason": own("stop_reason", "endTurn"),
                "content": { "type": "text", "text": text },
            })
        }
        InputRequest::Roots => Value::Object(members),
    }
}
