//! Servers that answer as told and remember what they saw, and a network that leads to them.

use crate::action::http::Network;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::{HeaderMap, Method, Request, Response, Version};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use std::collections::HashMap;
use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

/// A request as a server saw it.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) method: Method,
    /// Path and query.
    pub(super) target: String,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
    pub(super) version: Version,
}

impl Seen {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .get(name)
            .map(|value| value.to_str().expect("visible text"))
    }
}

pub(super) type Answer = Response<Full<Bytes>>;

/// An answer without further fields.
pub(super) fn answer(status: u16, body: impl Into<Bytes>) -> Answer {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status.try_into().expect("a status");
    response
}

/// An answer with one further field.
pub(super) fn with(status: u16, name: &'static str, value: &str) -> Answer {
    let mut response = answer(status, "");
    response
        .headers_mut()
        .insert(name, value.parse().expect("a value"));
    response
}

/// A running server. Dropping it ends it and its connections.
pub(super) struct Server {
    pub(super) address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
    accepted: Arc<AtomicUsize>,
    _tasks: JoinSet<()>,
}

impl Server {
    /// Answers HTTP/1.1 (and HTTP/2 with prior knowledge) by the function, which also gets the
    /// request's number.
    pub(super) async fn http(
        answer: impl Fn(&Seen, usize) -> Answer + Send + Sync + 'static,
    ) -> Self {
        Self::start(None, answer).await
    }

    /// The same over TLS.
    pub(super) async fn https(
        tls: TlsAcceptor,
        answer: impl Fn(&Seen, usize) -> Answer + Send + Sync + 'static,
    ) -> Self {
        Self::start(Some(tls), answer).await
    }

    /// Hands each connection and its number to the function.
    pub(super) async fn raw<F>(serve: impl Fn(TcpStream, usize) -> F + Send + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let accepted = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&accepted);
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let number = counter.fetch_add(1, Ordering::SeqCst);
                connections.spawn(serve(stream, number));
            }
        });
        Self {
            address,
            seen: Arc::default(),
            accepted,
            _tasks: tasks,
        }
    }

    async fn start(
        tls: Option<TlsAcceptor>,
        answer: impl Fn(&Seen, usize) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
        let (log, answer) = (Arc::clone(&seen), Arc::new(answer));
        let mut server = Self::raw(move |stream, _| {
            let (log, answer, tls) = (Arc::clone(&log), Arc::clone(&answer), tls.clone());
            async move {
                match tls {
                    None => serve(stream, log, answer).await,
                    Some(tls) => {
                        if let Ok(stream) = tls.accept(stream).await {
                            serve(stream, log, answer).await;
                        }
                    }
                }
            }
        })
        .await;
        server.seen = seen;
        server
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(super) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().expect("no panic").clone()
    }

    /// How many connections were accepted.
    pub(super) fn accepted(&self) -> usize {
        self.accepted.load(Ordering::SeqCst)
    }
}

async fn serve<S, A>(stream: S, log: Arc<Mutex<Vec<Seen>>>, answer: Arc<A>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    A: Fn(&Seen, usize) -> Answer + Send + Sync + 'static,
{
    let service = service_fn(move |request: Request<Incoming>| {
        let (log, answer) = (Arc::clone(&log), Arc::clone(&answer));
        async move {
            let (head, body) = request.into_parts();
            let seen = Seen {
                method: head.method,
                target: head
                    .uri
                    .path_and_query()
                    .map(ToString::to_string)
                    .unwrap_or_default(),
                headers: head.headers,
                body: body.collect().await.expect("a body").to_bytes(),
                version: head.version,
            };
            let number = {
                let mut log = log.lock().expect("no panic");
                log.push(seen.clone());
                log.len() - 1
            };
            Ok::<_, Infallible>(answer(&seen, number))
        }
    });
    let _ = auto::Builder::new(TokioExecutor::new())
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

/// Reads a request's head; `None` at the connection's end.
pub(super) async fn read_head(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => return None,
        }
    }
    Some(String::from_utf8(head).expect("text"))
}

/// A network of made-up names and addresses. Made-up addresses lead to servers on this machine, and
/// nothing leads off it.
#[derive(Default)]
pub(super) struct MadeUp {
    names: HashMap<String, Vec<IpAddr>>,
    routes: HashMap<SocketAddr, SocketAddr>,
    connected: Mutex<Vec<SocketAddr>>,
    resolved: Mutex<Vec<String>>,
}

impl MadeUp {
    pub(super) fn name(mut self, name: &str, addresses: &[&str]) -> Self {
        let addresses = addresses
            .iter()
            .map(|ip| ip.parse().expect("an address"))
            .collect();
        self.names.insert(name.to_owned(), addresses);
        self
    }

    /// Connections to `from` reach `to`.
    pub(super) fn route(mut self, from: &str, to: SocketAddr) -> Self {
        self.routes.insert(from.parse().expect("an address"), to);
        self
    }

    /// Every address that a connection was tried to.
    pub(super) fn connected(&self) -> Vec<String> {
        self.connected
            .lock()
            .expect("no panic")
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    /// Every name that was asked for.
    pub(super) fn resolved(&self) -> Vec<String> {
        self.resolved.lock().expect("no panic").clone()
    }
}

impl Network for MadeUp {
    fn resolve<'a>(
        &'a self,
        name: &'a str,
        port: u16,
    ) -> BoxFuture<'a, io::Result<Vec<SocketAddr>>> {
        self.resolved
            .lock()
            .expect("no panic")
            .push(name.to_owned());
        let addresses = self.names.get(name).map(|addresses| {
            addresses
                .iter()
                .map(|ip| SocketAddr::new(*ip, port))
                .collect()
        });
        Box::pin(async move { addresses.ok_or_else(|| io::ErrorKind::NotFound.into()) })
    }

    fn connect(&self, address: SocketAddr) -> BoxFuture<'_, io::Result<TcpStream>> {
        self.connected.lock().expect("no panic").push(address);
        let to = self.routes.get(&address).copied().unwrap_or(address);
        Box::pin(async move {
            if to.ip().is_loopback() {
                TcpStream::connect(to).await
            } else {
                Err(io::ErrorKind::NetworkUnreachable.into())
            }
        })
    }
}
