//! Spans of requests (OpenTelemetry): which are recorded, and how they wait to be exported.
//!
//! Whoever records never waits: a span goes into a bounded queue when it ends, and is dropped and
//! counted when that is full.

mod context;

use context::Parent;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant, SystemTime};
use tokio::sync::mpsc;

/// Spans that wait to be exported.
const MOST_WAITING: usize = 2048;
/// Bytes of an attribute's value: what is longer is cut.
const MOST_VALUE: usize = 256;

/// Records spans. Clones are one.
#[derive(Clone, Debug)]
pub struct Traces(Arc<Recorder>);

/// The other end: spans that are over, in the order in which they ended.
#[derive(Debug)]
pub struct Ended {
    /// They come out here.
    pub spans: mpsc::Receiver<Finished>,
    recorder: Arc<Recorder>,
}

#[derive(Debug)]
struct Recorder {
    queue: mpsc::Sender<Finished>,
    /// How many of all requests without a parent are recorded, from 0 to 1.
    ratio: f64,
    exported: AtomicU64,
    dropped: AtomicU64,
}

/// What became of spans so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpanCounts {
    /// The collector took them.
    pub exported: u64,
    /// They are lost: the queue was full, or the collector did not take them.
    pub dropped: u64,
}

/// What a request begins with.
#[derive(Debug, Default)]
pub struct Begun {
    /// Its span. `None` when it is not recorded.
    pub span: Option<Span>,
    /// The `traceparent` that its work hands on. `None` when that is the one that it came with.
    pub parent: Option<String>,
}

/// A span that has begun. It ends when it is dropped.
#[derive(Debug)]
pub struct Span(Box<Open>);

#[derive(Debug)]
struct Open {
    recorder: Arc<Recorder>,
    since: Instant,
    finished: Finished,
}

/// A span that is over.
#[derive(Clone, Debug)]
pub struct Finished {
    /// The trace's id.
    pub trace: [u8; 16],
    /// Its own id.
    pub id: [u8; 8],
    /// The id of the caller's span, if it has one.
    pub parent: Option<[u8; 8]>,
    /// The trace flags of W3C Trace Context.
    pub flags: u8,
    /// The caller's `tracestate`.
    pub state: Option<String>,
    /// Its name.
    pub name: String,
    /// When it began.
    pub started: SystemTime,
    /// How long it took, whatever the clock has done meanwhile.
    pub took: Duration,
    /// What there is to know of it.
    pub attributes: Vec<(&'static str, String)>,
    /// Whether it failed.
    pub failed: bool,
}

impl Traces {
    /// Records what callers record, and of requests without a trace the `ratio` of 0 to 1.
    pub fn new(ratio: f64) -> (Self, Ended) {
        Self::with_room(ratio, MOST_WAITING)
    }

    fn with_room(ratio: f64, most: usize) -> (Self, Ended) {
        let (queue, spans) = mpsc::channel(most);
        let recorder = Arc::new(Recorder {
            queue,
            ratio,
            exported: AtomicU64::new(0),
            dropped: AtomicU64::new(0),
        });
        let ended = Ended {
            spans,
            recorder: Arc::clone(&recorder),
        };
        (Self(recorder), ended)
    }

    /// A request begins that came with this trace context. Its caller's decision whether the trace is
    /// recorded stands; where there is none, the ratio decides, and what the request calls is told.
    pub fn begin(&self, traceparent: Option<&str>, tracestate: Option<&str>) -> Begun {
        let recorder = &self.0;
        let parent = traceparent.and_then(Parent::read);
        if parent.is_some_and(|parent| !parent.is_sampled()) {
            return Begun::default();
        }
        let Some((trace, id)) = context::ids() else {
            return Begun::default();
        };
        let (trace, flags) = match parent {
            Some(parent) => (parent.trace, parent.flags),
            None => (trace, context::flags(trace, recorder.ratio)),
        };
        let span = context::is_sampled(flags).then(|| {
            Span(Box::new(Open {
                recorder: Arc::clone(recorder),
                since: Instant::now(),
                finished: Finished {
                    trace,
                    id,
                    parent: parent.map(|parent| parent.span),
                    flags,
                    state: tracestate.filter(|_| parent.is_some()).map(str::to_owned),
                    name: String::new(),
                    started: SystemTime::now(),
                    took: Duration::ZERO,
                    attributes: Vec::with_capacity(12),
                    failed: false,
                },
            }))
        });
        Begun {
            span,
            parent: Some(context::traceparent(trace, id, flags)),
        }
    }

