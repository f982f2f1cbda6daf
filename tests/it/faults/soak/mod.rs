//! Everything at once: calls of every kind over both transports and in every revision, edits, workers that are killed,
//! upstreams that hang, clients that are slow, deaf or gone, and those who listen. No call may fail that was not asked to, and
//! each answer is what it must be, byte by byte where that is known. Afterwards a server holds what it held before.
//!
//! `SNODO_SOAK_SECONDS` says how long `just soak` does this; the suite does it for two short rounds, each until everything has
//! happened.

mod callers;
mod crashes;
mod edits;
mod kinds;
mod leaving;
mod listeners;
mod numbers;
mod slow;
mod speaker;
mod tally;
mod world;

use crate::support::within;
use callers::{Caller, PASSES};
use numbers::{Held, memory, processes, settles};
use speaker::{Dialect, Line, Speaker};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use world::World;

/// How much more memory a server may have than after the first round, in KiB.
const GROWTH: u64 = 8 * 1024;

#[test]
fn a_mixed_load_under_all_faults_in_short() {
    soak(&[Duration::from_secs(1), Duration::from_secs(1)]);
}

#[test]
#[ignore = "a long form: `just soak`"]
fn a_mixed_load_under_all_faults() {
    let seconds = std::env::var("SNODO_SOAK_SECONDS").map_or(60, |text| text.parse().unwrap());
    let rounds = 1 + seconds / 15;
    let each = Duration::from_secs(seconds) / u32::try_from(rounds).unwrap();
    soak(&vec![each; usize::try_from(rounds).unwrap()]);
}

/// Three servers with four workers each.
const PROCESSES: usize = 3 * (1 + 4);

/// What must have happened before a round is over.
fn everything() -> Vec<(&'static str, u64)> {
    let callers = 5;
    let mut all = vec![
        (PASSES, callers),
        (edits::GOOD, 1),
        (edits::REFUSED, 1),
        (edits::CAME, 1),
        (crashes::KILLED, 1),
        (crashes::LEFT, 1),
        (slow::WROTE, 1),
        (slow::READ, 1),
        (slow::DEAF, 1),
        (leaving::CANCELLED_IN_LINES, 2),
    ];
    all.extend(leaving::WAYS.iter().map(|(what, _)| (*what, 1)));
    all.extend(callers::HEARD.map(|what| (what, 1)));
    all.extend(listeners::LISTS.map(|what| (what, 1)));
    all.extend(listeners::RESOURCES.map(|what| (what, 1)));
    all
}

fn soak(rounds: &[Duration]) {
    let mut world = World::new();
    let session = || Speaker::handshake(&world);
    let mut callers: Vec<Caller> = [
        Speaker::http(&world, "2026-07-28 over HTTP", Dialect::Modern),
        Speaker::http(&world, "2025-11-25 over HTTP, in a session", session()),
        Speaker::http(
            &world,
            "2025-11-25 over HTTP, without a session",
            Dialect::Bare,
        ),
        Speaker::stdio(&world, "modern", Dialect::Modern),
        Speaker::stdio(&world, "legacy", Dialect::Session(Vec::new())),
    ]
    .map(|speaker| Caller::in_the_calm(&world, speaker))
    .into();
    let mut servers: Vec<Server> = Vec::new();
    servers.push(Server::of(&world, "the daemon", None));
    for caller in &callers {
        if let Line::Stdio(stdio) = &caller.speaker.line {
            servers.push(Server::of(&world, caller.speaker.name, Some(stdio.pid())));
        }
    }
    for (number, least) in rounds.iter().enumerate() {
        round(&world, &mut callers, *least);
        for server in &mut servers {
            server.is_back(&world, number);
        }
        assert_eq!(counted(&world), world.counted.load(Ordering::SeqCst));
    }
    println!("{}", world.tally.told());
    for caller in callers {
        caller.ends();
    }
    world.daemon.signal("TERM");
    assert_eq!(world.daemon.wait().code(), Some(0));
    assert!(!world.daemon.stderr().contains("panicked"));
    assert_eq!(processes(&world), 0, "something is left");
}

/// One server, and what it has.
struct Server {
    name: &'static str,
    pid: Option<u32>,
    before: Held,
    /// After the first round.
    memory: u64,
}

impl Server {
    /// As it is once what was asked in the calm is over.
    fn of(world: &World, name: &'static str, pid: Option<u32>) -> Self {
        let before = within("the calm is over", || {
            let held = Held::of(world, pid);
            (held.busy == 0 && held.processes == PROCESSES).then_some(held)
        });
        Self {
            name,
            pid,
            before,
            memory: 0,
        }
    }

    fn is_back(&mut self, world: &World, round: usize) {
        let left = world.tally.count(leaving::LEFT_A_SESSION);
        let before = Held {
            listeners: left.min(world::LISTENERS),
            ..self.before
        };
        settles(before, || Held::of(world, self.pid));
        let memory = memory(self.pid.unwrap_or(world.daemon.pid()));
        println!(
            "{} after round {round}: {memory} KiB, {}",
            self.name, self.before
        );
        if round == 0 {
            self.memory = memory;
        }
        assert!(
            memory < self.memory + GROWTH,
            "{memory} KiB after {} KiB",
            self.memory
        );
    }
}

fn round(world: &World, callers: &mut [Caller], least: Duration) {
    let before: Vec<_> = everything()
        .into_iter()
        .map(|(what, times)| (what, world.tally.count(what) + times))
        .collect();
    world.begin();
    std::thread::scope(|scope| {
        let began = Instant::now();
        for caller in callers.iter_mut() {
            scope.spawn(move || caller.play(world));
        }
        for play in [
            edits::play,
            crashes::play,
            leaving::play,
            slow::play,
            slow::deaf,
            listeners::modern,
            listeners::legacy,
        ] {
            scope.spawn(move || play(world));
        }
        within("everything has happened", || {
            let missing = before
                .iter()
                .find(|(what, times)| world.tally.count(what) < *times);
            (world.stopped() || (missing.is_none() && began.elapsed() >= least)).then_some(())
        });
        world.stop();
    });
    for caller in callers {
        caller.comes_to_the_last_edit(world);
        caller.speaker.leave();
    }
}

/// What the daemon's counter has come to.
fn counted(world: &World) -> u64 {
    let answer = world.call("counted", serde_json::json!({}));
    answer["result"]["structuredContent"]["count"]
        .as_u64()
        .unwrap()
}
