//! A server's message: an answer, something it tells, or something it asks.

use serde::Deserialize;
use serde_json::{Map, Value};

/// One message of a server.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// The answer to a request.
    Answer {
        /// Which request it is to.
        to: To,
        /// The result, or the error.
        outcome: Result<Value, RpcError>,
    },
    /// A notification, and the number of the request that it belongs to where it says so.
    Notice(Option<u64>, Notice),
    /// A request of the server's own (revisions with a handshake).
    Request {
        /// Its id, to be given back.
        id: Value,
        /// What it asks.
        method: String,
        /// With what.
        params: Map<String, Value>,
    },
}

/// The request that an answer names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum To {
    /// The request of this number.
    Request(u64),
    /// An error that names none: the server could not read the request (JSON-RPC 2.0 §5).
    Unsaid,
    /// Something that numbers no request of this client.
    Nothing,
}

impl To {
    /// Whether it can be the answer to the request of this number, when that is the only one.
    pub fn is(self, number: u64) -> bool {
        self == Self::Request(number) || self == Self::Unsaid
    }
}

/// A JSON-RPC error.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct RpcError {
    /// Which.
    #[serde(default)]
    pub code: i64,
    /// In the server's words.
    #[serde(default)]
    pub message: String,
    /// More of it.
    #[serde(default)]
    pub data: Option<Value>,
}

/// What a server tells.
#[derive(Clone, Debug, PartialEq)]
pub enum Notice {
    /// How far a request is.
    Progress {
        /// How much is done.
        progress: f64,
        /// Of how much, when it is known.
        total: Option<f64>,
        /// In words.
        message: Option<String>,
    },
    /// A line of the server's log.
    Log {
        /// The severity, as the server named it.
        level: String,
        /// Who logs.
        logger: Option<String>,
        /// What.
        data: Value,
    },
    /// What a subscription was granted.
    Acknowledged(Value),
    /// A list changed: `tools`, `prompts` or `resources`.
    ListChanged(&'static str),
    /// A resource changed.
    Updated(String),
    /// The server asks for something, by a request of its own (revisions with a handshake). It waits for
    /// the answer.
    Asked {
        /// To be given back with the answer.
        id: Value,
        /// What it asks.
        method: String,
        /// With what.
        params: Map<String, Value>,
    },
    /// The server ended a request, or a subscription.
    Cancelled(Option<String>),
    /// Anything else: its method and parameters.
    Other(String, Map<String, Value>),
}

#[derive(Deserialize)]
struct Raw {
    #[serde(default, deserialize_with = "present")]
    id: Option<Value>,
    method: Option<String>,
    params: Option<Map<String, Value>>,
    #[serde(default, deserialize_with = "present")]
    result: Option<Value>,
    error: Option<RpcError>,
}

/// A member that is there with `null` is there.
fn present<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(from).map(Some)
}

/// Reads one message. Bounded by what `serde_json` recurses into: 128 levels.
///
/// # Errors
/// Why it is none, in words for a person, without what it says.
pub fn decode(bytes: &[u8]) -> Result<Message, String> {
    let raw: Raw = serde_json::from_slice(bytes).map_err(|error| match error.classify() {
        serde_json::error::Category::Data => "not a JSON-RPC message".to_owned(),
        _ => format!("not JSON: {error}"),
    })?;
    let id = raw.id.filter(|id| !id.is_null());
    match (raw.method, raw.result, raw.error) {
        (Some(method), None, None) => {
            let params = raw.params.unwrap_or_default();
            Ok(match id {
                Some(id) => Message::Request { id, method, params },
                None => Message::Notice(owner(&params), notice(method, params)),
            })
        }
        (None, _, Some(error)) => Ok(Message::Answer {
            to: id.as_ref().map_or(To::Unsaid, to),
            outcome: Err(error),
        }),
        (None, Some(result), None) => Ok(Message::Answer {
            to: id.as_ref().map_or(To::Nothing, to),
            outcome: Ok(result),
        }),
        _ => Err("not a JSON-RPC message".into()),
    }
}

fn to(id: &Value) -> To {
    number(id).map_or(To::Nothing, To::Request)
}

/// Requests of this client are numbered. A server that gives a number back as a string is understood.
fn number(id: &Value) -> Option<u64> {
    id.as_u64().or_else(|| id.as_str()?.parse().ok())
}

fn owner(params: &Map<String, Value>) -> Option<u64> {
    let meta = params.get("_meta");
    let subscription = meta.and_then(|meta| meta.get("io.modelcontextprotocol/subscriptionId"));
    let token = params.get("progressToken");
    token.or(subscription).and_then(number)
}

fn notice(method: String, mut params: Map<String, Value>) -> Notice {
    let text = |value: Option<Value>| match value {
        Some(Value::String(text)) => Some(text),
        _ => None,
    };
    match method.as_str() {
        "notifications/progress" => Notice::Progress {
            progress: params
                .get("progress")
                .and_then(Value::as_f64)
                .unwrap_or(0.0),
            total: params.get("total").and_then(Value::as_f64),
            message: text(params.remove("message")),
        },
        "notifications/message" => Notice::Log {
            level: text(params.remove("level")).unwrap_or_else(|| "info".into()),
            logger: text(params.remove("logger")),
            data: params.remove("data").unwrap_or_default(),
        },
        "notifications/subscriptions/acknowledged" => {
            Notice::Acknowledged(params.remove("notifications").unwrap_or_default())
        }
        "notifications/tools/list_changed" => Notice::ListChanged("tools"),
        "notifications/prompts/list_changed" => Notice::ListChanged("prompts"),
        "notifications/resources/list_changed" => Notice::ListChanged("resources"),
        "notifications/resources/updated" => match text(params.remove("uri")) {
            Some(uri) => Notice::Updated(uri),
            None => Notice::Other(method, params),
        },
        "notifications/cancelled" => Notice::Cancelled(text(params.remove("reason"))),
        _ => Notice::Other(method, params),
    }
}
