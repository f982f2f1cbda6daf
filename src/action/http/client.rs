//! The client: its pools of connections, and a call from beginning to end.

use super::call::Call;
use super::connector::{Connector, Dialer};
use super::dial::Reach;
use super::error::{Fault, FetchError};
use super::failure::send_fault;
use super::hop::Lane;
use super::network::{Network, SystemNetwork};
use super::request::{Fetch, Fetched};
use super::stand_in::StandIn;
use super::tls::{ClientError, ClientOptions, Tls};
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::rt::Executor;
use hyper_util::client::legacy;
use hyper_util::rt::TokioTimer;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::{CancellationToken, DropGuard};

/// How long a connection may lie idle, and how many to one origin may: with fewer than calls come at
/// once, most calls would open one of their own.
const IDLE: Duration = Duration::from_secs(30);
pub(super) const IDLE_PER_ORIGIN: usize = 64;
/// The largest head that is read, in bytes (one read more may come in) and in fields.
const HEAD: usize = 64 * 1024;
const FIELDS: usize = 100;
/// What an HTTP/2 peer may have under way before it is read.
const STREAM_WINDOW: u32 = 256 * 1024;
const CONNECTION_WINDOW: u32 = 1024 * 1024;
/// A shared HTTP/2 connection that went dead is found out by its own pings, since one request's
/// timeout does not close it.
const PING: Duration = Duration::from_secs(10);
const PONG: Duration = Duration::from_secs(5);

pub(super) type Pool = legacy::Client<Connector, Full<Bytes>>;

/// An HTTP client with its own connections: HTTP/1.1 and, where TLS agrees on it, HTTP/2.
///
/// It keeps no cookies, no cache, and follows no proxy variables. Dropping it closes its
/// connections.
pub struct Client {
    public: Pool,
    public_identified: Pool,
    any: Pool,
    any_identified: Pool,
    _tasks: DropGuard,
}

impl Client {
    /// A client on the machine's network. Does not block: the platform's roots are read with the
    /// first https request of the process.
    ///
    /// Fails when `options` hold what is no certificate or key.
    pub fn new(options: &ClientOptions) -> Result<Self, ClientError> {
        Self::with_network(options, Arc::new(SystemNetwork::new()))
    }

    /// A client on another network. Fails as [`Client::new`] does.
    pub fn with_network(
        options: &ClientOptions,
        network: Arc<dyn Network>,
    ) -> Result<Self, ClientError> {
        let tls = Arc::new(Tls::new(options)?);
        let stop = CancellationToken::new();
        let pool = |reach, identity| {
            let connector = Connector::Network {
                dialer: Dialer {
                    network: Arc::clone(&network),
                    reach,
                },
                tls: Arc::clone(&tls),
                identity,
            };
            self::pool(connector, Tasks(stop.clone()), IDLE_PER_ORIGIN)
        };
        Ok(Self::of(pool, stop.clone()))
    }

    /// A client that reaches nobody but a stand-in, over a new connection for each request. Fails as
    /// [`Client::new`] does.
    pub fn with_stand_in(
        options: &ClientOptions,
        upstream: &Arc<StandIn>,
    ) -> Result<Self, ClientError> {
        // For what is wrong with the certificates; there is no TLS to a stand-in.
        Tls::new(options)?;
        let stop = CancellationToken::new();
        let pool = |reach, _| {
            let connector = Connector::StandIn {
                upstream: Arc::clone(upstream),
                reach,
                stop: stop.clone(),
            };
            self::pool(connector, Tasks(stop.clone()), 0)
        };
        Ok(Self::of(pool, stop.clone()))
    }

    fn of(pool: impl Fn(Reach, bool) -> Pool, stop: CancellationToken) -> Self {
        Self {
            public: pool(Reach::Public, false),
            public_identified: pool(Reach::Public, true),
            any: pool(Reach::Any, false),
            any_identified: pool(Reach::Any, true),
            _tasks: stop.drop_guard(),
        }
    }

    /// Sends the request and reads the answer, whatever its status. Dropping the future closes the
    /// connection (HTTP/1.1) or resets the stream (HTTP/2).
    pub async fn fetch(&self, fetch: Fetch) -> Result<Fetched, FetchError> {
        let timeout = fetch.timeout;
        let deadline = Instant::now().checked_add(timeout);
        let mut call =
            Call::new(self, &fetch, deadline).map_err(|fault| FetchError::new(None, fault))?;
        let outcome = {
            let run = Box::pin(call.run());
            match deadline {
                Some(deadline) => timeout_at(deadline, run)
                    .await
                    .unwrap_or(Err(Fault::TimedOut(timeout))),
                None => run.await,
            }
        };
        outcome.map_err(|fault| FetchError::new(Some(call.origin().clone()), fault))
    }

    /// Sends one request as it stands, to any address, and gives the answer with its body unread.
    /// No redirect is followed, nothing is repeated, and nothing but connecting has a bound here.
    ///
    /// # Errors
    /// Why there is no answer.
    pub async fn open(&self, request: Request<Full<Bytes>>) -> Result<Response<Incoming>, Fault> {
        let sent = self.any.request(request).await;
        sent.map_err(|error| send_fault(&error))
    }

    pub(super) fn pool(&self, lane: Lane) -> &Pool {
        match (lane.reach, lane.identity) {
            (Reach::Public, false) => &self.public,
            (Reach::Public, true) => &self.public_identified,
            (Reach::Any, false) => &self.any,
            (Reach::Any, true) => &self.any_identified,
        }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Client")
    }
}

/// `idle` is how many connections to one origin may lie idle.
fn pool(connector: Connector, tasks: Tasks, idle: usize) -> Pool {
    legacy::Client::builder(tasks)
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(IDLE)
        .pool_max_idle_per_host(idle)
        .http1_max_buf_size(HEAD)
        .http1_max_headers(FIELDS)
        .timer(TokioTimer::new())
        .http2_max_header_list_size(HEAD as u32)
        .http2_initial_stream_window_size(STREAM_WINDOW)
        .http2_initial_connection_window_size(CONNECTION_WINDOW)
        .http2_keep_alive_interval(PING)
        .http2_keep_alive_timeout(PONG)
        .build(connector)
}

/// Where the tasks that drive connections run. They end with their connections, and all of them
/// with the client, so that none waits on a peer that never closes.
#[derive(Clone)]
struct Tasks(CancellationToken);

impl<F> Executor<F> for Tasks
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    fn execute(&self, task: F) {
        let stop = self.0.clone();
        tokio::spawn(async move { stop.run_until_cancelled_owned(task).await });
    }
}
