//! The composition root: the only place that constructs everything.
//!
//! Settings → manifests → runtime → server → transport, beside it the reloader; then it waits for
//! a signal, or on stdio for the end of the input.

mod events;
mod first;
mod manager;
mod signals;

use crate::lang::diag::Diagnostic;
use crate::manifest::environment::Environment;
use crate::manifest::settings::Asked;
use crate::model::{Counts, HttpSettings, Settings};
use crate::otlp::Exporter;
use crate::process;
use crate::reload::{self, KnownFiles, Reloader, State};
use crate::runtime::{Handle, Hub, Runtime};
use crate::server::{Audit, Endpoint, Limits, Reporter, Server, Spans, Watch};
use crate::service::Status;
use crate::shutdown::Shutdown;
use crate::telemetry::{Dropped, Metrics};
use crate::transport::stdio::StdioOptions;
use crate::transport::{http, stdio};
use anyhow::Context as _;
use first::First;
use manager::Manager;
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

/// How long the last spans may take to leave.
const EXPORTING: Duration = Duration::from_secs(1);

/// Connections of those who look after the server, at the most.
const REPORT_CONNECTIONS: usize = 64;

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
    let environment = Environment::of_process();
    let manager = Manager::meet(face, &environment)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the async runtime")?;
    let outcome = runtime.block_on(start(asked, environment, face, manager));
    // A thread may still be blocked on a stream that nobody serves; the process does not wait for it.
    runtime.shutdown_background();
    outcome
}

async fn start(
    asked: Asked,
    environment: Environment,
    face: Face,
    manager: Manager,
) -> Result<(), Refused> {
    // Before anything slow: as process 1 a signal without a handler is ignored by the kernel.
    let mut signals = Signals::install().context("cannot handle signals")?;
    let shutdown = Shutdown::new();
    let loading = shutdown.clone();
    let first = tokio::task::spawn_blocking(move || first::load(asked, environment, &loading));
    let first = tokio::select! {
        first = first => first.context("loading failed")?.map(Some),
        () = signals.stop() => Ok(None),
    };
    let Ok(Some(first)) = first else {
        // Workers may have been started already.
        shutdown.hurry();
        shutdown.wait(KILLING).await;
        return first.map(|_| ());
    };
    let First {
        state,
        runtime,
        log,
    } = first;
    manager.say(&state.settings.http.listen);
    let found = reload::count(&state.found);
    let status = Status::new(manager.notifier.clone(), runtime.counts(), found);
    let watched = manager
        .watchdog
        .map(|watchdog| tokio::spawn(watchdog.keep(manager.notifier.clone())));
    let (hangup, hangups) = mpsc::channel(1);
    let orphans = tokio::spawn(process::reap_orphans());
    let signalled = tokio::spawn(signals.follow(hangup, shutdown.clone()));
    let grace = state.settings.server.grace;
    let ending = tokio::spawn(give_up(shutdown.clone(), status.clone(), grace));
    let wanted = state.settings.log.audit.as_ref();
    let audit = wanted.map(|wanted| Audit::new(log.audit(), wanted.arguments));
    let audit = audit.unwrap_or_default();
    let (exporter, spans) = export(&state.settings)?.unzip();
    let actors = state.actors.clone();
    let around = Around {
        face,
        passed: manager.passed,
        status: status.clone(),
        audit,
        spans: spans.unwrap_or_default(),
        dropped: log.dropped(),
        shutdown: shutdown.clone(),
    };
    let served = tokio::select! {
        served = serve(state, runtime, hangups, around) => served,
        () = shutdown.hurried().cancelled() => Ok(()),
    };
    shutdown.begin();
    // An idle server stops faster than the task that says so may have run.
    status.stopping();
    // Nothing is in flight any more that could message one.
    actors.stop();
    if !shutdown.wait(REAPING).await {
        shutdown.hurry();
        if !shutdown.wait(KILLING).await {
            tracing::warn!("some commands did not end");
        }
    }
    if let Some(exporter) = exporter {
        let within = shutdown
            .hurried()
            .run_until_cancelled(exporter.finish(EXPORTING));
        within.await;
    }
    signalled.abort();
    ending.abort();
    orphans.abort();
    if let Some(watched) = watched {
        watched.abort();
    }
    tracing::info!("stopped");
    drop(log);
    Ok(served?)
}

/// What exports spans, where that is wanted.
fn export(settings: &Settings) -> anyhow::Result<Option<(Exporter, Spans)>> {
    let Some(traces) = &settings.traces else {
        return Ok(None);
    };
    let started = Exporter::start(traces, &settings.server.identity);
    let (exporter, traces) = started.context("cannot serve `[traces]`")?;
    Ok(Some((exporter, Spans::new(traces))))
}

/// What serving has to do with.
struct Around {
    face: Face,
    passed: http::Passed,
    status: Status,
    audit: Audit,
    spans: Spans,
    dropped: Dropped,
    shutdown: Shutdown,
}

