//! `http`: how much of a large body has come.

use super::upstream::Upstream;
use crate::support::{Project, call, text_of, wanting};
use serde_json::{Value, json};
use std::io::Write as _;
use std::sync::Mutex;
use std::sync::mpsc::channel;

const PIECE: usize = 100_000;

/// A project whose tool `get` fetches from here.
fn project(upstream: &Upstream) -> Project {
    Project::with(&format!(
        "[[tool]]\nname = \"get\"\nhttp.url = \"{}/\"\n",
        upstream.url()
    ))
}

fn get(token: Value) -> Value {
    wanting(call(7, "get", json!({})), token, "debug")
}

fn progress(message: &Value) -> (f64, Option<f64>) {
    assert_eq!(message["method"], "notifications/progress");
    let number = |name| message["params"][name].as_f64();
    (number("progress").unwrap(), number("total"))
}

#[test]
fn the_bytes_of_a_large_body_are_told_against_its_length() {
    for length in [Some(3 * PIECE), None] {
        let (go, wait) = channel::<()>();
        let wait = Mutex::new(wait);
        let upstream = Upstream::raw(move |_, stream| {
            let length = length.map_or_else(String::new, |n| format!("Content-Length: {n}\r\n"));
            let head = format!(
                "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/plain\r\n{length}\r\n"
            );
            stream.write_all(head.as_bytes()).unwrap();
            for _ in 0..3 {
                stream.write_all(&vec![b'x'; PIECE]).unwrap();
                let _ = wait.lock().unwrap().recv();
            }
        });
        let project = project(&upstream);
        let daemon = project.serve();
        let mut connection = daemon.connect();
        connection.send_message(&get(json!("token")));
        assert_eq!(
            connection.head().header("content-type"),
            Some("text/event-stream")
        );
        let total = length.map(|length| length as f64);
        let mut last = 0.0;
        // Each piece is told of before the next is sent.
        for piece in 1..=3 {
            while last < (piece * PIECE) as f64 {
                let event = connection.event().unwrap();
                if event["id"] == 7 {
                    break;
                }
                let (progress, of) = progress(&event);
                assert!(progress > last && of == total, "{event}");
                last = progress;
            }
            go.send(()).unwrap();
        }
        let mut answer = None;
        while let Some(event) = connection.event() {
            answer = Some(event);
        }
        assert_eq!(text_of(&answer.unwrap()).len(), 3 * PIECE);
        assert_eq!(last, (3 * PIECE) as f64);
    }
}

#[test]
fn a_small_body_is_not_worth_a_word() {
    let upstream = Upstream::new(|_| super::upstream::ok("text/plain", "x".repeat(1000)));
    let project = project(&upstream);
    let reply = project.serve().post(&get(json!(1)));
    assert_eq!(reply.header("content-type"), Some("application/json"));
    assert_eq!(text_of(&reply.json()).len(), 1000);
}
