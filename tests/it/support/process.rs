//! Waiting for events with a deadline: a test that would hang fails instead.

use std::time::{Duration, Instant};

/// Long enough for a loaded machine; a test that works never waits for it.
pub const DEADLINE: Duration = Duration::from_secs(30);

/// Asks again and again until the answer is there.
pub fn within<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + DEADLINE;
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(Instant::now() < end, "not within {DEADLINE:?}: {what}");
        std::thread::yield_now();
        std::thread::park_timeout(Duration::from_millis(5));
    }
}

/// Says that a test does not run here, and why; where nothing may be skipped (`SNODO_SKIP_NOTHING`, which
/// `.ci/run` sets) it fails.
pub fn skipped(why: &str) {
    assert!(
        std::env::var_os("SNODO_SKIP_NOTHING").is_none(),
        "skipped: {why}"
    );
    println!("skipped: {why}");
}

/// Sends a signal, such as `TERM`, to a process.
pub fn kill(pid: u32, signal: &str) {
    let pid = pid.to_string();
    let status = std::process::Command::new("kill")
        .args(["-s", signal, &pid])
        .status();
    assert!(status.unwrap().success());
}

/// Whether a process catches the signal of this number (`SigCgt` in proc_pid_status(5)).
pub fn handles(pid: u32, signal: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let mask = u64::from_str_radix(mask.unwrap_or("0").trim(), 16).unwrap();
    mask >> (signal - 1) & 1 == 1
}
