//! What a client with a handshake is told without having asked just now: lists and resources that
//! have changed. It goes out on one stream of the client's: the standard output, or the newest of
//! its GET streams (specification of 2025-11-25: transports §Multiple Connections).

use super::{Execute as _, Part, Parts, Snapshots};
use crate::ops::{Caller, Change, Filter};
use crate::protocol;
use crate::runtime::{Full, Hub, Listener, Share};
use futures_util::stream;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// Most streams of one client. One more ends the oldest: a client whose connection is gone opens
/// another before this server has noticed.
const MOST_STREAMS: usize = 4;

/// What one client is told. What has changed while no stream is open waits for the next.
#[derive(Debug)]
pub(super) struct Told {
    listener: Listener,
    streams: Mutex<Streams>,
    /// Another stream is the newest, or all are to end.
    turned: Notify,
}

#[derive(Debug, Default)]
struct Streams {
    /// Those that are open, by number; the newest last.
    open: VecDeque<u64>,
    next: u64,
    over: bool,
}

/// One stream. Dropping it lets the one before it go on.
struct Stream {
    told: Arc<Told>,
    number: u64,
    ends: [CancellationToken; 2],
    reader: Reader,
}

/// Who reads a stream, and what it may hear of.
pub(super) struct Reader {
    caller: Caller,
    /// Whether it may hear of the resource of this URI, as the components are now.
    hears: Hears,
    /// What it is when what it has shown is no longer good; without it its stream ends then.
    renewed: Option<Box<dyn Fn() -> Caller + Send + Sync>>,
}

type Hears = Box<dyn Fn(&str, &Caller) -> bool + Send + Sync>;

impl Reader {
    /// One that has shown who it is.
    pub(super) fn new<S: Snapshots>(runtimes: S, caller: Caller) -> Self {
        Self {
            caller,
            hears: Box::new(move |uri, caller| {
                runtimes.snapshot().may_hear_of(uri, caller).is_ok()
            }),
            renewed: None,
        }
    }

    /// The one on the standard streams, who stays who it is whatever it may use.
    pub(super) fn on_streams<S: Snapshots>(runtimes: S) -> Self {
        let caller = || runtimes.snapshot().access().stdio().clone();
        let now = caller();
        let again = runtimes.clone();
        Self {
            renewed: Some(Box::new(move || again.snapshot().access().stdio().clone())),
            ..Self::new(runtimes, now)
        }
    }
}

enum Turn {
    /// It is the newest.
    Own,
    /// There is a newer one.
    Other,
    /// It is to end.
    Over,
}

impl Told {
    /// Listens for changes of these lists, and of no resource yet, for this caller.
    ///
    /// # Errors
    /// There are as many listeners as there may be.
    pub(super) fn new(
        hub: &Hub,
        lists: Filter,
        caller: Caller,
        share: Share,
    ) -> Result<Arc<Self>, Full> {
        Ok(Arc::new(Self {
            listener: hub.listen(lists, caller, share)?,
            streams: Mutex::default(),
            turned: Notify::new(),
        }))
    }

    /// Tells of this resource too. False when there are as many as there may be.
    pub(super) fn add(&self, uri: &str) -> bool {
        self.listener.add(uri)
    }

    /// Tells of this resource no more.
    pub(super) fn remove(&self, uri: &str) {
        self.listener.remove(uri);
    }

    /// Whether it is for the caller of this name.
    pub(super) fn is_of(&self, principal: Option<&str>) -> bool {
        self.listener.caller().principal() == principal
    }

    /// Whether nobody reads.
    pub(super) fn is_idle(&self) -> bool {
        self.streams().open.is_empty()
    }

    /// Ends all streams.
    pub(super) fn end(&self) {
        self.streams().over = true;
        self.turned.notify_waiters();
    }

    /// A stream of what has changed, until one of `ends` is cancelled or what the caller has shown is
    /// no longer good.
    pub(super) fn stream(self: &Arc<Self>, ends: [CancellationToken; 2], reader: Reader) -> Parts {
        self.listener.set_caller(reader.caller.clone());
        let mut streams = self.streams();
        let number = streams.next;
        streams.next += 1;
        streams.open.push_back(number);
        if streams.open.len() > MOST_STREAMS {
            streams.open.pop_front();
        }
        drop(streams);
        self.turned.notify_waiters();
        let stream = Stream {
            told: Arc::clone(self),
            number,
            ends,
            reader,
        };
        Box::pin(stream::unfold(stream, async |mut stream| {
            let change = stream.change().await?;
            Some((Part::More(protocol::change(&change)), stream))
        }))
    }

