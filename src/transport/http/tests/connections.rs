//! The life of a connection: its bounds, its end, and how many there may be.

use super::{Client, Event, Server, settings, soon};
use crate::transport::http::HttpSettings;
use crate::transport::http::bind::{Acceptor, Door, Listener};
use crate::transport::http::guard::HostRule;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::io::AsyncWriteExt;

async fn with(change: impl FnOnce(&mut HttpSettings)) -> Server {
    let mut settings = settings();
    change(&mut settings);
    Server::with(settings, super::PATIENCE).await
}

#[tokio::test]
async fn a_slow_head_is_cut_off() {
    let bound = Duration::from_millis(300);
    let server = with(|settings| settings.head_timeout = bound).await;
    // Nothing at all, less than an HTTP/2 preface, a part of a head, a preface alone.
    for start in [
        "",
        "P",
        "PRI * HTTP/2.0\r\n\r\nSM",
        "POST /mcp HTTP/1.1\r\nHost: lo",
    ] {
        let begun = Instant::now();
        let mut client = server.connect().await;
        client.send(start).await;
        client.closed().await;
        assert!(
            begun.elapsed() >= bound,
            "{start:?} after {:?}",
            begun.elapsed()
        );
    }
    let begun = Instant::now();
    let mut client = server.connect().await;
    client
        .send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0")
        .await;
    while client.more().await > 0 {}
    assert!(begun.elapsed() >= bound);
}

#[tokio::test]
async fn a_head_that_trickles_is_cut_off_all_the_same() {
    let server = with(|settings| settings.head_timeout = Duration::from_millis(300)).await;
    let mut client = server.connect().await;
    let head = client.head("");
    for byte in head.bytes().chain(std::iter::repeat(b'x')) {
        if client.stream.write_all(&[byte]).await.is_err() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn the_second_head_is_bounded_like_the_first() {
    let server = with(|settings| {
        settings.head_timeout = Duration::from_millis(300);
        settings.idle_timeout = Duration::from_secs(60);
    })
    .await;
    let mut client = server.connect().await;
    client.post("", "x").await;
    assert_eq!(client.answer().await.status, 200);
    client.send("POST /mcp").await;
    client.closed().await;
}

#[tokio::test]
async fn an_idle_connection_is_closed_but_not_before_its_time() {
    let bound = Duration::from_millis(400);
    let server = with(|settings| settings.idle_timeout = bound).await;
    let mut client = server.connect().await;
    client.post("", "x").await;
    assert_eq!(client.answer().await.status, 200);
    let begun = Instant::now();
    client.closed().await;
    assert!(
        begun.elapsed() >= bound - Duration::from_millis(20),
        "{:?}",
        begun.elapsed()
    );
}

#[tokio::test]
async fn a_call_may_take_longer_than_every_bound_of_the_transport() {
    let short = Duration::from_millis(100);
    let mut server = with(|settings| {
        settings.head_timeout = short;
        settings.body_timeout = short;
        settings.idle_timeout = short;
        settings.write_timeout = short;
    })
    .await;
    let mut client = server.connect().await;
    client.post("", "wait").await;
    assert_eq!(server.event().await, Event::Begun("wait".into()));
    // Time must pass here; nothing else can show that it does not matter.
    tokio::time::sleep(short * 5).await;
    server.release();
    assert_eq!(client.answer().await.text(), "wait");
}

#[tokio::test]
async fn a_peer_that_does_not_read_its_answer_is_cut_off() {
    let server = with(|settings| {
        settings.write_timeout = Duration::from_millis(300);
        settings.idle_timeout = Duration::from_secs(60);
    })
    .await;
    let mut client = server.connect().await;
    client.post("", "big 50000000").await;
    // Not reading. That writing fails shows that the server has closed; its other bounds are longer
    // than this test's patience.
    let ended = async {
        while client.stream.write_all(b"x").await.is_ok() {
            tokio::task::yield_now().await
        }
    };
    soon(ended).await;
}

#[tokio::test]
async fn a_big_answer_is_whole_for_a_slow_reader() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    client.post("", "big 20000000").await;
    let answer = client.answer().await;
    assert_eq!(answer.body.len(), 20_000_000);
    client.post("", "next").await;
    assert_eq!(client.answer().await.text(), "next");
}

#[tokio::test]
async fn a_client_that_goes_away_cancels_its_request() {
    let mut server = Server::start().await;
    for half in [false, true] {
        let mut client = server.connect().await;
        client.post("", "wait").await;
        assert_eq!(server.event().await, Event::Begun("wait".into()));
        if half {
            client.stream.shutdown().await.unwrap();
        } else {
            drop(client);
        }
        assert_eq!(server.event().await, Event::Cancelled);
    }
}

#[tokio::test]
async fn a_panic_ends_its_own_connection_only() {
    let server = Server::start().await;
    let mut other = server.connect().await;
    other.post("", "x").await;
    assert_eq!(other.answer().await.status, 200);
    let mut client = server.connect().await;
    client.post("", "panic").await;
    client.closed().await;
    other.post("", "still here").await;
    assert_eq!(other.answer().await.text(), "still here");
    assert_eq!(server.post("", "new").await.text(), "new");
    server.stop().await;
}

#[tokio::test]
async fn heads_are_bounded_in_size_and_number() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    client
        .post(&format!("X-Long: {}\r\n", "a".repeat(10_000)), "x")
        .await;
    assert_eq!(client.answer().await.status, 200, "10,000 bytes are fine");
    for header in [
        format!("X-Long: {}\r\n", "a".repeat(200_000)),
        "X-Many: 1\r\n".repeat(101),
        format!("{}: 1\r\n", "x".repeat(70_000)),
    ] {
        let mut client = server.connect().await;
        client.post(&header, "x").await;
        assert_eq!(client.answer().await.status, 431);
        client.closed().await;
    }
    let long = server.text(&format!(
        "POST /{} HTTP/1.1\r\nHost: HOST\r\n\r\n",
        "a".repeat(65_000)
    ));
    assert!([404, 414, 431].contains(&server.ask(long).await.status));
}

