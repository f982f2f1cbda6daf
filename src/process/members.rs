//! Whether anything in a process group still lives.
//!
//! kill(2) counts zombies. An orphan's zombie is for process 1 to reap, and in a container that can
//! be a program that does so late or never: waiting for it would make every answer late.

use rustix::process::Pid;

/// Looks for members of one group, and remembers the one it found.
#[derive(Default)]
pub(super) struct Members {
    known: Option<i32>,
}

impl Members {
    /// Whether a member of `group` is alive, that is, not a zombie. Reads all of `/proc` when the
    /// member it knew has died; where that cannot be read, every member counts as alive.
    #[cfg(target_os = "linux")]
    pub(super) fn any_alive(&mut self, group: Pid) -> bool {
        let group = group.as_raw_pid();
        if self.known.is_some_and(|pid| lives_in(pid, group)) {
            return true;
        }
        let Ok(entries) = std::fs::read_dir("/proc") else {
            return true;
        };
        self.known = entries
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
            .find(|pid| lives_in(*pid, group));
        self.known.is_some()
    }

    /// Without `/proc` zombies cannot be told from the living; process 1 reaps them soon.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn any_alive(&mut self, _group: Pid) -> bool {
        self.known.is_none()
    }
}

#[cfg(target_os = "linux")]
fn lives_in(pid: i32, group: i32) -> bool {
    let stat = std::fs::read(format!("/proc/{pid}/stat")).unwrap_or_default();
    is_alive_in(&String::from_utf8_lossy(&stat), group)
}

/// Reads state and group, the third and fifth field of proc_pid_stat(5). The second is a name in
/// parentheses that may itself hold spaces and parentheses.
#[cfg(target_os = "linux")]
fn is_alive_in(stat: &str, group: i32) -> bool {
    let after_name = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    let mut fields = after_name.split_ascii_whitespace();
    let dead = matches!(fields.next(), None | Some("Z" | "X" | "x"));
    !dead && fields.nth(1).and_then(|field| field.parse().ok()) == Some(group)
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::is_alive_in;

    #[test]
    fn zombies_and_strangers_do_not_count() {
        assert!(is_alive_in("5 (sh) S 1 77 77 0", 77));
        assert!(is_alive_in("5 (a) Z 1 (b) 9) T 1 77 77 0", 77));
        assert!(!is_alive_in("5 (sh) S 77 78 77 0", 77));
        assert!(!is_alive_in("5 (sh) Z 1 77 77 0", 77));
        assert!(!is_alive_in("5 (sh) X 1 77 77 0", 77));
        assert!(!is_alive_in("", 77));
    }
}
