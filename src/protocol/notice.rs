//! Notifications, and questions, that belong to a request in flight (schema: ProgressNotification,
//! LoggingMessageNotification, CancelledNotification). They go where the request's answer goes, so their `_meta` has
//! nothing to say: a subscription's id is for those of a subscription.

use super::version::Shape;
use super::{input, json, jsonrpc};
use crate::ops::{LogLevel, Notice, ProgressToken};
use bytes::Bytes;

/// Writes a notification. Progress names the token that the request brought.
pub(super) fn notice(token: Option<&ProgressToken>, notice: &Notice, shape: Shape) -> Bytes {
    match notice {
        Notice::Progress(report) => jsonrpc::notification("notifications/progress", |params| {
            if let Some(ProgressToken(token)) = token {
                params.raw("progressToken", token.as_bytes());
            }
            json::display(params.member("progress"), report.progress);
            if let Some(total) = report.total {
                json::display(params.member("total"), total);
            }
            params.maybe_text("message", report.message.as_deref());
        }),
        Notice::Log(log) => jsonrpc::notification("notifications/message", |params| {
            params.text("level", level(log.level));
            params.text("logger", &log.logger);
            json::value(params.member("data"), &log.data);
        }),
        Notice::Question(id, request) => jsonrpc::request(id, |members| {
            input::members(members, request, shape, Some(id));
        }),
        Notice::Withdrawn(id) => jsonrpc::notification("notifications/cancelled", |params| {
            params.text("requestId", id);
            params.text("reason", "the answer is no longer waited for");
        }),
    }
}

/// The level's name (RFC 5424).
fn level(level: LogLevel) -> &'static str {
    match level {
        LogLevel::Debug => "debug",
        LogLevel::Info => "info",
        LogLevel::Notice => "notice",
        LogLevel::Warning => "warning",
        LogLevel::Error => "error",
        LogLevel::Critical => "critical",
        LogLevel::Alert => "alert",
        LogLevel::Emergency => "emergency",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::{InputRequest, Log, Progress};
    use crate::protocol::version::Dialect;
    use serde_json::json;

    fn written(token: &str, given: Notice) -> String {
        let token = ProgressToken(token.into());
        String::from_utf8(notice(Some(&token), &given, Dialect::Modern.shape()).to_vec()).unwrap()
    }

    fn progress(progress: f64, total: Option<f64>, message: Option<&str>) -> Notice {
        Notice::Progress(Progress {
            progress,
            total,
            message: message.map(str::to_owned),
        })
    }

    #[test]
    fn progress_names_its_token_as_it_came_and_numbers_are_numbers() {
        assert_eq!(
            written(r#""\u0061\n""#, progress(50.0, Some(100.0), Some("a\nb"))),
            r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"\u0061\n","progress":50,"total":100,"message":"a\nb"}}"#
        );
        assert_eq!(
            written("-12345678901234567890", progress(0.25, None, None)),
            r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":-12345678901234567890,"progress":0.25}}"#
        );
        for number in [f64::MAX, f64::MIN_POSITIVE, -0.0, 1e21, 0.1 + 0.2] {
            let text = written("1", progress(number, None, None));
            let read: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert_eq!(read["params"]["progress"].as_f64(), Some(number), "{text}");
        }
    }

    #[test]
    fn a_log_message_carries_any_data() {
        let log = Notice::Log(Log {
            level: LogLevel::Warning,
            logger: "tool".into(),
            data: json!({"a": ["\n", null]}),
        });
        assert_eq!(
            written("1", log),
            r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","logger":"tool","data":{"a":["\n",null]}}}"#
        );
    }

    #[test]
    fn a_question_is_a_request_and_is_withdrawn_by_its_id() {
        assert_eq!(
            written("1", Notice::Question("q\"1".into(), InputRequest::Roots)),
            r#"{"jsonrpc":"2.0","id":"q\"1","method":"roots/list"}"#
        );
        assert_eq!(
            written("1", Notice::Withdrawn("q\"1".into())),
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"q\"1","reason":"the answer is no longer waited for"}}"#
        );
    }
}
