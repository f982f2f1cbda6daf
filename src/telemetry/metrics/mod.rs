//! What is counted while serving, and its text for Prometheus.
//!
//! Counting is a few relaxed additions to atomics that are there already: no lock, no allocation, no
//! name made. Labels come from sets that are bounded and known beforehand: methods, outcomes, the tools
//! that are served. Reading pays for everything else.

mod histogram;
mod text;

pub use histogram::Histogram;
pub use text::Text;

use arc_swap::ArcSwap;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The methods that are counted by name; any other is `other`.
const METHODS: [&str; 13] = [
    "tools/call",
    "tools/list",
    "server/discover",
    "resources/read",
    "resources/list",
    "resources/templates/list",
    "prompts/get",
    "prompts/list",
    "completion/complete",
    "subscriptions/listen",
    "initialize",
    "ping",
    "other",
];

/// Tools that have a series of their own. What others take is counted together.
const MOST_TOOLS: usize = 500;
/// What they are called: a name that no tool can have.
const OTHER_TOOLS: &str = "(other)";

/// The counters of a server. Clones are one.
#[derive(Clone, Debug, Default)]
pub struct Metrics(Arc<Counters>);

/// The counters. All but the tools' are plain atomics.
#[derive(Debug, Default)]
pub struct Counters {
    requests: [[AtomicU64; OUTCOMES.len()]; METHODS.len()],
    /// Requests that are worked on.
    pub in_flight: Gauge,
    /// Requests that wait until they may be worked on.
    pub queued: Gauge,
    /// Requests that were turned away because too many waited.
    pub shed: Counter,
    /// Messages that were answered with an error before anything was done: not JSON, unknown
    /// method, headers that contradict the body.
    pub refused: Counter,
    /// HTTP connections that are open.
    pub connections: Gauge,
    /// HTTP connections so far.
    pub accepted: Counter,
    tools: ArcSwap<Tools>,
}

#[derive(Debug, Default)]
struct Tools {
    by_name: HashMap<Box<str>, Arc<Histogram>>,
    other: Arc<Histogram>,
}

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A result.
    Ok,
    /// A result that says that the tool failed.
    ToolError,
    /// A protocol error.
    Error,
    /// A protocol error: it took too long.
    Timeout,
    /// Nothing: the caller gave it up.
    Cancelled,
}

const OUTCOMES: [Outcome; 5] = [
    Outcome::Ok,
    Outcome::ToolError,
    Outcome::Error,
    Outcome::Timeout,
    Outcome::Cancelled,
];

impl Outcome {
    /// One word, as metrics and the audit log have it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::ToolError => "tool_error",
            Self::Error => "error",
            Self::Timeout => "timeout",
            Self::Cancelled => "cancelled",
        }
    }
}

/// Only ever more.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// One more.
    pub fn add(&self) {
        self.0.fetch_add(1, Relaxed);
    }

    /// How many.
    pub fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

/// How many there are now.
#[derive(Debug, Default)]
pub struct Gauge(AtomicU64);

impl Gauge {
    /// How many.
    pub fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

/// Which gauge of the counters.
type Which = fn(&Counters) -> &Gauge;

/// One of those that a gauge counts, until it is dropped.
#[derive(Debug)]
pub struct Present {
    metrics: Metrics,
    which: Which,
}

impl Drop for Present {
    fn drop(&mut self) {
        (self.which)(&self.metrics.0).0.fetch_sub(1, Relaxed);
    }
}

impl Metrics {
    /// Nothing counted yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The counters.
    pub fn counters(&self) -> &Counters {
        &self.0
    }

    /// Counts one in a gauge until what this gives is dropped.
    pub fn present(&self, which: Which) -> Present {
        which(&self.0).0.fetch_add(1, Relaxed);
        Present {
            metrics: self.clone(),
            which,
        }
    }

    /// A request of this method came to this end.
    pub fn answered(&self, method: &str, outcome: Outcome) {
        let row = METHODS.iter().position(|known| *known == method);
        let row = &self.0.requests[row.unwrap_or(METHODS.len() - 1)];
        row[outcome as usize].fetch_add(1, Relaxed);
    }

    /// Where calls of this tool are counted; nowhere for a tool that is not served.
    pub fn tool(&self, name: &str) -> Option<Arc<Histogram>> {
        let tools = self.0.tools.load();
        match tools.by_name.get(name) {
            Some(histogram) => Some(Arc::clone(histogram)),
            None if tools.by_name.len() >= MOST_TOOLS => Some(Arc::clone(&tools.other)),
            None => None,
        }
    }

    /// These are the tools that are served from now on. What was counted of those that were served
    /// before stays; what was counted of others goes.
    pub fn serve<'a>(&self, tools: impl Iterator<Item = &'a str>) {
        let before = self.0.tools.load();
        let mut names: Vec<&str> = tools.collect();
        names.sort_unstable();
        let by_name = names.into_iter().take(MOST_TOOLS).map(|name| {
            let kept = before.by_name.get(name).cloned();
            (Box::from(name), kept.unwrap_or_default())
        });
        let now = Tools {
            by_name: by_name.collect(),
            other: Arc::clone(&before.other),
        };
        self.0.tools.store(Arc::new(now));
    }

    /// Writes what is counted here.
    pub fn write(&self, text: &mut Text) {
        let counters = &*self.0;
        text.family(
            "snodo_requests_total",
            "counter",
            "Requests by method and outcome.",
        );
        for (method, row) in METHODS.iter().zip(&counters.requests) {
            for (outcome, count) in OUTCOMES.iter().zip(row) {
                let count = count.load(Relaxed);
                if count > 0 {
                    let labels = [("method", *method), ("outcome", outcome.word())];
                    text.sample("snodo_requests_total", &labels, count);
                }
            }
        }
        for (name, kind, help, value) in [
            (
                "snodo_requests_in_flight",
                "gauge",
                "Requests that are worked on.",
                counters.in_flight.get(),
            ),
            (
                "snodo_requests_queued",
                "gauge",
                "Requests that wait until they may be worked on.",
                counters.queued.get(),
            ),
            (
                "snodo_requests_shed_total",
                "counter",
                "Requests turned away because too many waited.",
                counters.shed.get(),
            ),
            (
                "snodo_messages_refused_total",
                "counter",
                "Messages answered with an error before anything was done.",
                counters.refused.get(),
            ),
            (
                "snodo_http_connections",
                "gauge",
                "HTTP connections that are open.",
                counters.connections.get(),
            ),
            (
                "snodo_http_connections_total",
                "counter",
                "HTTP connections so far.",
                counters.accepted.get(),
            ),
        ] {
            text.single(name, kind, help, value);
        }
        self.write_tools(text);
    }

    fn write_tools(&self, text: &mut Text) {
        const NAME: &str = "snodo_tool_duration_seconds";
        text.family(NAME, "histogram", "How long calls of a tool took.");
        let tools = self.0.tools.load();
        let mut called: Vec<(&str, &Histogram)> = tools
            .by_name
            .iter()
            .map(|(name, histogram)| (&**name, &**histogram))
            .collect();
        called.sort_unstable_by_key(|(name, _)| *name);
        called.push((OTHER_TOOLS, &tools.other));
        for (name, histogram) in called {
            text.histogram(NAME, ("tool", name), histogram);
        }
    }
}

#[cfg(test)]
mod tests;
