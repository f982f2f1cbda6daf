//! A stand-in for every upstream: the tests of manifests have no network.
//!
//! It takes the place of the connection alone. The request is made, sent and judged by the same
//! client, and the answer goes through the same limits, decoding and redirects; TLS is left out,
//! and names are not looked up. Nothing that serves makes one.

use super::address::is_global;
use super::dial::Reach;
use super::error::Fault;
use super::stream::Tracked;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, Uri};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio_util::sync::CancellationToken;
use url::Host;

/// Bytes that a connection holds of what was written and not yet read.
const BUFFER: usize = 64 * 1024;

/// What comes of one request.
#[derive(Clone, Debug)]
pub enum StandInReply {
    /// An answer.
    Response {
        /// Its status.
        status: StatusCode,
        /// Its fields, in order.
        headers: Vec<(HeaderName, HeaderValue)>,
        /// Its body.
        body: Bytes,
    },
    /// None: this fault instead.
    Fault(Fault),
}

/// A request that reached the stand-in.
#[derive(Clone, Debug)]
pub struct SeenRequest {
    /// Its method.
    pub method: Method,
    /// Its whole URL, as it was sent.
    pub url: String,
    /// Its fields.
    pub headers: HeaderMap,
    /// Its body.
    pub body: Bytes,
}

/// What became of the connections so far.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// The connections that were asked for, in order: one for each request. `None` where the request
    /// did not come through, because its reply is a fault.
    pub requests: Vec<Option<SeenRequest>>,
    /// Origins of connections beyond the replies there were.
    pub unanswered: Vec<String>,
}

/// Answers in place of whatever is connected to.
#[derive(Default)]
pub struct StandIn(Mutex<Script>);

#[derive(Default)]
struct Script {
    replies: VecDeque<StandInReply>,
    record: Record,
}

impl StandIn {
    /// Gives these replies, one a request, in order. Once they are used up, connections are refused.
    pub fn new(replies: impl IntoIterator<Item = StandInReply>) -> Self {
        Self(Mutex::new(Script {
            replies: replies.into_iter().collect(),
            record: Record::default(),
        }))
    }

    /// What was asked so far.
    pub fn record(&self) -> Record {
        self.script().record.clone()
    }

    /// How many replies nobody asked for.
    pub fn left(&self) -> usize {
        self.script().replies.len()
    }

    /// A connection to whom `uri` names, which carries one request.
    pub(super) fn connect(
        self: &Arc<Self>,
        uri: &Uri,
        reach: Reach,
        stop: &CancellationToken,
    ) -> Result<Tracked, Fault> {
        if reach == Reach::Public && !may_be_public(uri) {
            return Err(Fault::AddressNotAllowed);
        }
        let origin = format!(
            "{}://{}",
            uri.scheme_str().unwrap_or("http"),
            uri.authority().map_or("", http::uri::Authority::as_str)
        );
        let (index, reply) = {
            let mut script = self.script();
            let Some(reply) = script.replies.pop_front() else {
                script.record.unanswered.push(origin);
                return Err(Fault::Refused);
            };
            script.record.requests.push(None);
            (script.record.requests.len() - 1, reply)
        };
        let reply = match reply {
            // The request is read and then let down.
            StandInReply::Fault(Fault::Closed) => None,
            StandInReply::Fault(fault) => return Err(fault),
            StandInReply::Response {
                status,
                headers,
                body,
            } => Some((status, headers, body)),
        };
        let (near, far) = tokio::io::duplex(BUFFER);
        let seen = Arc::clone(self);
        let service = service_fn(move |request| {
            let (seen, origin, reply) = (Arc::clone(&seen), origin.clone(), reply.clone());
            async move {
                let request = read(&origin, request).await?;
                seen.saw(index, request);
                let let_down = || io::Error::from(io::ErrorKind::ConnectionAborted);
                let (status, headers, body) = reply.ok_or_else(let_down)?;
                let mut response = Response::new(Full::new(body));
                *response.status_mut() = status;
                for (name, value) in headers {
                    response.headers_mut().append(name, value);
                }
                Ok::<_, io::Error>(response)
            }
        });
        let mut server = http1::Builder::new();
        server.auto_date_header(false);
        let connection = server.serve_connection(TokioIo::new(far), service);
        let stop = stop.clone();
        tokio::spawn(async move { stop.run_until_cancelled_owned(connection).await });
        Ok(Tracked::in_memory(near))
    }

    fn saw(&self, index: usize, request: SeenRequest) {
        if let Some(place) = self.script().record.requests.get_mut(index) {
            *place = Some(request);
        }
    }

    fn script(&self) -> MutexGuard<'_, Script> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for StandIn {
    /// Without what was sent, which may hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StandIn({} replies left)", self.left())
    }
}

/// Whether the host may be in the public Internet: an address is judged, and a name taken at its word
/// unless it is this machine's own.
fn may_be_public(uri: &Uri) -> bool {
    match uri.host().and_then(|host| Host::parse(host).ok()) {
        Some(Host::Ipv4(address)) => is_global(address.into()),
        Some(Host::Ipv6(address)) => is_global(address.into()),
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            name != "localhost" && !name.ends_with(".localhost")
        }
        None => false,
    }
}

async fn read(origin: &str, request: Request<Incoming>) -> io::Result<SeenRequest> {
    let (head, body) = request.into_parts();
    let path = head.uri.path_and_query().map_or("/", |path| path.as_str());
    // Our own client made it from a template, so its size is bounded.
    let body = body.collect().await.map_err(io::Error::other)?;
    Ok(SeenRequest {
        method: head.method,
        url: format!("{origin}{path}"),
        headers: head.headers,
        body: body.to_bytes(),
    })
}
