//! A server behind an HTTP endpoint, or the same behind a Unix socket.

use super::error::ClientError;
use super::options::Options;
use super::sse::Events;
use crate::action::http::{Client as Pools, ClientOptions, Fault};
use crate::protocol::client::{ELICIT, Message, Notice, RpcError, answer, decode, refusal};
use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, HOST, USER_AGENT};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, Uri};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::net::UnixStream;
use tokio::time::timeout;

const AGENT: &str = concat!("snodo/", env!("CARGO_PKG_VERSION"));
/// The session of a revision with a handshake.
pub(super) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const METHOD_NOT_FOUND: i64 = -32601;
/// How much of an answer that is no message is shown.
const SHOWN: usize = 300;
/// How long the end of a session may take.
const GOODBYE: Duration = Duration::from_secs(2);
/// How long an answer to what the server asks may take to be taken.
const REPLY: Duration = Duration::from_secs(10);

/// The endpoint.
pub(super) struct Http {
    door: Door,
    uri: Uri,
    shown: String,
    extra: HeaderMap,
    /// What a server with a handshake wants to see again.
    session: Mutex<Option<HeaderValue>>,
    /// The revision has a handshake: what the server asks is answered.
    shook: AtomicBool,
    bound: usize,
    /// Questions are passed on.
    asks: bool,
}

/// How connections are made.
enum Door {
    Pools(Box<Pools>),
    Socket(PathBuf),
}

impl Http {
    /// The endpoint at this URL. Connects with the first request.
    pub(super) fn at(url: &url::Url, options: &Options) -> Result<Self, ClientError> {
        let mut plain = url.clone();
        plain.set_fragment(None);
        let uri: Uri = (plain.as_str().parse())
            .map_err(|_| ClientError::Address(url.as_str().chars().take(SHOWN).collect()))?;
        let pools = Pools::new(&ClientOptions {
            ca: options.ca.clone(),
            identity: None,
        })?;
        // A query can hold a key, and so can userinfo.
        plain.set_query(None);
        let _ = plain.set_username("");
        let _ = plain.set_password(None);
        Ok(Self {
            door: Door::Pools(Box::new(pools)),
            uri,
            shown: plain.as_str().to_owned(),
            extra: options.headers.clone(),
            session: Mutex::default(),
            shook: AtomicBool::new(false),
            bound: options.max_bytes,
            asks: options.said.asks,
        })
    }

    /// The endpoint of this path behind a Unix socket.
    pub(super) fn on(socket: PathBuf, path: &str, options: &Options) -> Result<Self, ClientError> {
        let uri: Uri = format!("http://localhost{path}")
            .parse()
            .map_err(|_| ClientError::Address(path.to_owned()))?;
        Ok(Self {
            shown: format!("unix:{}", socket.display()),
            door: Door::Socket(socket),
            uri,
            extra: options.headers.clone(),
            session: Mutex::default(),
            shook: AtomicBool::new(false),
            bound: options.max_bytes,
            asks: options.said.asks,
        })
    }

    /// The most that one message may hold, in bytes.
    pub(super) fn bound(&self) -> usize {
        self.bound
    }

    /// What the server is called in messages.
    pub(super) fn shown(&self) -> &str {
        &self.shown
    }

    /// Posts a request and reads to its answer. Dropped before, it closes the exchange, which
    /// cancels the request.
    pub(super) async fn ask(
        &self,
        id: u64,
        message: Bytes,
        headers: &HeaderMap,
        on: &mut (dyn FnMut(Notice) + Send),
    ) -> Result<Result<Value, RpcError>, ClientError> {
        let response = self.send(Method::POST, message, headers).await?;
        self.answer(response, id, headers, on).await
    }

    async fn answer(
        &self,
        response: Response<Incoming>,
        id: u64,
        headers: &HeaderMap,
        on: &mut (dyn FnMut(Notice) + Send),
    ) -> Result<Result<Value, RpcError>, ClientError> {
        let status = response.status();
        if status.is_success() && is(&response, "text/event-stream") {
            let heard = self.events(response, Some(id), headers, on).await?;
            return heard.ok_or_else(|| self.broken("the stream ended before the answer came"));
        }
        if !is(&response, "application/json") {
            return Err(self.refused(response).await);
        }
        let body = self.whole(response).await?;
        match decode(&body) {
            // Nothing is served here at all, or not to this caller, or the session is over; an unknown
            // method is another thing.
            Ok(Message::Answer {
                outcome: Err(error),
                ..
            }) if status == StatusCode::UNAUTHORIZED
                || status == StatusCode::FORBIDDEN
                || (status == StatusCode::NOT_FOUND && error.code != METHOD_NOT_FOUND) =>
            {
                Err(self.status(status, &body))
            }
            Ok(Message::Answer { to, outcome }) if to.is(id) => Ok(outcome),
            _ if !status.is_success() => Err(self.status(status, &body)),
            Ok(Message::Answer { .. }) => Err(self.wrong("an answer to another request".into())),
            Ok(_) => Err(self.wrong("a request or a notification where an answer belongs".into())),
            Err(why) => Err(self.wrong(why)),
        }
    }

