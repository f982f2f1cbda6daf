//! Process 1's duty: whoever loses its parent becomes its child, and stays a zombie until it is reaped.
//!
//! What a command leaves behind in its own group is reaped with the group. What left the group
//! (`setsid`) and then its parent is nobody's: it is reaped here.

use super::group::owns;
use rustix::process::{Pid, WaitOptions, waitpid};
use std::collections::HashSet;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::sleep;

/// How long a zombie is left to whoever may be waiting for it: a child that was started just now is
/// not known to be somebody's yet.
const PATIENCE: Duration = Duration::from_secs(1);

/// Reaps orphans for ever, if this is process 1; returns at once otherwise.
pub async fn reap_orphans() {
    if std::process::id() != 1 {
        return;
    }
    let mut children = match signal(SignalKind::child()) {
        Ok(children) => children,
        Err(error) => {
            tracing::warn!(%error, "cannot hear of orphans that ended; they stay zombies");
            return;
        }
    };
    while children.recv().await.is_some() {
        let mut before = HashSet::new();
        loop {
            let zombies = zombies();
            for pid in zombies.intersection(&before) {
                if let Some(pid) = Pid::from_raw(*pid) {
                    // Gone by now, or reaped: either is well.
                    let _status = waitpid(Some(pid), WaitOptions::NOHANG);
                }
            }
            before = zombies.difference(&before).copied().collect();
            if before.is_empty() {
                break;
            }
            sleep(PATIENCE).await;
        }
    }
}

/// The zombies that are children of process 1 and that no group owns.
fn zombies() -> HashSet<i32> {
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return HashSet::new();
    };
    let numbers = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    numbers
        .filter(|pid| {
            let stat = std::fs::read(format!("/proc/{pid}/stat")).unwrap_or_default();
            is_orphaned_zombie(&String::from_utf8_lossy(&stat)) && !owns(*pid)
        })
        .collect()
}

/// Reads state and parent, the third and fourth field of proc_pid_stat(5).
fn is_orphaned_zombie(stat: &str) -> bool {
    let after_name = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    let mut fields = after_name.split_ascii_whitespace();
    fields.next() == Some("Z") && fields.next() == Some("1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_zombies_of_process_1_count() {
        for (stat, expected) in [
            ("7 (sleep) Z 1 7 7 0", true),
            ("7 (a) S 1 ) Z) Z 1 7", true),
            ("7 (sleep) S 1 7 7 0", false),
            ("7 (sleep) Z 12 7 7 0", false),
            ("", false),
        ] {
            assert_eq!(is_orphaned_zombie(stat), expected, "{stat}");
        }
    }
}
