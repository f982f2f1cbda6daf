//! One request, from the moment it is understood to its answer.

use super::Execute;
use super::asking::{Asking, MOST_TIMES};
use crate::ops::{Answer, Context, Notices, OpError, Operation, ToolOutcome};
use crate::protocol::{Call, Response, SessionKey};
use crate::units::Time;
use futures_util::FutureExt as _;
use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};
use tokio::time::error::Elapsed;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// How long a request may take, and what it needs to ask.
#[derive(Clone, Debug)]
pub(super) struct Terms {
    /// How long it may work.
    pub(super) limit: Duration,
    /// How long it waits each time that it asks.
    pub(super) answers: Duration,
    pub(super) asking: Asking,
}

/// Carries out a call within its `terms`, or until it is `given_up`, and writes its answer. How it goes
/// is told to `notices`. A panic
/// inside becomes an internal error of this request alone; what was being done is lost, and the
/// runtime has no interior mutability that could be left half changed.
pub(super) async fn carry_out<E: Execute>(
    runtime: &E,
    call: Call,
    notices: &Notices,
    terms: &Terms,
    given_up: &CancellationToken,
) -> Response {
    let Call {
        operation,
        context,
        reply_to,
        session,
        ..
    } = call;
    let limit = terms.limit;
    let method = context.method;
    let mut record = Record::new(method);
    let work = until_answered(runtime, operation, context, session, notices, terms);
    let work = AssertUnwindSafe(work).catch_unwind();
    let outcome = match given_up.run_until_cancelled(work).await {
        Some(Ok(Ok(outcome))) => outcome,
        None => Err(OpError::Internal("the server is stopping".into())),
        Some(Err(_)) => {
            // What a panic says may hold what the request said, so it is not repeated.
            tracing::error!(
                method,
                "a request panicked; it is answered with an internal error"
            );
            Err(OpError::Internal("the request failed unexpectedly".into()))
        }
        Some(Ok(Err(_))) => {
            tracing::warn!(method, ?limit, "a request timed out");
            Err(OpError::Internal(format!(
                "request timed out after {}",
                Time(limit)
            )))
        }
    };
    let outcome = match outcome {
        // Where there is no error for it, a tool says it itself.
        Err(error @ OpError::LacksCapabilities(_))
            if method == "tools/call" && !reply_to.names_capabilities() =>
        {
            Ok(Answer::Tool(ToolOutcome::error(error.to_string())))
        }
        Ok(Answer::NeedsInput(_)) if method == "tools/call" && !reply_to.names_capabilities() => {
            let why = "the caller would have to be asked, and takes no stream";
            Ok(Answer::Tool(ToolOutcome::error(why)))
        }
        outcome => outcome,
    };
    let response = reply_to.answer(runtime.face(), outcome);
    record.answered(&response);
    response
}

/// Carries out the operation, asking where its caller is asked while it runs. The outer error is
/// that it took too long.
async fn until_answered<E: Execute>(
    runtime: &E,
    operation: Operation,
    mut context: Context,
    session: Option<SessionKey>,
    notices: &Notices,
    terms: &Terms,
) -> Result<Result<Answer, OpError>, Elapsed> {
    if !context.asks_in_place {
        return timeout(terms.limit, runtime.execute(operation, &context, notices)).await;
    }
    for _ in 0..MOST_TIMES {
        let work = runtime.execute(operation.clone(), &context, notices);
        let required = match timeout(terms.limit, work).await? {
            Ok(Answer::NeedsInput(required)) => required,
            outcome => return Ok(outcome),
        };
        let asking = &terms.asking;
        match asking.ask(session, notices, required, terms.answers).await {
            Ok(input) => context.input = input,
            Err(OpError::Failed(text)) if context.method == "tools/call" => {
                return Ok(Ok(Answer::Tool(ToolOutcome::error(text))));
            }
            Err(error) => return Ok(Err(error)),
        }
    }
    Ok(Err(OpError::Failed(
        "asked too often without an answer".into(),
    )))
}

/// Logs what became of a request: also when it was dropped, which is how one is cancelled.
struct Record {
    method: &'static str,
    started: Instant,
    answered: bool,
}

impl Record {
    fn new(method: &'static str) -> Self {
        Self {
            method,
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
                outcome = "cancelled",
                duration = ?self.started.elapsed(),
                "dropped a request"
            );
        }
    }
}
