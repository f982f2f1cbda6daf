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
    pub listeners: u64,
    /// Processes of the whole soak: whatever works in the project's folder.
    pub processes: usize,
}

impl Held {
    /// What the daemon has, or a server over stdio, which does not tell of itself.
    pub fn of(world: &World, pid: Option<u32>) -> Self {
        let busy = [
            "snodo_requests_in_flight ",
            "snodo_requests_queued ",
            "snodo_http_connections ",
        ];
        let told = |name| pid.map_or_else(|| world.sample(name), |_| 0);
        Self {
            descriptors: descriptors(pid.unwrap_or(world.daemon.pid())),
            tasks: told("snodo_tasks "),
            actors: told("snodo_actors "),
            busy: busy.into_iter().map(told).sum(),
            listeners: told("snodo_subscriptions "),
            processes: processes(world),
        }
    }

    /// Whether nothing is more than before.
    fn is_within(&self, before: &Self) -> bool {
        self.descriptors <= before.descriptors
            && self.tasks <= before.tasks
            && self.actors == before.actors
            && self.busy <= before.busy
            && self.listeners <= before.listeners
            && self.processes <= before.processes
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

/// Waits until it holds no more than before.
pub fn settles(before: Held, mut now: impl FnMut() -> Held) {
    let end = Instant::now() + DEADLINE;
    loop {
        let held = now();
        if held.is_within(&before) {
            return;
        }
        assert!(Instant::now() < end, "{held:?}\ninstead of {before:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// How many processes work below the project's folder: servers, workers, commands, and what these left behind.
pub fn processes(world: &World) -> usize {
    let entries = std::fs::read_dir("/proc").unwrap();
    let folders =
        entries.filter_map(|entry| std::fs::read_link(entry.ok()?.path().join("cwd")).ok());
    folders
        .filter(|cwd| cwd.starts_with(world.project.path()))
        .count()
}
