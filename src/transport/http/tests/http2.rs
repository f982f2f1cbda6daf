//! HTTP/2 by prior knowledge.

use super::{Event, Server, settings, soon};
use crate::transport::http::HttpSettings;
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http2::{SendRequest, handshake};
use hyper_util::rt::{TokioExecutor, TokioIo};
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

pub(super) type Sender = SendRequest<Full<Bytes>>;

pub(super) async fn connect(server: &Server) -> (Sender, JoinHandle<hyper::Result<()>>) {
    over(TcpStream::connect(server.address()).await.unwrap()).await
}

async fn over(stream: TcpStream) -> (Sender, JoinHandle<hyper::Result<()>>) {
    let (sender, connection) = soon(handshake(TokioExecutor::new(), TokioIo::new(stream)))
        .await
        .unwrap();
    (sender, tokio::spawn(connection))
}

pub(super) fn post(server: &Server, body: impl Into<Bytes>) -> Request<Full<Bytes>> {
    let uri = server.text("http://HOST/mcp");
    Request::post(uri)
        .header("content-type", "application/json")
        .body(Full::new(body.into()))
        .unwrap()
}

async fn text(response: Response<hyper::body::Incoming>) -> String {
    let bytes = soon(response.into_body().collect())
        .await
        .unwrap()
        .to_bytes();
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[tokio::test]
async fn both_protocols_are_served_on_one_port() {
    let server = Server::start().await;
    let (mut client, _connection) = connect(&server).await;
    let response = soon(client.send_request(post(&server, "two")))
        .await
        .unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "application/json");
    assert_eq!(response.headers()["content-length"], "3");
    assert_eq!(text(response).await, "two");
    assert_eq!(server.post("", "one").await.text(), "one");
    let note = soon(client.send_request(post(&server, "note")))
        .await
        .unwrap();
    assert_eq!(
        (note.status().as_u16(), text(note).await),
        (202, String::new())
    );
    let large = "l".repeat(3_000_000);
    let response = soon(client.send_request(post(&server, large.clone())))
        .await
        .unwrap();
    assert!(text(response).await == large);
}

#[tokio::test]
async fn the_authority_is_the_host() {
    let server = Server::start().await;
    let (mut client, _connection) = connect(&server).await;
    let mut evil = post(&server, "x");
    *evil.uri_mut() = "http://evil.example/mcp".parse().unwrap();
    assert_eq!(soon(client.send_request(evil)).await.unwrap().status(), 403);
    let mut differs = post(&server, "x");
    differs
        .headers_mut()
        .insert("host", "evil.example".parse().unwrap());
    assert_eq!(
        soon(client.send_request(differs)).await.unwrap().status(),
        400
    );
    let mut origin = post(&server, "x");
    origin
        .headers_mut()
        .insert("origin", "http://evil.example".parse().unwrap());
    assert_eq!(
        soon(client.send_request(origin)).await.unwrap().status(),
        403
    );
    assert_eq!(server.calls(), 0);
    assert_eq!(
        soon(client.send_request(post(&server, "x")))
            .await
            .unwrap()
            .status(),
        200
    );
}

#[tokio::test]
async fn streams_overlap_and_a_reset_cancels_its_own_only() {
    let mut server = Server::start().await;
    let (client, _connection) = connect(&server).await;
    let first = tokio::spawn(client.clone().send_request(post(&server, "wait 1")));
    assert_eq!(server.event().await, Event::Begun("wait 1".into()));
    let second = tokio::spawn(client.clone().send_request(post(&server, "wait 2")));
    assert_eq!(server.event().await, Event::Begun("wait 2".into()));
    first.abort();
    assert_eq!(server.event().await, Event::Cancelled);
    server.release();
    assert_eq!(text(soon(second).await.unwrap().unwrap()).await, "wait 2");
}

#[tokio::test]
async fn requests_and_untaken_answers_share_the_room_of_all_connections() {
    let mut server = Server::with(
        HttpSettings {
            max_connections: 2,
            ..settings()
        },
        Duration::from_secs(1),
    )
    .await;
    let stream = TcpStream::connect(server.address()).await.unwrap();
    let mut slow = hyper::client::conn::http2::Builder::new(TokioExecutor::new());
    slow.initial_stream_window_size(1);
    let (mut slow, connection) = soon(slow.handshake(TokioIo::new(stream))).await.unwrap();
    let _slow = tokio::spawn(connection);
    let (client, _connection) = connect(&server).await;
    let waiting = tokio::spawn(client.clone().send_request(post(&server, "wait")));
    assert_eq!(server.event().await, Event::Begun("wait".into()));
    let untaken = soon(slow.send_request(post(&server, "big 100000")))
        .await
        .unwrap();
    assert_eq!(untaken.status(), 200);
    // Neither client may have a third.
    for sender in [&mut slow, &mut client.clone()] {
        let refused = soon(sender.send_request(post(&server, "x"))).await.unwrap();
        assert_eq!(refused.status(), 503);
        assert_eq!(refused.headers()["retry-after"], "1");
    }
    server.release();
    assert_eq!(text(soon(waiting).await.unwrap().unwrap()).await, "wait");
    drop(untaken);
    for _ in 0..3 {
        let response = soon(slow.send_request(post(&server, ""))).await.unwrap();
        assert_eq!(response.status(), 200);
    }
}

