//! How long something took, counted in steps.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// The upper ends of the steps, in microseconds, and as Prometheus writes them. The last step has none.
pub(super) const STEPS: [(u64, &str); 15] = [
    (1_000, "0.001"),
    (2_500, "0.0025"),
    (5_000, "0.005"),
    (10_000, "0.01"),
    (25_000, "0.025"),
    (50_000, "0.05"),
    (100_000, "0.1"),
    (250_000, "0.25"),
    (500_000, "0.5"),
    (1_000_000, "1"),
    (2_500_000, "2.5"),
    (5_000_000, "5"),
    (10_000_000, "10"),
    (30_000_000, "30"),
    (60_000_000, "60"),
];

/// Durations in steps from a millisecond to a minute, and their sum.
#[derive(Debug, Default)]
pub struct Histogram {
    steps: [AtomicU64; STEPS.len() + 1],
    micros: AtomicU64,
}

impl Histogram {
    /// Counts one.
    pub fn add(&self, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let step = STEPS.iter().position(|(end, _)| micros <= *end);
        self.steps[step.unwrap_or(STEPS.len())].fetch_add(1, Relaxed);
        self.micros.fetch_add(micros, Relaxed);
    }

    /// How many there are up to the end of each step, the last without an end; and the sum in
    /// microseconds. Several additions may be half seen.
    pub(super) fn read(&self) -> ([u64; STEPS.len() + 1], u64) {
        let mut so_far = 0;
        let steps = self.steps.each_ref().map(|step| {
            so_far += step.load(Relaxed);
            so_far
        });
        (steps, self.micros.load(Relaxed))
    }
}
