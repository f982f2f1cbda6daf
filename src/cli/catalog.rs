//! `snodo catalog`: what a server offers, as a document.

use super::output::{self, Word};
use super::remote::{self, FAILED, Failed, Place};
use super::show::pretty;
use crate::catalog::{Catalog, collect, coverage, markdown, to_json};
use crate::client::Client;
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What `snodo catalog --help` ends with.
pub(super) const EXAMPLES: &str = "\
Examples:
  snodo catalog --manifests ./tools                          to standard output
  snodo catalog --manifests ./tools --output TOOLS.md        to a file
  snodo catalog --url http://127.0.0.1:4000/mcp --format json
  snodo catalog --stdio 'npx -y some-server'
  snodo catalog --manifests ./tools --check TOOLS.md --min-coverage 90

Exit codes:
  0    done; with --check, the file is up to date
  1    the file is out of date, coverage is below --min-coverage, or a file cannot be written
  2    the command line is wrong
  3    the server cannot be reached, does not speak the protocol, or refused the request
  130  interrupted (SIGTERM: 143)";

/// `snodo catalog`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// How it is written
    #[arg(long, value_enum, default_value_t = Format::Markdown)]
    format: Format,
    /// Write it to this file [default: standard output]
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write nothing: fail when this file is not what would be written
    #[arg(long, value_name = "FILE", conflicts_with = "output")]
    check: Option<PathBuf>,
    /// Fail when less than this part of components and arguments has a description
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    min_coverage: Option<u8>,
    #[command(flatten)]
    place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Markdown,
    Json,
}

/// Collects, writes or compares, and gives the exit code.
pub(super) fn run(asked: Arguments) -> ExitCode {
    remote::with(&asked.place, async |client: &Client| {
        let catalog = collect(client).await?;
        for why in &catalog.cut {
            output::say(Word::Warning, why, None);
        }
        let text = match asked.format {
            Format::Markdown => markdown(&catalog),
            Format::Json => pretty(&to_json(&catalog)),
        };
        let written = match (&asked.check, &asked.output) {
            (Some(file), _) => compared(file, &text)?,
            (None, Some(file)) => {
                std::fs::write(file, &text).map_err(|error| {
                    Failed::Here(format!("cannot write `{}`: {error}", file.display()))
                })?;
                ExitCode::SUCCESS
            }
            (None, None) => output::result(&text),
        };
        let covered = enough(&catalog, asked.min_coverage);
        Ok(if covered { written } else { FAILED.into() })
    })
}

/// Says whether the file is this text, and where it is not.
fn compared(file: &Path, text: &str) -> Result<ExitCode, Failed> {
    let there = std::fs::read(file)
        .map_err(|error| Failed::misused(format!("cannot read `{}`: {error}", file.display())))?;
    if there == text.as_bytes() {
        return Ok(ExitCode::SUCCESS);
    }
    let there = String::from_utf8_lossy(&there);
    let (mut old, mut new) = (there.lines(), text.lines());
    let mut number = 1;
    let (old, new) = loop {
        match (old.next(), new.next()) {
            (Some(old), Some(new)) if old == new => number += 1,
            pair => break pair,
        }
    };
    let shown = |line: Option<&str>| line.unwrap_or("(the end)").to_owned();
    let (old, new, file) = (shown(old), shown(new), file.display());
    let what =
        format!("`{file}` is out of date\n  line {number} is:    {old}\n  and would be: {new}");
    let help = format!("write it again with --output {file}");
    output::say(Word::Error, &what, Some(&help));
    Ok(FAILED.into())
}

/// Whether enough is described; says what is not.
fn enough(catalog: &Catalog, wanted: Option<u8>) -> bool {
    let coverage = coverage(catalog);
    let Some(wanted) = wanted.filter(|wanted| coverage.percent() < usize::from(*wanted)) else {
        return true;
    };
    let what = format!(
        "{} % has a description, and {wanted} % is wanted\n  without: {}",
        coverage.percent(),
        coverage.gaps.join("\n           ")
    );
    output::say(Word::Error, &what, None);
    false
}
