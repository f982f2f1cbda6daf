//! `snodo check`: what is wrong with manifests, all of it.

use super::output;
use crate::actor::Actors;
use crate::lang::diag::{self, Code, Diagnostic, Severity};
use crate::lang::schema::SchemaCache;
use crate::manifest::environment::Environment;
use crate::manifest::load::{Loaded, load};
use crate::manifest::settings::{self, Asked};
use crate::manifest::{self, expand};
use crate::model::Settings;
use crate::process::Starter;
use crate::runtime;
use crate::shutdown::Shutdown;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::process::ExitCode;

/// What `snodo check --help` ends with.
pub(super) const EXAMPLES: &str = "\
Examples:
  snodo check                                       check what the server file here names
  snodo check ./manifests/orders.toml               check one file
  snodo check --deny-warnings --format sarif ./manifests >findings.sarif
  snodo check --explain unknown-key                 say what a code means

Exit codes:
  0  no errors; there may be warnings
  1  errors, or warnings with --deny-warnings
  2  the command line is wrong: an unknown option, code or component

Findings as text go to standard error, as json or sarif to standard output.";

/// `snodo check [PATH]…`.
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
    /// How findings are written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Exit with 1 on warnings too
    #[arg(long)]
    deny_warnings: bool,
    /// Print components as TOML with their file's defaults filled in, `all` of them or those named
    #[arg(long, value_name = "NAME", num_args = 1.., conflicts_with = "format")]
    expand: Vec<String>,
    /// Say what a finding's code means, or list all codes with `all`
    #[arg(long, value_name = "CODE", exclusive = true)]
    explain: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
    Sarif,
}

/// Checks, prints, and gives the exit code.
pub(super) fn run(arguments: Arguments) -> ExitCode {
    if let Some(code) = &arguments.explain {
        return explain(code);
    }
    let environment = Environment::of_process();
    let asked = Asked {
        config: arguments.config,
        paths: arguments.paths,
        set: arguments.set,
    };
    let (settings, mut found) = settings::check(&asked, &environment);
    let mut loaded = None;
    if let Some(settings) = &settings {
        let now = load(settings, &environment, &SchemaCache::new(), None);
        found.extend(now.diagnostics.iter().cloned());
        found.extend(not_ready(settings, &now));
        loaded = Some(now);
    }
    let no_color = environment.asks_for_no_color();
    let mut written = print(&found, arguments.format, no_color);
    if !arguments.expand.is_empty() {
        let files = loaded.as_ref().map(Loaded::sources).unwrap_or_default();
        match expand::expand(&files, &arguments.expand) {
            Ok(text) => written = output::result(&text),
            Err(unknown) => {
                output::error(&unknown.to_string());
                return ExitCode::from(2);
            }
        }
    } else if arguments.format == Format::Text
        && let Some(loaded) = loaded
        && count(&found, Severity::Error) == 0
    {
        output::error(&format!(
            "ok: {} in {}",
            loaded.catalog.counts(),
            counted(loaded.files(), "file")
        ));
    }
    let denied = arguments.deny_warnings && !found.is_empty();
    if denied || count(&found, Severity::Error) > 0 {
        ExitCode::FAILURE
    } else {
        written
    }
}

/// What a server would find when it makes the tools ready.
fn not_ready(settings: &Settings, loaded: &Loaded) -> Vec<Diagnostic> {
    let shutdown = Shutdown::new();
    // None is started: that would have effects.
    let actors = Actors::new(&shutdown, Starter::new(runtime::helper()), None);
    let catalog = &loaded.catalog;
    let built = runtime::build(settings, catalog, None, &shutdown, &actors, |_, _| false);
    built.err().unwrap_or_default()
}

fn count(found: &[Diagnostic], severity: Severity) -> usize {
    let of = |each: &&Diagnostic| each.severity == severity;
    found.iter().filter(of).count()
}

fn counted(count: usize, word: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {word}{plural}")
}

fn print(found: &[Diagnostic], format: Format, no_color: bool) -> ExitCode {
    match format {
        Format::Text => {
            output::findings(found, no_color);
            ExitCode::SUCCESS
        }
        Format::Json => output::result(&diag::json(found)),
        Format::Sarif => {
            let rules = manifest::explanations();
            output::result(&diag::sarif(found, env!("CARGO_PKG_VERSION"), &rules))
        }
    }
}

fn explain(asked: &str) -> ExitCode {
    let all = manifest::explanations();
    if asked == "all" {
        let names: Vec<&str> = all.iter().map(|(Code(name), _)| *name).collect();
        return output::result(&names.join("\n"));
    }
    if let Some((Code(name), text)) = all.iter().find(|(Code(name), _)| *name == asked) {
        return output::result(&format!("{name}\n\n{text}"));
    }
    let names = all.iter().map(|(Code(name), _)| *name);
    let help = diag::suggest::did_you_mean(asked, names)
        .unwrap_or_else(|| "`--explain all` lists the codes".to_owned());
    let shown = asked.escape_debug();
    let what = format!("there is no code `{shown}`");
    output::say(output::Word::Error, &what, Some(&help));
    ExitCode::from(2)
}
