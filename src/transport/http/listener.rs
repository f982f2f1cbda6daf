//! Accepting connections, and stopping.

use super::bind::{Acceptor, Door, Listener};
use super::body::Intake;
use super::connection::{self, Protocols};
use super::exchange::{Peer, Site};
use super::guard::HostRule;
use super::link::Order;
use super::links::Links;
use super::moving::Move;
use super::tls::Doorman;
use super::wire::Socket;
use crate::server::Endpoint;
use crate::shutdown::Shutdown;
use crate::telemetry::Metrics;
use futures_util::future::poll_fn;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval, sleep_until, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How often connections are looked over while the listener stops, at the least.
const STOPPING_PACE: Duration = Duration::from_millis(100);
/// How long aborted connections may take to be gone.
const ABORTING: Duration = Duration::from_secs(1);
/// The first and the longest wait after accepting has failed for want of descriptors or memory.
const PAUSES: (Duration, Duration) = (Duration::from_millis(10), Duration::from_secs(1));

impl Listener {
    /// Serves until `shutdown` begins, then stops: the sockets close at once, idle connections too,
    /// requests in flight are answered within `grace` (with `Connection: close`), and what is left
    /// then is aborted, which cancels its requests. Returns when no connection is left. Dropping the
    /// future aborts every connection at once.
    ///
    /// `endpoint` should itself answer what it has in flight before `grace` has passed: to an aborted
    /// request there is no answer.
    pub async fn serve<E: Endpoint>(self, endpoint: Arc<E>, shutdown: &Shutdown, grace: Duration) {
        let tasks = TaskTracker::new();
        let site = Site {
            endpoint,
            path: self.path,
            origins: self.origins,
            intake: Intake::new(&self.settings),
            doorman: self.certificate.map(Doorman::new),
        };
        let mut hall = Hall {
            doors: self.doors,
            slots: Arc::new(Semaphore::new(
                self.settings
                    .max_connections
                    .clamp(1, Semaphore::MAX_PERMITS),
            )),
            links: Links::new(&self.settings),
            protocols: Arc::new(Protocols::new(&tasks, self.settings.max_connections)),
            site: Arc::new(site),
            tasks,
            said_full: None,
            metrics: self.metrics,
            moved: self.moved,
        };
        hall.receive(shutdown.token()).await;
        hall.empty(grace).await;
    }
}

/// How long until it may be said again that there is no room.
const FULL_AGAIN: Duration = Duration::from_secs(60);

/// The listening sockets and everything that came through them.
struct Hall<E> {
    doors: Vec<Door>,
    slots: Arc<Semaphore>,
    links: Links,
    protocols: Arc<Protocols>,
    site: Arc<Site<E>>,
    tasks: TaskTracker,
    said_full: Option<Instant>,
    metrics: Metrics,
    moved: Option<mpsc::Receiver<Move>>,
}

impl<E: Endpoint> Hall<E> {
    /// Accepts connections until the token is cancelled.
    async fn receive(&mut self, stop: &CancellationToken) {
        let mut clock = interval(self.links.pace());
        clock.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut turn = 0;
        let mut shortage = Shortage::default();
        while let Some(slot) = self.slot(stop, &mut clock).await {
            let Some((socket, hosts)) = self.next(stop, &mut clock, &mut turn, &mut shortage).await
            else {
                return;
            };
            self.welcome(socket, hosts, slot);
        }
    }

    /// The right to one more connection. While there is none, idle connections make room, and new
    /// ones wait in the backlog: they are neither refused nor held here. None at the end.
    async fn slot(
        &mut self,
        stop: &CancellationToken,
        clock: &mut Interval,
    ) -> Option<OwnedSemaphorePermit> {
        if let Ok(slot) = Arc::clone(&self.slots).try_acquire_owned() {
            return Some(slot);
        }
        if self
            .said_full
            .is_none_or(|last| last.elapsed() > FULL_AGAIN)
        {
            self.said_full = Some(Instant::now());
            tracing::warn!("as many connections as `http.max_connections` allows; others wait");
        }
        let slot = Arc::clone(&self.slots).acquire_owned();
        let mut slot = pin!(slot);
        self.links.evict();
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => return None,
                slot = &mut slot => return slot.ok(),
                made = moved(&mut self.moved) => self.make(made),
                _ = clock.tick() => {
                    self.links.sweep();
                    self.links.evict();
                }
            }
        }
    }

    /// The next connection. None at the end.
    async fn next(
        &mut self,
        stop: &CancellationToken,
        clock: &mut Interval,
        turn: &mut usize,
        shortage: &mut Shortage,
    ) -> Option<(Socket, Arc<HostRule>)> {
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => return None,
                _ = clock.tick(), if !self.links.is_empty() => {
                    self.links.sweep();
                    if shortage.until.is_some() {
                        self.links.evict();
                    }
                }
                made = moved(&mut self.moved) => self.make(made),
                () = shortage.over(), if shortage.until.is_some() => shortage.until = None,
                accepted = poll_fn(|cx| accept(&self.doors, turn, cx)), if shortage.until.is_none() => match accepted {
                    Ok(accepted) => {
                        shortage.passed();
                        return Some(accepted);
                    }
                    Err(error) => shortage.met(&error),
                },
            }
        }
    }

    /// Opens and closes doors. The connections that came in by a closed one stay.
    fn make(&mut self, made: Move) {
        self.doors.retain(|door| made.wanted.contains(&door.place));
        self.doors
            .extend(made.new.into_iter().flat_map(|new| new.doors));
    }

    fn welcome(&mut self, socket: Socket, hosts: Arc<HostRule>, slot: OwnedSemaphorePermit) {
        let peer = Arc::new(Peer {
            site: Arc::clone(&self.site),
            hosts,
            link: self.links.admit(),
        });
        let protocols = Arc::clone(&self.protocols);
        self.metrics.counters().accepted.add();
        let open = self.metrics.present(|counters| &counters.connections);
        self.tasks.spawn(async move {
            connection::run(protocols, peer, socket).await;
            drop((slot, open));
        });
    }

    /// Closes the sockets and waits for the connections to end.
    async fn empty(mut self, grace: Duration) {
        self.doors.clear();
        self.links.give(Order::Close);
        self.tasks.close();
        let deadline = Instant::now() + grace;
        let mut clock = interval(self.links.pace().min(STOPPING_PACE));
        loop {
            tokio::select! {
                biased;
                () = self.tasks.wait() => return,
                () = sleep_until(deadline) => break,
                _ = clock.tick() => self.links.sweep(),
            }
        }
        tracing::info!(tasks = self.tasks.len(), "aborting what is still in flight");
        self.links.give(Order::Abort);
        if timeout(ABORTING, self.tasks.wait()).await.is_err() {
            tracing::warn!(tasks = self.tasks.len(), "connections left behind");
        }
    }
}

