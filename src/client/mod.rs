//! A client of any server of the protocol: a program on its standard streams, an HTTP endpoint, a
//! Unix socket; of revisions with and without a handshake, found out when it connects.

mod connect;
mod error;
mod fits;
mod http;
mod lists;
mod options;
mod relay;
mod rounds;
mod sse;
mod stdio;
mod tool;
mod waiting;

pub use error::{ClientError, Ending};
pub use fits::fits;
pub use lists::{Kind, Listed};
pub use options::{Aside, Options, Program, Target};
pub use relay::{Relay, Say};
pub use rounds::Question;
pub use tool::Tool;

use crate::protocol::client::{Notice, Request, RpcError, Said, Version, headers, subscription};
use ::http::{HeaderMap, StatusCode};
use bytes::Bytes;
use http::Http;
use serde_json::{Map, Value};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use stdio::Stdio;

/// What a server that runs answers to a GET at this place: the status and the body. A program is no
/// such server.
///
/// # Errors
/// Why there is no answer, [`ClientError::TimedOut`] among it.
pub async fn get(target: &Target, options: &Options) -> Result<(u16, Bytes), ClientError> {
    let http = match target {
        Target::Http(url) => Http::at(url, options)?,
        Target::Unix(socket, path) => Http::on(socket.clone(), path, options)?,
        Target::Program(program) => return Err(ClientError::Address(program.shown.clone())),
    };
    let got = within(options.timeout, "GET", http.get()).await;
    got.map(|(status, body)| (status.as_u16(), body))
}

/// What comes of it in this time.
async fn within<T>(
    after: Duration,
    method: &'static str,
    asked: impl Future<Output = Result<T, ClientError>>,
) -> Result<T, ClientError> {
    let late = |_| Err(ClientError::TimedOut { method, after });
    tokio::time::timeout(after, asked)
        .await
        .unwrap_or_else(late)
}

/// Who hears what a server tells while it is asked something.
pub type Listener<'l> = dyn FnMut(Notice) + Send + 'l;

/// A server that is connected to. Requests may be under way side by side.
pub struct Client {
    link: Link,
    version: Version,
    said: Said,
    timeout: Duration,
    /// Bounds a list as it bounds a message, in bytes.
    bound: usize,
    next: AtomicU64,
    about: About,
}

/// What a server says of itself.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// Its Implementation: `name`, `version`, perhaps `title`.
    pub server: Map<String, Value>,
    /// What it can do.
    pub capabilities: Map<String, Value>,
    /// How it wants to be used.
    pub instructions: Option<String>,
}

enum Link {
    Http(Box<Http>),
    Stdio(Stdio),
}

impl Client {
    /// The revision that is spoken.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Where the server is: its address, or the command that it was started by.
    pub fn shown(&self) -> &str {
        self.link.shown()
    }

    /// What the server says of itself.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// Asks, and waits for the result. Dropping the future cancels the request.
    ///
    /// # Errors
    /// Why there is none; [`ClientError::Refused`] when the server answers with an error.
    pub async fn ask(
        &self,
        request: &Request,
        on: &mut Listener<'_>,
    ) -> Result<Value, ClientError> {
        let method = request.method();
        let outcome = self.outcome(request, on).await?;
        let result = outcome.map_err(|error| ClientError::Refused { method, error })?;
        if self.version.is_modern() && wants_more(&result) {
            let why = "wants to know something, which it may not".into();
            return Err(ClientError::Answer { method, why });
        }
        Ok(result)
    }

    /// Listens for changes of these lists and resources until the server ends it. Dropping the
    /// future ends it too. That it has begun is heard as [`Notice::Acknowledged`].
    ///
    /// # Errors
    /// Why it was not begun in time, or broke off.
    pub async fn listen(
        &self,
        lists: &[&str],
        uris: &[String],
        on: &mut Listener<'_>,
    ) -> Result<(), ClientError> {
        if self.version.is_modern() {
            return self.subscribe(&subscription(lists, uris), on).await;
        }
        let granted = Notice::Acknowledged(granted(&self.about.capabilities, lists, uris));
        match &self.link {
            Link::Http(link) => {
                self.subscribe_each(uris, on).await?;
                link.hear(&self.plain_headers(), granted, on).await
            }
            Link::Stdio(link) => {
                // What is told right behind the last answer is heard too, and nothing twice.
                let heard = link.listen(self.number());
                self.subscribe_each(uris, &mut |_| {}).await?;
                on(granted);
                link.hear(heard, on).await
            }
        }
    }

    /// Asks a server with a handshake to tell of these resources.
    async fn subscribe_each(
        &self,
        uris: &[String],
        on: &mut Listener<'_>,
    ) -> Result<(), ClientError> {
        for uri in uris {
            let request = Request::new("resources/subscribe").with("uri", uri.as_str());
            self.ask(&request, on).await?;
        }
        Ok(())
    }

