//! A stream of messages: the standard streams.

use super::carry_out::carry_out;
use super::in_flight::{InFlight, Place, Refusal};
use super::listen::listening;
use super::noted::Noted;
use super::serve::heard;
use super::{Execute as _, Limits, Part, Parts, Received, Session, Snapshots, Work};
use crate::ops::{Caller, Notices, OpError};
use crate::protocol::{
    self, Call, Carrier, Conversation, Fault, Listen, PARSE_ERROR, ReplyTo, Step,
};
use crate::runtime::Hub;
use crate::shutdown::Shutdown;
use bytes::Bytes;
use futures_util::stream::{self, Stream, StreamExt as _};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// One stream's state: which requests are in flight, and what its messages have agreed on.
#[derive(Debug)]
pub struct StreamSession<S> {
    runtimes: S,
    limits: Limits,
    hub: Hub,
    shutdown: Shutdown,
    /// Cancelled once no message comes any more.
    ended: CancellationToken,
    conversation: Conversation,
    in_flight: InFlight,
}

impl<S: Snapshots> StreamSession<S> {
    pub(super) fn new(runtimes: S, limits: Limits, hub: Hub, shutdown: Shutdown) -> Self {
        Self {
            runtimes,
            limits,
            hub,
            shutdown,
            ended: CancellationToken::new(),
            conversation: Conversation::default(),
            in_flight: InFlight::new(limits.in_flight),
        }
    }

    /// Takes the place of a request. The error is its answer.
    fn place(&self, reply_to: &ReplyTo) -> Result<Place, Received> {
        self.in_flight.begin(reply_to.id()).map_err(|refusal| {
            let why = refusal.to_string();
            let fault = match refusal {
                Refusal::Duplicate => Fault::InvalidRequest(why),
                Refusal::Full(_) => OpError::Internal(why).into(),
            };
            let response = reply_to.refuse(&fault);
            tracing::debug!(code = response.code, "refused a request");
            Received::Answer(response.body)
        })
    }

    fn listen(&self, runtime: &S::Runtime, caller: Caller, listen: Listen) -> Received {
        let Listen { filter, reply_to } = listen;
        let place = match self.place(&reply_to) {
            Ok(place) => place,
            Err(refused) => return refused,
        };
        match self.hub.listen(heard(runtime, filter, &caller), caller) {
            Err(full) => {
                let refused = reply_to.refuse(&OpError::Failed(full.to_string()).into());
                Received::Answer(refused.body)
            }
            Ok(listener) => {
                let ends = [self.shutdown.token().clone(), self.ended.clone()];
                let runtimes = self.runtimes.clone();
                Received::Work(Work {
                    cancelled: place.cancelled().clone(),
                    parts: in_place(listening(runtimes, listener, reply_to, ends), place),
                })
            }
        }
    }

    /// Takes the request's place now, in the order of the stream, so that a cancellation behind it
    /// finds it whether or not its work has begun.
    fn call(&self, runtime: Arc<S::Runtime>, call: Call) -> Received {
        let place = match self.place(&call.reply_to) {
            Ok(place) => place,
            Err(refused) => return refused,
        };
        let cancelled = place.cancelled().clone();
        let limit = self.limits.request_timeout;
        let parts = match Notices::of(&call.context) {
            Some(ends) => {
                let noted = Noted::new(runtime, call, ends, limit, &self.shutdown);
                in_place(noted, place)
            }
            None => {
                let given_up = self.shutdown.given_up().clone();
                let answer = async move {
                    let none = Notices::none();
                    let response = tokio::select! {
                        biased;
                        () = place.cancelled().cancelled() => return None,
                        response = carry_out(&*runtime, call, &none, limit, &given_up) => response,
                    };
                    place.finish().then_some(Part::Last(response.body))
                };
                Box::pin(stream::once(answer).filter_map(std::future::ready))
            }
        };
        Received::Work(Work { cancelled, parts })
    }
}

/// The messages of a request until it is cancelled; its place is given up with the answer.
fn in_place(parts: impl Stream<Item = Part> + Send + Unpin + 'static, place: Place) -> Parts {
    let state = Some((parts, place));
    Box::pin(stream::unfold(state, async |state| {
        let (mut parts, place) = state?;
        let part = tokio::select! {
            biased;
            () = place.cancelled().cancelled() => return None,
            part = parts.next() => part?,
        };
        match part {
            Part::More(_) => Some((part, Some((parts, place)))),
            Part::Last(_) => place.finish().then_some((part, None)),
        }
    }))
}

impl<S: Snapshots> Session for StreamSession<S> {
    fn receive(&mut self, message: &[u8]) -> Received {
        if message.trim_ascii().is_empty() {
            return Received::Nothing;
        }
        let runtime = self.runtimes.snapshot();
        let carrier = Carrier::Stream(&mut self.conversation);
        let caller = runtime.access().stdio().clone();
        match protocol::receive(runtime.face(), &caller, carrier, message) {
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
            Step::Listen(listen) => self.listen(&runtime, caller, listen),
        }
    }

    fn ended(&mut self) {
        self.ended.cancel();
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