/// Serves this runtime, and what the reloader makes of it, until the process stops or the input of
/// stdio ends.
async fn serve(
    state: State,
    runtime: Runtime,
    hangups: mpsc::Receiver<()>,
    around: Around,
) -> anyhow::Result<()> {
    let (status, shutdown) = (around.status, &around.shutdown);
    let settings = state.settings.clone();
    let told = state.actors.subscribe();
    let counts = runtime.counts();
    let runtime = Arc::new(runtime);
    let files = KnownFiles::default();
    // Before anybody can ask to be told of their edits.
    tokio::task::spawn_blocking({
        let (files, runtime, stop) = (
            files.clone(),
            Arc::clone(&runtime),
            shutdown.token().clone(),
        );
        move || files.begin(&runtime, &stop)
    })
    .await
    .context("watched files cannot be looked at")?;
    let handle = Handle::new(runtime);
    let limits = Limits {
        in_flight: settings.max_in_flight,
        queued: settings.max_queued,
        outliving: settings.http.max_connections,
        request_timeout: settings.request_timeout,
    };
    let hub = Hub::new(settings.http.max_subscriptions);
    let watch = Watch {
        metrics: Metrics::new(),
        audit: around.audit,
        spans: around.spans,
    };
    watch.serve(&handle.snapshot());
    let reporter = Reporter::new(
        watch.clone(),
        status.clone(),
        hub.clone(),
        state.actors.clone(),
        around.dropped,
    );
    let server = Server::new(handle.clone(), limits, hub.clone(), shutdown.clone());
    let server = Arc::new(server.watched(watch.clone(), reporter));
    let mut listener = match around.face {
        Face::Stdio => None,
        Face::Http => tokio::select! {
            listener = http::Listener::bind_with(&settings.http, around.passed.clone()) => {
                Some(listener?.counted(watch.metrics.clone()))
            }
            // Looking up a name can take long.
            () = shutdown.token().cancelled() => return Ok(()),
        },
    };
    let reports = reports(&settings, around.passed).await?;
    let mover = listener.as_mut().map(http::Listener::mover);
    let reloader = Reloader::new(
        state,
        handle.clone(),
        hub.clone(),
        shutdown.clone(),
        (status.clone(), watch),
        mover,
    )
    .looking_at(files.clone());
    // What connects from here on waits in the backlog until it is accepted.
    status.serving();
    let stop = shutdown.token().clone();
    // It ends when the process begins to stop; on stdio, when the set is dropped.
    let mut beside = JoinSet::new();
    let watched = settings.reload.clone();
    beside.spawn(events::pass_on(told, handle.clone(), hub.clone()));
    beside.spawn(reload::watch_files(files, hub, watched, stop.clone()));
    beside.spawn(reload::run(
        reloader,
        settings.reload.clone(),
        hangups,
        status.clone(),
        stop,
    ));
    if let Some(reports) = reports {
        for address in reports.local_addrs() {
            tracing::info!(
                "serving reports at {}",
                place(&reports, address, "/metrics")
            );
        }
        let (server, shutdown) = (Arc::clone(&server), shutdown.clone());
        beside.spawn(async move { reports.serve(server, &shutdown, Duration::ZERO).await });
    }
    match listener {
        Some(listener) => serve_http(listener, &settings, server, shutdown, counts).await,
        None => serve_stdio(&settings, &*server, shutdown, counts).await?,
    }
    Ok(())
}

/// The listener for reports, where one is wanted.
async fn reports(
    settings: &Settings,
    passed: http::Passed,
) -> anyhow::Result<Option<http::Listener>> {
    if settings.reports.is_empty() {
        return Ok(None);
    }
    let http = HttpSettings {
        listen: settings.reports.clone(),
        max_connections: REPORT_CONNECTIONS,
        ..HttpSettings::default()
    };
    let listener = http::Listener::bind_reports(&http, passed).await;
    Ok(Some(listener.context("cannot serve `[metrics]`")?))
}

/// Where a listener is to be found.
fn place(listener: &http::Listener, address: &http::LocalAddr, path: &str) -> String {
    match address {
        http::LocalAddr::Tcp(address) => format!("{}://{address}{path}", listener.scheme()),
        http::LocalAddr::Unix(socket) => format!("unix:{}{path}", socket.display()),
    }
}

/// Once the process stops, says so, and ends its patience with what is in flight: after the grace
/// and a little.
async fn give_up(shutdown: Shutdown, status: Status, grace: Duration) {
    shutdown.token().cancelled().await;
    status.stopping();
    tokio::time::sleep(grace + LAST_WORDS).await;
    shutdown.give_up();
}

async fn serve_http<E: Endpoint>(
    listener: http::Listener,
    settings: &Settings,
    server: Arc<E>,
    shutdown: &Shutdown,
    counts: Counts,
) {
    for address in listener.local_addrs() {
        tracing::info!(
            components = %counts,
            "serving {}",
            place(&listener, address, &settings.http.path)
        );
    }
    warn_of_open_doors(settings, &listener);
    let grace = settings.server.grace + LAST_WORDS + LEAVING;
    listener.serve(server, shutdown, grace).await;
}

/// Says what an operator should know before the first request comes from elsewhere.
fn warn_of_open_doors(settings: &Settings, listener: &http::Listener) {
    for address in listener.local_addrs() {
        let http::LocalAddr::Tcp(address) = address else {
            continue;
        };
        if address.ip().to_canonical().is_loopback() {
            continue;
        }
        let is_clear = listener.scheme() == http::Scheme::Http;
        if !settings.auth.on {
            tracing::warn!(
                %address,
                "OPEN TO THE NETWORK: nobody who reaches this address is asked who they are; say in `[auth]` who may call"
            );
        } else if is_clear {
            tracing::warn!(
                %address,
                "access tokens come to this address in the clear, unless something before it speaks TLS"
            );
        }
    }
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
    let ended = stdio::serve_standard_streams(server.open(), &options, shutdown).await;
    let ended = ended.context("cannot use the standard streams")?;
    tracing::debug!(?ended, "the stream of messages ended");
    Ok(())
}
