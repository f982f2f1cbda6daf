//! What one line of a worker's output says.

use crate::ops::LogLevel;
use serde_json::{Map, Value};

/// A line, read.
#[derive(Debug, PartialEq)]
pub(super) enum Said {
    /// `{"id":7,"reply":…}` or `{"id":7,"error":"…"}`.
    Answer {
        /// The number of the call.
        id: u64,
        /// What it answers.
        result: Result<Value, String>,
    },
    /// `{"event":"resource_updated","uri":"…"}`.
    ResourceUpdated(String),
    /// `{"log":{"level":"info","data":…}}`.
    Log {
        /// How grave it is.
        level: LogLevel,
        /// What it says.
        data: Value,
    },
    /// Nothing.
    Blank,
    /// None of these, and why.
    Junk(&'static str),
}

impl Said {
    /// Reads a line.
    pub(super) fn of(line: &[u8]) -> Self {
        if line.trim_ascii().is_empty() {
            return Self::Blank;
        }
        let Ok(value) = serde_json::from_slice::<Value>(line) else {
            return Self::Junk("a line that is not JSON");
        };
        let Value::Object(members) = value else {
            return Self::Junk("a line that is no JSON object");
        };
        if members.contains_key("id") {
            answer(members)
        } else if let Some(event) = members.get("event") {
            match (event.as_str(), members.get("uri").and_then(Value::as_str)) {
                (Some("resource_updated"), Some(uri)) => Self::ResourceUpdated(uri.to_owned()),
                (Some("resource_updated"), None) => Self::Junk("an event without a `uri`"),
                _ => Self::Junk("an event that does not exist"),
            }
        } else if let Some(Value::Object(log)) = members.get("log") {
            self::log(log)
        } else {
            Self::Junk("an object with neither `id`, `event` nor `log`")
        }
    }
}

fn answer(mut members: Map<String, Value>) -> Said {
    let Some(id) = members.get("id").and_then(Value::as_u64) else {
        return Said::Junk("an `id` that was never given");
    };
    let result = match (members.remove("reply"), members.remove("error")) {
        (Some(reply), None) => Ok(reply),
        (None, Some(Value::String(error))) => Err(error),
        (None, Some(error)) => Err(error.to_string()),
        (Some(_), Some(_)) => Err("the worker's answer has both `reply` and `error`".to_owned()),
        (None, None) => Err("the worker's answer has neither `reply` nor `error`".to_owned()),
    };
    Said::Answer { id, result }
}

fn log(log: &Map<String, Value>) -> Said {
    let level = log.get("level").and_then(Value::as_str);
    let Some(level) = level.and_then(level_of) else {
        return Said::Junk("a log message whose `level` does not exist");
    };
    match log.get("data") {
        Some(data) => Said::Log {
            level,
            data: data.clone(),
        },
        None => Said::Junk("a log message without `data`"),
    }
}

/// A level by its word (RFC 5424, as MCP writes it).
fn level_of(word: &str) -> Option<LogLevel> {
    Some(match word {
        "debug" => LogLevel::Debug,
        "info" => LogLevel::Info,
        "notice" => LogLevel::Notice,
        "warning" => LogLevel::Warning,
        "error" => LogLevel::Error,
        "critical" => LogLevel::Critical,
        "alert" => LogLevel::Alert,
        "emergency" => LogLevel::Emergency,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn said(line: &str) -> Said {
        Said::of(line.as_bytes())
    }

    #[test]
    fn answers() {
        let answer = |id, result| Said::Answer { id, result };
        let reply = said(r#" {"reply":{"a":1},"id":7,"more":true} "#);
        assert_eq!(reply, answer(7, Ok(json!({ "a": 1 }))));
        assert_eq!(said(r#"{"id":1,"reply":null}"#), answer(1, Ok(Value::Null)));
        let error = said(r#"{"id":1,"error":"no"}"#);
        assert_eq!(error, answer(1, Err("no".to_owned())));
        let error = said(r#"{"id":1,"error":{"code":3}}"#);
        assert_eq!(error, answer(1, Err(r#"{"code":3}"#.to_owned())));
        for line in [r#"{"id":1}"#, r#"{"id":1,"reply":1,"error":"e"}"#] {
            assert!(matches!(
                said(line),
                Said::Answer {
                    id: 1,
                    result: Err(_)
                }
            ));
        }
    }

    #[test]
    fn events_and_logs() {
        let event = said(r#"{"event":"resource_updated","uri":"a:b"}"#);
        assert_eq!(event, Said::ResourceUpdated("a:b".to_owned()));
        let log = said(r#"{"log":{"level":"emergency","data":[1]}}"#);
        let level = LogLevel::Emergency;
        let data = json!([1]);
        assert_eq!(log, Said::Log { level, data });
    }

    #[test]
    fn anything_else_is_junk() {
        let deep = "[".repeat(100_000);
        for line in [
            "hello",
            "7",
            "[]",
            "{}",
            "{\"id\":-1}",
            "{\"id\":\"1\",\"reply\":1}",
            r#"{"event":"resource_updated"}"#,
            r#"{"event":"other","uri":"a:b"}"#,
            r#"{"log":{"level":"loud","data":1}}"#,
            r#"{"log":{"level":"info"}}"#,
            r#"{"log":"text"}"#,
            "\u{0}",
            deep.as_str(),
        ] {
            assert!(matches!(said(line), Said::Junk(_)), "{line:.40}");
        }
        assert!(matches!(Said::of(b"\xff\xfe"), Said::Junk(_)));
        assert_eq!(said(""), Said::Blank);
        assert_eq!(said(" \t\r"), Said::Blank);
    }
}
