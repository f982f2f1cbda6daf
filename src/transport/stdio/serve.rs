//! One stream of messages, from its first line to its end.

use super::input::Input;
use super::lines::{Line, Lines};
use super::options::{Ended, StdioOptions};
use super::outbox::{Outbox, Source};
use super::output::Output;
use super::writer;
use crate::server::{Part, Received, Session, Work};
use crate::shutdown::Shutdown;
use futures_util::StreamExt as _;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::{JoinError, JoinSet, consume_budget};
use tokio::time::{Instant, sleep_until, timeout_at};

/// Serves the process's standard streams, as [`serve`] does. Nothing it leaves behind keeps the
/// process from ending.
///
/// # Errors
/// When a stream cannot be read or written, or threads run out. A client that closes its end is
/// no error.
pub async fn serve_standard_streams(
    session: impl Session,
    options: &StdioOptions,
    shutdown: &Shutdown,
) -> io::Result<Ended> {
    serve(
        session,
        Input::stdin()?,
        Output::stdout()?,
        options,
        shutdown,
    )
    .await
}

/// Serves one stream of messages until the client closes an end of it, or the process stops.
///
/// At the end of the input, and when the process stops, nothing more is read; work in flight may
/// finish inside its grace and is dropped after; answers leave inside the bound for that. So this
/// returns after grace and `flush` at the latest, whatever the client does. Dropping the future
/// drops the work and ends the writing.
///
/// # Errors
/// When a stream cannot be read or written. A client that closes its end is no error.
pub async fn serve(
    session: impl Session,
    input: impl AsyncRead + Send + Unpin,
    output: impl AsyncWrite + Send + Unpin + 'static,
    options: &StdioOptions,
    shutdown: &Shutdown,
) -> io::Result<Ended> {
    let outbox = Arc::new(Outbox::new(options.max_unsent_bytes));
    let mut writing = JoinSet::new();
    writing.spawn(writer::write(output, Arc::clone(&outbox)));
    let mut stream = Stream {
        session,
        outbox,
        working: JoinSet::new(),
        writing,
    };
    let lines = Lines::new(input, options.max_line_bytes);
    let stopped = stream.read(lines, options, shutdown).await;
    tracing::debug!(?stopped, "the stream of messages ends");
    stream.end(stopped, options, shutdown).await
}

/// A stream's session, its work and its way out.
struct Stream<S> {
    session: S,
    outbox: Arc<Outbox>,
    /// A task for each request in flight.
    working: JoinSet<()>,
    /// The one task that writes.
    writing: JoinSet<io::Result<()>>,
}

/// Why reading stopped.
#[derive(Debug)]
enum Stopped {
    /// The input ended.
    Eof,
    /// The process stops.
    Shutdown,
    /// The input cannot be read.
    Input(io::Error),
    /// The output cannot be written.
    Output(io::Error),
}

impl<S: Session> Stream<S> {
    async fn read(
        &mut self,
        mut lines: Lines<impl AsyncRead + Unpin>,
        options: &StdioOptions,
        shutdown: &Shutdown,
    ) -> Stopped {
        let stopping = shutdown.token().cancelled();
        tokio::pin!(stopping);
        loop {
            tokio::select! {
                biased;
                () = &mut stopping => return Stopped::Shutdown,
                error = written(&mut self.writing) => return Stopped::Output(error),
                Some(outcome) = self.working.join_next() => log_panic(&outcome),
                line = next_line(&mut lines, &self.outbox) => match line {
                    Ok(Line::Message(message)) => self.receive(&message),
                    Ok(Line::TooLong) => {
                        let answer = self.session.too_long(options.max_line_bytes);
                        self.outbox.put(Source::Reading, answer);
                    }
                    Ok(Line::End) => return Stopped::Eof,
                    Err(error) => return Stopped::Input(error),
                },
            }
        }
    }

    fn receive(&mut self, message: &[u8]) {
        match self.session.receive(message) {
            Received::Nothing => {}
            Received::Answer(answer) => self.outbox.put(Source::Reading, answer),
            Received::Work(work) => {
                self.working.spawn(run(work, Arc::clone(&self.outbox)));
            }
        }
    }

