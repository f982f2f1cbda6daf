//! A stream of messages: the standard streams.

use super::care::Care;
use super::carry_out::carry_out;
use super::in_flight::{InFlight, Place, Refusal};
use super::listen::listening;
use super::noted::{Noted, Outlives};
use super::serve::{heard, subscribe};
use super::spans::refused;
use super::told::{Reader, Told};
use super::{Execute as _, Limits, Part, Parts, Received, Session, Snapshots, Work};
use crate::ops::{Filter, LogLevel, Notices, OpError};
use crate::protocol::{
    self, Call, Carrier, Conversation, Fault, Id, Listen, PARSE_ERROR, Remember, Response, Step,
    Wanted,
};
use crate::runtime::{Full, Hub, Share};
use bytes::Bytes;
use futures_util::stream::{self, Stream, StreamExt as _};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// One stream's state: which requests are in flight, and what its messages have agreed on.
#[derive(Debug)]
pub struct StreamSession<S> {
    runtimes: S,
    hub: Hub,
    care: Arc<Care>,
    /// Cancelled once no message comes any more.
    ended: CancellationToken,
    conversation: Conversation,
    in_flight: InFlight,
    /// The level of log messages that is wanted, once it was said.
    level: Option<LogLevel>,
    /// What the client is told without asking.
    told: Option<Arc<Told>>,
    /// The client is told by now.
    telling: bool,
}

impl<S: Snapshots> StreamSession<S> {
    pub(super) fn new(runtimes: S, limits: Limits, hub: Hub, care: Arc<Care>) -> Self {
        Self {
            runtimes,
            hub,
            care,
            ended: CancellationToken::new(),
            conversation: Conversation::default(),
            in_flight: InFlight::new(limits.in_flight),
            level: None,
            told: None,
            telling: false,
        }
    }

    /// Takes the place of a request. The error is its answer, as `refuse` writes it.
    fn place(&self, id: &Id, refuse: impl Fn(&Fault) -> Response) -> Result<Place, Received> {
        self.in_flight.begin(id).map_err(|refusal| {
            let why = refusal.to_string();
            let fault = match refusal {
                Refusal::Duplicate => Fault::InvalidRequest(why),
                Refusal::Full(_) => OpError::Internal(why).into(),
            };
            let response = refuse(&fault);
            tracing::debug!(code = response.code, "refused a request");
            Received::Answer(response.body.into_bytes())
        })
    }

    fn listen(&self, runtime: &S::Runtime, mut listen: Box<Listen>) -> Received {
        let caller = &self.conversation.caller;
        let subscription = &listen.subscription;
        let place = self.place(subscription.id(), |fault| subscription.refuse(fault));
        let place = match place {
            Ok(place) => place,
            Err(received) => return received,
        };
        let mut span = self.care.begin_listening(&mut listen);
        let Listen {
            filter,
            subscription,
            ..
        } = *listen;
        match self
            .hub
            .listen(heard(runtime, filter, caller), caller.clone(), Share::Whole)
        {
            Err(full) => {
                let response = subscription.refuse(&OpError::Failed(full.to_string()).into());
                Received::Answer(refused(&mut span, response).body.into_bytes())
            }
            Ok(listener) => {
                let (runtimes, ends) = (self.runtimes.clone(), self.ends());
                let listening = listening(runtimes, listener, subscription, ends, span);
                Received::Work(Work {
                    cancelled: place.cancelled().clone(),
                    parts: in_place(listening, place),
                })
            }
        }
    }

    /// What ends whatever says what changes.
    fn ends(&self) -> [CancellationToken; 2] {
        [self.care.shutdown.token().clone(), self.ended.clone()]
    }

    /// What the client is told; of these lists, when it has not been told anything yet.
    fn told(&mut self, lists: Filter) -> Result<Arc<Told>, Full> {
        if let Some(told) = &self.told {
            return Ok(Arc::clone(told));
        }
        let caller = self.conversation.caller.clone();
        let told = Told::new(&self.hub, lists, caller, Share::Whole)?;
        Ok(Arc::clone(self.told.insert(told)))
    }

