//! The server: one message by HTTP, or a stream of them.

use super::carry_out::carry_out;
use super::listen::listening;
use super::noted::{First, Noted};
use super::{Endpoint, Execute, Reply, Snapshots, StreamSession};
use crate::access::{Access, Denied};
use crate::ops::{Caller, Filter, Notices, OpError};
use crate::protocol::{self, Call, Carrier, Listen, Response, Step};
use crate::runtime::Hub;
use crate::shutdown::Shutdown;
use bytes::Bytes;
use http::HeaderMap;
use std::sync::Arc;
use std::time::Duration;

/// What a request may take of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How long a request may run (`http.request_timeout_ms`). It is dropped then and answered with
    /// an internal error; a tool's own, shorter limit is the one that says what became of its work.
    pub request_timeout: Duration,
    /// How many requests of one stream may be in flight. One more is answered with an error.
    pub in_flight: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            request_timeout: Duration::from_secs(60),
            in_flight: 256,
        }
    }
}

/// Serves MCP messages from the runtime as it is when each of them comes.
#[derive(Clone, Debug)]
pub struct Server<S> {
    runtimes: S,
    limits: Limits,
    hub: Hub,
    shutdown: Shutdown,
}

impl<S: Snapshots> Server<S> {
    /// A server of these runtimes, within these limits. Requests in flight when `shutdown` gives them
    /// up are dropped and answered with an internal error: the server is stopping. Changes are told to
    /// those who listen as `hub` hears of them.
    pub fn new(runtimes: S, limits: Limits, hub: Hub, shutdown: Shutdown) -> Self {
        Self {
            runtimes,
            limits,
            hub,
            shutdown,
        }
    }

    fn listen(
        &self,
        runtime: &S::Runtime,
        caller: Caller,
        listen: Listen,
        may_stream: bool,
    ) -> Reply {
        let Listen { filter, reply_to } = listen;
        if !may_stream {
            return message(reply_to.refuse_without_stream());
        }
        match self.hub.listen(heard(runtime, filter, &caller), caller) {
            Err(full) => message(reply_to.refuse(&OpError::Failed(full.to_string()).into())),
            Ok(listener) => {
                let stop = self.shutdown.token();
                let ends = [stop.clone(), stop.clone()];
                let runtimes = self.runtimes.clone();
                Reply::Stream(listening(runtimes, listener, reply_to, ends))
            }
        }
    }

    async fn call(&self, runtime: Arc<S::Runtime>, call: Call, may_stream: bool) -> Reply {
        let limit = self.limits.request_timeout;
        let (access, caller) = (runtime.access(), call.context.caller.clone());
        let noted = may_stream.then(|| Notices::of(&call.context)).flatten();
        let Some(ends) = noted else {
            let given_up = self.shutdown.given_up();
            let response = carry_out(&*runtime, call, &Notices::none(), limit, given_up).await;
            return answer(response, &access, &caller);
        };
        let noted = Noted::new(runtime, call, ends, limit, &self.shutdown);
        match noted.first().await {
            First::Answer(response) => answer(response, &access, &caller),
            First::Notice(noted) => Reply::Stream(Box::pin(noted)),
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

    async fn post(
        &self,
        caller: Caller,
        headers: &HeaderMap,
        body: Bytes,
        may_stream: bool,
    ) -> Reply {
        let runtime = self.runtimes.snapshot();
        let carrier = Carrier::Http(headers);
        let step = protocol::receive(runtime.face(), &caller, carrier, &body);
        // The call owns what it needs; the body's bytes are not to be held while it runs.
        drop(body);
        match step {
            // Over HTTP closing the connection cancels, and a notification has no say in it
            // (specification: cancellation §Transport-Specific Cancellation).
            Step::Nothing | Step::Cancel(_) => Reply::Accepted,
            Step::Reply(response) => {
                tracing::debug!(code = response.code, "refused a message");
                message(response)
            }
            Step::Call(call) => self.call(runtime, call, may_stream).await,
            Step::Listen(listen) => self.listen(&runtime, caller, listen, may_stream),
        }
    }

    fn open(&self) -> StreamSession<S> {
        StreamSession::new(
            self.runtimes.clone(),
            self.limits,
            self.hub.clone(),
            self.shutdown.clone(),
        )
    }
}

/// What of this the caller may hear of.
pub(super) fn heard<E: Execute>(runtime: &E, mut filter: Filter, caller: &Caller) -> Filter {
    if let Some(uris) = &mut filter.uris {
        uris.retain(|uri| runtime.may_hear_of(uri, caller));
    }
    filter
}

fn answer(response: Response, access: &Access, caller: &Caller) -> Reply {
    match &response.forbidden {
        Some(scopes) => Reply::Denied(access.forbidden(caller, scopes), response.body),
        None => message(response),
    }
}

fn message(response: Response) -> Reply {
    Reply::Message {
        status: response.status,
        body: response.body,
    }
}
