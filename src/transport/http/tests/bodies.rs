//! Bodies: large, slow, in pieces, broken, and never read.

use super::{Server, settings, soon};
use crate::transport::http::HttpSettings;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

async fn with(change: impl FnOnce(&mut HttpSettings)) -> Server {
    let mut settings = settings();
    change(&mut settings);
    Server::with(settings, super::PATIENCE).await
}

#[tokio::test]
async fn a_body_comes_whole_however_it_is_cut() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    let body: String = (0..100_000)
        .map(|n| char::from(b'a' + (n % 26) as u8))
        .collect();
    client.post("", &body).await;
    assert!(client.answer().await.text() == body);
    client
        .send(format!(
            "{}Transfer-Encoding: chunked\r\n\r\n",
            client.head("")
        ))
        .await;
    for piece in body.as_bytes().chunks(977) {
        client
            .send(format!(
                "{:x};x=y\r\n{}\r\n",
                piece.len(),
                std::str::from_utf8(piece).unwrap()
            ))
            .await;
    }
    client.send("0\r\nTrailer: x\r\n\r\n").await;
    assert!(client.answer().await.text() == body);
    // Byte by byte, the head too.
    let request = format!("{}Content-Length: 5\r\n\r\nsmall", client.head(""));
    for byte in request.as_bytes() {
        client.send([*byte]).await;
    }
    assert_eq!(client.answer().await.text(), "small");
    client.send(format!("{}\r\n", client.head(""))).await;
    assert_eq!(client.answer().await.text(), "", "no body is an empty body");
}

#[tokio::test]
async fn the_largest_body_is_taken_and_one_byte_more_is_413() {
    let server = with(|settings| settings.max_body_bytes = 20_000).await;
    let mut client = server.connect().await;
    let fits = "y".repeat(20_000);
    client.post("", &fits).await;
    assert!(client.answer().await.text() == fits);
    client
        .send(format!(
            "{}Transfer-Encoding: chunked\r\n\r\n4e20\r\n{fits}\r\n0\r\n\r\n",
            client.head("")
        ))
        .await;
    assert!(client.answer().await.text() == fits);
    // At once, by the announced length alone.
    client
        .send(format!("{}Content-Length: 20001\r\n\r\n", client.head("")))
        .await;
    let answer = client.answer().await;
    answer.is_refusal(413);
    assert_eq!(answer.header("connection"), Some("close"));
    assert_eq!(server.calls(), 2);
}

#[tokio::test]
async fn a_chunked_body_without_end_is_413_as_soon_as_it_is_too_large() {
    let server = with(|settings| settings.max_body_bytes = 100_000).await;
    let mut client = server.connect().await;
    client
        .send(format!(
            "{}Transfer-Encoding: chunked\r\n\r\n",
            client.head("")
        ))
        .await;
    let (mut read, mut write) = client.stream.into_split();
    let piece = format!("2000\r\n{}\r\n", "z".repeat(0x2000));
    let sending = tokio::spawn(async move {
        let mut sent = 0;
        while write.write_all(piece.as_bytes()).await.is_ok() {
            sent += piece.len();
        }
        sent
    });
    let mut answer = Vec::new();
    let _ = soon(read.read_to_end(&mut answer)).await;
    let answer = String::from_utf8(answer).unwrap();
    assert!(
        answer.starts_with("HTTP/1.1 413") && answer.contains("connection: close"),
        "{answer}"
    );
    drop(read);
    assert!(soon(sending).await.unwrap() > 100_000);
    assert_eq!(server.calls(), 0);
}

#[tokio::test]
async fn a_client_that_sends_on_still_gets_to_see_the_413() {
    let server = with(|settings| settings.max_body_bytes = 1000).await;
    // Far more than the socket buffers hold; the answer is only read when all is sent.
    let mut client = server.connect().await;
    let body = vec![b'x'; 8 * 1024 * 1024];
    client
        .send(format!(
            "{}Content-Length: {}\r\n\r\n",
            client.head(""),
            body.len()
        ))
        .await;
    client.send(&body).await;
    client.answer().await.is_refusal(413);
    client.closed().await;
}

#[tokio::test]
async fn a_client_that_asks_first_is_told_to_continue_or_why_not() {
    let server = with(|settings| settings.max_body_bytes = 1000).await;
    let mut client = server.connect().await;
    client
        .send(format!(
            "{}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n",
            client.head("")
        ))
        .await;
    assert_eq!(client.answer().await.status, 100);
    client.send("hi").await;
    assert_eq!(client.answer().await.text(), "hi");
    for (line, status) in [
        ("Content-Length: 1001\r\n", 413),
        ("Content-Length: 5\r\nAccept: text/html\r\n", 406),
    ] {
        let mut client = server.connect().await;
        client
            .send(format!(
                "{}Expect: 100-continue\r\n{line}\r\n",
                client.head("")
            ))
            .await;
        let answer = client.answer().await;
        answer.is_refusal(status);
        assert_eq!(answer.header("connection"), Some("close"));
        client.closed().await;
    }
}

