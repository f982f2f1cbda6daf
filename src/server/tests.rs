//! Tests of the server: messages in, bytes out, over a runtime whose tools do as they are told.

use super::*;
use crate::model::{Cache, CacheScope, Identity, ToolAnnotations, ToolDeclaration};
use crate::ops::{
    Answer, Arguments, Block, Caller, Context, LogLevel, Notices, OpError, Operation, Ready,
    ToolOutcome,
};
use crate::protocol::{Behaviour, Face, Offer};
use crate::runtime::Hub;
use crate::shutdown::Shutdown;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Semaphore;

mod legacy;
mod noted;
mod post;
mod stream;

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// A runtime whose tools are `echo` (its arguments as text), `wait` (until the gate opens), `panic`,
/// `refuse` (a declared error), `fail` (an error result) and `tell` (each of `steps`: a number is
/// progress, a text a log message, and `null` waits for the gate).
#[derive(Debug)]
struct Scripted {
    face: Face,
    page: Ready,
    discovery: Ready,
    gate: Semaphore,
    /// How many calls have begun, and how many were dropped or have ended.
    begun: AtomicUsize,
    ended: AtomicUsize,
    contexts: Mutex<Vec<Context>>,
}

struct Ended<'a>(&'a AtomicUsize);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Scripted {
    fn new(name: &str) -> Arc<Self> {
        let identity = Identity {
            name: name.into(),
            version: "1".into(),
            title: None,
            instructions: None,
        };
        let face = Face::new(
            &identity,
            Offer {
                tools: Some(Behaviour::default()),
                ..Offer::default()
            },
        );
        let cache = Cache {
            ttl_ms: 0,
            scope: CacheScope::Public,
        };
        let echo = ToolDeclaration {
            name: "echo".into(),
            title: None,
            description: None,
            icons: vec![],
            annotations: ToolAnnotations::default(),
            metadata: Default::default(),
            input_schema: Arc::new(json!({"type": "object"})),
            output_schema: None,
        };
        Arc::new(Self {
            page: face.tools_page(&[&echo], None, cache),
            discovery: face.discover_result(cache),
            face,
            gate: Semaphore::new(0),
            begun: AtomicUsize::new(0),
            ended: AtomicUsize::new(0),
            contexts: Mutex::default(),
        })
    }

    async fn tell(&self, arguments: &Arguments, notices: &Notices) {
        for step in arguments["steps"].as_array().unwrap() {
            match step {
                Value::Number(number) => notices.progress(number.as_f64().unwrap(), None, None),
                Value::Null => self.gate.acquire().await.unwrap().forget(),
                text => notices.log(LogLevel::Info, "tell", text.clone()),
            }
        }
    }

    fn ended(&self) -> usize {
        self.ended.load(Ordering::SeqCst)
    }

    fn begun(&self) -> usize {
        self.begun.load(Ordering::SeqCst)
    }
}

impl Execute for Scripted {
    fn face(&self) -> &Face {
        &self.face
    }

    fn waits_for_answers(&self) -> Duration {
        Duration::from_secs(300)
    }

    fn knows(&self, uri: &str) -> bool {
        uri.starts_with("a:")
    }

    async fn execute(
        &self,
        operation: Operation,
        context: &Context,
        notices: &Notices,
    ) -> Result<Answer, OpError> {
        self.begun.fetch_add(1, Ordering::SeqCst);
        let _ended = Ended(&self.ended);
        self.contexts.lock().unwrap().push(context.clone());
        let (name, arguments) = match operation {
            Operation::Discover => return Ok(Answer::Ready(self.discovery.clone())),
            Operation::ListTools { cursor: None } => return Ok(Answer::Ready(self.page.clone())),
            Operation::ListTools { cursor: Some(_) } => return Err(OpError::InvalidCursor),
            Operation::CallTool { name, arguments } => (name, arguments),
            other => return Err(OpError::MethodNotFound(format!("{other:?}"))),
        };
        match name.as_str() {
            "echo" => tokio::task::yield_now().await,
            "wait" => self.gate.acquire().await.unwrap().forget(),
            "panic" => panic!("a secret of the request"),
            "tell" => self.tell(&arguments, notices).await,
            "refuse" => {
                return Err(OpError::Declared {
                    code: 1042,
                    message: "not today".into(),
                    data: None,
                });
            }
            "fail" => return Ok(Answer::Tool(ToolOutcome::error("it broke"))),
            _ => return Err(OpError::UnknownTool(name)),
        }
        Ok(Answer::Tool(ToolOutcome {
            content: vec![Block::text(Value::Object(arguments).to_string())],
            ..ToolOutcome::default()
        }))
    }
}

/// A source of snapshots that a test swaps.
#[derive(Clone, Debug)]
struct Source(Arc<Mutex<Arc<Scripted>>>);

impl Source {
    fn new(runtime: Arc<Scripted>) -> Self {
        Self(Arc::new(Mutex::new(runtime)))
    }

    fn swap(&self, runtime: Arc<Scripted>) {
        *self.0.lock().unwrap() = runtime;
    }
}

impl Snapshots for Source {
    type Runtime = Scripted;

    fn snapshot(&self) -> Arc<Scripted> {
        self.0.lock().unwrap().clone()
    }
}

/// A server of one runtime with these limits.
fn server(limits: Limits) -> (Arc<Scripted>, Server<Source>) {
    let runtime = Scripted::new("scripted");
    let server = Server::new(
        Source::new(runtime.clone()),
        limits,
        Hub::new(1),
        Shutdown::new(),
    );
    (runtime, server)
}

/// `tools/call` with this id, as JSON, and these arguments.
fn call(id: &str, name: &str, arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{name}","arguments":{arguments},{META}}}}}"#
    )
}

/// A request of this method without parameters.
fn ask(id: &str, method: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{META}}}}}"#)
}

/// The headers that mirror a message.
fn mirror(message: &str) -> HeaderMap {
    let body: Value = serde_json::from_str(message).unwrap_or_default();
    let value = |text: &Value| HeaderValue::from_str(text.as_str().unwrap_or("none")).unwrap();
    let mut headers = HeaderMap::new();
    headers.insert(
        "mcp-protocol-version",
        HeaderValue::from_static("2026-07-28"),
    );
    headers.insert("mcp-method", value(&body["method"]));
    headers.insert("mcp-name", value(&body["params"]["name"]));
    headers
}

fn json_of(bytes: &[u8]) -> Value {
    assert!(!bytes.contains(&b'\n'));
    serde_json::from_slice(bytes).unwrap()
}

/// Limits under which a request times out at once.
fn hasty() -> Limits {
    Limits {
        request_timeout: Duration::from_millis(20),
        ..Limits::default()
    }
}
