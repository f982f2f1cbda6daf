//! The transport over real sockets, with an endpoint that does what a message tells it.

mod bodies;
mod connections;
mod events;
mod guards;
mod http2;
mod places;
mod requests;
mod stopping;

use super::{HttpSettings, Listen, Listener, LocalAddr};
use crate::access::Denied;
use crate::ops::Caller;
use crate::server::{Endpoint, Part, Parts, Received, Reply, Session, Work};
use crate::shutdown::Shutdown;
use bytes::Bytes;
use futures_util::stream;
use http::{HeaderMap, StatusCode};
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinHandle;

/// No test waits longer for anything. A test that passes waits for events only.
const PATIENCE: Duration = Duration::from_secs(10);

/// The future's output, soon.
async fn soon<F: Future>(future: F) -> F::Output {
    tokio::time::timeout(PATIENCE, future)
        .await
        .expect("nothing happened for 10 s")
}

/// What the endpoint saw.
#[derive(Debug, PartialEq, Eq)]
enum Event {
    /// A message is being worked on.
    Begun(Bytes),
    /// The work was dropped before it was done.
    Cancelled,
}

/// Does what the message says: `wait` works until [`Scripted::release`], `wait-id` answers with the
/// header `x-id` then, `note` is a notification, `panic` panics, `big N` answers N bytes, `status N`
/// answers that status, `stream N` streams the numbers up to N, each after the first when it is
/// released, `may-stream` says whether it could, anything else is echoed.
struct Scripted {
    events: mpsc::Sender<Event>,
    gate: Arc<Semaphore>,
    calls: AtomicUsize,
}

struct Guard(Option<mpsc::Sender<Event>>);

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(events) = self.0.take() {
            let _ = events.try_send(Event::Cancelled);
        }
    }
}

impl Endpoint for Scripted {
    type Session = Never;

    async fn admit(&self, _: &HeaderMap) -> Result<Caller, Denied> {
        Ok(Caller::default())
    }

    async fn post(&self, _: Caller, headers: &HeaderMap, body: Bytes, may_stream: bool) -> Reply {
        self.calls.fetch_add(1, Ordering::SeqCst);
        let text = std::str::from_utf8(&body).unwrap_or_default();
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        let mut status = StatusCode::OK;
        let body = match word {
            "wait" | "wait-id" => {
                let mut guard = Guard(Some(self.events.clone()));
                self.events.send(Event::Begun(body.clone())).await.unwrap();
                self.gate.acquire().await.unwrap().forget();
                guard.0 = None;
                if word == "wait" {
                    body
                } else {
                    headers["x-id"].as_bytes().to_vec().into()
                }
            }
            "stream" => return Reply::Stream(self.numbers(rest.parse().unwrap())),
            "may-stream" => may_stream.to_string().into(),
            "note" => return Reply::Accepted,
            "panic" => panic!("told to"),
            "big" => vec![b'x'; rest.parse().unwrap()].into(),
            "status" => {
                status = rest.parse().unwrap();
                body
            }
            _ => body,
        };
        let body = body.into();
        Reply::Message { status, body }
    }

    fn open(&self) -> Never {
        Never
    }
}

impl Scripted {
    fn numbers(&self, last: usize) -> Parts {
        let guard = Guard(Some(self.events.clone()));
        let gate = Arc::clone(&self.gate);
        let state = (1, guard, gate);
        Box::pin(stream::unfold(
            state,
            move |(number, mut guard, gate)| async move {
                if number > 1 && number <= last {
                    gate.acquire().await.unwrap().forget();
                }
                let bytes = Bytes::from(number.to_string());
                let part = match number.cmp(&last) {
                    std::cmp::Ordering::Less => Part::More(bytes),
                    std::cmp::Ordering::Equal => {
                        guard.0 = None;
                        Part::Last(bytes)
                    }
                    std::cmp::Ordering::Greater => return None,
                };
                Some((part, (number + 1, guard, gate)))
            },
        ))
    }
}

/// HTTP opens no session.
struct Never;

impl Session for Never {
    fn receive(&mut self, _: &[u8]) -> Received {
        unreachable!()
    }

    fn ended(&mut self) {}

    fn too_long(&mut self, _: usize) -> Bytes {
        unreachable!()
    }
}

const _: Option<Work> = None;

/// A server that runs until it is told to stop or dropped.
struct Server {
    addresses: Vec<LocalAddr>,
    endpoint: Arc<Scripted>,
    events: mpsc::Receiver<Event>,
    shutdown: Shutdown,
    serving: JoinHandle<()>,
}

/// On a free port of 127.0.0.1.
fn settings() -> HttpSettings {
    HttpSettings {
        listen: vec![Listen::from(SocketAddr::from(([127, 0, 0, 1], 0)))],
        ..HttpSettings::default()
    }
}

impl Server {
    async fn start() -> Self {
        Self::with(settings(), PATIENCE).await
    }

    async fn with(settings: HttpSettings, grace: Duration) -> Self {
        Self::on(Listener::bind(&settings).await.unwrap(), grace)
    }

