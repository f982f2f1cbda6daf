//! The revisions with a handshake, 2025-11-25 and 2025-06-18, over both transports.
//!
//! | requirement | tests |
//! |---|---|
//! | not-found codes differ by version | `features::…` |
//! | outputSchema and errors; icons | `features::…` |
//! | dead session id gets 400, 401 or 503 | `sessions::…` |
//! | unsupported MCP-Protocol-Version is served | `sessions::the_header_…` and the table in src/protocol/tests |
//! | a disconnect cancels (decision 6) | `cancel::…` |
//! | listen: legacy clients get list_changed | `changes::…` |
//! | SIGTERM waits for streams | `changes::streams_end_…` |
//! | one slow tool stops everything | `cancel::a_ping_is_answered_beside_…` |

mod cancel;
mod changes;
mod features;
mod sessions;

use crate::support::{Connection, Daemon, Project, Stdio};
use serde_json::{Value, json};

const NEWER: &str = "2025-11-25";
const OLDER: &str = "2025-06-18";

/// A client that has made its handshake.
enum Client {
    Stdio(Stdio),
    Http(Session),
}

/// A session by HTTP: the headers that each request has.
struct Session {
    connection: Connection,
    headers: Vec<(&'static str, String)>,
}

/// `initialize`, as a client that can do nothing for the server.
fn initialize(version: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": "init", "method": "initialize", "params": {
        "protocolVersion": version,
        "capabilities": {},
        "clientInfo": { "name": "it", "version": "1" },
    } })
}

fn request(id: impl Into<Value>, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id.into(), "method": method, "params": params })
}

fn notification(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

fn call(id: impl Into<Value>, tool: &str, arguments: Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments });
    request(id, "tools/call", params)
}

impl Session {
    /// Makes the handshake.
    fn begin(daemon: &Daemon, version: &str) -> Self {
        let mut connection = daemon.connect();
        let body = initialize(version).to_string();
        let reply = connection.post_with(&[], body.as_bytes());
        assert_eq!(reply.status, 200, "{reply:?}");
        assert_eq!(reply.json()["result"]["protocolVersion"], version);
        let id = reply.header("mcp-session-id").expect("a session");
        let headers = vec![
            ("Mcp-Session-Id", id.to_owned()),
            ("MCP-Protocol-Version", version.to_owned()),
        ];
        let mut session = Self {
            connection,
            headers,
        };
        let reply = session.post(&notification("notifications/initialized", json!({})));
        assert_eq!((reply.status, reply.body.len()), (202, 0));
        session
    }

    fn headers(&self) -> Vec<(&str, &str)> {
        let headers = self.headers.iter();
        headers
            .map(|(name, value)| (*name, value.as_str()))
            .collect()
    }

    fn post(&mut self, message: &Value) -> crate::support::Reply {
        let headers: Vec<(&str, &str)> = self
            .headers
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        self.connection
            .post_with(&headers, message.to_string().as_bytes())
    }

    /// The same session on another server, or another connection.
    fn on(&self, daemon: &Daemon) -> Self {
        Self {
            connection: daemon.connect(),
            headers: self.headers.clone(),
        }
    }
}

impl Client {
    /// One of each transport, with this revision.
    fn each(project: &Project, daemon: &Daemon, version: &str) -> [Self; 2] {
        [
            Self::stdio(project, version),
            Self::Http(Session::begin(daemon, version)),
        ]
    }

    fn stdio(project: &Project, version: &str) -> Self {
        let mut stdio = project.stdio();
        let result = stdio.ask(&initialize(version));
        assert_eq!(result["result"]["protocolVersion"], version);
        stdio.send(&notification("notifications/initialized", json!({})));
        Self::Stdio(stdio)
    }

    /// The answer to a request.
    fn ask(&mut self, request: &Value) -> Value {
        self.said(request).pop().expect("an answer")
    }

    /// What is said about a request: notifications, then the answer.
    fn said(&mut self, request: &Value) -> Vec<Value> {
        match self {
            Self::Stdio(stdio) => {
                stdio.send(request);
                let mut said = Vec::new();
                while said
                    .last()
                    .is_none_or(|last: &Value| last.get("id").is_none())
                {
                    said.push(stdio.receive());
                }
                said
            }
            Self::Http(session) => {
                let reply = session.post(request);
                assert_eq!(reply.status, 200, "{reply:?}");
                match reply.header("content-type") {
                    Some("application/json") => vec![reply.json()],
                    _ => reply.events(),
                }
            }
        }
    }

    /// The result of a method.
    fn result(&mut self, method: &str, params: Value) -> Value {
        let answer = self.ask(&request(1, method, params));
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// The error of a method: code and `data`.
    fn error(&mut self, method: &str, params: Value) -> (i64, Value) {
        let answer = self.ask(&request(1, method, params));
        let error = &answer["error"];
        (
            error["code"].as_i64().unwrap_or_default(),
            error["data"].clone(),
        )
    }
}
