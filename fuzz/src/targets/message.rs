//! Messages: whatever comes by POST, with whatever headers, or in a stream, has one right kind of
//! answer, which is one line of JSON.
//!
//! The input is header fields, one a line, an empty line, and the body.

use crate::serving::{Serving, fields, split};
use serde_json::Value;

pub fn run(input: &[u8]) {
    let (head, body) = split(input);
    let serving = Serving::get();
    if let Some(answered) = serving.post(&fields(head), body) {
        answered
            .messages
            .iter()
            .for_each(|answer| check(answer, Some(body)));
        let session = answered.session.iter();
        session.for_each(|id| assert!(id.bytes().all(|byte| byte.is_ascii_graphic())));
    }
    let only = Some(body).filter(|body| !body.contains(&b'\n'));
    for answer in serving.stream(body) {
        check(&answer, only);
    }
}

/// That this is a message, and when it is a result, that of what was asked.
pub fn check(answer: &[u8], asked: Option<&[u8]>) {
    assert!(!answer.contains(&b'\n'), "an answer is one line");
    let answer: Value = serde_json::from_slice(answer).expect("an answer is JSON");
    assert_eq!(answer["jsonrpc"], "2.0");
    if answer.get("method").is_some() {
        return;
    }
    let (result, error) = (answer.get("result"), answer.get("error"));
    assert!(result.is_some() != error.is_some(), "{answer}");
    if let Some(error) = error {
        assert!(
            error["code"].is_i64() && error["message"].is_string(),
            "{answer}"
        );
    }
    let asked = asked.and_then(|asked| serde_json::from_slice::<Value>(asked).ok());
    if result.is_some()
        && let Some(asked) = asked
    {
        assert_eq!(answer.get("id"), asked.get("id"));
    }
}
