//! Clients that leave at any point, and calls that are cancelled.

use super::speaker::{Dialect, Line, Speaker, borrowed};
use super::world::{Alarm, World};
use crate::subscriptions::listen;
use crate::support::{call, wanting};
use serde_json::{Value, json};

/// How a client leaves.
type Way = (&'static str, fn(&World));

pub const WAYS: &[Way] = &[
    ("left before a word", |world| drop(world.connect())),
    ("left in a head", |world| {
        world.connect().send(b"POST /mcp HTTP/1.1\r\nHost: 127.0");
    }),
    ("left in a body", |world| {
        let host = world.daemon.address();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{{\"json"
        );
        world.connect().send(head.as_bytes());
    }),
    ("left a call that had begun", |world| {
        let mut events = world.connect().events(&hanging(world));
        let begun = events.next().expect("progress");
        assert_eq!(begun["method"], "notifications/progress", "{begun}");
    }),
    ("left a call to an upstream that hangs", |world| {
        leave(world, "waits");
    }),
    ("left a call that is not over", |world| leave(world, "hang")),
    ("left a call that is soon over", |world| {
        leave(world, "slow")
    }),
    ("left in the middle of an answer", |world| {
        let mut connection = world.connect();
        connection.send_message(&call(world.token(), "large", json!({})));
        assert_eq!(connection.head().status, 200);
    }),
    ("left a stream of changes", |world| {
        let wanted = listen(world.token(), json!({ "toolsListChanged": true }));
        let acknowledged = world.connect().events(&wanted).next();
        assert!(acknowledged.is_some());
    }),
    ("left a session's call, which went on", |world| {
        let speaker = Speaker::http(world, "who leaves", Speaker::handshake(world));
        let params = json!({ "name": "slow", "arguments": {} });
        let request = speaker.request(&world.token(), "tools/call", params);
        let mut body = request.to_string();
        let headers: String = speaker
            .headers()
            .iter()
            .map(|(name, value)| format!("{name}: {value}\r\n"))
            .collect();
        let host = world.daemon.address();
        let length = body.len();
        body.insert_str(
            0,
            &format!("POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n{headers}Content-Length: {length}\r\n\r\n"),
        );
        world.connect().send(body.as_bytes());
    }),
    (LEFT_A_SESSION, |world| {
        let dialect = Speaker::handshake(world);
        drop(Speaker::http(world, "who leaves", dialect).listen());
    }),
    (CANCELLED, cancel),
];

/// What such a session is to be told is kept for its next stream, as long as there is room.
pub const LEFT_A_SESSION: &str = "left a session's stream";

const CANCELLED: &str = "cancelled a session's call";

/// Over stdio.
pub const CANCELLED_IN_LINES: &str = "cancelled a call over stdio";

/// In every way in turn, until the round is over.
pub fn play(world: &World) {
    let _alarm = Alarm(world);
    for (what, leave) in WAYS.iter().cycle() {
        if world.stopped() {
            return;
        }
        leave(world);
        world.tally.happened(what);
    }
}

fn leave(world: &World, tool: &str) {
    let request = call(world.token(), tool, json!({}));
    world.connect().send_message(&request);
}

/// A call that says that it has begun, and then nothing more.
fn hanging(world: &World) -> Value {
    let word = world.token();
    wanting(call(word.as_str(), "hang", json!({})), json!(word), "error")
}

/// Its stream ends without an answer.
fn cancel(world: &World) {
    let speaker = Speaker::http(world, "who cancels", Speaker::handshake(world));
    let word = world.token();
    let params = json!({ "name": "hang", "arguments": {}, "_meta": { "progressToken": word } });
    let request = speaker.request(&word, "tools/call", params);
    let headers = speaker.headers();
    let connection = world.connect();
    let mut events = connection.events_with(&borrowed(&headers), request.to_string().as_bytes());
    assert_eq!(events.next().unwrap()["method"], "notifications/progress");
    speaker.notify("notifications/cancelled", json!({ "requestId": word }));
    assert_eq!(events.next(), None);
}

/// Cancels a call over stdio, at once or when it has begun. It is never answered: whoever asks next would see it.
pub fn cancel_in_lines(world: &World, speaker: &mut Speaker, begun: bool) {
    let word = world.token();
    let params = json!({ "name": "hang", "arguments": {}, "_meta": { "progressToken": word } });
    let request = speaker.request(&word, "tools/call", params);
    let cancelled = json!({ "requestId": word });
    let mut cancelled =
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled });
    if let Dialect::Modern = speaker.dialect {
        cancelled["params"]["_meta"] = request["params"]["_meta"].clone();
    }
    let Line::Stdio(stdio) = &mut speaker.line else {
        return;
    };
    stdio.send(&request);
    let mut waits = begun;
    while waits {
        let told = stdio.receive();
        waits = told["params"]["progressToken"] != word;
        speaker.told.push(told);
    }
    stdio.send(&cancelled);
    world.tally.happened(CANCELLED_IN_LINES);
}
