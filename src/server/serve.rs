//! The server: one message by HTTP, or a stream of them.

use super::calls::Calls;
use super::care::{Care, Watch};
use super::carry_out::carry_out;
use super::listen::listening;
use super::noted::{First, Noted, Outlives};
use super::outliving::outliving;
use super::sessions::Sessions;
use super::spans::refused;
use super::told::{Reader, Told};
use super::{Endpoint, Execute, Reply, Report, Reporter, Snapshots, StreamSession};
use crate::access::{Access, Denied};
use crate::ops::{Caller, Filter, Notices, OpError};
use crate::protocol::{
    self, Call, Carrier, Fault, Head, Listen, Remember, Response, SessionKey, Step, Wanted,
};
use crate::runtime::{Full, Hub, Share};
use crate::shutdown::Shutdown;
use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio_util::sync::CancellationToken;

/// What a request may take of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How long a request may run (`http.request_timeout_ms`). It is dropped then and answered with
    /// an internal error; a tool's own, shorter limit is the one that says what became of its work.
    pub request_timeout: Duration,
    /// How many requests of one stream may be in flight; one more is answered with an error. How many
    /// that came by HTTP may be worked on; more wait.
    pub in_flight: usize,
    /// How many that came by HTTP may wait. One more is answered with 503.
    pub queued: usize,
    /// How many requests by HTTP may be in flight that outlive their callers. One more is answered
    /// with an error.
    pub outliving: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            request_timeout: Duration::from_secs(60),
            in_flight: 256,
            queued: 1024,
            outliving: 1024,
        }
    }
}

/// Serves MCP messages from the runtime as it is when each of them comes.
#[derive(Clone, Debug)]
pub struct Server<S> {
    runtimes: S,
    limits: Limits,
    hub: Hub,
    care: Arc<Care>,
    reporter: Option<Reporter>,
    sessions: Sessions,
    calls: Calls,
}

impl<S: Snapshots> Server<S> {
    /// A server of these runtimes, within these limits. Requests in flight when `shutdown` gives them
    /// up are dropped and answered with an internal error: the server is stopping. Changes are told to
    /// those who listen as `hub` hears of them.
    pub fn new(runtimes: S, limits: Limits, hub: Hub, shutdown: Shutdown) -> Self {
        let watch = Watch::default();
        Self {
            runtimes,
            limits,
            hub,
            care: Arc::new(Care::new(limits, shutdown, watch)),
            reporter: None,
            sessions: Sessions::default(),
            calls: Calls::new(limits.outliving),
        }
    }

    /// The same server, watched: counted and written down. `reporter` answers who asks how it is.
    pub fn watched(mut self, watch: Watch, reporter: Reporter) -> Self {
        self.care = Arc::new(Care::new(self.limits, self.care.shutdown.clone(), watch));
        self.reporter = Some(reporter);
        self
    }

    fn listen(
        &self,
        runtime: &S::Runtime,
        caller: Caller,
        mut listen: Box<Listen>,
        may_stream: bool,
    ) -> Reply {
        let mut span = self.care.begin_listening(&mut listen);
        let Listen {
            filter,
            subscription,
            ..
        } = *listen;
        if !may_stream {
            let response = subscription.refuse_without_stream();
            return message(refused(&mut span, response));
        }
        let filter = heard(runtime, filter, &caller);
        let share = share(&runtime.access());
        let listener = self.sessions.with_room(&caller, || {
            self.hub.listen(filter.clone(), caller.clone(), share)
        });
        match listener {
            Err(full) => {
                let response = subscription.refuse(&OpError::Failed(full.to_string()).into());
                message(refused(&mut span, response))
            }
            Ok(listener) => {
                let (runtimes, ends) = (self.runtimes.clone(), self.ends());
                Reply::Stream(listening(runtimes, listener, subscription, ends, span))
            }
        }
    }

    /// What ends a stream that says what changes.
    fn ends(&self) -> [CancellationToken; 2] {
        let stop = self.care.shutdown.token();
        [stop.clone(), stop.clone()]
    }

