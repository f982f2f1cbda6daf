//! The end: nothing new, what runs may finish, the rest is cut.

use super::{Event, PATIENCE, Server, settings, soon};
use std::time::{Duration, Instant};
use tokio::net::TcpStream;

#[tokio::test]
async fn requests_in_flight_are_finished_and_nothing_new_is_taken() {
    let mut server = Server::start().await;
    let mut client = server.connect().await;
    client.post("", "wait").await;
    assert_eq!(server.event().await, Event::Begun("wait".into()));
    let mut idle = server.connect().await;
    idle.post("", "x").await;
    assert_eq!(idle.answer().await.status, 200);
    let mut partial = server.connect().await;
    partial.send("POST /mcp HTTP/1.1\r\nHo").await;
    let mut silent = server.connect().await;
    server.shutdown.begin();
    idle.closed().await;
    partial.closed().await;
    silent.closed().await;
    // Each waited for the sockets to be closed.
    soon(TcpStream::connect(server.address()))
        .await
        .unwrap_err();
    server.release();
    let answer = client.answer().await;
    assert_eq!(
        (answer.text(), answer.header("connection")),
        ("wait", Some("close"))
    );
    client.closed().await;
    soon(server.serving).await.unwrap();
}

#[tokio::test]
async fn two_hundred_idle_connections_do_not_delay_the_stop() {
    let server = Server::start().await;
    let mut clients = Vec::new();
    for _ in 0..200 {
        let mut client = server.connect().await;
        client.post("", "x").await;
        assert_eq!(client.answer().await.status, 200);
        clients.push(client);
    }
    let begun = Instant::now();
    server.stop().await;
    assert!(
        begun.elapsed() < Duration::from_secs(1),
        "{:?}",
        begun.elapsed()
    );
    for client in &mut clients {
        client.closed().await;
    }
}

#[tokio::test]
async fn after_the_grace_what_is_left_is_aborted() {
    let grace = Duration::from_millis(200);
    let mut server = Server::with(settings(), grace).await;
    let mut client = server.connect().await;
    client.post("", "wait").await;
    assert_eq!(server.event().await, Event::Begun("wait".into()));
    let mut slow = server.connect().await;
    slow.send(format!("{}Content-Length: 10\r\n\r\nab", slow.head("")))
        .await;
    let begun = Instant::now();
    server.shutdown.begin();
    soon(&mut server.serving).await.unwrap();
    assert!(
        begun.elapsed() >= grace && begun.elapsed() < grace + Duration::from_secs(1),
        "{:?}",
        begun.elapsed()
    );
    assert_eq!(server.event().await, Event::Cancelled);
    client.closed().await;
    slow.closed().await;
}

#[tokio::test]
async fn a_request_that_came_just_before_is_still_answered() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    client.post("", "x").await;
    // The server's tasks have not run since: this test's runtime has one thread.
    server.shutdown.begin();
    let mut answered = Vec::new();
    let _ = soon(tokio::io::AsyncReadExt::read_to_end(
        &mut client.stream,
        &mut answered,
    ))
    .await;
    let text = String::from_utf8(answered).unwrap();
    // Either it was accepted in time and is served whole, or it never was; never half an answer.
    assert!(
        text.is_empty() || (text.contains("connection: close") && text.ends_with("\r\n\r\nx")),
        "{text}"
    );
    soon(server.serving).await.unwrap();
}

#[tokio::test]
async fn dropping_the_server_aborts_its_connections() {
    let mut server = Server::start().await;
    let mut client = server.connect().await;
    client.post("", "wait").await;
    assert_eq!(server.event().await, Event::Begun("wait".into()));
    server.serving.abort();
    assert_eq!(server.event().await, Event::Cancelled);
    client.closed().await;
}

#[tokio::test]
async fn a_shutdown_before_the_start_is_a_stop_at_once() {
    let listener = super::Listener::bind(&settings()).await.unwrap();
    let super::LocalAddr::Tcp(address) = listener.local_addrs()[0] else {
        unreachable!()
    };
    let shutdown = crate::shutdown::Shutdown::new();
    shutdown.begin();
    let (events, _kept) = tokio::sync::mpsc::channel(1);
    let endpoint = super::Scripted {
        events,
        gate: tokio::sync::Semaphore::new(0).into(),
        calls: Default::default(),
    };
    soon(listener.serve(endpoint.into(), &shutdown, PATIENCE)).await;
    soon(TcpStream::connect(address)).await.unwrap_err();
}

#[tokio::test]
async fn a_refused_upload_does_not_delay_the_stop() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    client
        .send(format!(
            "{}Content-Length: 99999999\r\n\r\nxx",
            client.head("")
        ))
        .await;
    client.answer().await.is_refusal(413);
    let begun = Instant::now();
    server.stop().await;
    assert!(
        begun.elapsed() < Duration::from_secs(1),
        "{:?}",
        begun.elapsed()
    );
}
