//! Which core runs what: servers on the first one, the load on the second.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::sync::OnceLock;

/// The core of the servers, and the core of the load and of what upstreams there are.
struct Cores {
    server: usize,
    load: usize,
}

static CORES: OnceLock<Cores> = OnceLock::new();

/// Picks the first two cores that this process may use. The thread stays where it is.
pub fn pick() {
    let allowed = sched_getaffinity(None).expect("which cores there are");
    let mut cores = (0..CpuSet::MAX_CPU).filter(|core| allowed.is_set(*core));
    let (server, load) = (cores.next(), cores.next());
    let (Some(server), Some(load)) = (server, load) else {
        panic!("two cores are needed: one for the server, one for the load");
    };
    CORES.get_or_init(|| Cores { server, load });
}

fn cores() -> &'static Cores {
    CORES.get().expect("cores were picked")
}

/// The core of the load, for a program that moves there itself.
pub fn load() -> usize {
    cores().load
}

/// Moves this thread to that core.
pub fn pin(core: usize) {
    stay_on(&one(core));
}

fn stay_on(set: &CpuSet) {
    sched_setaffinity(None, set).expect("a core of its own");
}

fn one(core: usize) -> CpuSet {
    let mut set = CpuSet::new();
    set.set(core);
    set
}

/// Where a thread, and what it starts, runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Server,
    Load,
    /// Both cores, as the system likes.
    Anywhere,
}

impl Place {
    /// Moves this thread there. Threads and processes that it starts from now on begin there.
    pub fn go(self) {
        let set = match self {
            Self::Server => one(cores().server),
            Self::Load => one(cores().load),
            Self::Anywhere => {
                let mut both = one(cores().server);
                both.set(cores().load);
                both
            }
        };
        stay_on(&set);
    }

    /// Does this there and comes back.
    pub fn during<T>(self, work: impl FnOnce() -> T) -> T {
        let before = sched_getaffinity(None).expect("where it is");
        self.go();
        let done = work();
        stay_on(&before);
        done
    }
}