    fn on(listener: Listener, grace: Duration) -> Self {
        let addresses = listener.local_addrs().to_vec();
        let (sender, events) = mpsc::channel(1024);
        let endpoint = Arc::new(Scripted {
            events: sender,
            gate: Arc::new(Semaphore::new(0)),
            calls: AtomicUsize::new(0),
        });
        let shutdown = Shutdown::new();
        let serving = tokio::spawn({
            let (endpoint, shutdown) = (Arc::clone(&endpoint), shutdown.clone());
            async move { listener.serve(endpoint, &shutdown, grace).await }
        });
        Self {
            addresses,
            endpoint,
            events,
            shutdown,
            serving,
        }
    }

    fn address(&self) -> SocketAddr {
        match self.addresses[0] {
            LocalAddr::Tcp(address) => address,
            LocalAddr::Unix(_) => unreachable!(),
        }
    }

    fn calls(&self) -> usize {
        self.endpoint.calls.load(Ordering::SeqCst)
    }

    fn release(&self) {
        self.endpoint.gate.add_permits(1);
    }

    async fn event(&mut self) -> Event {
        soon(self.events.recv()).await.unwrap()
    }

    async fn connect(&self) -> Client<TcpStream> {
        let stream = soon(TcpStream::connect(self.address())).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Client::new(stream, format!("127.0.0.1:{}", self.address().port()))
    }

    /// One request of these bytes on a connection of its own.
    async fn ask(&self, bytes: impl AsRef<[u8]>) -> Answer {
        let mut client = self.connect().await;
        client.send(bytes).await;
        client.answer().await
    }

    /// A POST of `body` with these header lines, on a connection of its own.
    async fn post(&self, headers: &str, body: &str) -> Answer {
        let mut client = self.connect().await;
        client.post(headers, body).await;
        client.answer().await
    }

    /// `text` with `HOST` replaced by this server's.
    fn text(&self, text: &str) -> String {
        text.replace("HOST", &format!("127.0.0.1:{}", self.address().port()))
    }

    /// Stops the server and waits for it to end.
    async fn stop(self) {
        self.shutdown.begin();
        soon(self.serving).await.unwrap();
    }
}

/// One connection, byte by byte.
struct Client<S> {
    stream: S,
    host: String,
    read: Vec<u8>,
}

/// A response as it stood on the wire.
#[derive(Debug)]
struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(n, _)| n == name);
        let value = found.next();
        assert!(found.next().is_none(), "`{name}` twice in {self:?}");
        value.map(|(_, value)| value.as_str())
    }

    fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    /// Checks that the body is a JSON-RPC error without an id.
    #[track_caller]
    fn is_refusal(&self, status: u16) {
        assert_eq!(self.status, status, "{self:?}");
        assert_eq!(self.header("content-type"), Some("application/json"));
        let body: serde_json::Value = serde_json::from_slice(&self.body).unwrap();
        assert_eq!(body["jsonrpc"], "2.0");
        assert!(
            body["error"]["message"].is_string() && body.get("id").is_none(),
            "{body}"
        );
        assert_eq!(
            body["error"]["code"],
            if status == 503 { -32603 } else { -32600 }
        );
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Client<S> {
    fn new(stream: S, host: String) -> Self {
        Self {
            stream,
            host,
            read: Vec::new(),
        }
    }

    async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        soon(self.stream.write_all(bytes.as_ref())).await.unwrap();
    }

    async fn post(&mut self, headers: &str, body: &str) {
        let head = self.head(headers);
        self.send(format!(
            "{head}Content-Length: {}\r\n\r\n{body}",
            body.len()
        ))
        .await;
    }

    /// The head of a POST without its last line end.
    fn head(&self, headers: &str) -> String {
        format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n{headers}",
            self.host
        )
    }

    async fn more(&mut self) -> usize {
        soon(self.stream.read_buf(&mut self.read)).await.unwrap()
    }

    /// Reads one response. 100 Continue is one of its own.
    async fn answer(&mut self) -> Answer {
        let end = loop {
            if let Some(at) = self.read.windows(4).position(|four| four == b"\r\n\r\n") {
                break at;
            }
            let read = self.more().await;
            assert!(
                read > 0,
                "closed after {:?}",
                String::from_utf8_lossy(&self.read)
            );
        };
        let head: Vec<u8> = self.read.drain(..end + 4).collect();
        let head = String::from_utf8(head).unwrap();
        let mut lines = head.trim_end().split("\r\n");
        let status = lines
            .next()
            .unwrap()
            .split(' ')
            .nth(1)
            .unwrap()
            .parse()
            .unwrap();
        let headers = lines
            .map(|line| line.split_once(": ").unwrap())
            .map(|(n, v)| (n.to_lowercase(), v.to_owned()))
            .collect();
        let mut answer = Answer {
            status,
            headers,
            body: Vec::new(),
        };
        let length = answer
            .header("content-length")
            .map_or(0, |length| length.parse().unwrap());
        while self.read.len() < length {
            assert!(self.more().await > 0, "closed in a body");
        }
        answer.body = self.read.drain(..length).collect();
        answer
    }

    /// Waits until the server has closed, and checks that it sent nothing more.
    async fn closed(&mut self) {
        let mut rest = Vec::new();
        // A reset is an end too.
        let _ = soon(self.stream.read_to_end(&mut rest)).await;
        self.read.append(&mut rest);
        assert_eq!(String::from_utf8_lossy(&self.read), "");
    }
}
