//! What has happened so far: calls by kind with how long they took, and everything else by its name.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Instant;

#[derive(Default)]
pub struct Tally {
    /// Microseconds of each call.
    calls: Mutex<BTreeMap<&'static str, Vec<u32>>>,
    events: Mutex<BTreeMap<&'static str, u64>>,
}

impl Tally {
    /// A call of this kind was answered as it must be.
    pub fn called(&self, kind: &'static str, began: Instant) {
        let took = u32::try_from(began.elapsed().as_micros()).unwrap_or(u32::MAX);
        self.calls
            .lock()
            .unwrap()
            .entry(kind)
            .or_default()
            .push(took);
    }

    /// Something else has happened.
    pub fn happened(&self, what: &'static str) {
        *self.events.lock().unwrap().entry(what).or_default() += 1;
    }

    /// How often it has happened, as a call or otherwise.
    pub fn count(&self, what: &str) -> u64 {
        let calls = self.calls.lock().unwrap().get(what).map_or(0, Vec::len);
        calls as u64 + self.events.lock().unwrap().get(what).copied().unwrap_or(0)
    }

    /// All of it, in lines; with how many calls there were.
    pub fn told(&self) -> String {
        let mut text = String::new();
        let mut all = Vec::new();
        for (kind, took) in self.calls.lock().unwrap().iter() {
            all.extend_from_slice(took);
            text.push_str(&format!("  {kind}: {}\n", summary(took.clone())));
        }
        for (what, count) in self.events.lock().unwrap().iter() {
            text.push_str(&format!("  {what}: {count}\n"));
        }
        format!("calls: {}\n{text}", summary(all))
    }
}

/// How many, the median and the 99th percentile in milliseconds.
fn summary(mut took: Vec<u32>) -> String {
    took.sort_unstable();
    let at = |share: usize| took.get(took.len() * share / 100).copied().unwrap_or(0);
    let millis = |micros: u32| f64::from(micros) / 1000.0;
    format!(
        "{}, p50 {:.1} ms, p99 {:.1} ms",
        took.len(),
        millis(at(50)),
        millis(at(99))
    )
}
