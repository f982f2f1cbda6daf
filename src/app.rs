//! The composition root: the only place that constructs everything.
//!
//! Settings → manifests → runtime → server → transport, beside it the reloader; then it waits for
//! a signal, or on stdio for the end of the input.

mod first;
mod signals;

use crate::lang::diag::Diagnostic;
use crate::manifest::settings::Asked;
use crate::model::{Counts, Settings};
use crate::reload::{self, Reloader, State};
use crate::runtime::{Handle, Hub, Runtime};
use crate::server::{Endpoint, Limits, Server};
use crate::shutdown::Shutdown;
use crate::transport::stdio::StdioOptions;
use crate::transport::{http, stdio};
use anyhow::Context as _;
use first::First;
use signals::Signals;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// How long after the grace work in flight may still take to say how it was ended: commands are
/// ended when the grace is over, and tell what they had written by then.
const LAST_WORDS: Duration = Duration::from_millis(700);
/// How long after that answers may take to leave.
const LEAVING: Duration = Duration::from_millis(100);
/// How long commands that were asked to end may take, once nothing is in flight, and how long when
/// they are killed then.
const REAPING: Duration = Duration::from_secs(3);
const KILLING: Duration = Duration::from_secs(1);

/// Which transport is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Face {
    /// Streamable HTTP on the configured addresses.
    Http,
    /// The standard streams.
    Stdio,
}

/// Why the server did not start.
#[derive(Debug)]
pub enum Refused {
    /// The server file or a manifest is wrong.
    Manifests {
        /// What is wrong.
        found: Vec<Diagnostic>,
        /// NO_COLOR is set.
        no_color: bool,
    },
    /// Anything else: an address in use, a log folder that is not there.
    Other(anyhow::Error),
}

impl From<anyhow::Error> for Refused {
    fn from(error: anyhow::Error) -> Self {
        Self::Other(error)
    }
}

/// Serves until told to stop.
///
/// # Errors
/// Why it did not start; once it serves, it ends well.
pub fn run(asked: Asked, face: Face) -> Result<(), Refused> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the async runtime")?;
    let outcome = runtime.block_on(start(asked, face));
    // A thread may still be blocked on a stream that nobody serves; the process does not wait for it.
    runtime.shutdown_background();
    outcome
}

async fn start(asked: Asked, face: Face) -> Result<(), Refused> {
    // Before anything slow: as process 1 a signal without a handler is ignored by the kernel.
    let mut signals = Signals::install().context("cannot handle signals")?;
    let shutdown = Shutdown::new();
    let loading = shutdown.clone();
    let first = tokio::task::spawn_blocking(move || first::load(asked, &loading));
    let First {
        state,
        runtime,
        log,
    } = tokio::select! {
        first = first => first.context("loading failed")??,
        () = signals.stop() => return Ok(()),
    };
    let (hangup, hangups) = mpsc::channel(1);
    let signalled = tokio::spawn(signals.follow(hangup, shutdown.clone()));
    let ending = tokio::spawn(give_up(shutdown.clone(), state.settings.server.grace));
    let served = tokio::select! {
        served = serve(state, runtime, face, hangups, &shutdown) => served,
        () = shutdown.hurried().cancelled() => Ok(()),
    };
    shutdown.begin();
    if !shutdown.wait(REAPING).await {
        shutdown.hurry();
        if !shutdown.wait(KILLING).await {
            tracing::warn!("some commands did not end");
        }
    }
    signalled.abort();
    ending.abort();
    tracing::info!("stopped");
    drop(log);
    Ok(served?)
}

/// Serves this runtime, and what the reloader makes of it, until the process stops or the input of
/// stdio ends.
async fn serve(
    state: State,
    runtime: Runtime,
    face: Face,
    hangups: mpsc::Receiver<()>,
    shutdown: &Shutdown,
) -> anyhow::Result<()> {
    let settings = state.settings.clone();
    let counts = runtime.counts();
    let handle = Handle::new(Arc::new(runtime));
    let limits = Limits {
        in_flight: settings.max_in_flight,
        outliving: settings.http.max_connections,
        request_timeout: settings.request_timeout,
    };
    let hub = Hub::new(settings.http.max_subscriptions);
    let server = Server::new(handle.clone(), limits, hub.clone(), shutdown.clone());
    let mut listener = match face {
        Face::Stdio => None,
        Face::Http => tokio::select! {
            listener = http::Listener::bind(&settings.http) => Some(listener?),
            // Looking up a name can take long.
            () = shutdown.token().cancelled() => return Ok(()),
        },
    };
    let mover = listener.as_mut().map(http::Listener::mover);
    let reloader = Reloader::new(state, handle.clone(), hub.clone(), shutdown.clone(), mover);
    let stop = shutdown.token().clone();
    // It ends when the process begins to stop; on stdio, when the set is dropped.
    let mut beside = JoinSet::new();
    let watched = settings.reload.clone();
    beside.spawn(reload::watch_files(handle, hub, watched, stop.clone()));
    beside.spawn(reload::run(
        reloader,
        settings.reload.clone(),
        hangups,
        stop,
    ));
    match listener {
        Some(listener) => serve_http(listener, &settings, server, shutdown, counts).await,
        None => serve_stdio(&settings, &server, shutdown, counts).await?,
    }
    Ok(())
}

/// Once the process stops, ends its patience with what is in flight: after the grace and a little.
async fn give_up(shutdown: Shutdown, grace: Duration) {
    shutdown.token().cancelled().await;
    tokio::time::sleep(grace + LAST_WORDS).await;
    shutdown.give_up();
}

async fn serve_http<E: Endpoint>(
    listener: http::Listener,
    settings: &Settings,
    server: E,
    shutdown: &Shutdown,
    counts: Counts,
) {
    for address in listener.local_addrs() {
        match address {
            http::LocalAddr::Tcp(address) => {
                tracing::info!(
                    components = %counts,
                    "serving http://{address}{}",
                    settings.http.path
                );
            }
            http::LocalAddr::Unix(path) => {
                tracing::info!(
                    components = %counts,
                    "serving unix:{}{}",
                    path.display(),
                    settings.http.path
                );
            }
        }
    }
    let grace = settings.server.grace + LAST_WORDS + LEAVING;
    listener.serve(Arc::new(server), shutdown, grace).await;
}

async fn serve_stdio<E: Endpoint>(
    settings: &Settings,
    server: &E,
    shutdown: &Shutdown,
    counts: Counts,
) -> anyhow::Result<()> {
    let options = StdioOptions {
        max_line_bytes: settings.http.max_body_bytes,
        grace: settings.server.grace + LAST_WORDS + LEAVING,
        ..StdioOptions::default()
    };
    tracing::info!(components = %counts, "serving standard input and output");
    let ended = stdio::serve_standard_streams(server, &options, shutdown).await;
    let ended = ended.context("cannot use the standard streams")?;
    tracing::debug!(?ended, "the stream of messages ended");
    Ok(())
}
