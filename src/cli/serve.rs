//! `snodo serve`.

use crate::app::{self, Face};
use crate::manifest::settings::Asked;
use std::process::ExitCode;

/// Serves over HTTP until told to stop.
pub(super) fn run(asked: Asked) -> ExitCode {
    super::stdio::served(app::run(asked, Face::Http))
}
