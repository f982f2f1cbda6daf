//! What those who look after a running server are told: the service manager, health checks, an
//! operator at `systemctl status`.

mod notify;
mod status;
mod watchdog;

pub use notify::{Notifier, NotifyError};
pub use status::{Findings, Now, Outcome, Phase, Reloads, Status};
pub use watchdog::Watchdog;
