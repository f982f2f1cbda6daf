//! `snodo schema`: JSON Schemas for editors.

use super::output;
use crate::manifest::schema;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::process::ExitCode;

/// What `snodo schema --help` ends with.
pub(super) const EXAMPLES: &str = "\
Examples:
  snodo schema manifest --output .snodo/manifest.schema.json
  snodo schema config                                          to standard output

An editor that knows the schema completes keys and marks wrong ones. Name it in the first line of a
file, as a path from that file:
  #:schema ../.snodo/manifest.schema.json

Exit codes: 0 written, 1 not written (standard error says why), 2 misused.";

/// `snodo schema manifest|config`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Which files it is for
    #[arg(value_enum)]
    of: Of,
    /// Write it to this file [default: standard output]
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The kinds of files that have a schema.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Of {
    /// Files of tools, resources and prompts
    Manifest,
    /// The server file, snodo.toml
    Config,
}

/// Writes the schema.
pub(super) fn run(asked: &Arguments) -> ExitCode {
    let text = match asked.of {
        Of::Manifest => schema::MANIFEST,
        Of::Config => schema::CONFIG,
    };
    output::to(asked.output.as_deref(), text)
}
