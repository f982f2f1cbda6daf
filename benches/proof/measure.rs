//! Turns: the sides take them alternately, and what is compared was measured side by side.

use crate::process::Process;
use std::time::Duration;

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub turns: usize,
    /// How long a turn of one side is.
    pub time: Duration,
    /// Calls that memory must stay flat over.
    pub calls: usize,
}

impl Plan {
    pub const FULL: Self = Self {
        turns: 5,
        time: Duration::from_secs(2),
        calls: 1_000_000,
    };
    pub const SHORT: Self = Self {
        turns: 3,
        time: Duration::from_millis(300),
        calls: 50_000,
    };

    pub fn is_short(&self) -> bool {
        self.turns < Self::FULL.turns
    }
}

/// What one load saw.
pub struct Run {
    /// Each call's time in nanoseconds, in the order of the answers.
    pub latencies: Vec<u32>,
    pub wall: Duration,
    /// Processor time of the load itself.
    pub load: Duration,
}

/// Of sorted nanoseconds, in microseconds.
pub fn percentile(sorted: &[u32], share: f64) -> f64 {
    let index = ((sorted.len() as f64 * share) as usize).min(sorted.len().saturating_sub(1));
    sorted.get(index).map_or(0.0, |ns| f64::from(*ns) / 1000.0)
}

/// One turn of one side, in figures.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// Calls a second.
    pub rate: f64,
    /// Processor time of a call, microseconds.
    pub cpu: f64,
    /// Microseconds.
    pub p50: f64,
    pub p99: f64,
    /// The share of the time that the load's core and the server's were busy.
    pub load: f64,
    pub server: f64,
}

/// Runs a load and says what it and the server took.
pub fn turn(process: &Process, load: impl FnOnce() -> Run) -> Turn {
    let before = process.cpu();
    let mut run = load();
    let cpu = process.cpu().saturating_sub(before).as_secs_f64();
    run.latencies.sort_unstable();
    let (calls, wall) = (run.latencies.len() as f64, run.wall.as_secs_f64());
    Turn {
        rate: calls / wall,
        cpu: cpu * 1e6 / calls,
        p50: percentile(&run.latencies, 0.5),
        p99: percentile(&run.latencies, 0.99),
        load: run.load.as_secs_f64() / wall,
        server: cpu / wall,
    }
}

/// One of those that are compared.
pub type Side<'a> = Box<dyn FnMut(&Plan) -> Turn + 'a>;

/// The sides take a short turn that does not count, then their turns, each time another one first.
/// The turns come in the order of the sides.
pub fn alternate(plan: &Plan, mut sides: Vec<Side<'_>>) -> Vec<Vec<Turn>> {
    let warm = Plan {
        time: plan.time.min(Duration::from_millis(300)),
        ..*plan
    };
    for side in &mut sides {
        side(&warm);
    }
    let count = sides.len();
    let mut all: Vec<Vec<Turn>> = vec![Vec::new(); count];
    for round in 0..plan.turns {
        for step in 0..count {
            let at = (round + step) % count;
            let side = sides.get_mut(at).expect("a side");
            let turns = all.get_mut(at).expect("its turns");
            turns.push(side(plan));
        }
    }
    all
}

/// The middle value.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// The middle of one figure of the turns.
pub fn middle(turns: &[Turn], figure: fn(&Turn) -> f64) -> f64 {
    median(turns.iter().map(figure).collect())
}
