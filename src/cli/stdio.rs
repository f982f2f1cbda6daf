//! `snodo stdio`.

use super::served;
use crate::app::{self, Face};
use crate::manifest::settings::Asked;
use std::process::ExitCode;

/// What `snodo stdio --help` ends with.
pub(super) const EXAMPLES: &str = "\
Examples:
  snodo stdio ./manifests                           serve a folder to the program that starts this
  snodo stdio --config ./snodo.toml                 serve what a server file says
  snodo stdio --set log.level=debug ./manifests 2>snodo.log

A client is configured with the program `snodo` and these arguments. Standard output
belongs to the protocol; the log goes to standard error.
Exit codes: 0 ended, 1 not started (standard error says why), 2 misused.";

/// Serves the standard streams until the input ends.
pub(super) fn run(asked: Asked) -> ExitCode {
    served(app::run(asked, Face::Stdio))
}
