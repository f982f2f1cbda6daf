//! A client of any server of the protocol: a program on its standard streams, an HTTP endpoint, a
//! Unix socket; of revisions with and without a handshake, found out when it connects.

mod connect;
mod error;
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
pub use lists::{Kind, Listed};
pub use options::{Aside, Options, Program, Target};
pub use relay::{Relay, Say};
pub use rounds::Question;
pub use tool::Tool;

use crate::protocol::client::{Notice, Request, RpcError, Said, Version, headers, subscription};
use ::http::HeaderMap;
use bytes::Bytes;
use http::Http;
use serde_json::{Map, Value};
use std::sync::atomic::{AtomicU64, Ordering};
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
    match tokio::time::timeout(options.timeout, http.get()).await {
        Ok(got) => got.map(|(status, body)| (status.as_u16(), body)),
        Err(_) => Err(ClientError::TimedOut {
            method: "GET",
            after: options.timeout,
        }),
    }
}

/// Who hears what a server tells while it is asked something.
pub type Listener<'l> = dyn FnMut(Notice) + Send + 'l;

/// A server that is connected to. Requests may be under way side by side.
pub struct Client {
    link: Link,
    version: Version,
    said: Said,
    timeout: Duration,
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
        outcome.map_err(|error| ClientError::Refused { method, error })
    }

    /// Listens for changes of these lists and resources until the server ends it. Dropping the
    /// future ends it too.
    ///
    /// # Errors
    /// Why it was not begun, or broke off.
    pub async fn listen(
        &self,
        lists: &[&str],
        uris: &[String],
        on: &mut Listener<'_>,
    ) -> Result<(), ClientError> {
        if self.version.is_modern() {
            let request = subscription(lists, uris);
            let outcome = self.send(&request, None, on).await?;
            let method = request.method();
            return match outcome {
                Ok(_) => Ok(()),
                Err(error) => Err(ClientError::Refused { method, error }),
            };
        }
        for uri in uris {
            let request = Request::new("resources/subscribe").with("uri", uri.as_str());
            self.ask(&request, on).await?;
        }
        match &self.link {
            Link::Http(link) => link.hear(&self.plain_headers(), on).await,
            Link::Stdio(link) => link.hear(self.number(), on).await,
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
        let id = self.number();
        let message = request.encode(self.version, self.said, id);
        let headers = headers(request, Some(self.version));
        let cancellable = request.method() != "server/discover";
        let asked = self.link.ask(id, message, &headers, cancellable, on);
        match bound {
            None => asked.await,
            Some(after) => match tokio::time::timeout(after, asked).await {
                Ok(outcome) => outcome,
                Err(_) => Err(ClientError::TimedOut {
                    method: request.method(),
                    after,
                }),
            },
        }
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

impl Link {
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
