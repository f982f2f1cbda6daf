//! A request by HTTP that is still wanted when its caller is no longer there (specification of
//! 2025-11-25: transports §Sending Messages: a disconnect is no cancellation). It is a task of its
//! own from the beginning; who waits for it may go. A cancellation ends it without an answer.

use super::calls::Place;
use super::care::Care;
use super::carry_out::carry_out;
use super::noted::{First, Noted, Outlives};
use super::serve::answer;
use super::{Execute, Reply};
use crate::ops::{Notices, OpError};
use crate::protocol::{Call, Response};
use futures_util::FutureExt as _;
use futures_util::stream;
use std::pin::pin;
use std::sync::Arc;

/// Carries out the call, and gives what came of it as long as somebody waits.
pub(super) async fn outliving<E: Execute>(
    runtime: Arc<E>,
    call: Box<Call>,
    place: Place,
    care: &Arc<Care>,
    may_stream: bool,
) -> Reply {
    let (access, caller) = (runtime.access(), call.context.caller.clone());
    let answered = |response| answer(response, &access, &caller);
    let noted = may_stream.then(|| Notices::of(&call.context)).flatten();
    if let Some(ends) = noted {
        let outlives = Outlives::Caller(place);
        let noted = Noted::new(runtime, call, ends, care, outlives);
        return match noted.first().await {
            First::Answer(response) => answered(response),
            First::Notice(noted) => Reply::Stream(Box::pin(noted)),
            First::Nothing => unanswered(may_stream),
        };
    }
    let reply_to = call.reply_to.clone();
    let (tasks, care) = (care.shutdown.tasks().clone(), Arc::clone(care));
    let work = async move {
        let none = Notices::none();
        let carried = pin!(carry_out(&*runtime, call, &none, &care));
        unless_cancelled(&place, carried).await
    };
    let mut work = Box::pin(work);
    // Most need no waiting: those that only say what is known do not become tasks.
    let came = match work.as_mut().now_or_never() {
        Some(came) => came,
        None => match tasks.spawn(work).await {
            Ok(came) => came,
            Err(_) => {
                let lost = OpError::Internal("the request was lost".into());
                Some(reply_to.refuse(&lost.into()))
            }
        },
    };
    came.map_or_else(|| unanswered(may_stream), answered)
}

/// What comes of it; `None` when it is cancelled before.
pub(super) async fn unless_cancelled(
    place: &Place,
    work: impl Future<Output = Response>,
) -> Option<Response> {
    place.cancelled().run_until_cancelled(work).await
}

/// The HTTP answer to a request that was cancelled: it has no JSON-RPC answer.
fn unanswered(may_stream: bool) -> Reply {
    if may_stream {
        Reply::Stream(Box::pin(stream::empty()))
    } else {
        Reply::Accepted
    }
}
