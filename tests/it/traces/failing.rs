//! Collectors that hang, refuse or are not there: no call waits for them, and what is lost is counted.

use super::collector::{Behaviour, Collector};
use super::{project, sample};
use crate::support::{Daemon, call, list, text_of, within};
use serde_json::json;
use std::time::{Duration, Instant};

/// More than what waits and what is on its way.
const MANY: usize = 3000;

fn counted(daemon: &Daemon, name: &str) -> u64 {
    sample(&daemon.stderr(), name).unwrap_or(0)
}

#[test]
fn a_collector_that_hangs_holds_nothing_up() {
    let collector = Collector::start(Behaviour::Hang);
    let mut daemon = project(&collector).serve();
    let mut connection = daemon.connect();
    let began = Instant::now();
    for id in 0..MANY {
        assert_eq!(connection.post(&list(id)).status, 200);
    }
    let took = began.elapsed();
    // It takes 10 s until the first request to it is given up.
    assert!(took < Duration::from_secs(60), "{took:?}");
    assert_eq!(text_of(&daemon.ask(&call(1, "t", json!({})))), "hello");
    within("what does not fit is counted", || {
        (counted(&daemon, "snodo_spans_dropped_total") > 0).then_some(())
    });
    assert_eq!(counted(&daemon, "snodo_spans_exported_total"), 0);
    let stopping = Instant::now();
    daemon.signal("TERM");
    assert!(daemon.wait().success());
    let took = stopping.elapsed();
    assert!(took < Duration::from_secs(8), "{took:?}");
    assert!(daemon.stderr().contains("the last spans are lost"));
}

#[test]
fn a_collector_that_is_busy_is_asked_again_and_nothing_is_lost() {
    let collector = Collector::start(Behaviour::Refuse("503 Busy", "Retry-After: 1\r\n"));
    let daemon = project(&collector).serve();
    daemon.ask(&list(1));
    daemon.wait_for_log("cannot export traces");
    collector.set(Behaviour::Take("{}"));
    daemon.wait_for_log("traces are exported again");
    within("they are counted", || {
        (counted(&daemon, "snodo_spans_exported_total") == 1).then_some(())
    });
    assert_eq!(counted(&daemon, "snodo_spans_dropped_total"), 0);
    assert!(collector.requests().len() >= 2);
}

#[test]
fn what_a_collector_refuses_for_good_is_lost_and_counted() {
    let collector = Collector::start(Behaviour::Refuse("400 No", ""));
    let daemon = project(&collector).serve();
    for count in 1..=2 {
        daemon.ask(&list(count));
        within("they are counted", || {
            (counted(&daemon, "snodo_spans_dropped_total") == count).then_some(())
        });
    }
    let log = daemon.stderr();
    assert_eq!(log.matches("cannot export traces").count(), 1, "{log}");
    assert_eq!(collector.requests().len(), 2);
    let partly = r#"{"partialSuccess":{"rejectedSpans":"1","errorMessage":"no"}}"#;
    collector.set(Behaviour::Take(partly));
    daemon.ask(&list(3));
    within("they are counted", || {
        (counted(&daemon, "snodo_spans_dropped_total") == 3).then_some(())
    });
    assert_eq!(counted(&daemon, "snodo_spans_exported_total"), 0);
}

#[test]
fn a_collector_that_is_not_there_is_said_once() {
    let collector = Collector::start(Behaviour::Hang);
    let project = project(&collector);
    // Its port is nobody's from here on.
    drop(collector);
    let daemon = project.serve();
    for id in 0..3 {
        daemon.ask(&list(id));
    }
    daemon.wait_for_log("cannot export traces");
    assert_eq!(text_of(&daemon.ask(&call(1, "t", json!({})))), "hello");
}
