//! HTTP/2: streams that are refused, reset and dropped.

use super::server::{Answer, Server, answer};
use super::tls::{Authority, client_to};
use super::*;
use bytes::Bytes;
use h2::Reason;
use http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::mpsc;

/// Tells when it goes.
struct Guard(mpsc::Sender<()>);

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.0.try_send(());
    }
}

#[tokio::test]
async fn a_dropped_call_resets_its_stream_and_keeps_the_connection() {
    let authority = Authority::new();
    let acceptor = authority.server(&["one.test"], &["h2"]);
    let (arrived, mut arrivals) = mpsc::channel(8);
    let (reset, mut resets) = mpsc::channel(8);
    let server = Server::raw(move |stream, _| {
        let (acceptor, arrived, reset) = (acceptor.clone(), arrived.clone(), reset.clone());
        async move {
            let stream = acceptor.accept(stream).await.expect("TLS");
            let service = service_fn(move |request: Request<Incoming>| {
                let (arrived, guard) = (arrived.clone(), Guard(reset.clone()));
                async move {
                    if request.uri().path() == "/" {
                        return Ok(answer(200, "ok"));
                    }
                    let _guard = guard;
                    let _ = arrived.send(()).await;
                    std::future::pending::<Result<Answer, Infallible>>().await
                }
            });
            let _ = http2::Builder::new(TokioExecutor::new())
                .serve_connection(TokioIo::new(stream), service)
                .await;
        }
    })
    .await;
    let client = client_to(&authority.options(), &[("one.test", &server)]);
    tokio::select! {
        outcome = client.fetch(get("https://one.test/hang")) => panic!("{outcome:?}"),
        _ = arrivals.recv() => {}
    }
    resets.recv().await.expect("the server saw the reset");
    assert_eq!(
        client
            .fetch(get("https://one.test/"))
            .await
            .expect("an answer")
            .body,
        "ok"
    );
    assert_eq!(server.accepted(), 1);
}

/// Resets so many streams with the reason, and answers those that follow. Counts streams.
async fn resetting(
    authority: &Authority,
    times: usize,
    reason: Reason,
) -> (Server, Arc<AtomicUsize>) {
    let acceptor = authority.server(&["one.test"], &["h2"]);
    let streams = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&streams);
    let server = Server::raw(move |stream, _| {
        let (acceptor, counter) = (acceptor.clone(), Arc::clone(&counter));
        async move {
            let stream = acceptor.accept(stream).await.expect("TLS");
            let mut connection = h2::server::handshake(stream).await.expect("HTTP/2");
            while let Some(Ok((_, mut respond))) = connection.accept().await {
                if counter.fetch_add(1, Ordering::SeqCst) < times {
                    respond.send_reset(reason);
                    continue;
                }
                let mut body = respond
                    .send_response(Response::new(()), false)
                    .expect("a stream");
                body.send_data(Bytes::from_static(b"ok"), true)
                    .expect("a stream");
            }
        }
    })
    .await;
    (server, streams)
}

#[tokio::test]
async fn a_refused_stream_is_opened_again_once_whatever_the_method() {
    let authority = Authority::new();
    for (times, fits) in [(1, true), (2, false)] {
        let (server, streams) = resetting(&authority, times, Reason::REFUSED_STREAM).await;
        let client = client_to(&authority.options(), &[("one.test", &server)]);
        let post = Fetch {
            method: Method::POST,
            ..get("https://one.test/")
        };
        match client.fetch(post).await {
            Ok(fetched) => assert!(fits && fetched.body == "ok"),
            Err(error) => assert!(!fits && *error.fault() == Fault::Reset, "{error}"),
        }
        assert_eq!(streams.load(Ordering::SeqCst), 2);
    }
}

#[tokio::test]
async fn a_stream_that_is_reset_is_a_failed_attempt() {
    let authority = Authority::new();
    let (server, streams) = resetting(&authority, 1, Reason::INTERNAL_ERROR).await;
    let client = client_to(&authority.options(), &[("one.test", &server)]);
    let error = client
        .fetch(get("https://one.test/"))
        .await
        .expect_err("a reset");
    assert_eq!(
        error.to_string(),
        "https://one.test: the server broke the exchange off"
    );
    assert_eq!(streams.load(Ordering::SeqCst), 1);

    let (server, streams) = resetting(&authority, 1, Reason::INTERNAL_ERROR).await;
    let client = client_to(&authority.options(), &[("one.test", &server)]);
    let mut fetch = get("https://one.test/");
    fetch.retry.attempts = 2;
    assert_eq!(client.fetch(fetch).await.expect("an answer").body, "ok");
    assert_eq!((streams.load(Ordering::SeqCst), server.accepted()), (2, 1));
}
