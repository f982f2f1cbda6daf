//! Answers of several messages, as events.

use super::http2::{connect as connect2, post as post2};
use super::{Client, Event, Server, settings, soon};
use crate::transport::http::HttpSettings;
use http_body_util::BodyExt as _;
use std::time::Duration;
use tokio::net::TcpStream;

const BOTH: &str = "Accept: application/json, text/event-stream\r\n";

/// The next chunk of a body; empty at its end.
async fn chunk(client: &mut Client<TcpStream>) -> String {
    loop {
        if let Some(at) = client.read.windows(2).position(|two| two == b"\r\n") {
            let size = String::from_utf8_lossy(&client.read[..at]).into_owned();
            let size = usize::from_str_radix(&size, 16).unwrap();
            if client.read.len() >= at + 2 + size + 2 {
                let chunk: Vec<u8> = client.read.drain(..at + 2 + size + 2).collect();
                return String::from_utf8(chunk[at + 2..at + 2 + size].to_vec()).unwrap();
            }
        }
        assert!(client.more().await > 0, "closed in a body");
    }
}

fn event(data: &str) -> String {
    format!("event: message\ndata: {data}\n\n")
}

#[tokio::test]
async fn events_leave_one_by_one_and_the_body_ends() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    client.post(BOTH, "stream 3").await;
    let answer = client.answer().await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), Some("text/event-stream"));
    assert_eq!(answer.header("cache-control"), Some("no-cache"));
    assert_eq!(answer.header("x-accel-buffering"), Some("no"));
    assert_eq!(answer.header("content-encoding"), None);
    assert_eq!(answer.header("content-length"), None);
    assert_eq!(answer.header("transfer-encoding"), Some("chunked"));
    assert_eq!(chunk(&mut client).await, event("1"));
    for (number, last) in [(2, ""), (3, "")] {
        assert_eq!(String::from_utf8_lossy(&client.read), last);
        server.release();
        assert_eq!(chunk(&mut client).await, event(&number.to_string()));
    }
    assert_eq!(chunk(&mut client).await, "");
    // The connection goes on.
    client.post(BOTH, "x").await;
    let answer = client.answer().await;
    assert_eq!(
        (answer.text(), answer.header("content-type")),
        ("x", Some("application/json"))
    );
}

#[tokio::test]
async fn only_who_takes_events_is_offered_them() {
    let server = Server::start().await;
    for (accept, may) in [
        ("", "true"),
        (BOTH, "true"),
        ("Accept: */*\r\n", "true"),
        ("Accept: text/event-stream\r\n", "true"),
        ("Accept: application/json\r\n", "false"),
        (
            "Accept: application/json, text/event-stream;q=0\r\n",
            "false",
        ),
    ] {
        let answer = server.post(accept, "may-stream").await;
        assert!(answer.text().contains(may), "{accept}: {}", answer.text());
    }
}

#[tokio::test]
async fn a_disconnect_in_a_stream_cancels_it() {
    let mut server = Server::start().await;
    let mut client = server.connect().await;
    client.post(BOTH, "stream 2").await;
    client.answer().await;
    assert_eq!(chunk(&mut client).await, event("1"));
    drop(client);
    assert_eq!(server.event().await, Event::Cancelled);
}

#[tokio::test]
async fn a_stop_lets_a_stream_end_well_and_then_closes() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    client.post(BOTH, "stream 2").await;
    client.answer().await;
    assert_eq!(chunk(&mut client).await, event("1"));
    server.shutdown.begin();
    // The sockets close first; the stream is still there then.
    while TcpStream::connect(server.address()).await.is_ok() {
        tokio::task::yield_now().await;
    }
    server.release();
    assert_eq!(chunk(&mut client).await, event("2"));
    assert_eq!(chunk(&mut client).await, "");
    client.closed().await;
    soon(server.serving).await.unwrap();
}

#[tokio::test]
async fn a_stream_that_is_silent_is_not_idle() {
    let server = Server::with(
        HttpSettings {
            idle_timeout: Duration::from_millis(20),
            head_timeout: Duration::from_millis(20),
            ..settings()
        },
        super::PATIENCE,
    )
    .await;
    let mut idle = server.connect().await;
    let mut client = server.connect().await;
    client.post(BOTH, "stream 2").await;
    client.answer().await;
    assert_eq!(chunk(&mut client).await, event("1"));
    // By then an idle connection that is as old has been closed, twice.
    idle.closed().await;
    let mut idle = server.connect().await;
    idle.closed().await;
    server.release();
    assert_eq!(chunk(&mut client).await, event("2"));
}

#[tokio::test]
async fn http2_streams_run_side_by_side() {
    let mut server = Server::start().await;
    let (mut client, _connection) = connect2(&server).await;
    let stream =
        |client: &mut super::http2::Sender| client.send_request(post2(&server, "stream 2"));
    let (first, second) = (stream(&mut client), stream(&mut client));
    let (first, second) = (soon(first).await.unwrap(), soon(second).await.unwrap());
    assert_eq!(first.headers()["content-type"], "text/event-stream");
    let (mut first, mut second) = (first.into_body(), second.into_body());
    for body in [&mut first, &mut second] {
        let frame = soon(body.frame()).await.unwrap().unwrap();
        assert_eq!(frame.into_data().unwrap(), event("1"));
    }
    drop(second);
    assert_eq!(server.event().await, Event::Cancelled);
    server.release();
    let rest = soon(first.collect()).await.unwrap().to_bytes();
    assert_eq!(rest, event("2"));
}