#[tokio::test]
async fn a_closed_connection_cancels_all_its_requests() {
    let mut server = Server::start().await;
    let stream = std::net::TcpStream::connect(server.address()).unwrap();
    stream.set_nonblocking(true).unwrap();
    let (client, _connection) =
        over(TcpStream::from_std(stream.try_clone().unwrap()).unwrap()).await;
    let calls: Vec<_> = (0..5)
        .map(|_| tokio::spawn(client.clone().send_request(post(&server, "wait"))))
        .collect();
    for _ in 0..5 {
        assert!(matches!(server.event().await, Event::Begun(_)));
    }
    stream.shutdown(std::net::Shutdown::Both).unwrap();
    for _ in 0..5 {
        assert_eq!(server.event().await, Event::Cancelled);
    }
    drop(calls);
}

#[tokio::test]
async fn a_panic_ends_its_own_stream_only() {
    let server = Server::start().await;
    let (mut client, _connection) = connect(&server).await;
    soon(client.send_request(post(&server, "panic")))
        .await
        .unwrap_err();
    let response = soon(client.send_request(post(&server, "next")))
        .await
        .unwrap();
    assert_eq!(text(response).await, "next");
}

#[tokio::test]
async fn a_large_body_is_413_and_the_connection_goes_on() {
    let server = Server::with(
        HttpSettings {
            max_body_bytes: 1000,
            ..settings()
        },
        super::PATIENCE,
    )
    .await;
    let (mut client, _connection) = connect(&server).await;
    let response = soon(client.send_request(post(&server, "z".repeat(100_000))))
        .await
        .unwrap();
    assert_eq!(response.status(), 413);
    let response = soon(client.send_request(post(&server, "z"))).await.unwrap();
    assert_eq!(response.status(), 200);
}

#[tokio::test]
async fn two_hundred_on_one_connection_get_their_own_answers() {
    let server = Server::start().await;
    let (client, _connection) = connect(&server).await;
    let calls: Vec<_> = (0..200)
        .map(|n| {
            let mut request = post(&server, "wait-id");
            request
                .headers_mut()
                .insert("x-id", n.to_string().parse().unwrap());
            tokio::spawn(client.clone().send_request(request))
        })
        .collect();
    server.endpoint.gate.add_permits(200);
    for (n, call) in calls.into_iter().enumerate() {
        assert_eq!(
            text(soon(call).await.unwrap().unwrap()).await,
            n.to_string()
        );
    }
}

#[tokio::test]
async fn resets_in_a_row_leave_a_server_that_serves() {
    let server = Server::start().await;
    let (mut client, _connection) = connect(&server).await;
    for _ in 0..2000 {
        if soon(client.ready()).await.is_err() {
            break;
        }
        let call = client.send_request(post(&server, "wait"));
        // Polled once, so that it is sent; then dropped, which resets it.
        let _ = futures_util::FutureExt::now_or_never(call);
    }
    let (mut fresh, _connection) = connect(&server).await;
    let response = soon(fresh.send_request(post(&server, "x"))).await.unwrap();
    assert_eq!(response.status(), 200);
    server.stop().await;
}