#[tokio::test]
async fn a_stalled_body_is_408() {
    let server = with(|settings| settings.body_timeout = Duration::from_millis(300)).await;
    for framing in [
        "Content-Length: 10\r\n\r\nabc",
        "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
        "Content-Length: 10\r\n\r\n",
    ] {
        let mut client = server.connect().await;
        let begun = Instant::now();
        client.send(format!("{}{framing}", client.head(""))).await;
        let answer = client.answer().await;
        assert!(begun.elapsed() >= Duration::from_millis(300));
        answer.is_refusal(408);
        assert_eq!(answer.header("connection"), Some("close"));
        client.closed().await;
    }
    assert_eq!(server.calls(), 0);
}

#[tokio::test]
async fn a_body_that_trickles_for_ever_is_408_although_it_never_stalls() {
    let server = with(|settings| settings.body_timeout = Duration::from_millis(400)).await;
    let client = server.connect().await;
    let head = client.head("Content-Length: 1000\r\n\r\n");
    let (mut read, mut write) = client.stream.into_split();
    write.write_all(head.as_bytes()).await.unwrap();
    let trickle = tokio::spawn(async move {
        let mut clock = tokio::time::interval(Duration::from_millis(50));
        while write.write_all(b"x").await.is_ok() {
            clock.tick().await;
        }
    });
    let mut answer = vec![0; 12];
    soon(read.read_exact(&mut answer)).await.unwrap();
    assert_eq!(answer, b"HTTP/1.1 408");
    trickle.abort();
}

#[tokio::test]
async fn a_broken_or_cut_body_is_never_handed_on() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    client
        .send(format!(
            "{}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nnonsense\r\n",
            client.head("")
        ))
        .await;
    let answer = client.answer().await;
    answer.is_refusal(400);
    assert_eq!(answer.header("connection"), Some("close"));
    client.closed().await;
    for framing in [
        "Content-Length: 10\r\n\r\nabc",
        "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
    ] {
        let mut client = server.connect().await;
        client.send(format!("{}{framing}", client.head(""))).await;
        client.stream.shutdown().await.unwrap();
        while client.more().await > 0 {}
    }
    assert_eq!(server.calls(), 0);
}

#[tokio::test]
async fn lengths_that_smuggle_are_refused() {
    let server = Server::start().await;
    for framing in [
        "Content-Length: 1\r\nContent-Length: 2\r\n\r\nx",
        "Content-Length: -1\r\n\r\nx",
        "Content-Length: 1, 1\r\n\r\nx",
        "Transfer-Encoding: gzip\r\n\r\nx",
    ] {
        let mut client = server.connect().await;
        client.send(format!("{}{framing}", client.head(""))).await;
        while client.more().await > 0 {}
        let answer = String::from_utf8_lossy(&client.read);
        assert!(
            answer.is_empty() || answer.starts_with("HTTP/1.1 400"),
            "{framing}: {answer}"
        );
    }
    assert_eq!(server.calls(), 0);
}

#[tokio::test]
async fn an_unwanted_small_body_does_not_cost_the_connection() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    client.post("Accept: text/html\r\n", "hello").await;
    let answer = client.answer().await;
    answer.is_refusal(406);
    assert_eq!(answer.header("connection"), None);
    client.post("", "next").await;
    assert_eq!(client.answer().await.text(), "next");
    // The end of a chunked one is not known without waiting for it.
    client
        .send(format!(
            "{}Accept: text/html\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
            client.head("")
        ))
        .await;
    let answer = client.answer().await;
    answer.is_refusal(406);
    assert_eq!(answer.header("connection"), Some("close"));
    client.closed().await;
}

#[tokio::test]
async fn bodies_together_hold_no_more_than_their_allowance() {
    let server = with(|settings| settings.max_body_bytes = 1000).await;
    // 999 bytes of 1000 of a hundred bodies come; the allowance is 64 times 1000.
    let (refused, mut refusals) = mpsc::channel(100);
    let mut clients = JoinSet::new();
    for _ in 0..100 {
        let mut client = server.connect().await;
        let refused = refused.clone();
        clients.spawn(async move {
            let head = client.head("Content-Length: 1000\r\n\r\n");
            client.send(format!("{head}{}", "a".repeat(500))).await;
            client.send("b".repeat(499)).await;
            // Those that are taken wait for their last byte.
            let read = client.stream.read_buf(&mut client.read).await;
            assert!(read.unwrap() > 0);
            let answer = client.answer().await;
            answer.is_refusal(503);
            assert_eq!(answer.header("retry-after"), Some("1"));
            refused.send(()).await.unwrap();
        });
    }
    for _ in 0..36 {
        soon(refusals.recv()).await.unwrap();
    }
    // What is dropped is given back.
    clients.shutdown().await;
    let again = async {
        loop {
            let mut client = server.connect().await;
            let head = client.head("Expect: 100-continue\r\nContent-Length: 1000\r\n\r\n");
            client.send(head).await;
            assert_eq!(client.answer().await.status, 100);
            client.send("c".repeat(400)).await;
            client.send("d".repeat(600)).await;
            if client.answer().await.status == 200 {
                break;
            }
        }
    };
    soon(again).await;
}
