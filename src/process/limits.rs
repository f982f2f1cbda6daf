//! Limits a command runs under, and how they reach it.
//!
//! Setting them between fork and exec would need a hook that makes every spawn a fork. So a limited
//! command is started as `snodo __exec-limits … -- PATH ARGV…`: that process limits itself, then
//! becomes the program (see `cli::exec_limits`). A command without limits is started directly.

use crate::model::LimitsSpec;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// The hidden subcommand that sets limits on itself and becomes the program.
pub const SUBCOMMAND: &str = "__exec-limits";

/// The exit code of the helper when it could not become the program, as env(1) and nice(1) have it.
pub const EXEC_FAILED: u8 = 126;

/// No report of the helper is longer.
pub const REPORT_MAX: usize = 64;

const REPORT: &str = "\0snodo cannot exec: errno ";

impl LimitsSpec {
    /// What stands between the helper's name and the program: `__exec-limits --nice N … --`.
    pub(super) fn to_arguments(self) -> Vec<OsString> {
        let options = [
            (
                "--nice",
                self.nice.map(|value| value.clamp(-20, 19).to_string()),
            ),
            ("--memory", self.memory_bytes.map(|value| value.to_string())),
            ("--cpu", self.cpu_seconds.map(|value| value.to_string())),
            ("--processes", self.processes.map(|value| value.to_string())),
        ];
        let mut arguments = vec![OsString::from(SUBCOMMAND)];
        for (name, value) in options {
            arguments.extend(
                value
                    .into_iter()
                    .flat_map(|value| [name.into(), value.into()]),
            );
        }
        arguments.push("--".into());
        arguments
    }
}

/// This program's own binary, to be asked for once at start.
///
/// On Linux `/proc/self/exe`, which stays the running file when an upgrade has replaced or removed
/// the one on disk; elsewhere, or without `/proc`, the path it was started from.
///
/// # Errors
/// When the system does not tell.
pub fn own_binary() -> io::Result<PathBuf> {
    let link = Path::new("/proc/self/exe");
    if cfg!(target_os = "linux") && link.exists() {
        return Ok(link.to_owned());
    }
    std::env::current_exe()
}

/// What the helper writes to stderr, alone, when it could not become the program.
pub fn report(error: &io::Error) -> Vec<u8> {
    format!("{REPORT}{}\n", error.raw_os_error().unwrap_or_default()).into_bytes()
}

/// The error behind a [`report`]; `None` when `stderr` is anything else.
pub fn read_report(stderr: &[u8]) -> Option<io::Error> {
    let text = std::str::from_utf8(stderr).ok()?;
    let errno = text.strip_prefix(REPORT)?.strip_suffix('\n')?;
    Some(io::Error::from_raw_os_error(errno.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_set_limits_are_written() {
        assert!(LimitsSpec::default().is_empty());
        assert_eq!(LimitsSpec::default().to_arguments(), [SUBCOMMAND, "--"]);
        let limits = LimitsSpec {
            nice: Some(-99),
            processes: Some(u64::MAX),
            ..LimitsSpec::default()
        };
        assert!(!limits.is_empty());
        let wanted = "__exec-limits --nice -20 --processes 18446744073709551615 --";
        assert_eq!(limits.to_arguments().join(" ".as_ref()), wanted);
    }

    #[test]
    fn the_own_binary_is_there() {
        assert!(own_binary().is_ok_and(|path| path.is_file()));
    }

    #[test]
    fn a_report_is_read_back() {
        let written = report(&io::Error::from_raw_os_error(8));
        assert!(written.len() <= REPORT_MAX);
        let longest = report(&io::Error::from_raw_os_error(i32::MIN));
        assert!(longest.len() <= REPORT_MAX);
        assert_eq!(
            read_report(&written).and_then(|e| e.raw_os_error()),
            Some(8)
        );
        let text = String::from_utf8(written).unwrap();
        for other in ["", "x", text.trim_end(), &format!("{text}more"), &text[1..]] {
            assert!(read_report(other.as_bytes()).is_none(), "{other:?}");
        }
    }
}
