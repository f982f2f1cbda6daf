//! How a stream of messages ends.

use super::super::input::Input;
use super::super::output::Output;
use super::*;
use rustix::pipe::{PipeFlags, pipe_with};
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, ReadBuf};

/// A bound that is meant to be reached.
const SHORT: Duration = Duration::from_millis(50);

#[tokio::test]
async fn an_idle_stream_ends_with_its_input() {
    let client = start(options());
    let script = client.script.clone();
    let (lines, ended) = client.finish().await;
    assert_eq!(lines, [""; 0]);
    assert_eq!(ended.unwrap(), Ended::Eof);
    assert!(script.now().session_dropped);
}

#[tokio::test]
async fn work_that_ends_soon_after_the_input_is_answered() {
    let mut client = start(options());
    let script = client.script.clone();
    client.send("work quick\nanswer now\nwork last").await;
    client.input.shutdown().await.unwrap();
    let log = script.until(|log| log.begun.len() == 2).await;
    assert!(!log.session_dropped);
    script.release("quick");
    script.release("last");
    let (mut lines, ended) = client.finish().await;
    lines.sort();
    assert_eq!(lines, ["last", "now", "quick"]);
    assert_eq!(ended.unwrap(), Ended::Eof);
}

#[tokio::test]
async fn work_that_does_not_end_is_dropped_after_the_grace() {
    let mut client = start(StdioOptions {
        eof_grace: SHORT,
        ..options()
    });
    let script = client.script.clone();
    client.send("work hung\nwork done\nanswer now\n").await;
    script.release("done");
    let (lines, ended) = client.finish().await;
    assert_eq!(lines, ["now", "done"]);
    assert_eq!(ended.unwrap(), Ended::Eof);
    let log = script.now();
    assert!(log.session_dropped && log.gone.contains(&"hung".to_owned()));
}

#[tokio::test]
async fn a_stop_ends_the_reading_and_lets_work_finish() {
    let mut client = start(options());
    let script = client.script.clone();
    client.send("work slow\n").await;
    script.until(|log| log.begun.len() == 1).await;
    client.shutdown.begin();
    // The transport lets go of its input: it reads no more.
    assert_eq!(client.input.read(&mut [0]).await.unwrap(), 0);
    assert!(client.input.write_all(b"answer ignored\n").await.is_err());
    script.release("slow");
    assert_eq!(client.line().await, "slow");
    assert_eq!(client.line().await, "");
    assert_eq!(ended(client.serving).await.unwrap(), Ended::Shutdown);
    assert_eq!(script.now().received, ["work slow"]);
}

#[tokio::test]
async fn a_stop_waits_no_longer_than_its_grace() {
    let mut client = start(StdioOptions {
        grace: SHORT,
        ..options()
    });
    client.send("work hung\n").await;
    client.script.until(|log| log.begun.len() == 1).await;
    client.shutdown.begin();
    assert_eq!(client.line().await, "");
    assert_eq!(ended(client.serving).await.unwrap(), Ended::Shutdown);
    assert_eq!(client.script.now().gone, ["hung"]);
}

#[tokio::test]
async fn a_stop_after_the_end_of_the_input_shortens_the_wait() {
    let mut client = start(StdioOptions {
        grace: SHORT,
        ..options()
    });
    client.send("work hung\nnote").await;
    client.input.shutdown().await.unwrap();
    // The last line is only known to be one once the input has ended.
    client.script.until(|log| log.received.len() == 2).await;
    client.shutdown.begin();
    assert_eq!(client.line().await, "");
    assert!(ended(client.serving).await.is_ok());
    assert_eq!(client.script.now().gone, ["hung"]);
}

#[tokio::test]
async fn a_closed_output_ends_the_stream_and_the_work() {
    let mut client = start(options());
    client.send("work hung\n").await;
    client.script.until(|log| log.begun.len() == 1).await;
    drop(client.output);
    client.input.write_all(b"answer nobody\n").await.unwrap();
    assert_eq!(ended(client.serving).await.unwrap(), Ended::Closed);
    let log = client.script.now();
    assert!(log.session_dropped);
    assert_eq!(log.gone, ["hung"]);
}

