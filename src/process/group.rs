//! A child and the process group it leads, until nothing is left of either.
//!
//! The number of a group is the number of its leader. The kernel gives a number out again only when
//! no process and no group has it (POSIX.1-2024, 3.272), so a signal to the group cannot reach a
//! stranger while the leader is not reaped, not even when it is a zombie; that is why its exit is
//! waited for without reaping it. Whether anything *else* is left cannot be asked then, because the
//! zombie is a member too. So the leader is reaped once its output has been read, and from there on
//! the number is used only after a check that it still names a group and **no** process: a group
//! that lost its leader is like that, and one that reused the number begins with a process of it.
//!
//! Not reached: a process that left the group (setsid, setpgid, a shell's `set -m`), one that runs
//! as another user, and everything when this program itself is ended by SIGKILL: then commands run
//! on until their next write to a closed pipe or, under systemd, until the unit's control group is
//! ended. (PR_SET_PDEATHSIG would need code between fork and exec.)

use super::members::Members;
use super::watch::Watch;
use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitOptions, kill_process, kill_process_group, test_kill_process,
    test_kill_process_group, waitpgid,
};
use std::collections::BTreeSet;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often it is asked whether a group without a leader is gone: no event tells.
const FIRST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(20);

/// How long the last resort blocks for a killed child to be reaped.
const LAST_RESORT: Duration = Duration::from_millis(100);

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It exited with this code.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
    /// The system has not told: the process hangs inside the kernel and its SIGKILL waits.
    Unknown,
}

/// The numbers of the groups that are owned now, and how many ever were.
static OWNED: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());
static STARTED: AtomicU64 = AtomicU64::new(0);

/// How many children run, their groups included.
pub fn running() -> u64 {
    owned().len() as u64
}

/// Whether this is the leader of a group that is owned: reaping it is the owner's.
pub(super) fn owns(pid: i32) -> bool {
    owned().contains(&pid)
}

fn owned() -> MutexGuard<'static, BTreeSet<i32>> {
    // A set is whole between any two calls.
    OWNED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many children were started so far.
pub fn started() -> u64 {
    STARTED.load(Relaxed)
}

/// A child that leads its own process group, owned until nothing is left of either.
pub struct Group {
    leader: Child,
    number: Pid,
    watch: Option<Watch>,
    asked: bool,
    reaped: bool,
    status: Option<ExitStatus>,
    members: Members,
    gone: bool,
}

impl Group {
    /// Owns a child that was started as the leader of its own group.
    pub(super) fn new(leader: Child) -> Self {
        let number = Pid::from_child(&leader);
        owned().insert(number.as_raw_pid());
        STARTED.fetch_add(1, Relaxed);
        Self {
            number,
            leader,
            watch: None,
            asked: false,
            reaped: false,
            status: None,
            members: Members::default(),
            gone: false,
        }
    }

    /// Begins to watch for the leader's exit.
    pub(super) fn watch(&mut self) -> io::Result<()> {
        self.watch = Some(Watch::new(self.number)?);
        Ok(())
    }

    /// The leader, for its pipes.
    pub fn child(&mut self) -> &mut Child {
        &mut self.leader
    }

    /// Waits until the leader has exited, without reaping it.
    pub async fn exited(&mut self) {
        while !self.has_exited() {
            match &mut self.watch {
                Some(watch) => watch.sign().await,
                None => return,
            }
        }
    }

    /// ECHILD counts as exited: somebody else has reaped it, waiting longer would be for ever.
    #[cfg(not(any(target_os = "openbsd", target_os = "cygwin")))]
    fn has_exited(&mut self) -> bool {
        use rustix::process::{WaitId, WaitIdOptions, waitid};
        let peek = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        self.reaped || !matches!(waitid(WaitId::Pid(self.number), peek), Ok(None))
    }

    /// Without waitid(2) there is no looking without reaping.
    #[cfg(any(target_os = "openbsd", target_os = "cygwin"))]
    fn has_exited(&mut self) -> bool {
        self.reap();
        self.reaped
    }

    /// Reaps the leader if it has exited.
    pub fn reap(&mut self) {
        if self.reaped {
            return;
        }
        match self.leader.try_wait() {
            Ok(None) => {}
            Ok(status) => {
                self.reaped = true;
                self.status = status;
            }
            // Somebody else has reaped it: there is nothing more to know.
            Err(_) => self.reaped = true,
        }
    }

    /// Waits until the leader has exited and is reaped and no other member is left.
    pub async fn over(&mut self) {
        self.exited().await;
        self.reap();
        let mut pause = FIRST_PAUSE;
        while !self.is_gone() {
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// True when nothing is left: the leader is reaped, nothing else in the group is alive, and no
    /// zombie in it is ours.
    pub fn is_gone(&mut self) -> bool {
        self.gone = self.gone || (self.reaped && self.is_empty());
        self.gone
    }

    fn is_empty(&mut self) -> bool {
        !self.is_leaderless() || (!self.members.any_alive(self.number) && reap_orphans(self.number))
    }

    /// Sends SIGTERM to the group, the first time only. SIGCONT lets a stopped process see it.
    pub fn ask(&mut self) {
        if !self.asked {
            self.asked = true;
            self.signal(Signal::TERM);
            self.signal(Signal::CONT);
        }
    }

    /// Whether [`Group::ask`] was called.
    pub fn is_asked(&self) -> bool {
        self.asked
    }

    /// Sends SIGKILL to the group.
    pub fn kill(&self) {
        self.signal(Signal::KILL);
    }

    /// How the leader ended, once it is reaped.
    pub fn exit(&self) -> Exit {
        let Some(status) = self.status else {
            return Exit::Unknown;
        };
        match (status.code(), status.signal()) {
            (Some(code), _) => Exit::Code(code),
            (None, Some(signal)) => Exit::Signal(signal),
            (None, None) => Exit::Unknown,
        }
    }

    /// Errors mean that nobody is there (ESRCH) or that it is another user's (EPERM): nothing to do.
    fn signal(&self, signal: Signal) {
        if self.reaped && !self.is_leaderless() {
            return;
        }
        let sent = kill_process_group(self.number, signal);
        // A leader that moved to another group is still ours.
        if !self.reaped && (sent.is_err() || signal == Signal::KILL) {
            let _gone = kill_process(self.number, signal);
        }
    }

    /// The last resort, when the runtime ends before the group: SIGKILL, and a bounded wait.
    fn end(&mut self) {
        if self.is_gone() {
            return;
        }
        self.kill();
        let began = Instant::now();
        self.reap();
        while !self.is_gone() && began.elapsed() < LAST_RESORT {
            std::thread::sleep(FIRST_PAUSE);
            self.reap();
        }
    }

    /// Whether the number, whose leader is reaped, still names this group, which a signal can reach.
    fn is_leaderless(&self) -> bool {
        test_kill_process_group(self.number).is_ok()
            && test_kill_process(self.number) == Err(Errno::SRCH)
    }
}

/// As process 1 of a container we inherit the group's orphans, and reaping them is for us. True when
/// none is left, which for anybody but process 1 is always so (ECHILD).
fn reap_orphans(group: Pid) -> bool {
    loop {
        match waitpgid(group, WaitOptions::NOHANG) {
            Ok(Some(_)) => {}
            Ok(None) => return false,
            Err(_) => return true,
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.end();
        owned().remove(&self.number.as_raw_pid());
    }
}
