//! `snodo serve`.

use super::served;
use crate::app::{self, Face};
use crate::manifest::settings::Asked;
use std::process::ExitCode;

/// What `snodo serve --help` ends with.
pub(super) const EXAMPLES: &str = "\
Examples:
  snodo serve ./manifests                           serve a folder on http://127.0.0.1:4000/mcp
  snodo serve --config /etc/snodo/snodo.toml        serve what a server file says
  snodo serve --set http.listen='[\"127.0.0.1:8080\"]' ./manifests
  snodo serve --set http.listen='[\"unix:/run/snodo.sock\"]' ./manifests
  snodo serve --set reload.poll_ms=2000 ./mounted   look every 2 s where file events do not come

SIGHUP reads everything again. SIGTERM and SIGINT stop: requests in flight may take
server.grace_ms (10 s) to finish; a second signal stops at once.
Exit codes: 0 stopped, 1 not started (standard error says why), 2 misused.";

/// Serves over HTTP until told to stop.
pub(super) fn run(asked: Asked) -> ExitCode {
    served(app::run(asked, Face::Http))
}
