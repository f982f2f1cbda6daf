//! At a fixed rate, whatever the server does: a call's time counts from when it should have been sent.

use super::{LONG, Poll, Target, nanoseconds, timed};
use crate::measure::Run;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// How calls are sent.
#[derive(Clone, Copy)]
pub struct Fixed {
    /// Calls a second.
    pub rate: u32,
    pub connections: usize,
    pub time: Duration,
    /// Never sleeps, so that a call is sent to the microsecond; it takes a core of its own.
    pub spin: bool,
}

/// Sends calls evenly, each on a connection that is free, and gives when each was due.
pub fn fixed(target: &Target, how: Fixed) -> (Run, Vec<Instant>) {
    let mut poll = Poll::open(target, how.connections);
    let mut free: Vec<usize> = (0..how.connections).collect();
    let mut late: VecDeque<Instant> = VecDeque::new();
    let mut due = Vec::new();
    let every = Duration::from_secs(1) / how.rate;
    let begun = Instant::now();
    let end = begun + how.time;
    let (mut next, mut waiting, mut heard) = (begun, 0_usize, begun);
    let run = timed(|| {
        let mut latencies = Vec::new();
        loop {
            let now = Instant::now();
            while next <= now && next < end {
                late.push_back(next);
                next += every;
            }
            while let Some(index) = free.pop_if(|_| !late.is_empty()) {
                let since = late.pop_front().expect("one is due");
                let connection = poll.connections.get_mut(index).expect("a connection");
                connection.send(&target.request, since);
                waiting += 1;
            }
            if next >= end && waiting == 0 && late.is_empty() {
                return latencies;
            }
            let pause = if how.spin {
                Duration::ZERO
            } else if next < end {
                next.saturating_duration_since(Instant::now())
            } else {
                LONG
            };
            poll.wait(pause, &target.expected, |connection, index| {
                heard = Instant::now();
                latencies.push(nanoseconds(heard - connection.since));
                due.push(connection.since);
                free.push(index);
                waiting -= 1;
            });
            assert!(
                waiting == 0 || heard.elapsed() < LONG,
                "no answer for {LONG:?}"
            );
        }
    });
    (run, due)
}
