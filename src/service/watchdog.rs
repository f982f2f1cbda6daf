//! Signs of life for a service manager that waits for them.

use super::Notifier;
use std::time::Duration;
use tokio::time::{MissedTickBehavior, interval};

/// How often the manager wants to hear that the server is alive (`WatchdogSec=`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watchdog(Duration);

impl Watchdog {
    /// From the values of `WATCHDOG_USEC` and `WATCHDOG_PID`: `None` when nobody waits, or not for
    /// the process of this number.
    pub fn new(usec: Option<&str>, pid: Option<&str>, own_pid: u32) -> Option<Self> {
        let usec: u64 = usec?.parse().ok()?;
        let is_ours = pid.is_none_or(|pid| pid.parse() == Ok(own_pid));
        (is_ours && usec > 0).then(|| Self(Duration::from_micros(usec)))
    }

    /// Says so twice in that time, for ever. It runs among the requests: if nothing is polled any
    /// more, nothing is said.
    pub async fn keep(self, notifier: Notifier) {
        let mut clock = interval((self.0 / 2).max(Duration::from_millis(1)));
        clock.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            clock.tick().await;
            notifier.alive();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_watchdog_of_this_process_counts() {
        let second = Some(Watchdog(Duration::from_secs(1)));
        assert_eq!(Watchdog::new(Some("1000000"), None, 7), second);
        assert_eq!(Watchdog::new(Some("1000000"), Some("7"), 7), second);
        for (usec, pid) in [
            (None, None),
            (Some("0"), None),
            (Some("x"), None),
            (Some("1000000"), Some("8")),
            (Some("1000000"), Some("")),
        ] {
            assert_eq!(Watchdog::new(usec, pid, 7), None, "{usec:?} {pid:?}");
        }
    }
}
