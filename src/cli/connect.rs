//! `snodo connect`: a stdio server in front of one that runs.

use super::output;
use super::remote::{Failed, Reached};
use crate::client::{Options, Relay, Target};
use crate::manifest::environment::Environment;
use crate::shutdown::Shutdown;
use crate::transport::stdio::{StdioOptions, serve_standard_streams};
use clap::Args;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};

/// What `snodo connect --help` ends with.
pub(super) const EXAMPLES: &str = "\
Examples:
  snodo connect http://127.0.0.1:4000/mcp
  snodo connect /run/snodo.sock
  snodo connect https://tools.example.com/mcp --header 'Authorization: Bearer …'

A client that can only start a program is given `snodo` with these arguments. It shares the server
with all others. While the server is away, for a restart say, requests wait for it; sessions and
subscriptions are begun anew, and the client is told that lists may have changed. A call whose answer
got lost is answered with an error and never sent twice; so is a request to a server that sends
nothing for --timeout.

Exit codes: 0 the client ended, 1 the standard streams failed, 2 misused.";

/// `snodo connect URL|SOCKET`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// A server that runs: http://…, https://…, or the path of a Unix socket
    #[arg(value_name = "URL|SOCKET")]
    to: String,
    /// The endpoint's path on a Unix socket
    #[arg(long, value_name = "PATH", default_value = "/mcp")]
    path: String,
    #[command(flatten)]
    reached: Reached,
    /// How long a request waits for a server that is away, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30.0)]
    wait: f64,
    /// How long the server may send nothing, not even a comment, while it answers, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 600.0)]
    timeout: f64,
    /// The longest message of the client, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 64 * 1024 * 1024)]
    max_line_bytes: usize,
    /// Say nothing on standard error while it works
    #[arg(long, short)]
    quiet: bool,
}

/// Passes messages on until the client ends.
pub(super) fn run(asked: &Arguments) -> ExitCode {
    let relay = match relay(asked) {
        Ok(relay) => relay,
        Err(failed) => return failed.say(),
    };
    let options = StdioOptions {
        max_line_bytes: asked.max_line_bytes,
        max_unsent_bytes: 64 * 1024 * 1024,
        grace: Duration::ZERO,
        ..StdioOptions::default()
    };
    let runtime = match tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => return Failed::Here(format!("cannot start: {error}")).say(),
    };
    let served = runtime.block_on(serve(relay, &options));
    // A thread may still be blocked on a stream that nobody serves; the process does not wait for it.
    runtime.shutdown_background();
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => Failed::Here(format!("cannot use the standard streams: {error}")).say(),
    }
}

async fn serve(relay: Relay, options: &StdioOptions) -> std::io::Result<()> {
    let shutdown = Shutdown::new();
    let mut signals = Vec::new();
    for kind in [SignalKind::interrupt(), SignalKind::terminate()] {
        let (mut signal, shutdown) = (signal(kind)?, shutdown.clone());
        signals.push(tokio::spawn(async move {
            signal.recv().await;
            shutdown.begin();
        }));
    }
    let goodbye = relay.goodbye();
    let served = serve_standard_streams(relay, options, &shutdown).await;
    goodbye.await;
    served.map(drop)
}

fn relay(asked: &Arguments) -> Result<Relay, Failed> {
    let target = if asked.to.contains("://") {
        super::remote::address(&asked.to)?
    } else {
        let socket = asked.to.strip_prefix("unix:").unwrap_or(&asked.to);
        Target::Unix(socket.into(), asked.path.clone())
    };
    let wait = super::remote::seconds("--wait", asked.wait)?;
    let options = Options {
        timeout: super::remote::seconds("--timeout", asked.timeout)?,
        headers: asked.reached.headers(&Environment::of_process())?,
        ca: asked.reached.certificates()?,
        ..Options::default()
    };
    let quiet = asked.quiet;
    let say = Arc::new(move |words: &str| {
        if !quiet {
            output::error(&format!("snodo connect: {}", super::show::plain(words)));
        }
    });
    Ok(Relay::new(target, options, wait, say)?)
}
