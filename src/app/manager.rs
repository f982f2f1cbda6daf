//! What a service manager gave this process: a socket to report to, a watchdog, sockets to serve.

use super::Face;
use crate::manifest::environment::Environment;
use crate::model::Listen;
use crate::service::{Notifier, NotifyError, Watchdog};
use crate::transport::http::Passed;
use anyhow::Context as _;

/// It. A program on the standard streams has its client for a manager: it takes none of it.
#[derive(Debug, Default)]
pub(super) struct Manager {
    pub(super) notifier: Notifier,
    pub(super) watchdog: Option<Watchdog>,
    pub(super) passed: Passed,
    /// Said once there is a log.
    deaf: Option<NotifyError>,
}

impl Manager {
    /// Takes what there is. Call it before any thread is started.
    ///
    /// # Errors
    /// A socket that was passed cannot be used.
    pub(super) fn meet(face: Face, environment: &Environment) -> anyhow::Result<Self> {
        if face == Face::Stdio {
            return Ok(Self::default());
        }
        let passed = Passed::take(environment.get("LISTEN_FDNAMES"))
            .context("cannot use a socket that the service manager passed")?;
        let (notifier, deaf) = match Notifier::new(environment.get("NOTIFY_SOCKET")) {
            Ok(notifier) => (notifier, None),
            Err(error) => (Notifier::default(), Some(error)),
        };
        let watchdog = Watchdog::new(
            environment.get("WATCHDOG_USEC"),
            environment.get("WATCHDOG_PID"),
            std::process::id(),
        );
        Ok(Self {
            notifier,
            watchdog,
            passed,
            deaf,
        })
    }

    /// Logs what an operator should know.
    pub(super) fn say(&self, listen: &[Listen]) {
        if let Some(error) = &self.deaf {
            tracing::warn!("{error}");
        }
        let unused = self.passed.unused(listen);
        if !unused.is_empty() {
            tracing::warn!(
                names = unused.join(", "),
                "sockets were passed that `http.listen` does not ask for; add `systemd` to it"
            );
        }
    }
}