    fn streams(&self) -> MutexGuard<'_, Streams> {
        // Nothing panics while it is held.
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Stream {
    /// The next change; `None` once the stream is to end.
    async fn change(&mut self) -> Option<Change> {
        loop {
            let [one, other] = &self.ends;
            let turned = self.told.turned.notified();
            tokio::pin!(turned);
            // From here on no turn is missed.
            turned.as_mut().enable();
            let is_own = match self.turn() {
                Turn::Own => true,
                Turn::Other => false,
                Turn::Over => return None,
            };
            tokio::select! {
                biased;
                () = &mut turned => {}
                change = poll_fn(|cx| self.told.listener.poll_next(cx)), if is_own => {
                    if self.reader.may_hear(&change) {
                        return Some(change);
                    }
                }
                () = one.cancelled() => return None,
                () = other.cancelled() => return None,
                () = self.reader.caller.over() => {
                    self.reader.caller = self.reader.renewed.as_ref()?();
                    self.told.listener.renew(self.reader.caller.clone());
                }
            }
        }
    }

    fn turn(&self) -> Turn {
        let streams = self.told.streams();
        if streams.over || !streams.open.contains(&self.number) {
            Turn::Over
        } else if streams.open.back() == Some(&self.number) {
            Turn::Own
        } else {
            Turn::Other
        }
    }
}

impl Reader {
    fn may_hear(&self, change: &Change) -> bool {
        match change {
            Change::List(_) => true,
            Change::Resource(uri) => (self.hears)(uri, &self.caller),
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.told
            .streams()
            .open
            .retain(|number| *number != self.number);
        self.told.turned.notify_waiters();
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::ops::ListKind;
    use futures_util::{FutureExt as _, StreamExt as _};

    fn told() -> (Hub, Arc<Told>) {
        let hub = Hub::new(1);
        let lists = Filter {
            tools: true,
            ..Filter::default()
        };
        let told = Told::new(&hub, lists, Caller::default(), Share::Whole).unwrap();
        (hub, told)
    }

    /// One that may hear of everything.
    pub(in crate::server) fn reader() -> Reader {
        Reader {
            caller: Caller::default(),
            hears: Box::new(|_, _| true),
            renewed: None,
        }
    }

    fn open(told: &Arc<Told>) -> Parts {
        told.stream(
            [CancellationToken::new(), CancellationToken::new()],
            reader(),
        )
    }

    #[tokio::test]
    async fn the_newest_stream_tells_and_the_one_before_it_goes_on() {
        let (hub, told) = told();
        let (mut first, mut second) = (open(&told), open(&told));
        hub.list_changed(ListKind::Tools, |_| true);
        assert!(first.next().now_or_never().is_none());
        assert!(second.next().await.is_some());
        assert!(second.next().now_or_never().is_none(), "told once");
        drop(second);
        hub.list_changed(ListKind::Tools, |_| true);
        assert!(first.next().await.is_some());
        drop(first);
        assert!(told.is_idle());
        // Nobody reads: it waits for who does.
        hub.list_changed(ListKind::Tools, |_| true);
        assert!(open(&told).next().await.is_some());
    }

    #[tokio::test]
    async fn one_stream_too_many_ends_the_oldest_and_all_end_together() {
        let (hub, told) = told();
        let mut streams: Vec<Parts> = (0..=MOST_STREAMS).map(|_| open(&told)).collect();
        assert_eq!(streams[0].next().await, None);
        assert!(streams[1].next().now_or_never().is_none());
        told.end();
        for stream in &mut streams[1..] {
            assert_eq!(stream.next().await, None);
        }
        drop(streams);
        assert_eq!(hub.len(), 1);
        drop(told);
        assert!(hub.is_empty());
    }

    #[tokio::test]
    async fn a_stream_waits_until_it_is_its_turn_or_its_end() {
        let (_hub, told) = told();
        let end = CancellationToken::new();
        let mut stream = told.stream([CancellationToken::new(), end.clone()], reader());
        let waiting = tokio::spawn(async move { stream.next().await });
        tokio::task::yield_now().await;
        end.cancel();
        assert_eq!(waiting.await.unwrap(), None);
    }
}
