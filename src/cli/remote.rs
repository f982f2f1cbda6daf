//! Which server a command asks, and what all commands that ask one have in common: connecting,
//! interrupts, exit codes.

use super::output::{self, Word};
use crate::client::{Client, ClientError, Options, Program, Target};
use crate::manifest::environment::Environment;
use crate::process::own_binary;
use crate::protocol::client::Version;
use clap::Args;
use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderName, HeaderValue};
use std::ffi::OsString;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use url::Url;

/// The tool, or what else was asked for, failed.
pub(super) const FAILED: u8 = 1;
const MISUSED: u8 = 2;
const NO_ANSWER: u8 = 3;

/// Which server is asked.
#[derive(Debug, Args)]
#[command(next_help_heading = "Server (without --url and --stdio one is started for manifests)")]
pub(super) struct Place {
    /// A folder or file of manifests [default: what the server file here names]
    #[arg(long, value_name = "DIR", conflicts_with_all = ["url", "stdio"])]
    manifests: Vec<PathBuf>,
    /// The server file [default: ./snodo.toml, ./config/snodo.toml or /etc/snodo/snodo.toml]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["url", "stdio"])]
    config: Option<PathBuf>,
    /// Set a key of the server file
    #[arg(long, value_name = "KEY=VALUE", conflicts_with_all = ["url", "stdio"])]
    set: Vec<String>,
    /// A server that runs: http://…, https://… or unix:/path/to/socket
    #[arg(long, value_name = "URL", conflicts_with = "stdio")]
    url: Option<String>,
    /// A command that starts a server on its standard streams; a shell reads it
    #[arg(long, value_name = "COMMAND")]
    stdio: Option<String>,
    #[command(flatten)]
    reached: Reached,
    /// Speak this revision of the protocol and no other: 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26 or
    /// 2024-11-05
    #[arg(long, value_name = "REVISION")]
    protocol: Option<String>,
    /// How long to wait for an answer, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
    timeout: f64,
    /// Keep what the server writes to standard error, and progress, to itself
    #[arg(long, short, conflicts_with = "verbose")]
    quiet: bool,
    /// Show more of both
    #[arg(long, short)]
    verbose: bool,
}

/// How a server is reached over HTTP.
#[derive(Debug, Args)]
pub(super) struct Reached {
    /// A header of each request, 'Authorization: Bearer …' for example
    #[arg(long = "header", value_name = "NAME: VALUE")]
    headers: Vec<String>,
    /// A variable of the environment that holds the access token to send
    #[arg(long, value_name = "NAME")]
    token_env: Option<String>,
    /// A file of certificates to trust beside the platform's
    #[arg(long, value_name = "FILE")]
    ca_file: Option<PathBuf>,
}

impl Reached {
    fn is_empty(&self) -> bool {
        self.headers.is_empty() && self.token_env.is_none() && self.ca_file.is_none()
    }

    /// The headers that were given.
    pub(super) fn headers(&self, environment: &Environment) -> Result<HeaderMap, Failed> {
        let mut headers = HeaderMap::new();
        for text in &self.headers {
            let (name, value) = header(text)?;
            headers.append(name, value);
        }
        if let Some(name) = &self.token_env {
            headers.insert(AUTHORIZATION, token(environment, name)?);
        }
        Ok(headers)
    }

    /// The certificates that were given.
    pub(super) fn certificates(&self) -> Result<Vec<Vec<u8>>, Failed> {
        let read = self.ca_file.iter().map(|path| {
            std::fs::read(path).map_err(|error| {
                Failed::misused(format!("cannot read `{}`: {error}", path.display()))
            })
        });
        read.collect()
    }
}

/// Why a command did not do what it was asked.
#[derive(Debug)]
pub(super) enum Failed {
    /// The command line is wrong: what, and what to do.
    Misused(String, Option<String>),
    /// The server.
    Client(ClientError),
    /// Something here: a file that cannot be written.
    Here(String),
}

impl From<ClientError> for Failed {
    fn from(error: ClientError) -> Self {
        Self::Client(error)
    }
}