    /// What became of spans so far.
    pub fn counts(&self) -> SpanCounts {
        SpanCounts {
            exported: self.0.exported.load(Relaxed),
            dropped: self.0.dropped.load(Relaxed),
        }
    }
}

impl Ended {
    /// The collector took so many.
    pub fn exported(&self, spans: u64) {
        self.recorder.exported.fetch_add(spans, Relaxed);
    }

    /// So many are lost.
    pub fn dropped(&self, spans: u64) {
        self.recorder.dropped.fetch_add(spans, Relaxed);
    }
}

impl Span {
    /// What it is called.
    pub fn name(&mut self, name: String) {
        self.0.finished.name = name;
    }

    /// Says something of it. A long value is cut.
    pub fn say(&mut self, key: &'static str, value: &str) {
        let end = value.floor_char_boundary(MOST_VALUE);
        let value = value.get(..end).unwrap_or_default().to_owned();
        self.0.finished.attributes.push((key, value));
    }

    /// It failed, in this way (`error.type`).
    pub fn fail(&mut self, how: &str) {
        self.say("error.type", how);
        self.0.finished.failed = true;
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let finished = &mut self.finished;
        let finished = Finished {
            state: finished.state.take(),
            name: std::mem::take(&mut finished.name),
            attributes: std::mem::take(&mut finished.attributes),
            took: self.since.elapsed(),
            ..*finished
        };
        if self.recorder.queue.try_send(finished).is_err() {
            self.recorder.dropped.fetch_add(1, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";

    #[test]
    fn a_callers_trace_goes_on_and_its_decision_stands() {
        let (traces, mut ended) = Traces::new(0.0);
        let begun = traces.begin(Some(PARENT), Some("v=1"));
        let handed_on = begun.parent.unwrap();
        drop(begun.span.unwrap());
        let span = ended.spans.try_recv().unwrap();
        assert_eq!(
            span.parent,
            Some([0, 0xf0, 0x67, 0xaa, 0x0b, 0xa9, 2, 0xb7])
        );
        assert_eq!(span.state.as_deref(), Some("v=1"));
        assert_eq!(handed_on[..36], PARENT[..36]);
        assert_ne!(handed_on[36..52], PARENT[36..52]);
        assert!(handed_on.ends_with("-01"), "{handed_on}");
        let (all, _ended) = Traces::new(1.0);
        let unsampled = format!("{}00", &PARENT[..53]);
        let begun = all.begin(Some(&unsampled), None);
        assert!(begun.span.is_none() && begun.parent.is_none());
    }

    #[test]
    fn without_a_trace_the_ratio_decides_and_what_is_called_is_told() {
        for (ratio, least, most, end) in [(0.0, 0, 0, "-02"), (1.0, 400, 400, "-03")] {
            let (traces, _ended) = Traces::new(ratio);
            let begun: Vec<Begun> = (0..400).map(|_| traces.begin(None, Some("v=1"))).collect();
            let sampled = begun.iter().filter(|begun| begun.span.is_some()).count();
            assert!((least..=most).contains(&sampled), "{ratio}: {sampled}");
            let told = |begun: &Begun| begun.parent.as_ref().unwrap().ends_with(end);
            assert!(begun.iter().all(told));
        }
        let (half, _ended) = Traces::new(0.5);
        let sampled = (0..2000).filter(|_| half.begin(None, None).span.is_some());
        assert!((800..1200).contains(&sampled.count()));
    }

    #[test]
    fn what_does_not_fit_is_dropped_and_counted() {
        let (traces, mut ended) = Traces::with_room(1.0, 2);
        for number in 0..5 {
            let mut span = traces.begin(None, None).span.unwrap();
            span.say("n", &"é".repeat(1000));
            span.name(number.to_string());
        }
        let span = ended.spans.try_recv().unwrap();
        assert_eq!(span.name, "0");
        assert_eq!(span.attributes[0].1.len(), MOST_VALUE);
        let counts = traces.counts();
        assert_eq!((counts.exported, counts.dropped), (0, 3));
        // Nobody exports any more: it is lost, and nothing else happens.
        drop(ended);
        drop(traces.begin(None, None));
        assert_eq!(traces.counts().dropped, 4);
    }
}
