//! The composition root: the only place that constructs everything.
//!
//! Settings → manifests → runtime → server → transport, beside it the reloader; then it waits for
//! a signal, or on stdio for the end of the input.

use crate::lang::diag::{self, Diagnostic, RenderStyle};
use crate::lang::schema::SchemaCache;
use crate::manifest::environment::Environment;
use crate::manifest::load::load;
use crate::manifest::settings::{self, Asked};
use crate::model::{OnError, Settings};
use crate::reload::{self, Reloader, State};
use crate::runtime::{self, Handle};
use crate::server::{Endpoint, Limits, Server};
use crate::shutdown::Shutdown;
use crate::telemetry::{self, LogGuard};
use crate::transport::stdio::StdioOptions;
use crate::transport::{http, stdio};
use anyhow::Context as _;
use std::io::IsTerminal as _;
use std::sync::Arc;
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;

/// What ending children may take beyond the grace for requests.
const ENDING: Duration = Duration::from_secs(3);

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
    let first = tokio::task::spawn_blocking(move || first_load(asked));
    let first = tokio::select! {
        first = first => first.context("loading failed")??,
        () = signals.stop() => return Ok(()),
    };
    let First { state, log } = first;
    let shutdown = Shutdown::new();
    let built = runtime::build(&state.settings, &state.loaded.tools, None, &shutdown);
    let runtime = built.map_err(|found| Refused::Manifests {
        found,
        no_color: no_color(&state.environment),
    })?;
    let settings = state.settings.clone();
    let handle = Handle::new(Arc::new(runtime));
    let limits = Limits {
        in_flight: settings.max_in_flight,
        request_timeout: settings.request_timeout,
    };
    let server = Arc::new(Server::new(handle.clone(), limits));
    let tools = state.loaded.tools.len();
    let reloader = Reloader::new(state, handle, shutdown.clone());
    let (hangup, hangups) = mpsc::channel(1);
    let reloading = tokio::spawn(reload::run(
        reloader,
        settings.reload.clone(),
        hangups,
        shutdown.token().clone(),
    ));
    let signalled = tokio::spawn(signals.follow(hangup, shutdown.clone()));
    let serving = async {
        match face {
            Face::Http => serve_http(&settings, server, &shutdown, tools).await,
            Face::Stdio => serve_stdio(&settings, &*server, &shutdown).await,
        }
    };
    let served = tokio::select! {
        served = serving => served,
        () = shutdown.hurried().cancelled() => Ok(()),
    };
    shutdown.begin();
    reloading.abort();
    signalled.abort();
    // Ending process groups takes at most `kill_after_ms` of the slowest and a little.
    if !shutdown.wait(settings.server.grace + ENDING).await {
        tracing::warn!("some work did not end in time");
    }
    tracing::info!("stopped");
    drop(log);
    Ok(served?)
}

async fn serve_http<E: Endpoint>(
    settings: &Settings,
    server: Arc<E>,
    shutdown: &Shutdown,
    tools: usize,
) -> anyhow::Result<()> {
    let listener = http::Listener::bind(&settings.http).await?;
    for address in listener.local_addrs() {
        match address {
            http::LocalAddr::Tcp(address) => {
                tracing::info!(tools, "serving http://{address}{}", settings.http.path);
            }
            http::LocalAddr::Unix(path) => {
                tracing::info!(
                    tools,
                    "serving unix:{}{}",
                    path.display(),
                    settings.http.path
                );
            }
        }
    }
    listener
        .serve(server, shutdown, settings.server.grace)
        .await;
    Ok(())
}

async fn serve_stdio<E: Endpoint>(
    settings: &Settings,
    server: &E,
    shutdown: &Shutdown,
) -> anyhow::Result<()> {
    let options = StdioOptions {
        max_line_bytes: settings.http.max_body_bytes,
        grace: settings.server.grace,
        ..StdioOptions::default()
    };
    let ended = stdio::serve_standard_streams(server, &options, shutdown).await;
    let ended = ended.context("cannot use the standard streams")?;
    tracing::debug!(?ended, "the stream of messages ended");
    Ok(())
}

/// What the first load made.
struct First {
    state: State,
    log: LogGuard,
}

fn first_load(asked: Asked) -> Result<First, Refused> {
    let environment = Environment::of_process();
    let no_color = no_color(&environment);
    let (settings, mut found) = settings::load(&asked, &environment);
    let Some(settings) = settings else {
        return Err(Refused::Manifests { found, no_color });
    };
    let schemas = Arc::new(SchemaCache::new());
    let loaded = load(&settings, &environment, &schemas, None);
    let broken = loaded.errors() > 0;
    found.extend(loaded.diagnostics.iter().cloned());
    if broken && settings.server.on_error == OnError::Refuse {
        return Err(Refused::Manifests { found, no_color });
    }
    let mut to = settings.log.clone();
    to.color = !no_color && !to.journal && std::io::stderr().is_terminal();
    let log = telemetry::init(&to).context("cannot set up logging")?;
    if !found.is_empty() {
        let text = diag::render(&found, &RenderStyle::default());
        tracing::warn!("the manifests are served with these findings\n{text}");
    }
    let state = State {
        asked,
        environment,
        schemas,
        settings,
        loaded,
    };
    Ok(First { state, log })
}

/// Whether NO_COLOR asks for plain text (no-color.org): set, and not empty.
fn no_color(environment: &Environment) -> bool {
    environment
        .get("NO_COLOR")
        .is_some_and(|value| !value.is_empty())
}

/// The signals that a daemon answers to.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
}

impl Signals {
    fn install() -> std::io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// Waits for SIGTERM or SIGINT.
    async fn stop(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }

    /// Follows the signals: SIGHUP reloads, the first SIGTERM or SIGINT begins to stop, the second
    /// stops at once.
    async fn follow(mut self, reload: mpsc::Sender<()>, shutdown: Shutdown) {
        loop {
            tokio::select! {
                _ = self.hangup.recv() => {
                    // Full means that a reload is due already.
                    let _ = reload.try_send(());
                }
                _ = self.terminate.recv() => break,
                _ = self.interrupt.recv() => break,
            }
        }
        tracing::info!("stopping");
        shutdown.begin();
        self.stop().await;
        shutdown.hurry();
    }
}