    /// Posts a notification, or an answer to what the server asked.
    pub(super) async fn tell(
        &self,
        message: Bytes,
        headers: &HeaderMap,
    ) -> Result<(), ClientError> {
        let response = self.send(Method::POST, message, headers).await?;
        if response.status().is_success() {
            return Ok(());
        }
        Err(self.refused(response).await)
    }

    /// Hears what the server tells beside answers (revisions with a handshake), until it ends the
    /// stream. First of all that it has begun.
    pub(super) async fn hear(
        &self,
        headers: &HeaderMap,
        begun: Notice,
        on: &mut (dyn FnMut(Notice) + Send),
    ) -> Result<(), ClientError> {
        let response = self.send(Method::GET, Bytes::new(), headers).await?;
        if !response.status().is_success() || !is(&response, "text/event-stream") {
            return Err(self.refused(response).await);
        }
        on(begun);
        self.events(response, None, headers, on).await.map(drop)
    }

    /// What a GET of the endpoint gives: the status and the body, whatever they are.
    pub(super) async fn get(&self) -> Result<(StatusCode, Bytes), ClientError> {
        let response = self
            .send(Method::GET, Bytes::new(), &HeaderMap::new())
            .await?;
        Ok((response.status(), self.whole(response).await?))
    }

    /// Posts `initialize`. A session that there was is forgotten; the answer may begin one.
    pub(super) async fn shake_hands(
        &self,
        id: u64,
        message: Bytes,
    ) -> Result<Result<Value, RpcError>, ClientError> {
        self.shook.store(true, Ordering::Relaxed);
        self.with_session(|session| *session = None);
        let (mut unheard, none) = (|_| {}, HeaderMap::new());
        let response = self.send(Method::POST, message, &none).await?;
        let session = response.headers().get(SESSION).cloned();
        let outcome = self.answer(response, id, &none, &mut unheard).await?;
        self.with_session(|place| *place = session);
        Ok(outcome)
    }

    /// Whether the server began a session.
    pub(super) fn has_session(&self) -> bool {
        self.with_session(|session| session.is_some())
    }

