//! A server of the manifests in `manifests/`, which run nothing and wait for nothing.

use crate::folder::{environment, settings};
use bytes::Bytes;
use futures_util::StreamExt as _;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use snodo::actor::Actors;
use snodo::lang::schema::SchemaCache;
use snodo::manifest::load::load;
use snodo::model::{Catalog, Settings};
use snodo::process::Starter;
use snodo::runtime::{Handle, Hub, Runtime, helper};
use snodo::secret::Secret;
use snodo::server::{Endpoint as _, Limits, Part, Parts, Received, Reply, Server, Session as _};
use snodo::shutdown::Shutdown;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// What the server seals with: a target knows it too.
pub const SECRET: &str = "a secret of nobody's";
/// Answers taken of one request that goes on and on.
const MOST: usize = 8;
/// How long they are waited for, by a clock that goes on by itself when there is nothing to do.
const MOMENT: Duration = Duration::from_millis(20);
/// After which nothing that an input began is left: longer than anything waits.
const LONG: Duration = Duration::from_secs(400);

/// Makes what a catalog says ready to serve, but for its actors, and without what the system has
/// not got. `None` when it cannot be.
pub fn build(settings: &Settings, catalog: &Catalog) -> Option<Runtime> {
    let shutdown = Shutdown::new();
    let actors = Actors::new(&shutdown, Starter::new(helper()), None);
    let built = snodo::runtime::build(settings, catalog, None, &shutdown, &actors, |_, _| true);
    built.ok().map(|built| built.runtime)
}

/// The server, as the transports see it. What it gives to clients does not expire while this runs.
pub async fn server() -> (Server<Handle>, Settings) {
    let mut settings = settings(&Path::new(env!("CARGO_MANIFEST_DIR")).join("manifests"));
    settings.server.secret = Some(Secret::new(SECRET));
    settings.server.page_size = 2;
    settings.server.ask_ttl = Duration::from_secs(1 << 32);
    let loaded = load(&settings, &environment(), &SchemaCache::new(), None);
    assert_eq!(loaded.errors(), 0, "{:?}", loaded.diagnostics);
    let shutdown = Shutdown::new();
    let actors = Actors::new(&shutdown, Starter::new(helper()), None);
    let prepared = actors
        .prepare(&loaded.catalog.actors, false, |_| false)
        .await;
    prepared.expect("actors").commit();
    let catalog = &loaded.catalog;
    let built = snodo::runtime::build(&settings, catalog, None, &shutdown, &actors, |_, _| false);
    let runtime = built.expect("a runtime").runtime;
    let handle = Handle::new(Arc::new(runtime));
    let server = Server::new(handle, Limits::default(), Hub::new(16), shutdown);
    (server, settings)
}

/// The server in a runtime of one thread, whose clock does not wait.
pub struct Serving {
    server: Server<Handle>,
    tokio: tokio::runtime::Runtime,
}

/// What a POST was answered with.
#[derive(Debug, Default)]
pub struct Answered {
    /// The HTTP status; 200 for a stream.
    pub status: StatusCode,
    /// The session that begins with it.
    pub session: Option<String>,
    /// The messages, the first [`MOST`] of those that came soon.
    pub messages: Vec<Bytes>,
}

impl Serving {
    /// The server of this process.
    pub fn get() -> &'static Self {
        static SERVING: OnceLock<Serving> = OnceLock::new();
        SERVING.get_or_init(|| {
            let tokio = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .start_paused(true)
                .build()
                .expect("a runtime");
            let server = tokio.block_on(server()).0;
            Self { server, tokio }
        })
    }

    /// What a POST is answered with. `None` when its answer waits for something.
    pub fn post(&self, headers: &HeaderMap, body: &[u8]) -> Option<Answered> {
        let body = Bytes::copy_from_slice(body);
        self.tokio.block_on(async {
            let caller = self.server.admit(headers).await.ok()?;
            let reply = self.server.post(caller, headers, body, true);
            let reply = timeout(MOMENT, reply).await.ok();
            let answered = match reply {
                None => None,
                Some(reply) => Some(answered(reply).await),
            };
            sleep(LONG).await;
            answered
        })
    }

    /// What the lines of a stream are answered with.
    pub fn stream(&self, lines: &[u8]) -> Vec<Bytes> {
        let mut answers = Vec::new();
        self.tokio.block_on(async {
            let mut session = self.server.open();
            for line in lines.split(|byte| *byte == b'\n').take(MOST) {
                match session.receive(line) {
                    Received::Nothing => {}
                    Received::Answer(answer) => answers.push(answer),
                    Received::Work(work) => answers.extend(some(work.parts).await),
                }
            }
            session.ended();
            drop(session);
            sleep(LONG).await;
        });
        answers
    }
}

async fn answered(reply: Reply) -> Answered {
    let mut answered = Answered::default();
    match reply {
        Reply::Accepted => answered.status = StatusCode::ACCEPTED,
        Reply::Ended => answered.status = StatusCode::NO_CONTENT,
        Reply::Began { session, body } => {
            answered.session = Some(session);
            answered.messages.push(body.into_bytes());
        }
        Reply::Message { status, body } => {
            answered.status = status;
            answered.messages.push(body.into_bytes());
        }
        Reply::Denied(_, body) => {
            answered.status = StatusCode::FORBIDDEN;
            answered.messages.push(body.into_bytes());
        }
        Reply::Stream(parts) => answered.messages = some(parts).await,
    }
    answered
}

/// What comes soon: a listening has nothing to say, and goes on.
async fn some(mut parts: Parts) -> Vec<Bytes> {
    let mut came = Vec::new();
    let _goes_on = timeout(MOMENT, async {
        while came.len() < MOST
            && let Some(Part::More(bytes) | Part::Last(bytes)) = parts.next().await
        {
            came.push(bytes);
        }
    })
    .await;
    came
}

/// Splits an input at its first empty line, as a head and a body are.
pub fn split(input: &[u8]) -> (&[u8], &[u8]) {
    match input.windows(2).position(|two| two == b"\n\n") {
        Some(at) => (&input[..at], &input[at + 2..]),
        None => (&[], input),
    }
}

/// Header fields, one a line; what can be none is left out.
pub fn fields(head: &[u8]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for line in head.split(|byte| *byte == b'\n').take(32) {
        let mut parts = line.splitn(2, |byte| *byte == b':');
        let name = parts
            .next()
            .and_then(|name| HeaderName::from_bytes(name).ok());
        let value = parts.next().map(<[u8]>::trim_ascii);
        let value = value.and_then(|value| HeaderValue::from_bytes(value).ok());
        if let (Some(name), Some(value)) = (name, value) {
            headers.append(name, value);
        }
    }
    headers
}
