//! When a request is sent again, and after what wait.

use super::error::Fault;
use crate::model::RetrySpec;
use http::header::RETRY_AFTER;
use http::{HeaderMap, Method, Response};
use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, SystemTime};

/// The longest wait that doubling leads to.
const LONGEST: Duration = Duration::from_secs(30);

/// How long to wait before the next attempt, `tries` having come to nothing; `None` when there is none.
/// `jitter` is from 0 to 1.
pub(super) fn delay<B>(
    retry: &RetrySpec,
    tries: u32,
    method: &Method,
    outcome: &Result<Response<B>, Fault>,
    jitter: f64,
) -> Option<Duration> {
    if tries >= retry.attempts || !may_repeat(retry, method) {
        return None;
    }
    let asked = match outcome {
        Err(fault) if fault.may_pass() => Duration::ZERO,
        Err(_) => return None,
        Ok(response) if retry.on.contains(&response.status().as_u16()) => {
            retry_after(response.headers(), SystemTime::now()).unwrap_or_default()
        }
        Ok(_) => return None,
    };
    Some(asked.max(backoff(retry.backoff, tries, jitter)))
}

/// True when sending the request twice does no more than sending it once, or the manifest says so.
pub(super) fn may_repeat(retry: &RetrySpec, method: &Method) -> bool {
    retry.any_method || method.is_idempotent()
}

/// A number from 0 to 1, for spreading waits out; it need not be hard to guess.
pub(super) fn jitter() -> f64 {
    RandomState::new().hash_one(0_u8) as f64 / u64::MAX as f64
}

fn backoff(first: Duration, tries: u32, jitter: f64) -> Duration {
    let doubled = 2_u32
        .checked_pow(tries.saturating_sub(1))
        .and_then(|factor| first.checked_mul(factor))
        .unwrap_or(LONGEST)
        .min(LONGEST);
    doubled.mul_f64(0.5 + jitter / 2.0)
}

/// `Retry-After` (RFC 9110 §10.2.3): seconds or a date. `None` when it is absent or neither.
fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(Duration::from_secs(text.parse().unwrap_or(u64::MAX)));
    }
    let date = httpdate::parse_http_date(text).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    fn retry() -> RetrySpec {
        RetrySpec {
            attempts: 3,
            backoff: Duration::from_millis(100),
            on: vec![429, 503],
            any_method: false,
        }
    }

    fn answer(status: u16, after: Option<&str>) -> Result<Response<()>, Fault> {
        let mut response = Response::builder().status(status);
        if let Some(after) = after {
            response = response.header(RETRY_AFTER, after);
        }
        Ok(response.body(()).expect("a response"))
    }

    fn wait(tries: u32, outcome: &Result<Response<()>, Fault>) -> Option<Duration> {
        delay(&retry(), tries, &Method::GET, outcome, 1.0)
    }

    #[test]
    fn waits_double_and_the_attempts_end() {
        let outcome = answer(503, None);
        assert_eq!(wait(1, &outcome), Some(Duration::from_millis(100)));
        assert_eq!(wait(2, &outcome), Some(Duration::from_millis(200)));
        assert_eq!(wait(3, &outcome), None);
        assert_eq!(
            delay(&RetrySpec::default(), 1, &Method::GET, &outcome, 1.0),
            None
        );
    }

    #[test]
    fn jitter_takes_up_to_half_and_the_wait_is_capped() {
        let second = Duration::from_secs(1);
        assert_eq!(backoff(second, 1, 0.0), second / 2);
        assert_eq!(backoff(second, 3, 0.5), second * 3);
        assert_eq!(backoff(second, 60, 1.0), LONGEST);
        assert_eq!(backoff(Duration::MAX, 2, 1.0), LONGEST);
        assert_eq!(backoff(Duration::ZERO, 5, 1.0), Duration::ZERO);
        for _ in 0..1000 {
            assert!((0.0..=1.0).contains(&jitter()));
        }
    }

    #[test]
    fn only_listed_statuses_and_passing_faults_are_worth_another() {
        for (outcome, expected) in [
            (answer(429, None), true),
            (answer(500, None), false),
            (answer(200, None), false),
            (Err(Fault::Refused), true),
            (Err(Fault::Resolve), true),
            (Err(Fault::Closed), true),
            (Err(Fault::AddressNotAllowed), false),
            (Err(Fault::HostNotAllowed), false),
            (Err(Fault::Certificate("expired")), false),
            (Err(Fault::Protocol), false),
        ] {
            assert_eq!(wait(1, &outcome).is_some(), expected, "{outcome:?}");
        }
    }

    #[test]
    fn only_idempotent_methods_unless_said() {
        let outcome = answer(503, None);
        for (method, expected) in [
            (Method::GET, true),
            (Method::HEAD, true),
            (Method::OPTIONS, true),
            (Method::PUT, true),
            (Method::DELETE, true),
            (Method::POST, false),
            (Method::PATCH, false),
        ] {
            assert_eq!(
                delay(&retry(), 1, &method, &outcome, 1.0).is_some(),
                expected,
                "{method}"
            );
            let any = RetrySpec {
                any_method: true,
                ..retry()
            };
            assert!(delay(&any, 1, &method, &outcome, 1.0).is_some(), "{method}");
        }
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        let after = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, HeaderValue::from_str(text).expect("a value"));
            retry_after(&headers, now)
        };
        assert_eq!(after("120"), Some(Duration::from_secs(120)));
        assert_eq!(after(" 0 "), Some(Duration::ZERO));
        assert_eq!(
            after("99999999999999999999999"),
            Some(Duration::from_secs(u64::MAX))
        );
        assert_eq!(
            after("Sun, 06 Nov 1994 08:50:37 GMT"),
            Some(Duration::from_secs(60))
        );
        assert_eq!(
            after("Sunday, 06-Nov-94 08:50:37 GMT"),
            Some(Duration::from_secs(60))
        );
        assert_eq!(
            after("Sun Nov  6 08:50:37 1994"),
            Some(Duration::from_secs(60))
        );
        assert_eq!(after("Sun, 06 Nov 1994 08:00:00 GMT"), Some(Duration::ZERO));
        for text in ["", "-1", "1.5", "soon", "1 s"] {
            assert_eq!(after(text), None, "{text}");
        }
        assert_eq!(retry_after(&HeaderMap::new(), now), None);
    }

    #[test]
    fn the_longer_of_retry_after_and_backoff_is_waited() {
        assert_eq!(
            wait(1, &answer(503, Some("7"))),
            Some(Duration::from_secs(7))
        );
        assert_eq!(
            wait(1, &answer(503, Some("0"))),
            Some(Duration::from_millis(100))
        );
        assert_eq!(wait(1, &answer(500, Some("7"))), None);
    }
}