    async fn call(&self, runtime: Arc<S::Runtime>, mut call: Box<Call>, may_stream: bool) -> Reply {
        // Who takes no stream cannot be asked on one.
        call.context.asks_in_place &= may_stream;
        if call.outlives_caller {
            if let Some(level) = call
                .session
                .and_then(|session| self.sessions.level(session))
            {
                call.context.log_level = call.context.log_level.and(Some(level));
            }
            return match self.calls.begin(call.session, call.reply_to.id()) {
                Err(full) => {
                    let fault = OpError::Internal(full.to_string()).into();
                    message(call.reply_to.refuse(&fault))
                }
                Ok(place) => {
                    let carried = outliving(runtime, call, place, &self.care, may_stream);
                    Box::pin(carried).await
                }
            };
        }
        let (access, caller) = (runtime.access(), call.context.caller.clone());
        let noted = may_stream.then(|| Notices::of(&call.context)).flatten();
        let Some(ends) = noted else {
            let response = carry_out(&*runtime, call, &Notices::none(), &self.care).await;
            return answer(response, &access, &caller);
        };
        let noted = Noted::new(runtime, call, ends, &self.care, Outlives::Nothing);
        match Box::pin(noted.first()).await {
            First::Answer(response) => answer(response, &access, &caller),
            First::Notice(noted) => Reply::Stream(Box::pin(noted)),
            First::Nothing => Reply::Accepted,
        }
    }

