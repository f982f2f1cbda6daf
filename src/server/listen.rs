//! `subscriptions/listen`: a request that stays open, and says what has changed.

use super::{Execute as _, Part, Parts, Snapshots};
use crate::ops::{Caller, Change};
use crate::protocol::Subscription;
use crate::runtime::Listener;
use crate::telemetry::Span;
use futures_util::stream;
use std::collections::VecDeque;
use std::future::poll_fn;
use tokio_util::sync::CancellationToken;

/// What a listening needs. No runtime is held: a listener stays through many of them.
struct Listening<S> {
    runtimes: S,
    listener: Listener,
    caller: Caller,
    subscription: Subscription,
    ends: [CancellationToken; 2],
    /// Ends with the listening.
    _span: Option<Span>,
    /// Made, and not yet sent.
    next: VecDeque<Part>,
    over: bool,
}

/// The messages of a listening: the acknowledgement, changes as they come, and once one of `ends` is
/// cancelled that it is over. Dropping it ends the listening, and `span`.
pub(super) fn listening<S: Snapshots>(
    runtimes: S,
    listener: Listener,
    subscription: Subscription,
    ends: [CancellationToken; 2],
    span: Option<Span>,
) -> Parts {
    let acknowledged = subscription.acknowledged(&listener.filter());
    let listening = Listening {
        runtimes,
        caller: listener.caller(),
        listener,
        subscription,
        ends,
        _span: span,
        next: VecDeque::from([Part::More(acknowledged)]),
        over: false,
    };
    Box::pin(stream::unfold(listening, async |mut listening| {
        let part = listening.part().await?;
        Some((part, listening))
    }))
}

impl<S: Snapshots> Listening<S> {
    async fn part(&mut self) -> Option<Part> {
        if let Some(part) = self.next.pop_front() {
            return Some(part);
        }
        if self.over {
            return None;
        }
        while let Some(change) = self.change().await {
            if self.is_heard(&change) {
                return Some(Part::More(self.subscription.change(&change)));
            }
        }
        self.over = true;
        let response = self.subscription.listened(self.runtimes.snapshot().face());
        self.next.push_back(Part::Last(response.body.into_bytes()));
        Some(Part::More(self.subscription.cancelled()))
    }

    /// Whether the caller may hear of it as the components are now.
    fn is_heard(&self, change: &Change) -> bool {
        match change {
            Change::List(_) => true,
            Change::Resource(uri) => {
                let runtime = self.runtimes.snapshot();
                runtime.may_hear_of(uri, &self.caller).is_ok()
            }
        }
    }

    /// The next change; `None` once the listening is to end. What has changed before is told first.
    async fn change(&self) -> Option<Change> {
        let [one, other] = &self.ends;
        tokio::select! {
            biased;
            change = poll_fn(|cx| self.listener.poll_next(cx)) => Some(change),
            () = one.cancelled() => None,
            () = other.cancelled() => None,
            () = self.caller.over() => None,
        }
    }
}
