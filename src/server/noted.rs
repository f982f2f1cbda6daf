//! A request whose caller wants to hear how it goes: notifications, then the answer.
//!
//! The work runs where it is waited for until there is something to say. From then on it is a task
//! of its own, so that a reader who is slow, or stops reading, never holds it up: its limits apply,
//! its output is read, and what it says meanwhile is bounded by [`crate::ops::Notices`].

use super::calls::Place;
use super::care::Care;
use super::carry_out::carry_out;
use super::outliving::unless_cancelled;
use super::{Execute, Part};
use crate::ops::{Notice, Notices, OpError, ProgressToken, Take, Waiting};
use crate::protocol::{Call, ReplyTo, Response};
use futures_util::Stream;
use futures_util::future::BoxFuture;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tokio::task::JoinHandle;
use tokio::time::{Instant, Sleep, sleep_until};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// What comes of a request first.
pub(super) enum First {
    /// The answer: it had nothing to say before.
    Answer(Response),
    /// Something to say; it is the first of these messages.
    Notice(Noted),
    /// Nothing: it was cancelled.
    Nothing,
}

/// What a request goes on without.
pub(super) enum Outlives {
    /// Nothing: it ends with who reads its messages.
    Nothing,
    /// Who reads its messages. It has this place.
    Caller(Place),
}

/// The messages of a request. Dropping it cancels the request, unless it outlives its caller.
pub(super) struct Noted {
    work: Work,
    waiting: Waiting,
    reply_to: ReplyTo,
    token: Option<ProgressToken>,
    /// Runs until the notice that waits is due.
    timer: Option<Pin<Box<Sleep>>>,
    /// Taken, and not yet sent.
    first: Option<Notice>,
    tasks: TaskTracker,
    /// Set for a request that outlives its caller: cancelled when the request is.
    cancelled: Option<CancellationToken>,
}

/// Where the work is.
enum Work {
    /// Here.
    Here(BoxFuture<'static, Option<Response>>),
    /// In a task of its own.
    Away(Running),
    /// Done.
    Done(Response),
    /// Answered, or cancelled.
    Over,
}

enum Step {
    Notice(Notice),
    Answer(Response),
    /// There is no answer: it was given before, or the request was cancelled.
    Over,
}

impl Noted {
    /// Carries out `call` as [`carry_out`] does; `notices` and `waiting` are the two ends of what it
    /// says. If it becomes a task, it is one of those that the end of the process waits for.
    pub(super) fn new<E: Execute>(
        runtime: Arc<E>,
        call: Box<Call>,
        (notices, waiting): (Notices, Waiting),
        care: &Arc<Care>,
        outlives: Outlives,
    ) -> Self {
        let (reply_to, token) = (call.reply_to.clone(), call.context.progress.clone());
        let cancelled = match &outlives {
            Outlives::Nothing => None,
            Outlives::Caller(place) => Some(place.cancelled().clone()),
        };
        let tasks = care.shutdown.tasks().clone();
        let care = Arc::clone(care);
        let work = async move {
            let carried = pin!(carry_out(&*runtime, call, &notices, &care));
            match &outlives {
                Outlives::Nothing => Some(carried.await),
                Outlives::Caller(place) => unless_cancelled(place, carried).await,
            }
        };
        let mut noted = Self {
            work: Work::Here(Box::pin(work)),
            waiting,
            reply_to,
            token,
            timer: None,
            first: None,
            tasks,
            cancelled,
        };
        if noted.cancelled.is_some() {
            noted.send_away();
        }
        noted
    }

    /// Waits for the first message.
    pub(super) async fn first(mut self) -> First {
        match poll_fn(|cx| self.poll_step(cx)).await {
            Step::Notice(notice) => {
                self.send_away();
                self.first = Some(notice);
                First::Notice(self)
            }
            Step::Answer(response) => First::Answer(response),
            Step::Over if self.is_cancelled() => First::Nothing,
            Step::Over => First::Answer(lost(&self.reply_to)),
        }
    }

    fn poll_step(&mut self, cx: &mut Context<'_>) -> Poll<Step> {
        if let Some(notice) = self.first.take() {
            return Poll::Ready(Step::Notice(notice));
        }
        self.work.poll(&self.reply_to, cx);
        // Nothing is said of a request that is not wanted any more.
        if self.is_cancelled() || matches!(self.work, Work::Over) {
            return Poll::Ready(Step::Over);
        }
        if matches!(self.work, Work::Done(_)) {
            return Poll::Ready(match self.waiting.take_rest() {
                Some(notice) => Step::Notice(notice),
                None => match std::mem::replace(&mut self.work, Work::Over) {
                    Work::Done(response) => Step::Answer(response),
                    _ => Step::Over,
                },
            });
        }
        loop {
            match self.waiting.take(cx.waker(), Instant::now().into_std()) {
                Take::Notice(notice) => return Poll::Ready(Step::Notice(notice)),
                Take::Nothing => return Poll::Pending,
                Take::At(due) => ready!(self.poll_timer(due.into(), cx)),
            }
        }
    }

    fn poll_timer(&mut self, due: Instant, cx: &mut Context<'_>) -> Poll<()> {
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(due)));
        if timer.deadline() != due {
            timer.as_mut().reset(due);
        }
        timer.as_mut().poll(cx)
    }

    fn is_cancelled(&self) -> bool {
        let cancelled = self.cancelled.as_ref();
        cancelled.is_some_and(CancellationToken::is_cancelled)
    }

    /// Makes the work a task, unless it is one or is done.
    fn send_away(&mut self) {
        self.work = match std::mem::replace(&mut self.work, Work::Over) {
            Work::Here(work) => Work::Away(Running {
                task: self.tasks.spawn(work),
                outlives: self.cancelled.is_some(),
            }),
            other => other,
        };
    }
}

impl Stream for Noted {
    type Item = Part;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Part>> {
        let this = self.get_mut();
        let step = ready!(this.poll_step(cx));
        Poll::Ready(match step {
            Step::Notice(notice) => {
                this.send_away();
                let bytes = this.reply_to.notice(this.token.as_ref(), &notice);
                Some(Part::More(bytes))
            }
            Step::Answer(response) => Some(Part::Last(response.body.into_bytes())),
            Step::Over => None,
        })
    }
}

impl Work {
    /// Lets it work, if it is not done.
    fn poll(&mut self, reply_to: &ReplyTo, cx: &mut Context<'_>) {
        let done = match self {
            Self::Here(work) => work.as_mut().poll(cx),
            Self::Away(running) => {
                let joined = Pin::new(&mut running.task).poll(cx);
                joined.map(|came| came.unwrap_or_else(|_| Some(lost(reply_to))))
            }
            Self::Done(_) | Self::Over => return,
        };
        if let Poll::Ready(response) = done {
            *self = response.map_or(Self::Over, Self::Done);
        }
    }
}

/// The answer where the work ended without one: a fault of ours, or the process is ending.
fn lost(reply_to: &ReplyTo) -> Response {
    reply_to.refuse(&OpError::Internal("the request was lost".into()).into())
}

/// A task that ends with its owner, unless it outlives it.
struct Running {
    task: JoinHandle<Option<Response>>,
    outlives: bool,
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.outlives {
            self.task.abort();
        }
    }
}