impl Failed {
    /// The command line is wrong.
    pub(super) fn misused(what: impl Into<String>) -> Self {
        Self::Misused(what.into(), None)
    }

    /// Says it, and gives the exit code.
    pub(super) fn say(&self) -> ExitCode {
        let (what, help, code) = match self {
            Self::Misused(what, help) => (what.clone(), help.clone(), MISUSED),
            Self::Client(error) => (error.to_string(), error.help(), NO_ANSWER),
            Self::Here(what) => (what.clone(), None, FAILED),
        };
        output::say(Word::Error, &what, help.as_deref());
        ExitCode::from(code)
    }
}

impl Place {
    /// Whether progress and the like are shown: never, on a terminal, always.
    pub(super) fn shows_progress(&self, terminal: bool) -> bool {
        !self.quiet && (terminal || self.verbose)
    }

    /// Whether what the server tells on the side is shown.
    pub(super) fn is_quiet(&self) -> bool {
        self.quiet
    }

    fn target(&self, environment: &Environment) -> Result<Target, Failed> {
        if let Some(url) = &self.url {
            return address(url);
        }
        let cwd = std::env::current_dir()
            .map_err(|error| Failed::Here(format!("cannot use this folder: {error}")))?;
        let (argv, shown) = match &self.stdio {
            Some(command) => {
                let argv = ["/bin/sh", "-c", command].map(OsString::from).to_vec();
                (argv, command.clone())
            }
            None => self.own()?,
        };
        let quiet = self.quiet;
        Ok(Target::Program(Program {
            argv,
            env: environment.all(),
            cwd,
            shown,
            stderr: Arc::new(move |text| {
                if !quiet {
                    // Nobody reads it: nobody's loss.
                    let _ = std::io::stderr().lock().write_all(text);
                }
            }),
        }))
    }

    /// `snodo stdio` of the manifests, which logs little.
    fn own(&self) -> Result<(Vec<OsString>, String), Failed> {
        let binary = own_binary()
            .map_err(|error| Failed::Here(format!("cannot find this program itself: {error}")))?;
        let level = if self.verbose { "info" } else { "warn" };
        let mut argv: Vec<OsString> = vec![binary.into(), "stdio".into(), "--set".into()];
        argv.push(format!("log.level={level}").into());
        let mut shown = String::from("snodo stdio");
        for set in &self.set {
            argv.extend(["--set".into(), set.into()]);
        }
        if let Some(config) = &self.config {
            argv.extend(["--config".into(), config.into()]);
            shown.push_str(&format!(" --config {}", config.display()));
        }
        argv.push("--".into());
        for path in &self.manifests {
            argv.push(path.into());
            shown.push_str(&format!(" {}", path.display()));
        }
        Ok((argv, shown))
    }

    fn options(&self, environment: &Environment) -> Result<Options, Failed> {
        let version = match &self.protocol {
            None => None,
            Some(name) => Some(Version::find(name).ok_or_else(|| {
                let known = Version::ALL.map(Version::name).join(", ");
                Failed::Misused(
                    format!("`{name}` is no revision that is spoken here"),
                    Some(format!("they are {known}")),
                )
            })?),
        };
        if self.url.is_none() && !self.reached.is_empty() {
            return Err(Failed::misused(
                "--header, --token-env and --ca-file are for servers that --url names",
            ));
        }
        let timeout = seconds("--timeout", self.timeout)?;
        let headers = self.reached.headers(environment)?;
        let ca = self.reached.certificates()?;
        Ok(Options {
            version,
            timeout,
            headers,
            ca,
            ..Options::default()
        })
    }
}

/// A length of time that an option takes.
pub(super) fn seconds(option: &str, given: f64) -> Result<Duration, Failed> {
    Duration::try_from_secs_f64(given)
        .ok()
        .filter(|given| !given.is_zero())
        .ok_or_else(|| Failed::misused(format!("{option} is a number of seconds above 0")))
}

