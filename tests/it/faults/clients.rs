//! Clients that are slow, deaf, or gone.

use super::{TOOLS, hello, status};
use crate::support::{Connection, Daemon, Project, call, within};
use serde_json::json;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

fn impatient() -> Project {
    Project::with(TOOLS)
        .file("large", vec![b'x'; 4 << 20])
        .set("http.head_timeout_ms=700")
        .set("http.body_timeout_ms=700")
        .set("http.write_timeout_ms=700")
        .set("http.idle_timeout_ms=700")
}

/// Writes a byte now and then until the server closes; how long that took.
fn trickle(daemon: &Daemon, begin: &str, byte: &[u8]) -> Duration {
    let mut stream = TcpStream::connect(daemon.address()).unwrap();
    let pause = Duration::from_millis(20);
    stream.set_read_timeout(Some(pause)).unwrap();
    let began = Instant::now();
    stream.write_all(begin.as_bytes()).unwrap();
    loop {
        if stream.write_all(byte).is_err() {
            return began.elapsed();
        }
        match stream.read(&mut [0; 1024]) {
            Ok(0) => return began.elapsed(),
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => {
                return began.elapsed();
            }
            // An answer (408), or nothing yet.
            Ok(_) | Err(_) => {}
        }
        assert!(began.elapsed() < Duration::from_secs(30), "never closed");
    }
}

#[test]
fn slow_heads_and_bodies_are_ended_and_hold_nobody_up() {
    let project = impatient();
    let daemon = project.serve();
    let idle = daemon.descriptors_at_rest();
    let body = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n",
        daemon.address()
    );
    let daemon = &daemon;
    let took: Vec<Duration> = std::thread::scope(|scope| {
        let slow: Vec<_> = (0..100)
            .map(|n| {
                let (begin, byte) = match n % 2 {
                    0 => ("POST /mcp HTTP/1.1\r\nX-Slow: ", b"x"),
                    _ => (body.as_str(), b" "),
                };
                scope.spawn(move || trickle(daemon, begin, byte))
            })
            .collect();
        for _ in 0..20 {
            hello(daemon);
        }
        slow.into_iter().map(|slow| slow.join().unwrap()).collect()
    });
    let longest = took.iter().max().unwrap();
    println!("100 slow clients: the last was closed after {longest:?}");
    assert!(took.iter().all(|took| *took >= Duration::from_millis(600)));
    within("nothing of them is left", || {
        (daemon.descriptors() <= idle + 2).then_some(())
    });
}

#[test]
fn clients_that_never_read_are_ended_and_memory_is_given_back() {
    let project = impatient();
    let daemon = project.serve();
    hello(&daemon);
    let before = status(daemon.pid(), "VmRSS");
    let mut deaf: Vec<Connection> = (0..20).map(|_| daemon.connect()).collect();
    for connection in &mut deaf {
        connection.send_message(&call(1, "large", json!({})));
    }
    hello(&daemon);
    // Neither their answers nor their connections stay.
    within("all are closed", || {
        (daemon.descriptors() < 20 + 5).then_some(())
    });
    let peak = status(daemon.pid(), "VmHWM");
    println!("20 deaf clients of 4 MiB each: from {before} KiB to {peak} KiB at the most");
    // Each answer once in full, and what was made on the way to it.
    assert!(
        peak - before < 20 * 3 * 4 * 1024 + 64 * 1024,
        "{before} {peak}"
    );
    hello(&daemon);
}

#[test]
fn a_thousand_rounds_of_connecting_and_leaving_leave_nothing() {
    let project = Project::with(TOOLS);
    let daemon = project.serve();
    hello(&daemon);
    let idle = daemon.descriptors_at_rest();
    for round in 0..1000 {
        let mut connection = daemon.connect();
        match round % 4 {
            0 => {}
            1 => connection.send(b"POST /mcp HTT"),
            2 => connection.send_message(&call(1, "t", json!({}))),
            _ => drop(connection.post(&call(1, "t", json!({})))),
        }
    }
    hello(&daemon);
    within("descriptors are given back", || {
        (daemon.descriptors() <= idle + 2).then_some(())
    });
}