#[tokio::test]
async fn what_is_not_http_is_answered_with_400_or_nothing() {
    let server = Server::start().await;
    for bytes in [
        &b"\x16\x03\x01\x02\x00\x01\x00"[..],
        b"hello\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nBad Header: x\r\n\r\n",
        b"\0\0\0\0",
        b"POST /mcp HTTP/9.9\r\n\r\n",
    ] {
        let mut client = server.connect().await;
        client.send(bytes).await;
        client.stream.shutdown().await.unwrap();
        while client.more().await > 0 {}
        let answer = String::from_utf8_lossy(&client.read);
        assert!(
            answer.is_empty() || answer.starts_with("HTTP/1.1 400"),
            "{bytes:?}: {answer}"
        );
    }
    assert_eq!(server.post("", "x").await.status, 200);
}

#[tokio::test]
async fn over_the_limit_new_connections_wait_and_idle_ones_make_room() {
    let mut server = with(|settings| settings.max_connections = 2).await;
    let mut idle = server.connect().await;
    idle.post("", "x").await;
    assert_eq!(idle.answer().await.status, 200);
    let mut busy = server.connect().await;
    busy.post("", "wait").await;
    assert_eq!(server.event().await, Event::Begun("wait".into()));
    // The third is served at the cost of the idle one.
    let mut third = server.connect().await;
    third.post("", "wait 3").await;
    assert_eq!(server.event().await, Event::Begun("wait 3".into()));
    idle.closed().await;
    // The fourth waits until another ends.
    let mut fourth = server.connect().await;
    fourth.post("", "four").await;
    assert_eq!(server.calls(), 3);
    drop(busy);
    assert_eq!(server.event().await, Event::Cancelled);
    assert_eq!(fourth.answer().await.text(), "four");
    server.release();
    assert_eq!(third.answer().await.text(), "wait 3");
}

#[tokio::test]
async fn running_out_of_descriptors_is_waited_out() {
    let mut listener = Listener::bind(&settings()).await.unwrap();
    let emfile = rustix::io::Errno::MFILE.raw_os_error();
    let aborted = rustix::io::Errno::CONNABORTED.raw_os_error();
    let errors = Arc::new(HostRule::Any);
    let failing = Acceptor::Failing(Mutex::new(vec![emfile, emfile, aborted, emfile, emfile]));
    listener.doors.insert(
        0,
        Door {
            place: "unix:/failing".parse().unwrap(),
            socket: failing,
            hosts: errors,
        },
    );
    let begun = Instant::now();
    let server = Server::on(listener, super::PATIENCE);
    assert_eq!(server.post("", "x").await.text(), "x");
    // 10, 20, 40 and 80 ms: it neither gave up nor tried without a pause.
    assert!(
        begun.elapsed() >= Duration::from_millis(150),
        "{:?}",
        begun.elapsed()
    );
    server.stop().await;
}

#[tokio::test]
async fn doors_take_turns() {
    let mut settings = settings();
    settings.listen.push("127.0.0.1:0".parse().unwrap());
    let server = Server::with(settings, super::PATIENCE).await;
    assert_eq!(server.addresses.len(), 2);
    for address in server.addresses.clone() {
        let super::LocalAddr::Tcp(address) = address else {
            unreachable!()
        };
        let mut client = Client::new(
            tokio::net::TcpStream::connect(address).await.unwrap(),
            address.to_string(),
        );
        client.post("", "x").await;
        assert_eq!(client.answer().await.status, 200);
        // The other door's port is not this one's Host.
        client.host = "localhost:1".into();
        client.post("", "x").await;
        client.answer().await.is_refusal(403);
    }
}