/// Where a URL leads.
pub(super) fn address(text: &str) -> Result<Target, Failed> {
    if let Some(path) = text.strip_prefix("unix:") {
        return Ok(Target::Unix(path.into(), "/mcp".into()));
    }
    let help = || Some("an address is http://HOST:PORT/mcp, https://… or unix:/PATH".to_owned());
    let wrong = || Failed::Misused(format!("`{text}` is no address of a server"), help());
    let url = Url::parse(text).map_err(|_| wrong())?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Failed::Misused(
            "a name and a password in an address are not sent".into(),
            Some(
                "--header 'Authorization: Basic …' sends them, and --token-env NAME an access token"
                    .into(),
            ),
        ));
    }
    match url.scheme() {
        "http" | "https" if url.has_host() => Ok(Target::Http(url)),
        _ => Err(wrong()),
    }
}

fn header(text: &str) -> Result<(HeaderName, HeaderValue), Failed> {
    // The value may be a credential: it is not shown.
    let wrong = || Failed::misused("--header takes 'NAME: VALUE'");
    let (name, value) = text.split_once(':').ok_or_else(wrong)?;
    let name = HeaderName::try_from(name.trim()).map_err(|_| wrong())?;
    let mut value = HeaderValue::try_from(value.trim()).map_err(|_| wrong())?;
    value.set_sensitive(true);
    Ok((name, value))
}

/// The credentials that a variable holds.
fn token(environment: &Environment, name: &str) -> Result<HeaderValue, Failed> {
    let token = environment
        .get(name)
        .map(str::trim)
        .filter(|token| !token.is_empty());
    let Some(token) = token else {
        let what = format!("the variable `{name}` of --token-env is not set or empty");
        return Err(Failed::misused(what));
    };
    // The value is a credential: it is not shown.
    let wrong = |_| Failed::misused(format!("the variable `{name}` holds no access token"));
    let mut value = HeaderValue::try_from(format!("Bearer {token}")).map_err(wrong)?;
    value.set_sensitive(true);
    Ok(value)
}

/// Connects, works, disconnects, and gives the exit code. An interrupt cancels what is under way.
pub(super) fn with<W>(place: &Place, work: W) -> ExitCode
where
    W: AsyncFnOnce(&Client) -> Result<ExitCode, Failed>,
{
    with_answers(place, false, work)
}

/// The same; `asks` says that what the server asks can be answered.
pub(super) fn with_answers<W>(place: &Place, asks: bool, work: W) -> ExitCode
where
    W: AsyncFnOnce(&Client) -> Result<ExitCode, Failed>,
{
    let environment = Environment::of_process();
    let prepared = place.options(&environment).and_then(|mut options| {
        options.said.asks = asks;
        let target = place.target(&environment)?;
        Ok((target, options))
    });
    let (target, options) = match prepared {
        Ok(prepared) => prepared,
        Err(failed) => return failed.say(),
    };
    let runtime = match tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => return Failed::Here(format!("cannot start: {error}")).say(),
    };
    let code = runtime.block_on(asked(target, options, work));
    // A thread may still wait for a line of the terminal; the process does not wait for it.
    runtime.shutdown_background();
    code
}

async fn asked<W>(target: Target, options: Options, work: W) -> ExitCode
where
    W: AsyncFnOnce(&Client) -> Result<ExitCode, Failed>,
{
    let interrupted = interrupt();
    tokio::pin!(interrupted);
    let client = tokio::select! {
        connected = Client::connect(target, &options) => match connected {
            Ok(client) => client,
            Err(error) => return Failed::from(error).say(),
        },
        code = &mut interrupted => return code,
    };
    let code = tokio::select! {
        worked = work(&client) => worked.unwrap_or_else(|failed| failed.say()),
        code = &mut interrupted => code,
    };
    client.close().await;
    code
}

/// The exit code of a signal that asks this program to end, when one comes.
async fn interrupt() -> ExitCode {
    let mut signals = [SignalKind::interrupt(), SignalKind::terminate()].map(signal);
    let [Ok(interrupt), Ok(terminate)] = &mut signals else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => ExitCode::from(130),
        _ = terminate.recv() => ExitCode::from(143),
    }
}
