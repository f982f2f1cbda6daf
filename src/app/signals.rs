//! The signals that a daemon answers to.

use crate::shutdown::Shutdown;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;

/// SIGTERM and SIGINT stop, SIGHUP reloads.
pub(super) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
}

impl Signals {
    /// From here on none of them ends the process by itself. One that comes before it is waited
    /// for is kept.
    pub(super) fn install() -> std::io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// Waits for SIGTERM or SIGINT.
    pub(super) async fn stop(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }

    /// Follows the signals: SIGHUP reloads, the first SIGTERM or SIGINT begins to stop, the second
    /// stops at once.
    pub(super) async fn follow(mut self, reload: mpsc::Sender<()>, shutdown: Shutdown) {
        loop {
            tokio::select! {
                _ = self.hangup.recv() => {
                    tracing::info!("SIGHUP: reading everything again");
                    // Full means that it is due already.
                    let _ = reload.try_send(());
                }
                _ = self.terminate.recv() => break,
                _ = self.interrupt.recv() => break,
            }
        }
        tracing::info!("stopping; another signal stops at once");
        shutdown.begin();
        self.stop().await;
        tracing::info!("stopping at once");
        shutdown.hurry();
    }
}
