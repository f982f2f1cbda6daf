//! The daemon's worker is killed, or leaves, again and again.

use super::world::{Alarm, World};
use crate::support::{kill, within};
use serde_json::json;

pub const KILLED: &str = "workers that were killed";
pub const LEFT: &str = "workers that left in the middle of a call";

/// Until the round is over.
pub fn play(world: &World) {
    let _alarm = Alarm(world);
    let mut turn = 0;
    while !world.stopped() {
        let before = running(world);
        if turn % 2 == 0 {
            kill(before, "KILL");
        } else {
            let answer = world.call(["crash", "leave"][turn / 2 % 2], json!({}));
            assert_eq!(answer["result"]["isError"], true, "{answer}");
        }
        within("another worker runs", || {
            (running(world) != before).then_some(())
        });
        world.tally.happened([KILLED, LEFT][turn % 2]);
        turn += 1;
    }
}

/// The worker's process. A call that is lost with the one before says nothing.
fn running(world: &World) -> u32 {
    within("a worker answers", || {
        let answer = world.call("who", json!({}));
        let pid = answer["result"]["structuredContent"]["pid"].as_u64()?;
        u32::try_from(pid).ok()
    })
}
