//! What is sent again, how often, and when it is given up.

use super::server::{Answer, MadeUp, Server, answer, read_head, with};
use super::*;
use bytes::Bytes;
use std::sync::Arc;
use tokio::io::AsyncWriteExt;

fn retrying(url: &str, attempts: u32) -> Fetch {
    Fetch {
        retry: RetrySpec {
            attempts,
            backoff: Duration::from_millis(1),
            on: vec![429, 503],
            any_method: false,
        },
        ..get(url)
    }
}

/// Answers 503 so often, then 200.
async fn failing(times: usize) -> Server {
    Server::http(move |_, number| {
        if number < times {
            answer(503, "busy")
        } else {
            answer(200, "ok")
        }
    })
    .await
}

#[tokio::test]
async fn a_listed_status_is_tried_again() {
    let server = failing(2).await;
    let fetched = client()
        .fetch(retrying(&server.url("/"), 3))
        .await
        .expect("an answer");
    assert_eq!(
        (fetched.status.as_u16(), &fetched.body[..]),
        (200, &b"ok"[..])
    );
    assert_eq!(server.seen().len(), 3);
}

#[tokio::test]
async fn the_last_answer_is_returned_whole() {
    let server = failing(usize::MAX).await;
    for (attempts, sent) in [(3, 3), (1, 1), (0, 1)] {
        let before = server.seen().len();
        let fetched = client()
            .fetch(retrying(&server.url("/"), attempts))
            .await
            .expect("an answer");
        assert_eq!(
            (fetched.status.as_u16(), &fetched.body[..]),
            (503, &b"busy"[..])
        );
        assert_eq!(server.seen().len() - before, sent);
    }
}

#[tokio::test]
async fn other_statuses_and_methods_are_not() {
    let server = Server::http(|_, _| answer(500, "")).await;
    client()
        .fetch(retrying(&server.url("/"), 3))
        .await
        .expect("an answer");
    assert_eq!(server.seen().len(), 1);
    let server = failing(usize::MAX).await;
    let post = |any_method| {
        let mut fetch = retrying(&server.url("/"), 3);
        fetch.method = Method::POST;
        fetch.body = Some(Bytes::from_static(b"once"));
        fetch.retry.any_method = any_method;
        fetch
    };
    client().fetch(post(false)).await.expect("an answer");
    assert_eq!(server.seen().len(), 1);
    client().fetch(post(true)).await.expect("an answer");
    let seen = server.seen();
    assert_eq!(seen.len(), 4);
    assert!(seen.iter().all(|seen| seen.body == "once"));
}

#[tokio::test]
async fn a_retry_after_that_fits_is_waited_for() {
    let server = Server::http(|_, number| match number {
        0 => with(429, "retry-after", "0"),
        1 => with(503, "retry-after", "Sun, 06 Nov 1994 08:49:37 GMT"),
        _ => answer(200, "ok"),
    })
    .await;
    let fetched = client()
        .fetch(retrying(&server.url("/"), 5))
        .await
        .expect("an answer");
    assert_eq!(
        (fetched.body, server.seen().len()),
        (Bytes::from_static(b"ok"), 3)
    );
}

#[tokio::test]
async fn a_retry_after_beyond_the_timeout_is_answered_at_once() {
    for after in [
        "3600",
        "99999999999999999999",
        "Fri, 31 Dec 9999 23:59:59 GMT",
    ] {
        let server = Server::http(move |_, _| with(429, "retry-after", after)).await;
        let begun = std::time::Instant::now();
        let fetched = client()
            .fetch(retrying(&server.url("/"), 5))
            .await
            .expect("an answer");
        assert_eq!(
            (fetched.status.as_u16(), &fetched.headers["retry-after"]),
            (429, &HeaderValue::from_static(after))
        );
        assert_eq!(server.seen().len(), 1);
        assert!(begun.elapsed() < Duration::from_secs(5), "it did not wait");
    }
}

#[tokio::test]
async fn connections_that_fail_are_tried_again() {
    let network = Arc::new(MadeUp::default().name("gone.test", &["1.1.1.1"]));
    let client =
        Client::with_network(&ClientOptions::default(), network.clone()).expect("a client");
    assert_eq!(
        fault(&client, retrying("http://gone.test/", 3)).await,
        Fault::Unreachable
    );
    assert_eq!(network.connected().len(), 3);
    assert_eq!(
        fault(&client, retrying("http://unknown.test/", 2)).await,
        Fault::Resolve
    );
    assert_eq!(
        network
            .resolved()
            .iter()
            .filter(|name| *name == "unknown.test")
            .count(),
        2
    );
    let post = Fetch {
        method: Method::POST,
        ..retrying("http://gone.test/", 3)
    };
    assert_eq!(fault(&client, post).await, Fault::Unreachable);
    assert_eq!(network.connected().len(), 4, "a POST is sent once");
}

#[tokio::test]
async fn a_refused_address_is_not_tried_again() {
    let network = Arc::new(MadeUp::default().name("inside.test", &["10.0.0.1"]));
    let client =
        Client::with_network(&ClientOptions::default(), network.clone()).expect("a client");
    let fetch = Fetch {
        target: from_caller(&["*"]),
        ..retrying("http://inside.test/", 3)
    };
    assert_eq!(fault(&client, fetch).await, Fault::AddressNotAllowed);
    assert_eq!(network.resolved().len(), 1);
}

#[tokio::test]
async fn a_connection_closed_before_the_answer_is_tried_again() {
    let server = Server::raw(|mut stream, number| async move {
        read_head(&mut stream).await;
        if number > 0 {
            let _ = stream
                .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")
                .await;
        }
    })
    .await;
    let fetched = client()
        .fetch(retrying(&server.url("/"), 2))
        .await
        .expect("an answer");
    assert_eq!(
        (fetched.body, server.accepted()),
        (Bytes::from_static(b"ok"), 2)
    );
    assert_eq!(
        fault(&client(), get(&closing().await.url("/"))).await,
        Fault::Closed
    );
}

/// Closes every connection after the request.
async fn closing() -> Server {
    Server::raw(|mut stream, _| async move {
        read_head(&mut stream).await;
    })
    .await
}

#[tokio::test]
async fn an_answer_that_is_not_http_is_not_tried_again() {
    let server = Server::raw(|mut stream, _| async move {
        read_head(&mut stream).await;
        let _ = stream.write_all(b"220 mail.test ESMTP\r\n\r\n").await;
    })
    .await;
    assert_eq!(
        fault(&client(), retrying(&server.url("/"), 3)).await,
        Fault::Protocol
    );
    assert_eq!(server.accepted(), 1);
}

#[tokio::test]
async fn redirects_cost_no_attempt_and_share_the_budget() {
    let server = Server::http(|seen, number| -> Answer {
        match (seen.target.as_str(), number) {
            ("/", 0) => answer(503, ""),
            ("/", _) => with(302, "location", "/next"),
            _ => answer(503, "still"),
        }
    })
    .await;
    let fetched = client()
        .fetch(retrying(&server.url("/"), 3))
        .await
        .expect("an answer");
    assert_eq!(fetched.body, "still");
    let targets: Vec<_> = server.seen().into_iter().map(|seen| seen.target).collect();
    assert_eq!(targets, ["/", "/", "/next", "/next"]);
}