    /// Remembers something for a session.
    fn remember(&self, runtime: &S::Runtime, caller: &Caller, remember: Remember) -> Response {
        let Remember {
            what,
            session,
            lists,
            reply_to,
        } = remember;
        let Some(session) = session else {
            let why = "nothing can be remembered without a session: send the `Mcp-Session-Id` that \
                       `initialize` was answered with";
            return reply_to.refuse(&Fault::InvalidRequest(why.into()));
        };
        let whose = (caller, share(&runtime.access()));
        let told = || self.sessions.told(session, &self.hub, lists, whose);
        let kept = match what {
            Wanted::Level(level) => {
                self.sessions.set_level(session, level);
                Ok(())
            }
            Wanted::Updates(uri) => subscribe(runtime, caller, &uri, told),
            Wanted::NoUpdates(uri) => {
                if let Some(told) = self.sessions.known(session) {
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
}

impl<S: Snapshots> Endpoint for Server<S> {
    type Session = StreamSession<S>;

    async fn admit(&self, headers: &HeaderMap) -> Result<Caller, Denied> {
        let access = self.runtimes.snapshot().access();
        let admitted = access.admit(headers).await;
        if let Err(denied) = &admitted {
            tracing::info!(
                status = denied.status.as_u16(),
                why = denied.why,
                "a request was not let in"
            );
        }
        admitted
    }

    fn document(&self, path: &str) -> Option<Bytes> {
        self.runtimes.snapshot().access().document(path)
    }

    async fn post(
        &self,
        caller: Caller,
        headers: &HeaderMap,
        body: Bytes,
        may_stream: bool,
    ) -> Reply {
        let runtime = self.runtimes.snapshot();
        let step = {
            let is_over = |session| self.sessions.is_over(session);
            let carrier = Carrier::Http(head(headers, &caller, &is_over));
            protocol::receive(runtime.face(), carrier, &body)
        };
        // The call owns what it needs; the body's bytes are not to be held while it runs.
        drop(body);
        match step {
            Step::Nothing | Step::Initialized(_) => Reply::Accepted,
            // Where every request stands alone, closing the connection cancels, and a notification
            // has no say in it (specification: cancellation §Transport-Specific Cancellation).
            Step::Cancel { session, id } => {
                if let Some(session) = session {
                    let found = self.calls.cancel(session, id);
                    tracing::debug!(found, "a request was cancelled");
                }
                Reply::Accepted
            }
            Step::Outcome(outcome) => {
                self.care.asking.came(outcome);
                Reply::Accepted
            }
            Step::Reply(response) => {
                self.care.watch.metrics.counters().refused.add();
                tracing::debug!(code = response.code, "refused a message");
                message(response)
            }
            Step::Began { response, session } => match session {
                Some(session) => Reply::Began {
                    session,
                    body: response.body,
                },
                None => message(response),
            },
            Step::Call(call) => self.call(runtime, call, may_stream).await,
            Step::Listen(listen) => self.listen(&runtime, caller, listen, may_stream),
            Step::Remember(remember) => {
                let response = self.remember(&runtime, &caller, remember);
                answer(response, &runtime.access(), &caller)
            }
        }
    }

    fn has_sessions(&self) -> bool {
        self.runtimes.snapshot().face().shakes_hands()
    }

    fn stream(&self, caller: Caller, headers: &HeaderMap) -> Option<Reply> {
        let found = self.session(&caller, headers)?;
        let (session, lists) = match found {
            Ok(found) => found,
            Err(response) => return Some(message(response)),
        };
        let share = share(&self.runtimes.snapshot().access());
        let told = self
            .sessions
            .told(session, &self.hub, lists, (&caller, share));
        let reader = Reader::new(self.runtimes.clone(), caller);
        Some(match told {
            Ok(told) => Reply::Stream(told.stream(self.ends(), reader)),
            Err(full) => Reply::Message {
                status: StatusCode::SERVICE_UNAVAILABLE,
                body: protocol::refuse(&OpError::Failed(full.to_string()).into()).body,
            },
        })
    }

    fn end(&self, caller: Caller, headers: &HeaderMap) -> Option<Reply> {
        Some(match self.session(&caller, headers)? {
            Ok((session, _)) => {
                self.sessions.end(session);
                self.care.asking.end(session);
                Reply::Ended
            }
            Err(response) => message(response),
        })
    }

    fn open(&self) -> StreamSession<S> {
        StreamSession::new(
            self.runtimes.clone(),
            self.limits,
            self.hub.clone(),
            Arc::new(self.care.without_turns()),
        )
    }

    fn report(&self, path: &str) -> Option<Report> {
        self.reporter.as_ref()?.report(path)
    }
}

impl<S: Snapshots> Server<S> {
    /// The session that the headers name, and the lists it is told of; `None` when they name none,
    /// or there are no sessions. The error is the answer instead.
    fn session(
        &self,
        caller: &Caller,
        headers: &HeaderMap,
    ) -> Option<Result<(SessionKey, Filter), Response>> {
        let runtime = self.runtimes.snapshot();
        let face = runtime.face();
        if !face.shakes_hands() {
            return None;
        }
        let is_over = |session| self.sessions.is_over(session);
        protocol::session(face, &head(headers, caller, &is_over)).transpose()
    }
}

/// How many of the places of listeners a caller by HTTP may have.
fn share(access: &Access) -> Share {
    match access.asks() {
        true => Share::Half,
        false => Share::Whole,
    }
}

/// Tells a client, this caller, of a resource from now on.
pub(super) fn subscribe<R: Execute>(
    runtime: &R,
    caller: &Caller,
    uri: &str,
    told: impl FnOnce() -> Result<Arc<Told>, Full>,
) -> Result<(), OpError> {
    if !runtime.knows(uri) {
        return Err(OpError::ResourceNotFound(uri.to_owned()));
    }
    runtime.may_hear_of(uri, caller)?;
    let told = told().map_err(|full| OpError::Failed(full.to_string()))?;
    if told.add(uri) {
        Ok(())
    } else {
        Err(OpError::Failed(
            "as many resources are subscribed to as may be; unsubscribe from one and try again"
                .into(),
        ))
    }
}

fn head<'a>(
    headers: &'a HeaderMap,
    caller: &'a Caller,
    is_over: &'a dyn Fn(SessionKey) -> bool,
) -> Head<'a> {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    Head {
        headers,
        caller,
        now: now.map_or(0, |since| since.as_secs()),
        is_over,
    }
}

/// What of this the caller may hear of.
pub(super) fn heard<E: Execute>(runtime: &E, mut filter: Filter, caller: &Caller) -> Filter {
    if let Some(uris) = &mut filter.uris {
        uris.retain(|uri| runtime.may_hear_of(uri, caller).is_ok());
    }
    filter
}

/// The answer to a request of this caller's.
pub(super) fn answer(response: Response, access: &Access, caller: &Caller) -> Reply {
    match &response.forbidden {
        Some(scopes) => Reply::Denied(access.forbidden(caller, scopes), response.body),
        None => message(response),
    }
}

pub(super) fn message(response: Response) -> Reply {
    Reply::Message {
        status: response.status,
        body: response.body,
    }
}
