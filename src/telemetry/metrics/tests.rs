//! What is counted and how it is written.

use super::*;
use std::time::Duration;

fn text(metrics: &Metrics) -> String {
    let mut text = Text::default();
    metrics.write(&mut text);
    text.into_string()
}

fn lines(metrics: &Metrics, begin: &str) -> Vec<String> {
    let text = text(metrics);
    let lines = text.lines().filter(|line| line.starts_with(begin));
    lines.map(str::to_owned).collect()
}

fn called(metrics: &Metrics, tool: &str, took: Duration) {
    metrics.tool(tool).unwrap().add(took);
}

#[test]
fn requests_are_counted_by_method_and_outcome() {
    let metrics = Metrics::new();
    metrics.answered("tools/call", Outcome::Ok);
    metrics.answered("tools/call", Outcome::Ok);
    metrics.answered("tools/call", Outcome::Cancelled);
    metrics.answered("made/up\"", Outcome::Error);
    assert_eq!(
        lines(&metrics, "snodo_requests_total"),
        [
            "snodo_requests_total{method=\"tools/call\",outcome=\"ok\"} 2",
            "snodo_requests_total{method=\"tools/call\",outcome=\"cancelled\"} 1",
            "snodo_requests_total{method=\"other\",outcome=\"error\"} 1",
        ]
    );
}

#[test]
fn a_gauge_counts_those_that_are_there() {
    let metrics = Metrics::new();
    let one = metrics.present(|counters| &counters.in_flight);
    let other = metrics.present(|counters| &counters.in_flight);
    assert_eq!(metrics.counters().in_flight.get(), 2);
    drop((one, other));
    assert_eq!(metrics.counters().in_flight.get(), 0);
}

#[test]
fn durations_fall_into_steps_that_add_up() {
    let metrics = Metrics::new();
    metrics.serve(["a"].into_iter());
    for millis in [1, 2, 700, 90_000] {
        called(&metrics, "a", Duration::from_millis(millis));
    }
    assert!(metrics.tool("unknown").is_none());
    let lines = lines(&metrics, "snodo_tool_duration_seconds");
    let ends: Vec<&str> = lines
        .iter()
        .map(|line| line.rsplit(' ').next().unwrap())
        .collect();
    // Up to 1 ms, 2.5 ms, … 0.5 s, 1 s, … 60 s, all; the sum; the count.
    let expected = [
        "1",
        "2",
        "2",
        "2",
        "2",
        "2",
        "2",
        "2",
        "2",
        "3",
        "3",
        "3",
        "3",
        "3",
        "3",
        "4",
        "90.703000",
        "4",
    ];
    assert_eq!(ends, expected);
    assert_eq!(
        lines[15],
        "snodo_tool_duration_seconds_bucket{tool=\"a\",le=\"+Inf\"} 4"
    );
}

#[test]
fn a_reload_keeps_what_was_counted_of_tools_that_stay() {
    let metrics = Metrics::new();
    metrics.serve(["a", "b"].into_iter());
    called(&metrics, "a", Duration::from_millis(1));
    called(&metrics, "b", Duration::from_millis(1));
    metrics.serve(["b", "c"].into_iter());
    let counts = lines(&metrics, "snodo_tool_duration_seconds_count");
    assert_eq!(counts, ["snodo_tool_duration_seconds_count{tool=\"b\"} 1"]);
}

#[test]
fn there_is_a_bound_on_series() {
    let metrics = Metrics::new();
    let names: Vec<String> = (0..2000).map(|n| format!("t{n:04}")).collect();
    metrics.serve(names.iter().map(String::as_str));
    for name in &names {
        called(&metrics, name, Duration::ZERO);
    }
    let counts = lines(&metrics, "snodo_tool_duration_seconds_count");
    assert_eq!(counts.len(), MOST_TOOLS + 1);
    let last = counts.last().unwrap();
    assert_eq!(
        last,
        "snodo_tool_duration_seconds_count{tool=\"(other)\"} 1500"
    );
}