    /// The client is ready to be told of changes.
    fn initialized(&mut self, lists: Filter) -> Received {
        if self.telling {
            return Received::Nothing;
        }
        match self.told(lists) {
            Ok(told) => {
                self.telling = true;
                Received::Work(Work {
                    cancelled: self.ended.clone(),
                    parts: told.stream(self.ends(), Reader::on_streams(self.runtimes.clone())),
                })
            }
            Err(full) => {
                tracing::warn!(%full, "the client is not told of changes");
                Received::Nothing
            }
        }
    }

    /// Remembers something for the client.
    fn remember(&mut self, runtime: &S::Runtime, remember: Remember) -> Response {
        let Remember {
            what,
            lists,
            reply_to,
            ..
        } = remember;
        let kept = match what {
            Wanted::Level(level) => {
                self.level = Some(level);
                Ok(())
            }
            Wanted::Updates(uri) => {
                let caller = self.conversation.caller.clone();
                subscribe(runtime, &caller, &uri, || self.told(lists))
            }
            Wanted::NoUpdates(uri) => {
                if let Some(told) = &self.told {
                    told.remove(&uri);
                }
                Ok(())
            }
        };
        match kept {
            Ok(()) => reply_to.done(),
            Err(error) => reply_to.refuse(&error.into()),
        }
    }

    /// Takes the request's place now, in the order of the stream, so that a cancellation behind it
    /// finds it whether or not its work has begun.
    fn call(&self, runtime: Arc<S::Runtime>, mut call: Box<Call>) -> Received {
        let reply_to = &call.reply_to;
        let place = match self.place(reply_to.id(), |fault| reply_to.refuse(fault)) {
            Ok(place) => place,
            Err(refused) => return refused,
        };
        if call.outlives_caller && self.level.is_some() {
            call.context.log_level = call.context.log_level.and(self.level);
        }
        let cancelled = place.cancelled().clone();
        let parts = match Notices::of(&call.context) {
            Some(ends) => {
                let noted = Noted::new(runtime, call, ends, &self.care, Outlives::Nothing);
                in_place(noted, place)
            }
            None => {
                let care = Arc::clone(&self.care);
                let answer = async move {
                    let none = Notices::none();
                    let response = tokio::select! {
                        biased;
                        () = place.cancelled().cancelled() => return None,
                        response = carry_out(&*runtime, call, &none, &care) => response,
                    };
                    place
                        .finish()
                        .then_some(Part::Last(response.body.into_bytes()))
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
        self.conversation.caller = runtime.access().stdio().clone();
        let carrier = Carrier::Stream(&mut self.conversation);
        match protocol::receive(runtime.face(), carrier, message) {
            Step::Nothing => Received::Nothing,
            Step::Outcome(outcome) => {
                self.care.asking.came(outcome);
                Received::Nothing
            }
            Step::Cancel { id, .. } => {
                let found = self.in_flight.cancel(&id);
                tracing::debug!(found, "a request was cancelled");
                Received::Nothing
            }
            Step::Reply(response) if response.code == Some(PARSE_ERROR) => {
                self.care.watch.metrics.counters().refused.add();
                tracing::warn!(
                    bytes = message.len(),
                    "a line on the input is not JSON; it was answered with an error"
                );
                Received::Answer(response.body.into_bytes())
            }
            Step::Reply(response) => {
                self.care.watch.metrics.counters().refused.add();
                tracing::debug!(code = response.code, "refused a message");
                Received::Answer(response.body.into_bytes())
            }
            Step::Began { response, .. } => Received::Answer(response.body.into_bytes()),
            Step::Initialized(lists) => self.initialized(lists),
            Step::Call(call) => self.call(runtime, call),
            Step::Listen(listen) => self.listen(&runtime, listen),
            Step::Remember(remember) => {
                Received::Answer(self.remember(&runtime, remember).body.into_bytes())
            }
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
        protocol::refuse(&fault).body.into_bytes()
    }
}

impl<S> Drop for StreamSession<S> {
    fn drop(&mut self) {
        self.in_flight.cancel_all();
    }
}
