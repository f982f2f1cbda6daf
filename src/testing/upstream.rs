//! The stand-in for an upstream: what it answers, and what was asked of it.

use super::answer::{json, quoted};
use super::json_diff::Manner;
use super::problem::{Problem, Told};
use super::text_diff;
use crate::action::http::{Fault, SeenRequest, StandIn, StandInReply};
use crate::manifest::regular;
use crate::model::{
    RequestExpectation, UpstreamAnswer, UpstreamBody, UpstreamFault, UpstreamReply,
};
use bytes::Bytes;
use http::StatusCode;
use std::path::PathBuf;
use std::time::Duration;

/// Bytes of a file that is answered with: 64 MiB.
const MAX_FILE: u64 = 64 << 20;

/// The stand-in of a test; `timeout` is the tool's.
///
/// # Errors
/// A file that cannot be read.
pub(super) async fn stand_in(
    answers: &[UpstreamAnswer],
    timeout: Duration,
) -> Result<StandIn, Problem> {
    let mut replies = Vec::with_capacity(answers.len());
    for answer in answers {
        replies.push(match &answer.reply {
            UpstreamReply::Fault(fault) => StandInReply::Fault(match fault {
                UpstreamFault::Refused => Fault::Refused,
                UpstreamFault::Timeout => Fault::TimedOut(timeout),
                UpstreamFault::Closed => Fault::Closed,
                UpstreamFault::UnknownHost => Fault::Resolve,
            }),
            UpstreamReply::Response {
                status,
                headers,
                body,
            } => StandInReply::Response {
                status: StatusCode::from_u16(*status).unwrap_or_default(),
                headers: headers.clone(),
                body: match body {
                    UpstreamBody::Bytes(bytes) => bytes.clone(),
                    UpstreamBody::File(path) => file(path.clone()).await?,
                },
            },
        });
    }
    Ok(StandIn::new(replies))
}

async fn file(path: PathBuf) -> Result<Bytes, Problem> {
    let shown = path.display().to_string();
    let read = tokio::task::spawn_blocking(move || regular::read(&path, MAX_FILE));
    let why = match read.await {
        Ok(Ok(bytes)) => return Ok(bytes.into()),
        Ok(Err(error)) => error.to_string(),
        Err(error) => error.to_string(),
    };
    let told = Told::Plain(format!("cannot read `{shown}`: {why}"));
    Err(Problem::new("http", told))
}

/// What of the requests is not as expected: each, and how many they are. `answer` is the text of
/// what the tool answered, which often says why.
pub(super) fn compare(
    answers: &[UpstreamAnswer],
    stand_in: &StandIn,
    answer: &str,
) -> Vec<Problem> {
    let record = stand_in.record();
    let mut problems = Vec::new();
    for (index, (of, seen)) in answers.iter().zip(&record.requests).enumerate() {
        if let Some(seen) = seen {
            let about = match answers.len() {
                1 => "http".to_owned(),
                _ => format!("http {}", index + 1),
            };
            problems.extend(request(&about, &of.expect, seen));
        }
    }
    let (answered, left) = (record.requests.len(), stand_in.left());
    if let Some(first) = record.unanswered.first() {
        let made = answered + record.unanswered.len();
        let told = format!(
            "{}, and {}: nothing answers at {first}",
            requests(made),
            answers_there_are(answered)
        );
        problems.push(quoted("http", told, answer));
    } else if left > 0 {
        let told = format!(
            "{}, and {}",
            requests(answered),
            answers_there_are(answered + left)
        );
        problems.push(quoted("http", told, answer));
    }
    problems
}

fn requests(count: usize) -> String {
    match count {
        0 => "no request was made".into(),
        1 => "1 request was made".into(),
        _ => format!("{count} requests were made"),
    }
}

fn answers_there_are(count: usize) -> String {
    match count {
        0 => "there is no answer".into(),
        1 => "there is 1 answer".into(),
        _ => format!("there are {count} answers"),
    }
}

fn request(about: &str, expect: &RequestExpectation, seen: &SeenRequest) -> Vec<Problem> {
    let mut problems = Vec::new();
    if let Some(expected) = &expect.method
        && *expected != seen.method
    {
        let about = format!("{about} method");
        problems.push(Problem::differs(about, expected, &seen.method));
    }
    if let Some(expected) = &expect.url
        && expected.as_str() != seen.url
    {
        let changes = text_diff::changes(expected.as_str(), &seen.url);
        problems.push(Problem::new(format!("{about} url"), Told::Text(changes)));
    }
    for (name, expected) in &expect.headers {
        let about = format!("{about} header `{name}`");
        let values = seen.headers.get_all(name).iter();
        let values: Vec<_> = values
            .map(|value| String::from_utf8_lossy(value.as_bytes()))
            .collect();
        if values.is_empty() {
            let told = format!("expected `{expected}`, and it was not sent");
            problems.push(Problem::new(about, Told::Plain(told)));
        } else if values.join(", ") != *expected {
            let changes = text_diff::changes(expected, &values.join(", "));
            problems.push(Problem::new(about, Told::Text(changes)));
        }
    }
    let body = String::from_utf8_lossy(&seen.body);
    if let Some(expected) = &expect.json {
        let about = format!("{about} json");
        match serde_json::from_slice(&seen.body) {
            Ok(actual) => problems.extend(json(&about, expected, &actual, Manner::Whole)),
            Err(_) => problems.push(quoted(&about, "the body is not JSON", &*body)),
        }
    }
    if let Some(expected) = &expect.body
        && *expected != body
    {
        let changes = text_diff::changes(expected, &body);
        problems.push(Problem::new(format!("{about} body"), Told::Text(changes)));
    }
    problems
}
