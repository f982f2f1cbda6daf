//! Clients that are slow, and must be served; clients that are deaf, and must be let go.

use super::world::{Alarm, LARGE, World};
use crate::support::{Connection, call, discover, text_of};
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

pub const WROTE: &str = "requests that were written byte by byte";
pub const READ: &str = "answers of 4 MiB that were read slowly";
pub const DEAF: &str = "clients that never read";
pub const LET_GO: &str = "clients that never read, closed by the server";

/// Writes slowly and reads slowly, until the round is over.
pub fn play(world: &World) {
    let _alarm = Alarm(world);
    while !world.stopped() {
        byte_by_byte(world);
        read_slowly(world);
    }
}

fn byte_by_byte(world: &World) {
    let word = world.token();
    let body = discover(word.as_str()).to_string();
    let host = world.daemon.address();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\n\
         Mcp-Method: server/discover\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut connection = world.connect();
    for byte in request.as_bytes() {
        connection.send(&[*byte]);
        std::thread::sleep(Duration::from_micros(200));
    }
    let answer = connection.reply().json();
    assert_eq!(answer["id"], word, "{answer}");
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    world.tally.happened(WROTE);
}

fn read_slowly(world: &World) {
    let word = world.token();
    let mut stream = asked_for_much(world, &word);
    let mut answer = Vec::new();
    let mut part = vec![0; 64 << 10];
    while answer.len() < LARGE || !answer.ends_with(b"}") {
        let length = stream.read(&mut part).unwrap();
        assert!(length > 0, "closed after {} bytes", answer.len());
        answer.extend_from_slice(&part[..length]);
        std::thread::sleep(Duration::from_millis(1));
    }
    let end = answer
        .windows(4)
        .position(|end| end == b"\r\n\r\n")
        .unwrap();
    let answer: Value = serde_json::from_slice(&answer[end + 4..]).unwrap();
    assert_eq!(answer["id"], word);
    let text = text_of(&answer);
    assert!(text.len() == LARGE && text.bytes().all(|byte| byte == b'x'));
    world.tally.happened(READ);
}

/// A connection on which the file of 4 MiB was asked for.
fn asked_for_much(world: &World, word: &str) -> TcpStream {
    let mut connection = Connection::to(world.daemon.address());
    connection.send_message(&call(word, "large", json!({})));
    connection.into_stream()
}

/// Asks for much and reads nothing, until the server closes or the round is over.
pub fn deaf(world: &World) {
    let _alarm = Alarm(world);
    while !world.stopped() {
        let mut stream = asked_for_much(world, &world.token());
        world.tally.happened(DEAF);
        // A byte of the next request now and then: a closed connection refuses it.
        while !world.stopped() {
            if stream.write_all(b"P").is_err() {
                world.tally.happened(LET_GO);
                break;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}