#[tokio::test]
async fn a_closed_output_ends_the_wait_after_the_end_of_the_input() {
    let mut client = start(options());
    client.send("work hung\nwork one\n").await;
    client.input.shutdown().await.unwrap();
    client.script.until(|log| log.begun.len() == 2).await;
    drop(client.output);
    client.script.release("one");
    assert_eq!(ended(client.serving).await.unwrap(), Ended::Closed);
    client.script.until(|log| log.gone.len() == 2).await;
}

#[tokio::test]
async fn a_client_that_does_not_read_its_last_answers_is_left() {
    let mut client = start(StdioOptions {
        flush: SHORT,
        ..options()
    });
    client.send("work large 1000000\n").await;
    client.script.release("large");
    client.script.until(|log| log.gone == ["large"]).await;
    client.input.shutdown().await.unwrap();
    assert_eq!(ended(client.serving).await.unwrap(), Ended::Eof);
}

#[tokio::test]
async fn dropping_the_serving_drops_the_work() {
    let mut client = start(options());
    client.send("work hung\n").await;
    client.script.until(|log| log.begun.len() == 1).await;
    client.serving.abort();
    let log = client.script.until(|log| log.gone == ["hung"]).await;
    assert!(log.session_dropped);
    assert_eq!(client.line().await, "");
}

/// A stream that fails.
struct Broken;

impl AsyncRead for Broken {
    fn poll_read(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        _: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Poll::Ready(Err(io::Error::other("no more input")))
    }
}

impl AsyncWrite for Broken {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, _: &[u8]) -> Poll<io::Result<usize>> {
        Poll::Ready(Err(io::ErrorKind::StorageFull.into()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[tokio::test]
async fn an_input_that_fails_is_an_error_after_the_answers() {
    let input = (&b"answer one\n"[..]).chain(Broken);
    let (mut output, server_output) = duplex(1000);
    let script = Script::default();
    let served = serve(
        script.open(),
        input,
        server_output,
        &options(),
        &Shutdown::new(),
    )
    .await;
    assert_eq!(served.unwrap_err().to_string(), "no more input");
    let mut lines = String::new();
    output.read_to_string(&mut lines).await.unwrap();
    assert_eq!(lines, "one\n");
}

#[tokio::test]
async fn an_output_that_fails_is_an_error() {
    let (mut client, server_input) = duplex(1000);
    client.write_all(b"answer one\n").await.unwrap();
    let script = Script::default();
    let served = serve(
        script.open(),
        server_input,
        Broken,
        &options(),
        &Shutdown::new(),
    )
    .await;
    assert_eq!(served.unwrap_err().kind(), io::ErrorKind::StorageFull);
}

#[tokio::test]
async fn real_pipes_end_in_time_with_a_client_that_never_reads() {
    let (server_input, client_input) = pipe_with(PipeFlags::CLOEXEC).unwrap();
    let (client_output, server_output) = pipe_with(PipeFlags::CLOEXEC).unwrap();
    let script = Script::default();
    let shutdown = Shutdown::new();
    let (endpoint, stopping) = (script.clone(), shutdown.clone());
    let serving = tokio::spawn(async move {
        let input = Input::new(server_input)?;
        let output = Output::new(server_output)?;
        let options = StdioOptions {
            flush: SHORT,
            ..options()
        };
        serve(endpoint.open(), input, output, &options, &stopping).await
    });
    rustix::io::write(&client_input, b"work large 8388608\nwork other\n").unwrap();
    script.release("large");
    script.until(|log| log.gone == ["large"]).await;
    rustix::io::write(&client_input, b"cancel other\n").unwrap();
    script.until(|log| log.gone == ["large", "other"]).await;
    shutdown.begin();
    assert_eq!(ended(serving).await.unwrap(), Ended::Shutdown);
    // The client is gone at last, and with it the thread that writes.
    drop(client_output);
}
