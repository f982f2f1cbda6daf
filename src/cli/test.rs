//! `snodo test`: runs the tests that stand beside tools.

mod json;
mod junit;
mod report;
mod text;

use super::output::{self, Word};
use crate::lang::diag::Severity;
use crate::lang::schema::SchemaCache;
use crate::manifest::environment::Environment;
use crate::manifest::load::{Loaded, load_with_tests};
use crate::manifest::lower::codes::{MISSING_VALUE, UNREADABLE};
use crate::manifest::settings::{self, Asked};
use crate::model::{Actor, Settings, Tool, ToolTest};
use crate::shutdown::Shutdown;
use crate::testing;
use clap::{Args, ValueEnum};
use report::{Outcome, Ran, Report};
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// What `snodo test --help` ends with.
pub(super) const EXAMPLES: &str = "\
Examples:
  snodo test                                        run the tests of what the server file here names
  snodo test ./manifests/orders.toml                run those of one file
  snodo test --filter 'book_search: ' ./manifests   run those of one tool
  snodo test --format junit ./manifests >tests.xml  write what CI reads

A tool's tests stand in [[tool.test]] below it. Commands and files are real; an upstream is not:
what stands in for it is part of the test, and nothing is sent. Secrets are stood in for too.

Exit codes:
  0    every test passed, or there are none
  1    a test failed
  2    nothing was run: a manifest or the server file has errors, the command line is wrong, or no
       test matches --filter
  130  interrupted (SIGTERM: 143)

The report goes to standard output, what is wrong with manifests to standard error.";

/// How long commands that were asked to end may take, and how long when they are killed then.
const REAPING: Duration = Duration::from_secs(3);
const KILLING: Duration = Duration::from_secs(1);

/// `snodo test [PATH]…`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Folders or files of manifests, or a server file `snodo.toml` [default: the server file's
    /// manifests]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The server file [default: ./snodo.toml, ./config/snodo.toml or /etc/snodo/snodo.toml]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Set a key of the server file, for example server.env='["REGION"]'
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Run only tests whose `TOOL: TEST` has this in it; one of them when given more than once
    #[arg(long, value_name = "NAME")]
    filter: Vec<String>,
    /// How the report is written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
    Junit,
}

/// Loads, runs, prints, and gives the exit code.
pub(super) fn run(arguments: Arguments) -> ExitCode {
    let environment = Environment::of_process();
    let no_color = environment.asks_for_no_color();
    let asked = Asked {
        config: arguments.config,
        paths: arguments.paths,
        set: arguments.set,
    };
    let Some((settings, loaded)) = load(&asked, &environment, no_color) else {
        return ExitCode::from(2);
    };
    let filter = |test: &ToolTest| {
        let label = report::label(test);
        arguments.filter.is_empty() || arguments.filter.iter().any(|part| label.contains(part))
    };
    let tests: Vec<_> = loaded.tests().filter(|(_, test)| filter(test)).collect();
    if tests.is_empty() && !arguments.filter.is_empty() {
        let shown: Vec<String> = arguments
            .filter
            .iter()
            .map(|part| format!("`{}`", part.escape_debug()))
            .collect();
        let what = format!("no test matches {}", shown.join(" or "));
        let help = "a filter is a part of `TOOL: TEST`";
        output::say(Word::Error, &what, Some(help));
        return ExitCode::from(2);
    }
    let color = !no_color && std::io::stdout().is_terminal();
    let lines = (arguments.format == Format::Text).then_some(text::Style { color });
    let report = match run_all(&settings, &loaded.catalog.actors, &tests, lines) {
        Ok(report) => report,
        Err(code) => return code,
    };
    let written = match arguments.format {
        Format::Text => output::result(&text::summary(&report, &loaded.catalog.counts())),
        Format::Json => output::result(&json::report(&report)),
        Format::Junit => output::result(&junit::report(&report)),
    };
    match report.failed() {
        0 => written,
        _ => ExitCode::FAILURE,
    }
}

/// What is to be tested; `None` when it has errors, which are printed. A secret that is not there is
/// none.
fn load(asked: &Asked, environment: &Environment, no_color: bool) -> Option<(Settings, Loaded)> {
    let (settings, mut found) = settings::check(asked, environment);
    found.retain(|one| !matches!(one.code, MISSING_VALUE | UNREADABLE));
    let mut loaded = None;
    if let Some(mut settings) = settings {
        testing::stand_in_for_secrets(&mut settings);
        let now = load_with_tests(&settings, environment, &SchemaCache::new());
        found.extend(now.diagnostics.iter().cloned());
        loaded = Some((settings, now));
    }
    if found.iter().any(|one| one.severity == Severity::Error) {
        output::findings(&found, no_color);
        return None;
    }
    loaded
}

/// Runs the tests one after the other, and prints a line for each when `lines` says how.
///
/// # Errors
/// The exit code, when it is interrupted.
fn run_all<'t>(
    settings: &Settings,
    actors: &[Arc<Actor>],
    tests: &[(Option<&'t Arc<Tool>>, &'t ToolTest)],
    lines: Option<text::Style>,
) -> Result<Report<'t>, ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    let runtime = runtime.map_err(|error| {
        let what = format!("cannot start the async runtime: {error}");
        output::say(Word::Error, &what, None);
        ExitCode::from(2)
    })?;
    let report = runtime.block_on(async {
        let mut signals = Signals::install().map_err(|error| {
            let what = format!("cannot handle signals: {error}");
            output::say(Word::Error, &what, None);
            ExitCode::from(2)
        })?;
        let shutdown = Shutdown::new();
        let report = tokio::select! {
            report = each(settings, actors, tests, lines, &shutdown) => Ok(report),
            code = signals.stop() => Err(code),
        };
        if report.is_err() {
            output::error("interrupted");
        }
        end(&shutdown, &mut signals).await;
        report
    });
    // A thread may still wait for a file that does not answer; the process does not wait for it.
    runtime.shutdown_background();
    report
}

async fn each<'t>(
    settings: &Settings,
    actors: &[Arc<Actor>],
    tests: &[(Option<&'t Arc<Tool>>, &'t ToolTest)],
    lines: Option<text::Style>,
    shutdown: &Shutdown,
) -> Report<'t> {
    let mut report = Report::default();
    for (tool, test) in tests {
        let started = Instant::now();
        let outcome = match tool {
            None => Outcome::Skipped,
            Some(tool) => match testing::run(settings, tool, actors, test, shutdown).await {
                problems if problems.is_empty() => Outcome::Passed,
                problems => Outcome::Failed(problems),
            },
        };
        let ran = Ran {
            test,
            outcome,
            took: started.elapsed(),
        };
        if let Some(style) = lines {
            output::result(&text::line(&ran, style));
        }
        report.tests.push(ran);
    }
    report
}

/// Waits until the commands that were started have ended; a further signal ends the patience.
async fn end(shutdown: &Shutdown, signals: &mut Signals) {
    shutdown.begin();
    let ended = tokio::select! {
        ended = shutdown.wait(REAPING) => ended,
        _ = signals.stop() => false,
    };
    if !ended {
        shutdown.hurry();
        let _ = shutdown.wait(KILLING).await;
    }
}

/// The signals that interrupt.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn install() -> std::io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// Waits for one, and gives the exit code that it asks for: 128 and its number.
    async fn stop(&mut self) -> ExitCode {
        tokio::select! {
            _ = self.terminate.recv() => ExitCode::from(143),
            _ = self.interrupt.recv() => ExitCode::from(130),
        }
    }
}
