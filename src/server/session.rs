//! A stream of messages: the standard streams.

use super::carry_out::carry_out;
use super::in_flight::{InFlight, Refusal};
use super::{Execute, Limits, Received, Session, Snapshots};
use crate::ops::OpError;
use crate::protocol::{self, Call, Carrier, Conversation, Fault, PARSE_ERROR, Step};
use bytes::Bytes;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// One stream's state: which requests are in flight, and what its messages have agreed on.
#[derive(Debug)]
pub struct StreamSession<S> {
    runtimes: S,
    limits: Limits,
    given_up: CancellationToken,
    conversation: Conversation,
    in_flight: InFlight,
}

impl<S: Snapshots> StreamSession<S> {
    pub(super) fn new(runtimes: S, limits: Limits, given_up: CancellationToken) -> Self {
        Self {
            runtimes,
            limits,
            given_up,
            conversation: Conversation::default(),
            in_flight: InFlight::new(limits.in_flight),
        }
    }

    /// Takes the request's place now, in the order of the stream, so that a cancellation behind it
    /// finds it whether or not its work has begun.
    fn call(&self, runtime: Arc<S::Runtime>, call: Call) -> Received {
        let place = match self.in_flight.begin(call.reply_to.id()) {
            Ok(place) => place,
            Err(refusal) => {
                let why = refusal.to_string();
                let fault = match refusal {
                    Refusal::Duplicate => Fault::InvalidRequest(why),
                    Refusal::Full(_) => OpError::Internal(why).into(),
                };
                let response = call.reply_to.refuse(&fault);
                tracing::debug!(
                    method = call.context.method,
                    code = response.code,
                    "refused a request"
                );
                return Received::Answer(response.body);
            }
        };
        let limit = self.limits.request_timeout;
        let given_up = self.given_up.clone();
        Received::Work(Box::pin(async move {
            let response = tokio::select! {
                biased;
                () = place.cancelled() => return None,
                response = carry_out(&*runtime, call, limit, &given_up) => response,
            };
            place.finish().then_some(response.body)
        }))
    }
}

impl<S: Snapshots> Session for StreamSession<S> {
    fn receive(&mut self, message: &[u8]) -> Received {
        if message.trim_ascii().is_empty() {
            return Received::Nothing;
        }
        let runtime = self.runtimes.snapshot();
        let carrier = Carrier::Stream(&mut self.conversation);
        match protocol::receive(runtime.face(), carrier, message) {
            Step::Nothing => Received::Nothing,
            Step::Cancel(id) => {
                let found = self.in_flight.cancel(&id);
                tracing::debug!(found, "a request was cancelled");
                Received::Nothing
            }
            Step::Reply(response) if response.code == Some(PARSE_ERROR) => {
                tracing::warn!(
                    bytes = message.len(),
                    "a line on the input is not JSON; it was answered with an error"
                );
                Received::Answer(response.body)
            }
            Step::Reply(response) => {
                tracing::debug!(code = response.code, "refused a message");
                Received::Answer(response.body)
            }
            Step::Call(call) => self.call(runtime, call),
        }
    }

    fn too_long(&mut self, limit: usize) -> Bytes {
        tracing::warn!(
            limit,
            "a line on the input is too long; it was skipped and answered with an error"
        );
        let fault = Fault::InvalidRequest(format!("the message is longer than {limit} bytes"));
        protocol::refuse(&fault).body
    }
}

impl<S> Drop for StreamSession<S> {
    fn drop(&mut self) {
        self.in_flight.cancel_all();
    }
}
