//! What a server has of the system, and whether it is back where it began.

use super::super::{descriptors, status};
use super::world::World;
use crate::support::DEADLINE;
use std::fmt;
use std::time::{Duration, Instant};

/// What one server has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    pub descriptors: usize,
    /// Its tasks, actors and whatever is at work; of the daemon, which tells.
    pub tasks: u64,
    pub actors: u64,
    pub busy: u64,
    /// Processes of the whole soak: whatever works in the project's folder.
    pub processes: usize,
}

impl Held {
    /// What a server over stdio has.
    pub fn by(world: &World, pid: u32) -> Self {
        Self {
            descriptors: descriptors(pid),
            tasks: 0,
            actors: 0,
            busy: 0,
            processes: processes(world),
        }
    }

    pub fn by_daemon(world: &World) -> Self {
        let busy = [
            "snodo_requests_in_flight ",
            "snodo_requests_queued ",
            "snodo_http_connections ",
            "snodo_subscriptions ",
        ];
        Self {
            tasks: world.sample("snodo_tasks "),
            actors: world.sample("snodo_actors "),
            busy: busy.iter().map(|name| world.sample(name)).sum(),
            ..Self::by(world, world.daemon.pid())
        }
    }
}

impl fmt::Display for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} descriptors", self.descriptors)?;
        if self.tasks > 0 {
            write!(f, ", {} tasks, {} actors", self.tasks, self.actors)?;
        }
        write!(f, ", {} processes in all", self.processes)
    }
}

/// The resident memory of a server, in KiB.
pub fn memory(pid: u32) -> u64 {
    status(pid, "VmRSS")
}

/// Waits until it holds what it held before, or nothing has changed for a while: then the difference is told.
pub fn settles(before: Held, mut now: impl FnMut() -> Held) {
    let end = Instant::now() + DEADLINE;
    loop {
        let held = now();
        if held == before {
            return;
        }
        assert!(Instant::now() < end, "{held:?}\ninstead of {before:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// How many processes work below the project's folder: servers, workers, commands, and what these left behind.
fn processes(world: &World) -> usize {
    let entries = std::fs::read_dir("/proc").unwrap();
    let folders =
        entries.filter_map(|entry| std::fs::read_link(entry.ok()?.path().join("cwd")).ok());
    folders
        .filter(|cwd| cwd.starts_with(world.project.path()))
        .count()
}