/// The next move; never, when nobody can say so any more.
async fn moved(moves: &mut Option<mpsc::Receiver<Move>>) -> Move {
    if let Some(receiver) = moves {
        if let Some(made) = receiver.recv().await {
            return made;
        }
        *moves = None;
    }
    std::future::pending().await
}

/// The next connection of any door, the doors taking turns.
///
/// # Errors
/// Only those that are the system's rather than one peer's.
fn accept(
    doors: &[Door],
    turn: &mut usize,
    cx: &mut Context<'_>,
) -> Poll<io::Result<(Socket, Arc<HostRule>)>> {
    let (before, from) = doors.split_at(*turn % doors.len().max(1));
    for (index, door) in from.iter().chain(before).enumerate() {
        loop {
            let accepted = match &door.socket {
                Acceptor::Tcp(socket) => socket
                    .poll_accept(cx)
                    .map_ok(|(stream, _)| Socket::Tcp(stream)),
                Acceptor::Unix(_, socket) => socket
                    .poll_accept(cx)
                    .map_ok(|(stream, _)| Socket::Unix(stream)),
                #[cfg(test)]
                Acceptor::Failing(errors) => match errors.lock().unwrap().pop() {
                    Some(errno) => Poll::Ready(Err(io::Error::from_raw_os_error(errno))),
                    None => Poll::Pending,
                },
            };
            match accepted {
                Poll::Pending => break,
                Poll::Ready(Ok(socket)) => {
                    *turn = turn.wrapping_add(index + 1);
                    if let Socket::Tcp(stream) = &socket {
                        // An answer is written in one go, so Nagle's algorithm could only delay it.
                        // It fails when the peer has already gone; reading will tell.
                        let _ = stream.set_nodelay(true);
                    }
                    return Poll::Ready(Ok((socket, Arc::clone(&door.hosts))));
                }
                Poll::Ready(Err(error)) if is_shortage(&error) => return Poll::Ready(Err(error)),
                // That connection's own misfortune (accept(2) names several); the next is waiting.
                Poll::Ready(Err(error)) => {
                    tracing::debug!(%error, "a connection was lost before it was accepted")
                }
            }
        }
    }
    Poll::Pending
}

/// True for the errors of accept(2) that repeat at once if nothing changes.
fn is_shortage(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let passing = [
        Errno::CONNABORTED,
        Errno::INTR,
        Errno::PROTO,
        Errno::NETDOWN,
        Errno::NOPROTOOPT,
        Errno::HOSTDOWN,
        Errno::HOSTUNREACH,
        Errno::OPNOTSUPP,
        Errno::NETUNREACH,
        Errno::PERM,
    ];
    !passing
        .iter()
        .any(|passing| Some(passing.raw_os_error()) == error.raw_os_error())
}

/// A time without descriptors or memory: said once, waited out with growing pauses.
#[derive(Debug, Default)]
struct Shortage {
    pause: Option<Duration>,
    until: Option<Instant>,
}

impl Shortage {
    /// Accepting failed.
    fn met(&mut self, error: &io::Error) {
        let pause = match self.pause {
            None => {
                tracing::warn!(%error, "cannot accept connections; trying again until it works");
                PAUSES.0
            }
            Some(last) => (last * 2).min(PAUSES.1),
        };
        self.pause = Some(pause);
        self.until = Some(Instant::now() + pause);
    }

    /// Accepting worked.
    fn passed(&mut self) {
        if self.pause.take().is_some() {
            tracing::info!("accepting connections again");
        }
    }

    async fn over(&self) {
        if let Some(until) = self.until {
            sleep_until(until).await;
        }
    }
}
