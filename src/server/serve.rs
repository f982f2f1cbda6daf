//! The server: one message by HTTP, or a stream of them.

use super::admission::{Admission, Turn, does_work};
use super::care::{Care, Watch};
use super::carry_out::carry_out;
use super::listen::listening;
use super::noted::{First, Noted};
use super::{Endpoint, Execute, Reply, Report, Reporter, Snapshots, StreamSession};
use crate::ops::{Notices, OpError};
use crate::protocol::{self, Call, Carrier, Listen, Response, Step};
use crate::runtime::Hub;
use crate::shutdown::Shutdown;
use crate::units::Time;
use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use std::sync::Arc;
use std::time::Duration;

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
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            request_timeout: Duration::from_secs(60),
            in_flight: 256,
            queued: 1024,
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
    admission: Admission,
    reporter: Option<Reporter>,
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
            admission: Admission::new(limits.in_flight, limits.queued, watch.metrics.clone()),
            care: Arc::new(Care::new(limits, shutdown, watch)),
            reporter: None,
        }
    }

    /// The same server, watched: counted and written down. `reporter` answers who asks how it is.
    pub fn watched(mut self, watch: Watch, reporter: Reporter) -> Self {
        let (limits, metrics) = (self.limits, watch.metrics.clone());
        self.admission = Admission::new(limits.in_flight, limits.queued, metrics);
        self.care = Arc::new(Care {
            watch,
            ..Care::clone(&self.care)
        });
        self.reporter = Some(reporter);
        self
    }

    fn listen(&self, listen: Listen, may_stream: bool) -> Reply {
        let Listen { filter, reply_to } = listen;
        if !may_stream {
            return message(reply_to.refuse_without_stream());
        }
        match self.hub.listen(filter) {
            Err(full) => message(reply_to.refuse(&OpError::Failed(full.to_string()).into())),
            Ok(listener) => {
                let stop = self.care.shutdown.token();
                let ends = [stop.clone(), stop.clone()];
                let runtimes = self.runtimes.clone();
                Reply::Stream(listening(runtimes, listener, reply_to, ends))
            }
        }
    }

    async fn call(&self, runtime: Arc<S::Runtime>, call: Call, may_stream: bool) -> Reply {
        let turn = match self.turn(&call).await {
            Ok(turn) => turn,
            Err(reply) => return reply,
        };
        let noted = may_stream.then(|| Notices::of(&call.context)).flatten();
        let Some(ends) = noted else {
            let none = Notices::none();
            let response = carry_out(&*runtime, call, &none, &self.care, turn).await;
            return message(response);
        };
        let noted = Noted::new(runtime, call, ends, &self.care, turn);
        match noted.first().await {
            First::Answer(response) => message(response),
            First::Notice(noted) => Reply::Stream(Box::pin(noted)),
        }
    }

    /// The turn of a call that does work. The error is its answer.
    async fn turn(&self, call: &Call) -> Result<Option<Turn>, Reply> {
        if !does_work(&call.operation) {
            return Ok(None);
        }
        if let Some(turn) = self.admission.turn() {
            return Ok(Some(turn));
        }
        let given_up = self.care.shutdown.given_up();
        let queued = given_up.run_until_cancelled(self.admission.queue());
        let why = match tokio::time::timeout(self.care.limit, queued).await {
            Ok(Some(Ok(turn))) => return Ok(Some(turn)),
            Ok(Some(Err(busy))) => busy.to_string(),
            Ok(None) => "the server is stopping".into(),
            Err(_) => format!("no turn came within {}", Time(self.care.limit)),
        };
        tracing::debug!(method = call.context.method, why, "turned a request away");
        let mut response = call.reply_to.refuse(&OpError::Internal(why).into());
        response.status = StatusCode::SERVICE_UNAVAILABLE;
        Err(message(response))
    }
}

impl<S: Snapshots> Endpoint for Server<S> {
    type Session = StreamSession<S>;

    async fn post(&self, headers: &HeaderMap, body: Bytes, may_stream: bool) -> Reply {
        let runtime = self.runtimes.snapshot();
        let step = protocol::receive(runtime.face(), Carrier::Http(headers), &body);
        // The call owns what it needs; the body's bytes are not to be held while it runs.
        drop(body);
        match step {
            // Over HTTP closing the connection cancels, and a notification has no say in it
            // (specification: cancellation §Transport-Specific Cancellation).
            Step::Nothing | Step::Cancel(_) => Reply::Accepted,
            Step::Reply(response) => {
                self.care.watch.metrics.counters().refused.add();
                tracing::debug!(code = response.code, "refused a message");
                message(response)
            }
            Step::Call(call) => self.call(runtime, call, may_stream).await,
            Step::Listen(listen) => self.listen(listen, may_stream),
        }
    }

    fn open(&self) -> StreamSession<S> {
        StreamSession::new(
            self.runtimes.clone(),
            self.limits,
            self.hub.clone(),
            self.care.clone(),
        )
    }

    fn report(&self, path: &str) -> Option<Report> {
        self.reporter.as_ref()?.report(path)
    }
}

fn message(response: Response) -> Reply {
    Reply::Message {
        status: response.status,
        body: response.body,
    }
}
