//! The load: one thread, plain sockets, one epoll. It must cost less than any server that it asks.

mod closed;
mod connection;
mod fixed;
pub mod lines;

pub use closed::{Until, closed};
pub use connection::{Answer, ask, open};
pub use fixed::{Fixed, fixed};

use crate::measure::Run;
use connection::Connection;
use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};
use rustix::fd::OwnedFd;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// Without any answer for so long, something hangs.
const LONG: Duration = Duration::from_secs(30);

/// What is asked, and what each answer must hold.
#[derive(Clone)]
pub struct Target {
    pub address: SocketAddr,
    pub request: Vec<u8>,
    pub expected: String,
}

impl Target {
    /// Asks once and checks the answer, which it gives.
    pub fn first(address: SocketAddr, request: Vec<u8>, expected: &str) -> (Self, Answer) {
        let answer = ask(address, &request);
        check(&answer.text(), expected);
        let expected = expected.to_owned();
        let target = Self {
            address,
            request,
            expected,
        };
        (target, answer)
    }
}

/// An answer is no failure and holds what it must.
fn check(body: &str, expected: &str) {
    let fine = body.contains(expected) && !body.contains(r#""isError":true"#);
    let begin = body.get(..2000).unwrap_or(body);
    assert!(fine, "`{expected}` is not answered, but: {begin}");
}

/// Connections that wait for their answers together.
struct Poll {
    epoll: OwnedFd,
    events: Vec<epoll::Event>,
    connections: Vec<Connection>,
    scratch: Vec<u8>,
    /// Processor time that was spent on looking when there was nothing.
    idle: Duration,
}

impl Poll {
    fn open(target: &Target, connections: usize) -> Self {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC).expect("an epoll");
        let connections: Vec<_> = (0..connections)
            .map(|index| {
                let connection = Connection::open(target.address);
                let data = epoll::EventData::new_u64(index as u64);
                epoll::add(&epoll, connection.stream(), data, epoll::EventFlags::IN)
                    .expect("a socket can be waited for");
                connection
            })
            .collect();
        Self {
            epoll,
            events: Vec::with_capacity(connections.len().max(1)),
            connections,
            scratch: vec![0; 1 << 18],
            idle: Duration::ZERO,
        }
    }

    /// Waits for something to read, `timeout` at the most, and gives the connections whose answers
    /// are complete to `done`.
    fn wait(
        &mut self,
        timeout: Duration,
        expected: &str,
        mut done: impl FnMut(&mut Connection, usize),
    ) -> usize {
        let timeout = Timespec::try_from(timeout).expect("a short time");
        self.events.clear();
        match epoll::wait(
            &self.epoll,
            spare_capacity(&mut self.events),
            Some(&timeout),
        ) {
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => return 0,
            Err(error) => panic!("epoll: {error}"),
        }
        for event in &self.events {
            let data = event.data;
            let index = data.u64() as usize;
            let connection = self.connections.get_mut(index).expect("its connection");
            if connection.read(&mut self.scratch, expected) {
                done(connection, index);
            }
        }
        self.events.len()
    }

    /// The same without sleeping. Who wakes a sleeping core pays for it, in a guest several
    /// microseconds; so a server that is slower than the load would be charged for being slower.
    fn wait_awake(
        &mut self,
        expected: &str,
        mut done: impl FnMut(&mut Connection, usize),
    ) -> usize {
        let begun = Instant::now();
        loop {
            let looked = own_cpu();
            let events = self.wait(Duration::ZERO, expected, &mut done);
            if events > 0 || begun.elapsed() > LONG {
                return events;
            }
            // To the upstream, where there is one on this core.
            rustix::thread::sched_yield();
            self.idle += own_cpu().saturating_sub(looked);
        }
    }
}

/// Nanoseconds, for a list that stays small.
fn nanoseconds(time: Duration) -> u32 {
    u32::try_from(time.as_nanos()).unwrap_or(u32::MAX)
}

/// Processor time of this process so far.
fn own_cpu() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::try_from(time).expect("a positive time")
}

/// Runs this and says what it took.
fn timed(latencies: impl FnOnce() -> Vec<u32>) -> Run {
    let (begun, cpu) = (Instant::now(), own_cpu());
    let latencies = latencies();
    Run {
        latencies,
        wall: begun.elapsed(),
        load: own_cpu().saturating_sub(cpu),
    }
}
