//! Connections: kept, replaced, closed.

use super::server::{MadeUp, Server, answer, read_head};
use super::*;
use futures_util::future::BoxFuture;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{Notify, mpsc};

const OK: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

#[tokio::test]
async fn a_connection_serves_many_requests() {
    let server = Server::http(|_, _| answer(200, "ok")).await;
    let client = client();
    for _ in 0..20 {
        client
            .fetch(get(&server.url("/")))
            .await
            .expect("an answer");
    }
    assert_eq!((server.seen().len(), server.accepted()), (20, 1));
}

#[tokio::test]
async fn requests_at_the_same_time_do_not_wait_for_each_other() {
    let both = Arc::new(tokio::sync::Barrier::new(2));
    let server = Server::raw(move |mut stream, _| {
        let both = Arc::clone(&both);
        async move {
            read_head(&mut stream).await;
            both.wait().await;
            let _ = stream.write_all(OK).await;
        }
    })
    .await;
    let client = client();
    let (one, two) = tokio::join!(
        client.fetch(get(&server.url("/1"))),
        client.fetch(get(&server.url("/2")))
    );
    assert_eq!(
        (one.expect("an answer").body, two.expect("an answer").body),
        ("ok".into(), "ok".into())
    );
}

/// Answers the first request on its first connection, and closes on the second; answers one request
/// on each other connection. Counts requests.
async fn closing_in_between(requests: Arc<AtomicUsize>) -> Server {
    Server::raw(move |mut stream, number| {
        let requests = Arc::clone(&requests);
        async move {
            while read_head(&mut stream).await.is_some() {
                let before = requests.fetch_add(1, Ordering::SeqCst);
                if number == 0 && before > 0 {
                    return;
                }
                let _ = stream.write_all(OK).await;
            }
        }
    })
    .await
}

#[tokio::test]
async fn an_idle_connection_that_the_server_closes_costs_an_idempotent_request_nothing() {
    let requests = Arc::new(AtomicUsize::new(0));
    let server = closing_in_between(Arc::clone(&requests)).await;
    let client = client();
    client
        .fetch(get(&server.url("/")))
        .await
        .expect("an answer");
    let fetched = client
        .fetch(get(&server.url("/")))
        .await
        .expect("another answer");
    assert_eq!(fetched.body, "ok");
    assert_eq!((requests.load(Ordering::SeqCst), server.accepted()), (3, 2));
}

#[tokio::test]
async fn a_post_is_not_sent_twice() {
    let requests = Arc::new(AtomicUsize::new(0));
    let server = closing_in_between(Arc::clone(&requests)).await;
    let client = client();
    client
        .fetch(get(&server.url("/")))
        .await
        .expect("an answer");
    let post = Fetch {
        method: Method::POST,
        ..get(&server.url("/"))
    };
    assert_eq!(fault(&client, post).await, Fault::Closed);
    assert_eq!((requests.load(Ordering::SeqCst), server.accepted()), (2, 1));
}

/// Waits for a request, writes `bytes`, says so, and reports the connection's end.
async fn watched(bytes: &'static [u8]) -> (Server, Arc<Notify>, mpsc::Receiver<()>) {
    let written = Arc::new(Notify::new());
    let (closed, ends) = mpsc::channel(8);
    let says = Arc::clone(&written);
    let server = Server::raw(move |mut stream, _| {
        let (says, closed) = (Arc::clone(&says), closed.clone());
        async move {
            read_head(&mut stream).await;
            let _ = stream.write_all(bytes).await;
            says.notify_one();
            let mut rest = Vec::new();
            let _ = stream.read_to_end(&mut rest).await;
            let _ = closed.send(()).await;
        }
    })
    .await;
    (server, written, ends)
}

#[tokio::test]
async fn a_dropped_call_closes_its_connection() {
    for bytes in [
        &b""[..],
        b"HTTP/1.1 200",
        b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf",
    ] {
        let (server, written, mut ends) = watched(bytes).await;
        let client = client();
        tokio::select! {
            outcome = client.fetch(get(&server.url("/"))) => panic!("{outcome:?}"),
            () = written.notified() => {}
        }
        ends.recv().await.expect("the server saw the end");
    }
}

#[tokio::test]
async fn a_call_that_times_out_closes_its_connection() {
    let (server, _, mut ends) = watched(b"HTTP/1.1 200 OK\r\n\r\n").await;
    let client = client();
    let fetch = Fetch {
        timeout: Duration::from_millis(50),
        ..get(&server.url("/"))
    };
    assert!(matches!(fault(&client, fetch).await, Fault::TimedOut(_)));
    ends.recv().await.expect("the server saw the end");
}

#[tokio::test]
async fn a_call_that_refuses_the_body_closes_its_connection() {
    let (server, _, mut ends) =
        watched(b"HTTP/1.1 200 OK\r\ncontent-length: 999999\r\n\r\nx").await;
    let client = client();
    let fetch = Fetch {
        max_bytes: 10,
        ..get(&server.url("/"))
    };
    assert_eq!(fault(&client, fetch).await, Fault::TooLarge(10));
    ends.recv().await.expect("the server saw the end");
}

#[tokio::test]
async fn a_dropped_client_closes_its_idle_connections() {
    let (server, _, mut ends) = watched(OK).await;
    let client = client();
    client
        .fetch(get(&server.url("/")))
        .await
        .expect("an answer");
    assert!(ends.try_recv().is_err(), "kept while the client lives");
    drop(client);
    ends.recv().await.expect("the server saw the end");
}

/// A network on which connecting takes for ever, and which tells when it is given up.
struct Hanging {
    begun: Arc<Notify>,
    given_up: mpsc::Sender<()>,
}

impl Network for Hanging {
    fn resolve<'a>(&'a self, _: &'a str, _: u16) -> BoxFuture<'a, io::Result<Vec<SocketAddr>>> {
        Box::pin(async { Err(io::ErrorKind::NotFound.into()) })
    }

    fn connect(&self, _: SocketAddr) -> BoxFuture<'_, io::Result<TcpStream>> {
        struct Guard(mpsc::Sender<()>);
        impl Drop for Guard {
            fn drop(&mut self) {
                let _ = self.0.try_send(());
            }
        }
        let guard = Guard(self.given_up.clone());
        self.begun.notify_one();
        Box::pin(async move {
            let _guard = guard;
            std::future::pending().await
        })
    }
}

#[tokio::test]
async fn a_dropped_call_stops_connecting() {
    let begun = Arc::new(Notify::new());
    let (given_up, mut ends) = mpsc::channel(8);
    let network = Hanging {
        begun: Arc::clone(&begun),
        given_up,
    };
    let client = Client::with_network(&ClientOptions::default(), Arc::new(network));
    let client = client.expect("a client");
    tokio::select! {
        outcome = client.fetch(get("http://127.0.0.1/")) => panic!("{outcome:?}"),
        () = begun.notified() => {}
    }
    ends.recv().await.expect("connecting ended");
}

#[tokio::test]
async fn a_name_with_a_dead_address_is_reached_at_another() {
    let server = Server::http(|_, _| answer(200, "ok")).await;
    let network = MadeUp::default()
        .name("two.test", &["2606:4700::1", "1.1.1.1"])
        .route("1.1.1.1:80", server.address);
    let network = Arc::new(network);
    let client =
        Client::with_network(&ClientOptions::default(), network.clone()).expect("a client");
    let fetched = client
        .fetch(get("http://two.test/"))
        .await
        .expect("an answer");
    assert_eq!(fetched.body, "ok");
    assert_eq!(network.connected(), ["[2606:4700::1]:80", "1.1.1.1:80"]);
}
