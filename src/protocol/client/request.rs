//! Requests and notifications to bytes.

use super::version::Version;
use crate::lang::schema::HeaderParam;
use bytes::Bytes;
use serde_json::{Map, Value, json};

/// A request as its caller means it, without what a revision adds.
#[derive(Clone, Debug)]
pub struct Request {
    pub(super) method: &'static str,
    pub(super) params: Map<String, Value>,
    pub(super) mirrored: Vec<HeaderParam>,
    log_level: Option<String>,
}

/// By which a server asks a person (specification: elicitation).
pub const ELICIT: &str = "elicitation/create";

/// What the client says of itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Said {
    /// It can put questions to a person.
    pub asks: bool,
}

impl Said {
    fn capabilities(self) -> Value {
        if self.asks {
            json!({ "elicitation": { "form": {}, "url": {} } })
        } else {
            json!({})
        }
    }
}

impl Request {
    /// A request without parameters.
    pub fn new(method: &'static str) -> Self {
        Self {
            method,
            params: Map::new(),
            mirrored: Vec::new(),
            log_level: None,
        }
    }

    /// Adds a parameter.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.params.insert(name.into(), value.into());
        self
    }

    /// Says which arguments are mirrored into headers (specification: streamable-http §Custom Headers).
    #[must_use]
    pub fn mirroring(mut self, params: Vec<HeaderParam>) -> Self {
        self.mirrored = params;
        self
    }

    /// Asks for the log of the request, from this level on.
    #[must_use]
    pub fn logging(mut self, level: Option<&str>) -> Self {
        self.log_level = level.map(str::to_owned);
        self
    }

    /// What it asks.
    pub fn method(&self) -> &'static str {
        self.method
    }

    /// The message, numbered. Progress is asked for under the same number.
    pub fn encode(&self, version: Version, said: Said, id: u64) -> Bytes {
        let mut params = self.params.clone();
        let mut meta = match params.remove("_meta") {
            Some(Value::Object(meta)) => meta,
            _ => Map::new(),
        };
        if matches!(self.method, "tools/call" | "resources/read" | "prompts/get") {
            meta.insert("progressToken".into(), id.into());
        }
        if version.is_modern() {
            let reserved = [
                ("protocolVersion", version.name().into()),
                ("clientCapabilities", said.capabilities()),
                ("clientInfo", client()),
            ];
            for (name, value) in reserved {
                meta.insert(format!("io.modelcontextprotocol/{name}"), value);
            }
            if let Some(level) = &self.log_level {
                meta.insert(
                    "io.modelcontextprotocol/logLevel".into(),
                    level.as_str().into(),
                );
            }
        }
        if !meta.is_empty() {
            params.insert("_meta".into(), meta.into());
        }
        let mut message = json!({ "jsonrpc": "2.0", "id": id, "method": self.method });
        if let (Some(members), false) = (message.as_object_mut(), params.is_empty()) {
            members.insert("params".into(), params.into());
        }
        bytes(&message)
    }
}

/// `subscriptions/listen` to these lists (`tools`, `prompts`, `resources`) and resources.
pub fn subscription(lists: &[&str], uris: &[String]) -> Request {
    let mut wanted = Map::new();
    for list in lists {
        wanted.insert(format!("{list}ListChanged"), true.into());
    }
    if !uris.is_empty() {
        wanted.insert("resourceSubscriptions".into(), uris.into());
    }
    Request::new("subscriptions/listen").with("notifications", wanted)
}

/// The same request once more, with what the server had asked for (specification: mrtr).
pub fn retry_with(
    request: &Request,
    responses: Map<String, Value>,
    state: Option<&Value>,
) -> Request {
    let mut next = request.clone();
    if !responses.is_empty() {
        next = next.with("inputResponses", responses);
    }
    match state {
        Some(state) => next = next.with("requestState", state.clone()),
        None => {
            next.params.remove("requestState");
        }
    }
    next
}

/// `initialize`, for revisions with a handshake.
pub fn initialize(version: Version, said: Said, id: u64) -> Bytes {
    bytes(&json!({
        "jsonrpc": "2.0", "id": id, "method": "initialize",
        "params": {
            "protocolVersion": version.name(),
            "capabilities": said.capabilities(),
            "clientInfo": client(),
        },
    }))
}

/// `notifications/initialized`, which ends the handshake.
pub fn initialized() -> Bytes {
    bytes(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
}

/// `notifications/cancelled`: nobody waits for this request any more.
pub fn cancelled(id: u64) -> Bytes {
    bytes(&json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id },
    }))
}

/// The answer to what a server asks.
pub fn answer(id: &Value, result: Value) -> Bytes {
    bytes(&json!({ "jsonrpc": "2.0", "id": id, "result": result }))
}

/// The answer to what a server asks and is not done here.
pub fn refusal(id: &Value) -> Bytes {
    bytes(&json!({
        "jsonrpc": "2.0", "id": id,
        "error": { "code": -32601, "message": "Method not found" },
    }))
}

fn client() -> Value {
    json!({ "name": "snodo", "version": env!("CARGO_PKG_VERSION") })
}

fn bytes(message: &Value) -> Bytes {
    message.to_string().into_bytes().into()
}