    fn with_session<T>(&self, act: impl FnOnce(&mut Option<HeaderValue>) -> T) -> T {
        act(&mut self.session.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Ends the session, where there is one.
    pub(super) async fn close(&self, headers: &HeaderMap) {
        if self.has_session() {
            self.goodbye(headers).await;
        }
    }

    /// Ends the session that these headers name, if they do.
    pub(super) async fn end_session(&self, headers: &HeaderMap) {
        if headers.contains_key(SESSION) {
            self.goodbye(headers).await;
        }
    }

    async fn goodbye(&self, headers: &HeaderMap) {
        let _late = timeout(GOODBYE, self.send(Method::DELETE, Bytes::new(), headers)).await;
    }

    /// One exchange, whose answer is yet to be read.
    ///
    /// # Errors
    /// [`ClientError::Socket`] and [`ClientError::Unreachable`] when nothing was sent.
    pub(super) async fn send(
        &self,
        method: Method,
        body: Bytes,
        headers: &HeaderMap,
    ) -> Result<Response<Incoming>, ClientError> {
        let mut request = Request::new(Full::new(body));
        let fields = request.headers_mut();
        fields.extend(headers.clone());
        let both = "application/json, text/event-stream";
        if method == Method::POST {
            fields.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            fields.insert(ACCEPT, HeaderValue::from_static(both));
        } else {
            fields.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        }
        fields.insert(USER_AGENT, HeaderValue::from_static(AGENT));
        if let Some(session) = self.with_session(|session| session.clone()) {
            fields.insert(SESSION, session);
        }
        for (name, value) in &self.extra {
            fields.insert(name, value.clone());
        }
        *request.method_mut() = method;
        *request.uri_mut() = self.uri.clone();
        match &self.door {
            Door::Pools(pools) => pools.open(request).await.map_err(|fault| {
                let (at, why) = (self.shown.clone(), fault.to_string());
                match fault {
                    // There was a connection: the server may have read the request.
                    Fault::Closed | Fault::Reset | Fault::Protocol | Fault::HeadTooLarge => {
                        ClientError::Broken { at, why }
                    }
                    _ => ClientError::Unreachable { at, why },
                }
            }),
            Door::Socket(path) => self.through(path, request).await,
        }
    }

    /// One exchange on a connection of its own.
    async fn through(
        &self,
        path: &Path,
        mut request: Request<Full<Bytes>>,
    ) -> Result<Response<Incoming>, ClientError> {
        let socket = |error| ClientError::Socket {
            at: path.to_owned(),
            error,
        };
        let stream = UnixStream::connect(path).await.map_err(socket)?;
        let handshake = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await;
        let (mut sender, connection) =
            handshake.map_err(|error| self.broken(&error.to_string()))?;
        // It ends with the exchange: when the answer is read, or dropped.
        tokio::spawn(connection);
        let host = HeaderValue::from_static("localhost");
        request.headers_mut().entry(HOST).or_insert(host);
        if let Some(target) = self.uri.path_and_query() {
            *request.uri_mut() = Uri::from(target.clone());
        }
        let sent = sender.send_request(request).await;
        sent.map_err(|error| self.broken(&error.to_string()))
    }

    /// Reads events to the answer of this number, or to the end.
    async fn events(
        &self,
        response: Response<Incoming>,
        id: Option<u64>,
        headers: &HeaderMap,
        on: &mut (dyn FnMut(Notice) + Send),
    ) -> Result<Option<Result<Value, RpcError>>, ClientError> {
        let mut body = response.into_body();
        let mut events = Events::new(self.bound);
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|_| self.broken("the stream broke off"))?;
            let Ok(data) = frame.into_data() else {
                continue;
            };
            for event in events.push(&data).map_err(|_| self.too_large())? {
                match decode(&event).map_err(|why| self.wrong(why))? {
                    Message::Notice(_, notice) => on(notice),
                    Message::Answer { to, outcome } if id.is_some_and(|id| to.is(id)) => {
                        return Ok(Some(outcome));
                    }
                    Message::Answer { .. } => {}
                    // Not allowed without a handshake, and neither is an answer to it.
                    Message::Request { .. } if !self.shook.load(Ordering::Relaxed) => {}
                    Message::Request { id, method, params } => {
                        let reply = match method.as_str() {
                            "ping" => answer(&id, json!({})),
                            ELICIT if self.asks => {
                                on(Notice::Asked { id, method, params });
                                continue;
                            }
                            _ => refusal(&id),
                        };
                        // Whether it is taken is the server's concern.
                        let _told = timeout(REPLY, Box::pin(self.tell(reply, headers))).await;
                    }
                }
            }
        }
        Ok(None)
    }

    /// The whole body, within the bound.
    pub(super) async fn whole(&self, response: Response<Incoming>) -> Result<Bytes, ClientError> {
        let mut body = response.into_body();
        let mut whole = Vec::new();
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|_| self.broken("the answer broke off"))?;
            if let Ok(data) = frame.into_data() {
                whole.extend_from_slice(&data);
            }
            if whole.len() > self.bound {
                return Err(self.too_large());
            }
        }
        Ok(whole.into())
    }

    /// What an answer without a message says.
    async fn refused(&self, response: Response<Incoming>) -> ClientError {
        let status = response.status();
        let readable = is(&response, "application/json") || is(&response, "text/plain");
        let body = if readable {
            self.whole(response).await.unwrap_or_default()
        } else {
            Bytes::new()
        };
        if status.is_success() {
            return self.wrong("neither JSON nor a stream of events".into());
        }
        self.status(status, &body)
    }

    /// The error that a status is, with what the body says.
    pub(super) fn status(&self, status: StatusCode, body: &[u8]) -> ClientError {
        let said = match decode(body) {
            Ok(Message::Answer {
                outcome: Err(error),
                ..
            }) => error.message,
            _ => String::from_utf8_lossy(body).into_owned(),
        };
        let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
        ClientError::Status {
            at: self.shown.clone(),
            status,
            text: words.chars().take(SHOWN).collect(),
        }
    }

    /// The exchange broke off.
    pub(super) fn broken(&self, why: &str) -> ClientError {
        ClientError::Broken {
            at: self.shown.clone(),
            why: why.to_owned(),
        }
    }

    fn wrong(&self, why: String) -> ClientError {
        ClientError::NotAMessage {
            at: self.shown.clone(),
            why,
        }
    }

    /// A message is over the bound.
    pub(super) fn too_large(&self) -> ClientError {
        ClientError::TooLarge {
            at: self.shown.clone(),
            bound: self.bound,
        }
    }
}

/// Whether the body is of this media type.
pub(super) fn is(response: &Response<Incoming>, media: &str) -> bool {
    let kind = response.headers().get(CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let essence = kind.split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case(media)
}
