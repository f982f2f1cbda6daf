//! Noticing that a child has exited, without reaping it: the zombie holds its number.

use rustix::process::Pid;
use std::io;
use std::sync::OnceLock;
use tokio::signal::unix::{Signal, SignalKind, signal};

#[cfg(target_os = "linux")]
use {
    rustix::process::{PidfdFlags, pidfd_open},
    std::os::fd::OwnedFd,
    tokio::io::{Interest, unix::AsyncFd},
};

/// What wakes the one who waits for a child.
pub(super) enum Watch {
    /// Readable from the child's exit on (pidfd_open(2), Linux 5.3).
    #[cfg(target_os = "linux")]
    Descriptor(AsyncFd<OwnedFd>),
    /// SIGCHLD: some child has exited.
    Signal(Signal),
}

impl Watch {
    /// By descriptor where there is one: it wakes only who waits for this child.
    pub(super) fn new(child: Pid) -> io::Result<Self> {
        match Self::by_descriptor(child) {
            Some(watch) => Ok(watch),
            None => Self::by_signal(),
        }
    }

    #[cfg(target_os = "linux")]
    #[expect(
        deprecated,
        reason = "the new constructor is unsafe because the descriptor must stay open and the \
                  same; an OwnedFd is"
    )]
    fn by_descriptor(child: Pid) -> Option<Self> {
        let descriptor = pidfd_open(child, PidfdFlags::NONBLOCK).ok()?;
        let descriptor = AsyncFd::with_interest(descriptor, Interest::READABLE).ok()?;
        Some(Self::Descriptor(descriptor))
    }

    #[cfg(not(target_os = "linux"))]
    fn by_descriptor(_child: Pid) -> Option<Self> {
        None
    }

    fn by_signal() -> io::Result<Self> {
        Ok(Self::Signal(signal(SignalKind::child())?))
    }

    /// Waits for a sign that the child may have exited. May be dropped and called again.
    pub(super) async fn sign(&mut self) {
        match self {
            #[cfg(target_os = "linux")]
            Self::Descriptor(descriptor) => match descriptor.readable().await {
                Ok(mut sign) => sign.clear_ready(),
                Err(_) => runtime_ends().await,
            },
            Self::Signal(signal) => {
                if signal.recv().await.is_none() {
                    runtime_ends().await;
                }
            }
        }
    }
}

/// No event can come any more; whoever waits is about to be dropped.
async fn runtime_ends() {
    std::future::pending::<()>().await;
}

/// Makes sure that exited children become zombies.
///
/// A parent that ignored SIGCHLD leaves it ignored here, and then the kernel reaps children by
/// itself: their status is lost and their number may be a stranger's. Any handler ends that.
pub(super) fn keep_zombies() -> io::Result<()> {
    static DONE: OnceLock<()> = OnceLock::new();
    if DONE.get().is_none() {
        if ignored(SignalKind::child()) {
            // The handler stays when the stream is dropped.
            drop(signal(SignalKind::child())?);
        }
        DONE.get_or_init(|| ());
    }
    Ok(())
}

/// Whether a signal is ignored by this process (`SigIgn` in proc_pid_status(5)); where that cannot
/// be known, it is taken to be.
fn ignored(kind: SignalKind) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_none_or(|mask| mask >> (kind.as_raw_value() - 1) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    #[expect(clippy::disallowed_methods, reason = "it is waited for below")]
    async fn an_exit_is_a_sign() {
        for by_signal in [false, true] {
            let mut child = std::process::Command::new("cat")
                .stdin(std::process::Stdio::piped())
                .spawn()
                .unwrap();
            let pid = Pid::from_child(&child);
            let mut watch = match by_signal {
                true => Watch::by_signal().unwrap(),
                false => Watch::new(pid).unwrap(),
            };
            drop(child.stdin.take());
            watch.sign().await;
            while child.try_wait().unwrap().is_none() {
                watch.sign().await;
            }
            assert!(child.wait().unwrap().success());
        }
    }
}
