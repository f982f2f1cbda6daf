//! One request, from the moment it is understood to its answer.

use super::Execute;
use super::admission::Turn;
use super::asking::MOST_TIMES;
use super::audit::Entry;
use super::care::Care;
use super::spans::{self, About};
use crate::ops::{
    Answer, Caller, Context, Input, InputRequired, Notices, OpError, Operation, ToolOutcome,
};
use crate::protocol::{Call, ReplyTo, Response, SessionKey};
use crate::telemetry::{Histogram, Metrics, Outcome, Present, RequestId, Span};
use crate::units::Time;
use futures_util::FutureExt as _;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::time::error::Elapsed;
use tokio::time::timeout;

/// Carries out a call within its time, or until it is given up, and writes its answer. How it goes is
/// told to `notices`. It waits for its turn, where
/// turns are given, and has it until it is answered. A panic inside
/// becomes an internal error of this request alone; what was being done is lost, and the runtime has no
/// interior mutability that could be left half changed.
pub(super) async fn carry_out<E: Execute>(
    runtime: &E,
    mut call: Box<Call>,
    notices: &Notices,
    care: &Care,
) -> Response {
    let id = RequestId::next();
    let mut span = care.watch.spans.begin(|| About {
        request: id,
        operation: Some((&call.operation, runtime.serves(&call.operation))),
        context: &mut call.context,
        revision: call.reply_to.revision(),
        session: call.session,
        by_http: care.is_by_http(),
    });
    let turn = match care.turn(&call).await {
        Ok(turn) => turn,
        Err(response) => return spans::refused(&mut span, response),
    };
    let Call {
        operation,
        context,
        reply_to,
        session,
        ..
    } = *call;
    let method = context.method;
    let limit = care.limit;
    let mut record = Record::new(id, &operation, &context, care);
    record.span = span;
    let asks = Asks {
        reply_to: &reply_to,
        session,
        notices,
    };
    // Pinned here: each wrapper around it would move all that it may hold.
    let work = pin!(until_answered(
        runtime, operation, context, asks, care, turn
    ));
    let work = AssertUnwindSafe(id.scope(work)).catch_unwind();
    let outcome = match care.shutdown.given_up().run_until_cancelled(work).await {
        Some(Ok(Ok(outcome))) => {
            record.outcome = match &outcome {
                Ok(Answer::Tool(tool)) if tool.is_error => Outcome::ToolError,
                Ok(_) => Outcome::Ok,
                Err(_) => Outcome::Error,
            };
            outcome
        }
        None => {
            record.outcome = Outcome::Error;
            Err(OpError::Internal("the server is stopping".into()))
        }
        Some(Err(_)) => {
            record.outcome = Outcome::Error;
            // What a panic says may hold what the request said, so it is not repeated.
            tracing::error!(
                method,
                request = %id,
                "a request panicked; it is answered with an internal error"
            );
            Err(OpError::Internal("the request failed unexpectedly".into()))
        }
        Some(Ok(Err(_))) => {
            record.outcome = Outcome::Timeout;
            tracing::warn!(method, request = %id, ?limit, "a request timed out");
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

/// Where a caller is asked while its request runs.
struct Asks<'a> {
    reply_to: &'a ReplyTo,
    session: Option<SessionKey>,
    notices: &'a Notices,
}

impl Asks<'_> {
    /// Asks, and waits for the answers. A server that stops takes none any more.
    async fn ask(
        &self,
        care: &Care,
        required: InputRequired,
        within: Duration,
    ) -> Result<Input, OpError> {
        let mut requests = required.requests.iter();
        if !requests.all(|(_, request)| self.reply_to.can_ask(request)) {
            return Err(OpError::Failed(
                "the client would have to let its user choose several, which its revision of the \
                 protocol does not know"
                    .into(),
            ));
        }
        let asked = care
            .asking
            .ask(self.session, self.notices, required, within);
        let asked = care.shutdown.token().run_until_cancelled(asked).await;
        asked.unwrap_or_else(|| Err(OpError::Internal("the server is stopping".into())))
    }
}

/// Carries out the operation, asking where its caller is asked while it runs. Its turn is not held
/// while it waits for answers. The outer error is that it took too long.
async fn until_answered<E: Execute>(
    runtime: &E,
    operation: Operation,
    mut context: Context,
    asks: Asks<'_>,
    care: &Care,
    mut turn: Option<Turn>,
) -> Result<Result<Answer, OpError>, Elapsed> {
    let waited = turn.as_ref().map_or(Duration::ZERO, |turn| turn.waited);
    let limit = care.limit.saturating_sub(waited);
    if !context.asks_in_place {
        let work = pin!(runtime.execute(operation, &context, asks.notices));
        return timeout(limit, work).await;
    }
    for _ in 0..MOST_TIMES {
        let work = runtime.execute(operation.clone(), &context, asks.notices);
        let required = match Box::pin(timeout(limit, work)).await? {
            Ok(Answer::NeedsInput(required)) => required,
            outcome => return Ok(outcome),
        };
        drop(turn.take());
        let asked = asks.ask(care, required, runtime.waits_for_answers());
        match Box::pin(asked).await {
            Ok(input) => context.input = input,
            Err(OpError::Failed(text)) if context.method == "tools/call" => {
                return Ok(Ok(Answer::Tool(ToolOutcome::error(text))));
            }
            Err(error) => return Ok(Err(error)),
        }
        turn = match Box::pin(care.take_turn(&operation)).await {
            Ok(turn) => turn,
            Err(why) => return Ok(Err(OpError::Internal(why))),
        };
    }
    Ok(Err(OpError::Failed(
        "asked too often without an answer".into(),
    )))
}

/// Counts and logs what became of a request: also when it was dropped, which is how one is cancelled.
struct Record {
    id: RequestId,
    method: &'static str,
    caller: Caller,
    started: Instant,
    outcome: Outcome,
    code: Option<i64>,
    bytes: usize,
    metrics: Metrics,
    meter: Option<Arc<Histogram>>,
    entry: Option<Entry>,
    span: Option<Span>,
    _in_flight: Present,
}

impl Record {
    fn new(id: RequestId, operation: &Operation, context: &Context, care: &Care) -> Self {
        let metrics = &care.watch.metrics;
        Self {
            id,
            method: context.method,
            caller: context.caller.clone(),
            started: Instant::now(),
            outcome: Outcome::Cancelled,
            code: None,
            bytes: 0,
            meter: match operation {
                Operation::CallTool { name, .. } => metrics.tool(name),
                _ => None,
            },
            entry: care.watch.audit.begin(id, operation, context),
            span: None,
            _in_flight: metrics.present(|counters| &counters.in_flight),
            metrics: metrics.clone(),
        }
    }

    fn answered(&mut self, response: &Response) {
        self.code = response.code;
        self.bytes = response.body.len();
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        let took = self.started.elapsed();
        self.metrics.answered(self.method, self.outcome);
        if let Some(meter) = &self.meter {
            meter.add(took);
        }
        if let Some(span) = &mut self.span {
            spans::end(span, self.outcome, self.code);
        }
        if let Some(entry) = self.entry.take() {
            entry.end(self.outcome, self.code, self.bytes, took);
        }
        tracing::debug!(
            method = self.method,
            principal = self.caller.principal(),
            outcome = self.outcome.word(),
            code = self.code,
            bytes = self.bytes,
            duration = ?took,
            request = %self.id,
            "a request is over"
        );
    }
}
