//! Many at once.

use super::{TOOLS, hello, sample, status};
use crate::subscriptions::listen;
use crate::support::{Connection, Project, within};
use serde_json::json;
use std::net::TcpStream;
use std::time::{Duration, Instant};

#[test]
fn sigterm_with_200_open_streams_ends_each_of_them_well() {
    let project = Project::with(TOOLS);
    let mut daemon = project.serve();
    let mut streams: Vec<_> = (0..200)
        .map(|n| {
            let request = listen(n, json!({ "toolsListChanged": true }));
            let mut events = daemon.connect().events(&request);
            assert!(events.next().is_some(), "acknowledged");
            events
        })
        .collect();
    let began = Instant::now();
    daemon.signal("TERM");
    for (n, events) in streams.iter_mut().enumerate() {
        let cancelled = events.next().unwrap();
        assert_eq!(cancelled["method"], "notifications/cancelled");
        assert_eq!(events.next().unwrap()["id"], n);
        assert_eq!(events.next(), None);
    }
    assert_eq!(daemon.wait().code(), Some(0));
    println!("200 streams: ended after {:?}", began.elapsed());
    assert!(began.elapsed() < Duration::from_secs(5));
}

/// Opens so many connections at once; the server holds as many as it may, and the rest waits.
fn crowd(most: usize, many: usize) {
    let project = Project::with(TOOLS)
        .set(&format!("http.max_connections={most}"))
        .set("metrics.listen=['127.0.0.1:0']");
    let daemon = project.serve();
    let mut one = daemon.connect();
    let before = status(daemon.pid(), "VmRSS");
    let began = Instant::now();
    // The kernel's backlog takes as many again as are waiting; more would wait for it.
    let crowd: Vec<TcpStream> = (0..many)
        .map(|_| TcpStream::connect(daemon.address()).unwrap())
        .collect();
    let opened = began.elapsed();
    let wanted = most.min(many + 1);
    within("as many as may be are open", || {
        (sample(&daemon, "snodo_http_connections ") >= wanted as f64).then_some(())
    });
    let (after, held) = (status(daemon.pid(), "VmRSS"), daemon.descriptors());
    println!(
        "{many} connections in {opened:?}, {held} descriptors, {} KiB each",
        after.saturating_sub(before) / wanted as u64
    );
    assert!(held < most + 64, "{held}");
    // Who was there before is served.
    let said = one.post(&crate::support::call(1, "t", json!({})));
    assert_eq!(said.status, 200);
    drop(crowd);
    within("they are gone", || {
        (daemon.descriptors() < 64).then_some(())
    });
    hello(&daemon);
}

#[test]
fn a_thousand_connections_and_room_for_half() {
    crowd(500, 1000);
}

#[test]
#[ignore = "a long form: `just soak`"]
fn ten_thousand_connections() {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    // Both ends have as many descriptors, in two processes.
    let most = limit
        .current
        .unwrap_or(100_000)
        .saturating_sub(200)
        .min(10_000);
    crowd(20_000, usize::try_from(most).unwrap());
}

#[test]
#[ignore = "a long form: `just soak`"]
fn a_minute_of_calls_reloads_and_leaving() {
    let project = Project::with(TOOLS).set("metrics.listen=['127.0.0.1:0']");
    let daemon = project.serve();
    hello(&daemon);
    let (memory, files) = (status(daemon.pid(), "VmRSS"), daemon.descriptors_at_rest());
    let (end, address) = (Instant::now() + Duration::from_secs(60), daemon.address());
    let callers: Vec<_> = (0..8)
        .map(|n| {
            std::thread::spawn(move || {
                let (mut calls, mut connection) = (0_u64, Connection::to(address));
                while Instant::now() < end {
                    if calls % 1000 == n * 100 {
                        connection = Connection::to(address);
                    }
                    let reply = connection.post(&crate::support::call(1, "t", json!({})));
                    assert_eq!(reply.status, 200);
                    calls += 1;
                }
                calls
            })
        })
        .collect();
    let mut reloads = 0;
    while Instant::now() < end {
        reloads += 1;
        project.save(
            "manifests/b.toml",
            format!("[[tool]]\nname = \"r{reloads}\"\nresult.text = \"1\"\n"),
        );
        std::thread::sleep(Duration::from_millis(500));
    }
    let calls: u64 = callers
        .into_iter()
        .map(|caller| caller.join().unwrap())
        .sum();
    within("the last edit is served", || {
        (sample(&daemon, "snodo_generation ") >= reloads as f64 / 2.0).then_some(())
    });
    let grown = status(daemon.pid(), "VmRSS").saturating_sub(memory);
    println!("{calls} calls and {reloads} edits in a minute; memory grew by {grown} KiB");
    assert_eq!(
        sample(
            &daemon,
            "snodo_requests_total{method=\"tools/call\",outcome=\"ok\"} "
        ) as u64,
        calls + 1
    );
    assert!(grown < 64 * 1024, "{grown} KiB");
    within("descriptors are given back", || {
        (daemon.descriptors() <= files + 3).then_some(())
    });
}
