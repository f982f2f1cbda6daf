//! An edit of one file among 500: how soon it is served, and what calls notice of it.

use super::many;
use crate::cores::Place;
use crate::load::{Fixed, Target, ask, fixed};
use crate::mcp;
use crate::measure::{Plan, median, percentile};
use crate::process::Server;
use crate::table::{Figure, Goal, Row, Unit};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const FILES: usize = 500;
/// The least that `reload.debounce_ms` may be. It is waited in any case, so it is not counted.
const QUIET: Duration = Duration::from_millis(10);

pub(super) fn reload(plan: &Plan) -> Row {
    let folder = many::folder(FILES, "first");
    let quiet = format!("reload.debounce_ms={}", QUIET.as_millis());
    // Both cores: a reload works beside the calls, not instead of them.
    Place::Anywhere.go();
    let snodo = Server::snodo_at(Place::Anywhere, folder.path(), &[&quiet]);
    let edits = if plan.is_short() { 5 } else { 15 };
    let times = (0..edits).map(|edit| {
        let (begun, live) = change(folder.path(), snodo.address, &format!("alone{edit}"));
        (live - begun).saturating_sub(QUIET).as_secs_f64() * 1e3
    });
    let live = median(times.collect());
    let (during, without) = in_flight(plan, folder.path(), snodo.address);
    let calls = during.len();
    Row {
        name: "reload",
        figures: vec![
            Figure::alone(
                "1 changed file of 500, from its write to the first new answer",
                Unit::Milliseconds,
                live,
                Goal::AtMost(40.0),
            ),
            Figure::ratio(
                "p99 of calls during it, beside calls without",
                Unit::Microseconds,
                (percentile(&during, 0.99), percentile(&without, 0.99)),
                Goal::AtMost(2.0),
            ),
        ],
        notes: vec![format!(
            "`reload.debounce_ms` is {} ms, and not counted; {calls} calls were due during reloads",
            QUIET.as_millis()
        )],
    }
}

/// Edits the first file; when that began, and when the first new answer was there.
fn change(folder: &Path, address: SocketAddr, word: &str) -> (Instant, Instant) {
    let request = mcp::call(address, "tool_0_0", r#"{"name":"x"}"#);
    let begun = Instant::now();
    many::write(folder, 0, word);
    loop {
        if ask(address, &request).text().contains(word) {
            return (begun, Instant::now());
        }
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "the edit is not served"
        );
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Nanoseconds of calls to a file that does not change, at a fixed rate, sorted: those that were due
/// while an edit was worked on, and those of turns without edits.
fn in_flight(plan: &Plan, folder: &Path, address: SocketAddr) -> (Vec<u32>, Vec<u32>) {
    let request = mcp::call(address, "tool_1_0", r#"{"name":"x"}"#);
    let (target, _) = Target::first(address, request, "first x 1");
    let how = Fixed {
        rate: 2000,
        connections: 16,
        time: plan.time,
        spin: false,
    };
    let (mut during, mut without) = (Vec::new(), Vec::new());
    for turn in 0..plan.turns {
        let (quiet, _) = fixed(&target, how);
        without.extend(quiet.latencies);
        let over = AtomicBool::new(false);
        let (run, due, edits) = std::thread::scope(|scope| {
            let editor = scope.spawn(|| {
                let mut edits = Vec::new();
                while !over.load(Ordering::Relaxed) {
                    let word = format!("turn{turn}_{}", edits.len());
                    let (begun, live) = change(folder, address, &word);
                    edits.push(begun + QUIET..live);
                    std::thread::sleep(Duration::from_millis(100));
                }
                edits
            });
            let (run, due) = fixed(&target, how);
            over.store(true, Ordering::Relaxed);
            (run, due, editor.join().expect("edits are served"))
        });
        let times = run.latencies.into_iter().zip(due);
        let met = times.filter(|(_, due)| edits.iter().any(|edit| edit.contains(due)));
        during.extend(met.map(|(took, _)| took));
    }
    during.sort_unstable();
    without.sort_unstable();
    (during, without)
}
