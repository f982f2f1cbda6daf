//! One request, from the moment it is understood to its answer.

use super::Execute;
use crate::ops::{Caller, Context, Notices, OpError};
use crate::protocol::{Call, Response};
use crate::units::Time;
use futures_util::FutureExt as _;
use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// Carries out a call within `limit`, or until it is `given_up`, and writes its answer. How it goes
/// is told to `notices`. A panic
/// inside becomes an internal error of this request alone; what was being done is lost, and the
/// runtime has no interior mutability that could be left half changed.
pub(super) async fn carry_out<E: Execute>(
    runtime: &E,
    call: Call,
    notices: &Notices,
    limit: Duration,
    given_up: &CancellationToken,
) -> Response {
    let Call {
        operation,
        context,
        reply_to,
        ..
    } = call;
    let mut record = Record::new(&context);
    let work = async { runtime.execute(operation, &context, notices).await };
    let work = AssertUnwindSafe(work).catch_unwind();
    let work = tokio::time::timeout(limit, given_up.run_until_cancelled(work));
    let outcome = match work.await {
        Ok(Some(Ok(outcome))) => outcome,
        Ok(None) => Err(OpError::Internal("the server is stopping".into())),
        Ok(Some(Err(_))) => {
            // What a panic says may hold what the request said, so it is not repeated.
            tracing::error!(
                method = context.method,
                "a request panicked; it is answered with an internal error"
            );
            Err(OpError::Internal("the request failed unexpectedly".into()))
        }
        Err(_) => {
            tracing::warn!(method = context.method, ?limit, "a request timed out");
            Err(OpError::Internal(format!(
                "request timed out after {}",
                Time(limit)
            )))
        }
    };
    let response = reply_to.answer(runtime.face(), outcome);
    record.answered(&response);
    response
}

/// Logs what became of a request: also when it was dropped, which is how one is cancelled.
struct Record {
    method: &'static str,
    caller: Caller,
    started: Instant,
    answered: bool,
}

impl Record {
    fn new(context: &Context) -> Self {
        Self {
            method: context.method,
            caller: context.caller.clone(),
            started: Instant::now(),
            answered: false,
        }
    }

    fn answered(&mut self, response: &Response) {
        self.answered = true;
        let outcome = if response.code.is_some() {
            "error"
        } else {
            "result"
        };
        tracing::debug!(
            method = self.method,
            principal = self.caller.principal(),
            outcome,
            code = response.code,
            bytes = response.body.len(),
            duration = ?self.started.elapsed(),
            "answered a request"
        );
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        if !self.answered {
            tracing::debug!(
                method = self.method,
                principal = self.caller.principal(),
                outcome = "cancelled",
                duration = ?self.started.elapsed(),
                "dropped a request"
            );
        }
    }
}
