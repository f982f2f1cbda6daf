//! One connection as its listener sees it: what it is doing, since when, and what it is told to do.
//!
//! A connection has no timer of its own. It notes each change of what it does, and the listener looks
//! over all of them now and then ([`super::links::Links::sweep`]). That costs a request two relaxed
//! stores instead of arming and disarming a timer.

use futures_util::task::AtomicWaker;
use std::sync::Arc;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64};
use std::task::Waker;
use std::time::Instant;

/// What a connection is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Phase {
    /// A request's head is on its way, or the first request is awaited.
    Head,
    /// A request is being answered. What answers it has its own bounds.
    Busy,
    /// Nothing, between requests.
    Idle,
    /// The peer does not take what it is sent: the socket's buffer is full, or on HTTP/2 an answer
    /// waits for the room that the peer gives it. Anything that it takes begins the phase anew.
    Sending,
    /// The connection ends when the peer has taken the rest.
    Closing,
}

/// What a connection is told to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Order {
    /// To go on.
    None,
    /// To take no further request.
    Close,
    /// To end now. What runs for it is cancelled.
    Abort,
}

/// Shared by a connection's task, its streams' tasks and its listener.
#[derive(Debug)]
pub(super) struct Link {
    epoch: Instant,
    waker: AtomicWaker,
    order: AtomicU8,
    phase: AtomicU8,
    since: AtomicU64,
    running: AtomicU32,
    begun: AtomicU32,
    progress: AtomicU32,
    untaken: AtomicU32,
    heard: AtomicBool,
    blocked: AtomicBool,
    refused: AtomicBool,
}

impl Link {
    /// A connection that was accepted just now. `epoch` is the listener's.
    pub(super) fn new(epoch: Instant) -> Self {
        Self {
            epoch,
            waker: AtomicWaker::new(),
            order: AtomicU8::new(Order::None as u8),
            phase: AtomicU8::new(Phase::Head as u8),
            since: AtomicU64::new(millis(epoch)),
            running: AtomicU32::new(0),
            begun: AtomicU32::new(0),
            progress: AtomicU32::new(0),
            untaken: AtomicU32::new(0),
            heard: AtomicBool::new(false),
            blocked: AtomicBool::new(false),
            refused: AtomicBool::new(false),
        }
    }

    // The listener's side.

    /// What the connection does, and since which millisecond of the epoch.
    pub(super) fn phase(&self) -> (Phase, u64) {
        // In this order: `enter` writes them the other way round, so a new phase is never paired
        // with an old time.
        let phase = match self.phase.load(Acquire) {
            0 => Phase::Head,
            1 => Phase::Busy,
            2 => Phase::Idle,
            3 => Phase::Sending,
            _ => Phase::Closing,
        };
        (phase, self.since.load(Relaxed))
    }

    /// Gives an order. A weaker one than the last changes nothing.
    pub(super) fn give(&self, order: Order) {
        if self.order.fetch_max(order as u8, AcqRel) < order as u8 {
            self.waker.wake();
        }
    }

    /// True when [`Phase::Sending`] is over and the connection has not noted it: the last part was
    /// taken, or dropped, in a task of its own. It notes it now.
    pub(super) fn has_sent(&self) -> bool {
        let sent = !self.is_blocked() && self.untaken.load(Acquire) == 0;
        if sent {
            self.waker.wake();
        }
        sent
    }

    // The connection's side.

    /// The order that stands. `waker` is woken when another is given.
    pub(super) fn order(&self, waker: &Waker) -> Order {
        self.waker.register(waker);
        match self.order.load(Acquire) {
            0 => Order::None,
            1 => Order::Close,
            _ => Order::Abort,
        }
    }

    /// Notes that the phase began now.
    pub(super) fn enter(&self, phase: Phase) {
        self.since.store(millis(self.epoch), Relaxed);
        self.phase.store(phase as u8, Release);
    }

    /// Bytes came.
    pub(super) fn heard(&self) {
        self.heard.store(true, Relaxed);
    }

    /// The peer took bytes.
    pub(super) fn wrote(&self) {
        self.blocked.store(false, Relaxed);
        self.progress
            .store(self.progress.load(Relaxed).wrapping_add(1), Relaxed);
    }

    /// The peer took none.
    pub(super) fn blocked(&self) {
        self.blocked.store(true, Relaxed);
    }

    /// True while bytes wait for the peer to take them.
    pub(super) fn is_blocked(&self) -> bool {
        self.blocked.load(Relaxed)
    }

    /// A request was answered although its body has not all come: the connection must end.
    pub(super) fn refuse(&self) {
        self.refused.store(true, Relaxed);
    }

    /// True after [`Link::refuse`].
    pub(super) fn is_refused(&self) -> bool {
        self.refused.load(Relaxed)
    }

    /// A request's head is complete.
    pub(super) fn begin(&self) {
        self.heard.store(false, Relaxed);
        self.begun.fetch_add(1, Relaxed);
        self.running.fetch_add(1, AcqRel);
    }

    /// A request goes on beyond the head of its answer; [`Link::end`] is to come once more.
    pub(super) fn hold(&self) {
        self.running.fetch_add(1, AcqRel);
    }

    /// A request has been answered or dropped.
    pub(super) fn end(&self) {
        // What was heard since was its body.
        self.heard.store(false, Relaxed);
        self.running.fetch_sub(1, AcqRel);
    }

    /// True while a request is being answered.
    pub(super) fn is_running(&self) -> bool {
        self.running.load(Acquire) > 0
    }

    /// What the connection does now, with a mark that differs whenever the phase began anew.
    /// `multiplexed` for HTTP/2, where bytes need not be a request's.
    pub(super) fn observe(&self, multiplexed: bool, closing: bool) -> (Phase, u32) {
        let begun = self.begun.load(Relaxed);
        let ending = closing && !self.is_running();
        if self.is_blocked() || (self.untaken.load(Acquire) > 0 && !ending) {
            (Phase::Sending, self.progress.load(Relaxed))
        } else if self.is_running() {
            (Phase::Busy, 0)
        } else if closing {
            (Phase::Closing, self.progress.load(Relaxed))
        } else if begun == 0 || (!multiplexed && self.heard.load(Relaxed)) {
            (Phase::Head, begun)
        } else {
            (Phase::Idle, begun)
        }
    }
}

/// Something that the peer is to take, on HTTP/2: a part of an answer that is on its way, or the room for
/// the next. Dropping it means progress.
#[derive(Debug)]
pub(super) struct Untaken(Arc<Link>);

impl Untaken {
    /// On the connection of this link.
    pub(super) fn new(link: &Arc<Link>) -> Self {
        link.untaken.fetch_add(1, AcqRel);
        Self(Arc::clone(link))
    }
}

impl Drop for Untaken {
    fn drop(&mut self) {
        self.0.progress.fetch_add(1, Relaxed);
        self.0.untaken.fetch_sub(1, AcqRel);
    }
}

/// Milliseconds since `epoch`.
pub(super) fn millis(epoch: Instant) -> u64 {
    u64::try_from(epoch.elapsed().as_millis()).unwrap_or(u64::MAX)
}