#[tokio::test]
async fn an_idle_connection_is_told_to_go() {
    let server = Server::with(
        HttpSettings {
            idle_timeout: Duration::from_millis(300),
            ..settings()
        },
        super::PATIENCE,
    )
    .await;
    let (mut client, connection) = connect(&server).await;
    let response = soon(client.send_request(post(&server, "x"))).await.unwrap();
    assert_eq!(text(response).await, "x");
    soon(connection).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_stop_lets_streams_finish_and_idle_connections_go() {
    let mut server = Server::start().await;
    let (client, connection) = connect(&server).await;
    let (idle, idle_connection) = connect(&server).await;
    let call = tokio::spawn(client.clone().send_request(post(&server, "wait")));
    assert_eq!(server.event().await, Event::Begun("wait".into()));
    server.shutdown.begin();
    soon(idle_connection).await.unwrap().unwrap();
    drop(idle);
    server.release();
    assert_eq!(text(soon(call).await.unwrap().unwrap()).await, "wait");
    soon(connection).await.unwrap().unwrap();
    soon(server.serving).await.unwrap();
}

#[tokio::test]
async fn a_peer_that_ignores_goaway_does_not_delay_the_stop() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    // The preface, an empty SETTINGS frame, a GET /other, and never anything again.
    let mut bytes = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0".to_vec();
    let host = client.host.clone();
    let block = [
        &[0x82, 0x86, 0x84, 0x41, host.len() as u8][..],
        host.as_bytes(),
    ]
    .concat();
    bytes.extend([0, 0, block.len() as u8, 1, 5, 0, 0, 0, 1]);
    bytes.extend(&block);
    client.send(&bytes).await;
    while !client.read.windows(5).any(|five| five == b"-3260") {
        assert!(client.more().await > 0);
    }
    let begun = Instant::now();
    server.stop().await;
    assert!(
        begun.elapsed() < Duration::from_secs(3),
        "{:?}",
        begun.elapsed()
    );
}

#[tokio::test]
async fn after_the_grace_streams_are_aborted() {
    let mut server = Server::with(settings(), Duration::from_millis(200)).await;
    let (client, _connection) = connect(&server).await;
    let call = tokio::spawn(client.clone().send_request(post(&server, "wait")));
    assert_eq!(server.event().await, Event::Begun("wait".into()));
    server.shutdown.begin();
    soon(&mut server.serving).await.unwrap();
    assert_eq!(server.event().await, Event::Cancelled);
    soon(call).await.unwrap().unwrap_err();
}

#[tokio::test]
async fn a_huge_header_block_is_refused_and_the_server_goes_on() {
    let server = Server::start().await;
    let (mut client, _connection) = connect(&server).await;
    let mut fits = post(&server, "x");
    fits.headers_mut()
        .insert("x-long", "a".repeat(10_000).parse().unwrap());
    assert_eq!(soon(client.send_request(fits)).await.unwrap().status(), 200);
    let mut huge = post(&server, "x");
    huge.headers_mut()
        .insert("x-long", "a".repeat(100_000).parse().unwrap());
    if let Ok(response) = soon(client.send_request(huge)).await {
        assert_eq!(response.status(), 431);
    }
    assert_eq!(server.calls(), 1);
    let (mut fresh, _connection) = connect(&server).await;
    assert_eq!(
        soon(fresh.send_request(post(&server, "x")))
            .await
            .unwrap()
            .status(),
        200
    );
}

/// A connection whose peer gives each answer this much room, and no more on its own.
async fn narrow(server: &Server, window: u32) -> (Sender, JoinHandle<hyper::Result<()>>) {
    let stream = TcpStream::connect(server.address()).await.unwrap();
    let mut builder = hyper::client::conn::http2::Builder::new(TokioExecutor::new());
    builder.initial_stream_window_size(window);
    let (sender, connection) = soon(builder.handshake(TokioIo::new(stream))).await.unwrap();
    (sender, tokio::spawn(connection))
}

fn hasty() -> HttpSettings {
    HttpSettings {
        write_timeout: Duration::from_millis(400),
        idle_timeout: Duration::from_millis(600),
        ..settings()
    }
}

#[tokio::test]
async fn an_answer_that_nobody_takes_ends_its_connection() {
    let server = Server::with(hasty(), super::PATIENCE).await;
    let (mut client, connection) = narrow(&server, 1000).await;
    let large = "l".repeat(100_000);
    let response = soon(client.send_request(post(&server, large)))
        .await
        .unwrap();
    assert_eq!(response.status(), 200);
    // The body is held and not read, so no room is given.
    let began = Instant::now();
    let _ended = soon(connection).await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(10));
    assert!(soon(response.into_body().collect()).await.is_err());
}

#[tokio::test]
async fn a_slow_download_that_goes_on_is_not_cut() {
    let server = Server::with(hasty(), super::PATIENCE).await;
    let (mut client, _connection) = narrow(&server, 20_000).await;
    let large = "l".repeat(200_000);
    let response = soon(client.send_request(post(&server, large)))
        .await
        .unwrap();
    let (began, mut body, mut length) = (Instant::now(), response.into_body(), 0);
    while let Some(frame) = soon(body.frame()).await {
        length += frame.unwrap().into_data().unwrap().len();
        // Reading gives room for as much again.
        tokio::time::sleep(Duration::from_millis(150)).await;
    }
    assert_eq!(length, 200_000);
    // Longer than either bound.
    assert!(began.elapsed() > Duration::from_millis(1200));
}
