//! As fast as the server answers: each connection sends its next request when it has an answer.

use super::{Connection, LONG, Poll, Target, nanoseconds, timed};
use crate::measure::Run;
use std::time::{Duration, Instant};

/// When a load ends. Requests that were sent are waited for.
#[derive(Clone, Copy)]
pub enum Until {
    Time(Duration),
    Calls(usize),
}

/// Asks on so many connections, each with one request at a time.
pub fn closed(target: &Target, connections: usize, until: Until) -> Run {
    let mut poll = Poll::open(target, connections);
    let (mut left, end) = match until {
        Until::Time(time) => (usize::MAX, Instant::now() + time),
        Until::Calls(calls) => (calls, Instant::now() + Duration::from_secs(24 * 3600)),
    };
    let mut run = timed(|| {
        let mut latencies = Vec::with_capacity(1 << 16);
        let mut waiting = 0;
        for connection in poll.connections.iter_mut().take(left) {
            connection.send(&target.request, Instant::now());
            waiting += 1;
        }
        left -= waiting;
        while waiting > 0 {
            let mut answered = |connection: &mut Connection, _| {
                let now = Instant::now();
                latencies.push(nanoseconds(now - connection.since));
                if left > 0 && now < end {
                    left -= 1;
                    connection.send(&target.request, now);
                } else {
                    waiting -= 1;
                }
            };
            let events = if connections > 1 {
                poll.wait_awake(&target.expected, &mut answered)
            } else {
                poll.wait(LONG, &target.expected, &mut answered)
            };
            assert!(events > 0, "no answer for {LONG:?}");
        }
        latencies
    });
    run.load = run.load.saturating_sub(poll.idle);
    run
}
