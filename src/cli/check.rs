//! `snodo check`: what is wrong with manifests, all of it.
//!
//! Exit code 0: no errors (there may be warnings). 1: errors, or warnings with `--deny-warnings`.
//! 2: the command line is wrong, an unknown code included.

use super::output;
use crate::lang::diag::{self, Code, Diagnostic, Severity};
use crate::lang::schema::SchemaCache;
use crate::manifest::environment::Environment;
use crate::manifest::load::load;
use crate::manifest::settings::{self, Asked};
use crate::manifest::{self};
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

Exit codes: 0 no errors, 1 errors (or warnings with --deny-warnings), 2 misused.";

/// `snodo check [PATH]…`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Folders or files of manifests [default: those of the server file]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The server file
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Set a key of the server file
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// How findings are written: text goes to standard error, json and sarif to standard output
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Exit with 1 on warnings too
    #[arg(long)]
    deny_warnings: bool,
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
    let (settings, mut found) = settings::load(&asked, &environment);
    let mut served = None;
    if let Some(settings) = settings {
        let loaded = load(&settings, &environment, &SchemaCache::new(), None);
        served = Some((loaded.tools.len(), loaded.files()));
        found.extend(loaded.diagnostics);
    }
    let no_color = environment
        .get("NO_COLOR")
        .is_some_and(|value| !value.is_empty());
    print(&found, arguments.format, no_color);
    let errors = count(&found, Severity::Error);
    let warnings = count(&found, Severity::Warning);
    if errors == 0
        && arguments.format == Format::Text
        && let Some((tools, files)) = served
    {
        output::error(&format!("ok: {tools} tools in {files} files"));
    }
    if errors > 0 || (arguments.deny_warnings && warnings > 0) {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

fn count(found: &[Diagnostic], severity: Severity) -> usize {
    found
        .iter()
        .filter(|each| each.severity == severity)
        .count()
}

fn print(found: &[Diagnostic], format: Format, no_color: bool) {
    match format {
        Format::Text => output::findings(found, no_color),
        Format::Json => {
            output::result(&diag::json(found));
        }
        Format::Sarif => {
            let rules = manifest::explanations();
            output::result(&diag::sarif(found, env!("CARGO_PKG_VERSION"), &rules));
        }
    }
}

fn explain(asked: &str) -> ExitCode {
    let all = manifest::explanations();
    if asked == "all" {
        let names: Vec<&str> = all.iter().map(|(Code(name), _)| *name).collect();
        output::result(&names.join("\n"));
        return ExitCode::SUCCESS;
    }
    if let Some((Code(name), text)) = all.iter().find(|(Code(name), _)| *name == asked) {
        output::result(&format!("{name}\n\n{text}"));
        return ExitCode::SUCCESS;
    }
    let near = diag::suggest::closest(asked, all.iter().map(|(Code(name), _)| *name));
    let help = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`--explain all` lists the codes".to_owned(),
    };
    output::error(&format!(
        "error: there is no code `{asked}`\n  = help: {help}"
    ));
    ExitCode::from(2)
}