    /// `subscriptions/listen`, which has no end of its own, but a beginning.
    async fn subscribe(&self, request: &Request, on: &mut Listener<'_>) -> Result<(), ClientError> {
        let (method, after) = (request.method(), self.timeout);
        let begun = AtomicBool::new(false);
        let mut heard = |notice| {
            begun.store(true, Ordering::Relaxed);
            on(notice);
        };
        let asked = self.send(request, None, &mut heard);
        tokio::pin!(asked);
        let outcome = match tokio::time::timeout(after, &mut asked).await {
            Ok(outcome) => outcome?,
            Err(_) if begun.load(Ordering::Relaxed) => asked.await?,
            Err(_) => return Err(ClientError::TimedOut { method, after }),
        };
        match outcome {
            Ok(_) => Ok(()),
            Err(error) => Err(ClientError::Refused { method, error }),
        }
    }

    /// Ends the connection: the session, or the program.
    pub async fn close(self) {
        match &self.link {
            Link::Http(link) => link.close(&self.plain_headers()).await,
            Link::Stdio(link) => link.close().await,
        }
    }

    /// Asks, and waits as long as a request may take.
    async fn outcome(
        &self,
        request: &Request,
        on: &mut Listener<'_>,
    ) -> Result<Result<Value, RpcError>, ClientError> {
        self.send(request, Some(self.timeout), on).await
    }

    async fn send(
        &self,
        request: &Request,
        bound: Option<Duration>,
        on: &mut Listener<'_>,
    ) -> Result<Result<Value, RpcError>, ClientError> {
        let outcome = match self.exchange(request, bound, on).await {
            // A session that the server no longer knows is begun anew (2025-11-25, transports
            // §Session Management). It did not look at the request.
            Err(ClientError::Status { status, .. })
                if status == StatusCode::NOT_FOUND && self.link.has_session() =>
            {
                self.renew().await?;
                self.exchange(request, bound, on).await?
            }
            outcome => outcome?,
        };
        // Nothing is known of results of other kinds (specification: basic §ResultType).
        let kind = outcome
            .as_ref()
            .ok()
            .and_then(|result| result.get("resultType"));
        let is_known = |kind: &Value| kind == "complete" || kind == "input_required";
        if self.version.is_modern() && !kind.is_none_or(is_known) {
            let (method, why) = (
                request.method(),
                "is of a kind that is not known here".into(),
            );
            return Err(ClientError::Answer { method, why });
        }
        Ok(outcome)
    }

    async fn exchange(
        &self,
        request: &Request,
        bound: Option<Duration>,
        on: &mut Listener<'_>,
    ) -> Result<Result<Value, RpcError>, ClientError> {
        let id = self.number();
        let message = request.encode(self.version, self.said, id);
        let headers = headers(request, Some(self.version));
        let cancellable = request.method() != "server/discover";
        let asked = self.link.ask(id, message, &headers, cancellable, on);
        match bound {
            None => asked.await,
            Some(after) => within(after, request.method(), asked).await,
        }
    }

    /// Sends what has no answer.
    async fn tell(&self, what: &'static str, message: Bytes) -> Result<(), ClientError> {
        let headers = self.plain_headers();
        within(self.timeout, what, self.link.tell(message, &headers)).await
    }

    fn number(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// The headers of an exchange that carries no request.
    fn plain_headers(&self) -> HeaderMap {
        let mut headers = headers(&Request::new("ping"), Some(self.version));
        headers.remove("mcp-method");
        headers
    }
}

/// Whether a result is a question.
fn wants_more(result: &Value) -> bool {
    result.get("resultType").and_then(Value::as_str) == Some("input_required")
}

/// What a server with a handshake tells of, by what it says that it can do.
fn granted(capabilities: &Map<String, Value>, lists: &[&str], uris: &[String]) -> Value {
    let changes = |list: &str| capabilities.get(list)?.get("listChanged")?.as_bool();
    let mut granted = Map::new();
    for list in lists.iter().filter(|list| changes(list) == Some(true)) {
        granted.insert(format!("{list}ListChanged"), true.into());
    }
    if !uris.is_empty() {
        granted.insert("resourceSubscriptions".into(), uris.into());
    }
    granted.into()
}

impl Link {
    /// A handshake, which begins the session anew where there is one.
    async fn shake_hands(
        &self,
        id: u64,
        message: Bytes,
    ) -> Result<Result<Value, RpcError>, ClientError> {
        match self {
            Self::Http(link) => link.shake_hands(id, message).await,
            Self::Stdio(link) => link.shake_hands(id, message).await,
        }
    }

    /// Whether requests have headers.
    fn has_headers(&self) -> bool {
        matches!(self, Self::Http(_))
    }

    fn has_session(&self) -> bool {
        match self {
            Self::Http(link) => link.has_session(),
            Self::Stdio(_) => false,
        }
    }

    async fn ask(
        &self,
        id: u64,
        message: Bytes,
        headers: &HeaderMap,
        cancellable: bool,
        on: &mut Listener<'_>,
    ) -> Result<Result<Value, RpcError>, ClientError> {
        match self {
            Self::Http(link) => link.ask(id, message, headers, on).await,
            Self::Stdio(link) => link.ask(id, message, cancellable, on).await,
        }
    }

    async fn tell(&self, message: Bytes, headers: &HeaderMap) -> Result<(), ClientError> {
        match self {
            Self::Http(link) => link.tell(message, headers).await,
            Self::Stdio(link) => link.tell(message).await,
        }
    }

    /// What the server is called in messages.
    fn shown(&self) -> &str {
        match self {
            Self::Http(link) => link.shown(),
            Self::Stdio(link) => link.shown(),
        }
    }
}
