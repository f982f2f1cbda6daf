//! `snodo stdio`.

use super::output;
use crate::app::{self, Face, Refused};
use crate::manifest::settings::Asked;
use std::process::ExitCode;

/// Serves the standard streams until the input ends.
pub(super) fn run(asked: Asked) -> ExitCode {
    served(app::run(asked, Face::Stdio))
}

/// The exit code of a server, and on standard error why it did not start.
pub(super) fn served(outcome: Result<(), Refused>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Refused::Manifests { found, no_color }) => {
            output::findings(&found, no_color);
            ExitCode::FAILURE
        }
        Err(Refused::Other(error)) => {
            output::error(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}
