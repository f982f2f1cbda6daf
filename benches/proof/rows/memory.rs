//! How large it is: in memory, and on disk.

use super::{Folder, calls};
use crate::load::{Target, Until, closed, open};
use crate::mcp;
use crate::measure::Plan;
use crate::process::{Server, snodo};
use crate::table::{Figure, Goal, Row, Unit};
use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::net::SocketAddr;
use std::process::Command;
use std::time::Duration;

const LISTENERS: usize = 1000;

pub(super) fn memory(plan: &Plan) -> Row {
    let snodo = Server::samples(&[]);
    let request = mcp::call(snodo.address, "count_words", r#"{"text":"one two"}"#);
    let (target, _) = Target::first(snodo.address, request, r#""words":2"#);
    // What is done once after a start is over.
    std::thread::sleep(Duration::from_secs(1));
    let mib = |server: &Server| server.process.memory() as f64 / 1048576.0;
    let idle = mib(&snodo);
    closed(&target, 64, Until::Calls(plan.calls));
    let worked = mib(&snodo);
    let after = format!("after {} calls", plan.calls);
    Row {
        name: "memory",
        figures: vec![
            Figure::alone(
                "idle, with the samples",
                Unit::MiB,
                idle,
                Goal::AtMost(10.0),
            ),
            Figure::alone(&after, Unit::MiB, worked, Goal::AtMost(14.0)),
            listeners(),
        ],
        notes: Vec::new(),
    }
}

/// What a listener with nothing to hear takes, its connection included.
fn listeners() -> Figure {
    let folder = Folder::new(calls::MANIFEST);
    let subscriptions = format!("http.max_subscriptions={LISTENERS}");
    let connections = format!("http.max_connections={}", 2 * LISTENERS);
    let snodo = Server::snodo(&folder.manifests(), &[&subscriptions, &connections]);
    let ours = grown(&snodo);
    let theirs = grown(&Server::peer::<OsString>("listening", &[]));
    Figure::alone("an idle listener", Unit::KiB, ours, Goal::AtMost(18.0)).with_peer(theirs)
}

/// KiB that the server grows by for each listener.
fn grown(server: &Server) -> f64 {
    let address = server.address;
    let request = mcp::request(
        address,
        "subscriptions/listen",
        None,
        r#""notifications":{"toolsListChanged":true}"#,
    );
    // The first one brings what is made once.
    let _first = listen(address, &request);
    let before = server.process.memory();
    let open: Vec<_> = (1..LISTENERS).map(|_| listen(address, &request)).collect();
    let grown = server.process.memory().saturating_sub(before);
    grown as f64 / 1024.0 / open.len() as f64
}

fn listen(address: SocketAddr, request: &[u8]) -> std::net::TcpStream {
    let mut stream = open(address);
    stream.write_all(request).expect("it reads");
    let (mut seen, mut chunk) = (Vec::new(), [0; 4096]);
    while !String::from_utf8_lossy(&seen).contains("acknowledged") {
        let read = stream.read(&mut chunk).expect("it answers");
        assert!(read > 0, "no listening: {}", String::from_utf8_lossy(&seen));
        seen.extend_from_slice(chunk.get(..read).expect("what was read"));
    }
    stream
}

pub(super) fn binary(_: &Plan) -> Row {
    let folder = tempfile::tempdir().expect("a folder");
    let copy = folder.path().join("snodo");
    std::fs::copy(snodo(), &copy).expect("a copy");
    let stripped = Command::new("strip").arg(&copy).status();
    let mut notes = Vec::new();
    if !stripped.is_ok_and(|status| status.success()) {
        notes.push("not stripped: `strip` (binutils) is missing".to_owned());
    }
    let size = std::fs::metadata(&copy).expect("a file").len() as f64 / 1048576.0;
    Row {
        name: "binary",
        figures: vec![Figure::alone(
            "stripped",
            Unit::MiB,
            size,
            Goal::AtMost(12.0),
        )],
        notes,
    }
}
