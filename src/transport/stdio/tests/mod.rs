//! The transport against a scripted endpoint, over pipes in memory.

mod bounds;
mod ends;
mod framing;

use super::{Ended, StdioOptions, serve};
use crate::access::Denied;
use crate::ops::Caller;
use crate::server::{Endpoint, Part, Received, Reply, Session, Work};
use crate::shutdown::Shutdown;
use bytes::Bytes;
use futures_util::stream::{self, StreamExt as _};
use http::HeaderMap;
use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, duplex};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Longer than anything here takes. Not a pause: only a failing test waits for it.
const LONG: Duration = Duration::from_secs(60);

/// What a script has done so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Log {
    received: Vec<String>,
    begun: Vec<String>,
    /// Work whose future was dropped or came to its end.
    gone: Vec<String>,
    session_dropped: bool,
}

/// An endpoint whose messages say what is to happen:
///
/// - `answer TEXT` is answered at once with TEXT, `fill N` with N bytes;
/// - `work NAME` and `work NAME N` begin work that ends when NAME is released, with NAME or N bytes;
/// - `cancel NAME` ends it without an answer, `panic` is work that panics;
/// - anything else is a notification.
#[derive(Clone, Default)]
struct Script(Arc<Shared>);

#[derive(Default)]
struct Shared {
    log: watch::Sender<Log>,
    released: watch::Sender<Vec<String>>,
}

struct Scripted {
    script: Script,
    in_flight: HashMap<String, CancellationToken>,
}

impl Script {
    fn log(&self, change: impl FnOnce(&mut Log)) {
        self.0.log.send_modify(change);
    }

    fn now(&self) -> Log {
        self.0.log.borrow().clone()
    }

    fn release(&self, name: &str) {
        self.0
            .released
            .send_modify(|released| released.push(name.to_owned()));
    }

    async fn until(&self, condition: impl FnMut(&Log) -> bool) -> Log {
        let mut log = self.0.log.subscribe();
        let reached = tokio::time::timeout(LONG, log.wait_for(condition)).await;
        reached.expect("the event did not come").unwrap().clone()
    }

    fn work(&self, name: &str, answer: Bytes, cancelled: CancellationToken) -> Work {
        let script = self.clone();
        let name = name.to_owned();
        let guard = Gone(script.clone(), name.clone());
        let token = cancelled.clone();
        let answer = async move {
            let _guard = guard;
            script.log(|log| log.begun.push(name.clone()));
            assert_ne!(name, "panic", "as the script says");
            let mut released = script.0.released.subscribe();
            tokio::select! {
                () = cancelled.cancelled() => None,
                _ = released.wait_for(|released| released.contains(&name)) => Some(Part::Last(answer)),
            }
        };
        Work {
            cancelled: token,
            parts: Box::pin(stream::once(answer).filter_map(std::future::ready)),
        }
    }
}

struct Gone(Script, String);

impl Drop for Gone {
    fn drop(&mut self) {
        self.0.log(|log| log.gone.push(self.1.clone()));
    }
}

impl Endpoint for Script {
    type Session = Scripted;

    async fn admit(&self, _: &HeaderMap) -> Result<Caller, Denied> {
        Ok(Caller::default())
    }

    async fn post(&self, _: Caller, _: &HeaderMap, _: Bytes, _: bool) -> Reply {
        Reply::Accepted
    }

    fn open(&self) -> Scripted {
        Scripted {
            script: self.clone(),
            in_flight: HashMap::new(),
        }
    }
}

impl Session for Scripted {
    fn receive(&mut self, message: &[u8]) -> Received {
        let message = String::from_utf8_lossy(message).into_owned();
        let words: Vec<_> = message.splitn(3, ' ').collect();
        let received = match words.as_slice() {
            ["answer", ..] => Received::Answer(Bytes::from(message[7..].to_owned())),
            ["fill", length, ..] => Received::Answer(filler(length)),
            ["panic"] => Received::Work(self.begin("panic", Bytes::new())),
            ["work", name] => Received::Work(self.begin(name, Bytes::from((*name).to_owned()))),
            ["work", name, length] => Received::Work(self.begin(name, filler(length))),
            ["cancel", name] => {
                if let Some(token) = self.in_flight.remove(*name) {
                    token.cancel();
                }
                Received::Nothing
            }
            _ => Received::Nothing,
        };
        self.script.log(|log| log.received.push(message));
        received
    }

    fn ended(&mut self) {}

    fn too_long(&mut self, limit: usize) -> Bytes {
        Bytes::from(format!("longer than {limit}"))
    }
}

impl Scripted {
    fn begin(&mut self, name: &str, answer: Bytes) -> Work {
        let token = CancellationToken::new();
        self.in_flight.insert(name.to_owned(), token.clone());
        self.script.work(name, answer, token)
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.in_flight.values().for_each(CancellationToken::cancel);
        self.script.log(|log| log.session_dropped = true);
    }
}

fn filler(length: &str) -> Bytes {
    Bytes::from(vec![b'x'; length.parse().unwrap()])
}

/// A client of a running transport.
struct Client {
    script: Script,
    shutdown: Shutdown,
    input: DuplexStream,
    output: BufReader<DuplexStream>,
    serving: JoinHandle<io::Result<Ended>>,
}

fn options() -> StdioOptions {
    StdioOptions {
        max_line_bytes: 1000,
        eof_grace: LONG,
        grace: LONG,
        flush: LONG,
        ..StdioOptions::default()
    }
}

/// Starts the transport over pipes that hold 64 KiB, as a system's do.
fn start(options: StdioOptions) -> Client {
    let script = Script::default();
    let shutdown = Shutdown::new();
    let (input, server_input) = duplex(64 * 1024);
    let (output, server_output) = duplex(64 * 1024);
    let (endpoint, stopping) = (script.clone(), shutdown.clone());
    let serving = tokio::spawn(async move {
        serve(
            endpoint.open(),
            server_input,
            server_output,
            &options,
            &stopping,
        )
        .await
    });
    Client {
        script,
        shutdown,
        input,
        output: BufReader::new(output),
        serving,
    }
}

impl Client {
    async fn send(&mut self, text: &str) {
        let sent = tokio::time::timeout(LONG, self.input.write_all(text.as_bytes())).await;
        sent.expect("the transport does not read").unwrap();
    }

    /// The next line; empty at the end.
    async fn line(&mut self) -> String {
        let mut line = String::new();
        let read = tokio::time::timeout(LONG, self.output.read_line(&mut line)).await;
        read.expect("no answer").unwrap();
        if let Some(ended) = line.strip_suffix('\n') {
            line.truncate(ended.len());
        } else {
            assert_eq!(line, "", "a line was torn");
        }
        line
    }

    /// Closes the input and gives what is left of the output, and how serving ended.
    async fn finish(mut self) -> (Vec<String>, io::Result<Ended>) {
        self.input.shutdown().await.unwrap();
        let mut lines = Vec::new();
        loop {
            match self.line().await {
                line if line.is_empty() => break,
                line => lines.push(line),
            }
        }
        (lines, ended(self.serving).await)
    }
}

async fn ended(serving: JoinHandle<io::Result<Ended>>) -> io::Result<Ended> {
    let ended = tokio::time::timeout(LONG, serving).await;
    ended.expect("serving does not end").unwrap()
}