    async fn end(
        mut self,
        stopped: Stopped,
        options: &StdioOptions,
        shutdown: &Shutdown,
    ) -> io::Result<Ended> {
        let grace = match stopped {
            Stopped::Eof | Stopped::Input(_) => options.eof_grace,
            Stopped::Shutdown => options.grace,
            Stopped::Output(_) => Duration::ZERO,
        };
        self.session.ended();
        let mut outcome = match stopped {
            Stopped::Eof => Ok(Ended::Eof),
            Stopped::Shutdown => Ok(Ended::Shutdown),
            Stopped::Input(error) => Err(error),
            Stopped::Output(error) => closed(error),
        };
        if let Err(error) = self.finish_work(grace, options, shutdown).await {
            outcome = outcome.and(closed(error));
        }
        let deadline = Instant::now() + options.flush;
        // What is still in flight is cancelled, then dropped.
        drop(self.session);
        if timeout_at(deadline, self.working.shutdown()).await.is_err() {
            tracing::warn!("work did not stop in time");
        }
        self.outbox.close();
        match timeout_at(deadline, self.writing.join_next()).await {
            Ok(None | Some(Ok(Ok(())))) => {}
            Ok(Some(Ok(Err(error)))) => outcome = outcome.and(closed(error)),
            Ok(Some(Err(error))) => outcome = outcome.and(Err(error.into())),
            Err(_) => tracing::warn!("the client did not read its last answers in time"),
        }
        outcome
    }

    /// Waits for the work in flight, `grace` at the most, less when the process begins to stop.
    /// The error is the output's, when it can no longer be written.
    async fn finish_work(
        &mut self,
        grace: Duration,
        options: &StdioOptions,
        shutdown: &Shutdown,
    ) -> io::Result<()> {
        let mut deadline = Instant::now() + grace;
        let mut stopping = shutdown.token().is_cancelled();
        loop {
            tokio::select! {
                biased;
                outcome = self.working.join_next() => match outcome {
                    Some(outcome) => log_panic(&outcome),
                    None => return Ok(()),
                },
                error = written(&mut self.writing) => return Err(error),
                () = shutdown.token().cancelled(), if !stopping => {
                    stopping = true;
                    deadline = deadline.min(Instant::now() + options.grace);
                }
                () = sleep_until(deadline) => {
                    tracing::warn!(requests = self.working.len(), "work in flight is dropped");
                    return Ok(());
                }
            }
        }
    }
}

/// The next line, once what was answered so far leaves room for another answer.
async fn next_line(lines: &mut Lines<impl AsyncRead + Unpin>, outbox: &Outbox) -> io::Result<Line> {
    // Lines that have already arrived wait for nothing; other tasks must have their turn.
    consume_budget().await;
    outbox.room(Source::Reading).await;
    lines.next().await
}

/// One request. It is in flight from the moment it was read, and begins when there is room. Once it
/// has said something, what follows waits for room too.
async fn run(mut work: Work, outbox: Arc<Outbox>) {
    loop {
        tokio::select! {
            biased;
            () = work.cancelled.cancelled() => return,
            () = outbox.room(Source::Work) => {}
        }
        match work.parts.next().await {
            Some(Part::More(message)) => outbox.put_unless(&work.cancelled, message),
            Some(Part::Last(answer)) => return outbox.put(Source::Work, answer),
            None => return,
        }
    }
}

/// Waits for the writing to fail. Once it has ended it stays so: this never returns again.
async fn written(writing: &mut JoinSet<io::Result<()>>) -> io::Error {
    match writing.join_next().await {
        Some(Ok(Err(error))) => error,
        Some(Err(error)) => error.into(),
        Some(Ok(Ok(()))) | None => std::future::pending().await,
    }
}

/// A client that closed the output is gone; anything else is an error.
fn closed(error: io::Error) -> io::Result<Ended> {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Ok(Ended::Closed),
        _ => Err(error),
    }
}

fn log_panic(outcome: &Result<(), JoinError>) {
    if let Err(error) = outcome {
        tracing::error!(%error, "a request ended without an answer");
    }
}
