//! How the server is, for whoever looks after it: alive, ready, and in numbers.

use super::Watch;
use crate::actor::Actors;
use crate::process;
use crate::runtime::Hub;
use crate::service::{Now, Outcome, Phase, Status};
use crate::telemetry::{Dropped, Text};
use bytes::Bytes;
use http::{HeaderValue, StatusCode};
use serde_json::json;
use std::time::UNIX_EPOCH;

/// Where it is asked whether the process is alive, whether it serves, and for numbers.
const ALIVE: &str = "/healthz";
const READY: &str = "/readyz";
const METRICS: &str = "/metrics";

/// An answer about the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Its HTTP status.
    pub status: StatusCode,
    /// Its media type.
    pub media_type: HeaderValue,
    /// Its body.
    pub body: Bytes,
    /// Whether it is for a listener of its own, not for everybody who may send messages.
    pub inner: bool,
}

/// Makes reports.
#[derive(Clone, Debug)]
pub struct Reporter {
    watch: Watch,
    status: Status,
    hub: Hub,
    actors: Actors,
    dropped: Dropped,
}

impl Reporter {
    /// Reports what these know.
    pub fn new(watch: Watch, status: Status, hub: Hub, actors: Actors, dropped: Dropped) -> Self {
        Self {
            watch,
            status,
            hub,
            actors,
            dropped,
        }
    }

    /// The report at this path.
    pub(super) fn report(&self, path: &str) -> Option<Report> {
        match path {
            ALIVE => Some(Report {
                status: StatusCode::OK,
                media_type: HeaderValue::from_static("text/plain; charset=utf-8"),
                body: Bytes::from_static(b"alive\n"),
                inner: false,
            }),
            READY => Some(ready(&self.status.now())),
            METRICS => Some(Report {
                status: StatusCode::OK,
                media_type: HeaderValue::from_static(Text::MEDIA_TYPE),
                body: self.metrics().into_string().into(),
                inner: true,
            }),
            _ => None,
        }
    }

    fn metrics(&self) -> Text {
        let mut text = Text::default();
        self.watch.metrics.write(&mut text);
        if let Some(spans) = self.watch.spans.counts() {
            let exported = "Spans that the collector of traces took.";
            text.single(
                "snodo_spans_exported_total",
                "counter",
                exported,
                spans.exported,
            );
            let dropped = "Spans lost: the collector was too slow, or failed.";
            text.single(
                "snodo_spans_dropped_total",
                "counter",
                dropped,
                spans.dropped,
            );
        }
        let (running, started) = (process::running(), process::started());
        for (name, kind, help, value) in [
            (
                "snodo_subscriptions",
                "gauge",
                "Who listens for changes.",
                self.hub.len() as u64,
            ),
            (
                "snodo_actors",
                "gauge",
                "Actors that run.",
                self.actors.len() as u64,
            ),
            ("snodo_processes", "gauge", "Commands that run.", running),
            (
                "snodo_tasks",
                "gauge",
                "Tasks of the async runtime that are not over.",
                tasks(),
            ),
            (
                "snodo_processes_total",
                "counter",
                "Commands started so far.",
                started,
            ),
        ] {
            text.single(name, kind, help, value);
        }
        const DROPPED: &str = "snodo_log_lines_dropped_total";
        text.family(DROPPED, "counter", "Log lines lost, by what they were for.");
        for (log, count) in self.dropped.each() {
            text.sample(DROPPED, &[("log", log)], count);
        }
        self.reloads(&mut text);
        let version = [("version", env!("CARGO_PKG_VERSION"))];
        text.family("snodo_build_info", "gauge", "The version, as a label.");
        text.sample("snodo_build_info", &version, 1);
        text
    }

    fn reloads(&self, text: &mut Text) {
        let now = self.status.now();
        const RELOADS: &str = "snodo_reloads_total";
        text.family(RELOADS, "counter", "Reloads by outcome.");
        for (outcome, count) in [
            (Outcome::Reloaded, now.reloads.reloaded),
            (Outcome::Unchanged, now.reloads.unchanged),
            (Outcome::Refused, now.reloads.refused),
        ] {
            text.sample(RELOADS, &[("outcome", outcome.word())], count);
        }
        const FINDINGS: &str = "snodo_findings";
        text.family(FINDINGS, "gauge", "What is wrong with the files.");
        let findings = now.findings;
        text.sample(FINDINGS, &[("severity", "error")], findings.errors);
        text.sample(FINDINGS, &[("severity", "warning")], findings.warnings);
        text.single(
            "snodo_generation",
            "gauge",
            "The number of the set of manifests that is served.",
            now.generation,
        );
        text.single(
            "snodo_last_reload_refused",
            "gauge",
            "1 when the files are not what is served.",
            u8::from(now.outcome == Outcome::Refused),
        );
        text.single(
            "snodo_last_reload_timestamp_seconds",
            "gauge",
            "When the files were last read with that outcome.",
            seconds(&now),
        );
    }
}

/// Ready is who serves. A refused reload is no reason not to be: what was served before still is.
fn ready(now: &Now) -> Report {
    let body = json!({
        "status": now.phase.word(),
        "components": now.components,
        "generation": now.generation,
        "reload": now.outcome.word(),
        "reload_at": seconds(now),
        "errors": now.findings.errors,
        "warnings": now.findings.warnings,
    });
    Report {
        status: match now.phase {
            Phase::Serving => StatusCode::OK,
            Phase::Starting | Phase::Stopping => StatusCode::SERVICE_UNAVAILABLE,
        },
        media_type: HeaderValue::from_static("application/json"),
        body: format!("{body}\n").into(),
        inner: false,
    }
}

/// Each connection, call and actor is some of these; what leaks one is seen here. 0 outside a runtime.
fn tasks() -> u64 {
    tokio::runtime::Handle::try_current()
        .map_or(0, |runtime| runtime.metrics().num_alive_tasks() as u64)
}

fn seconds(now: &Now) -> u64 {
    let since = now.at.duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}
