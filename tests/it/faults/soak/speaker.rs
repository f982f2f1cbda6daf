//! One client as each transport and revision has it: a request goes out, and what comes for it is given as bytes.

use super::world::World;
use crate::subscriptions::listen;
use crate::support::{Connection, Reply, Stdio, modern};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::net::SocketAddr;

pub const LEGACY: &str = "2025-11-25";
/// The id of what listens over stdio, which is answered at the end.
pub const LISTENS: &str = "listens";
const STREAM: (&str, &str) = ("Accept", "text/event-stream");

/// How a client speaks.
pub enum Dialect {
    Modern,
    /// After a handshake; over HTTP with the headers of the session.
    Session(Vec<(&'static str, String)>),
    /// A revision with a handshake, without one.
    Bare,
}

pub enum Line {
    /// The connection, unless it has left the last one.
    Http(Option<Connection>),
    Stdio(Stdio),
}

pub struct Speaker {
    pub name: &'static str,
    pub dialect: Dialect,
    pub line: Line,
    address: SocketAddr,
    /// What came that was no answer, in its order.
    pub told: Vec<Value>,
}

/// `initialize`, as a client that can fill in forms.
fn initialize() -> Value {
    json!({ "jsonrpc": "2.0", "id": "init", "method": "initialize", "params": {
        "protocolVersion": LEGACY,
        "capabilities": { "elicitation": {} },
        "clientInfo": { "name": "it", "version": "1" },
    } })
}

/// The answer to a question of a form.
fn filled_in() -> Value {
    json!({ "action": "accept", "content": { "word": "known" } })
}

impl Speaker {
    pub fn http(world: &World, name: &'static str, dialect: Dialect) -> Self {
        Self {
            name,
            dialect,
            line: Line::Http(None),
            address: world.daemon.address(),
            told: Vec::new(),
        }
    }

    /// A client of a server over stdio, with a handshake unless it speaks the newest revision.
    pub fn stdio(world: &World, name: &'static str, dialect: Dialect) -> Self {
        let mut stdio = world.stdio(&format!("states-{name}"));
        if matches!(dialect, Dialect::Session(_)) {
            let answer = stdio.ask(&initialize());
            assert_eq!(answer["result"]["protocolVersion"], LEGACY, "{answer}");
            stdio.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        } else {
            stdio.send(&listen(LISTENS, json!({ "toolsListChanged": true })));
        }
        Self {
            line: Line::Stdio(stdio),
            ..Self::http(world, name, dialect)
        }
    }

    /// Makes the handshake by HTTP.
    pub fn handshake(world: &World) -> Dialect {
        let mut connection = world.connect();
        let reply = connection.post_with(&[], initialize().to_string().as_bytes());
        assert_eq!(reply.status, 200, "{reply:?}");
        let id = reply.header("mcp-session-id").expect("a session");
        let headers = vec![
            ("Mcp-Session-Id", id.to_owned()),
            ("MCP-Protocol-Version", LEGACY.to_owned()),
        ];
        let told = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let reply = connection.post_with(&borrowed(&headers), told.to_string().as_bytes());
        assert_eq!((reply.status, reply.body.len()), (202, 0));
        Dialect::Session(headers)
    }

    /// Closes its connection; the next request has another.
    pub fn leave(&mut self) {
        if let Line::Http(connection) = &mut self.line {
            *connection = None;
        }
    }

    /// The headers beside those that every client sends.
    pub fn headers(&self) -> Vec<(&'static str, String)> {
        match &self.dialect {
            Dialect::Modern => Vec::new(),
            Dialect::Session(headers) => headers.clone(),
            Dialect::Bare => vec![("MCP-Protocol-Version", LEGACY.to_owned())],
        }
    }

    pub fn request(&self, id: &str, method: &str, params: Value) -> Value {
        match self.dialect {
            Dialect::Modern => modern(id, method, params),
            _ => json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }),
        }
    }

    /// Sends a request, and gives the bytes of its answer.
    pub fn ask(&mut self, request: &Value) -> Vec<u8> {
        let id = request["id"].as_str().unwrap();
        match &self.line {
            Line::Http(_) => {
                let reply = self.post(request);
                self.answer_in(&reply, id)
            }
            Line::Stdio(_) => {
                let mut answers = self.ask_all(std::slice::from_ref(request));
                answers.remove(id).unwrap()
            }
        }
    }

    fn post(&mut self, message: &Value) -> Reply {
        let headers = self.headers();
        let Line::Http(connection) = &mut self.line else {
            panic!("not HTTP");
        };
        let connection = connection.get_or_insert_with(|| Connection::to(self.address));
        match self.dialect {
            Dialect::Modern => connection.post(message),
            _ => connection.post_with(&borrowed(&headers), message.to_string().as_bytes()),
        }
    }

    /// The answer in a reply: its body, or the last of its events.
    fn answer_in(&mut self, reply: &Reply, id: &str) -> Vec<u8> {
        assert_eq!(reply.status, 200, "{}: {reply:?}", self.name);
        if reply.header("content-type") == Some("application/json") {
            return reply.body.clone();
        }
        let text = reply.text();
        let events = text.strip_suffix("\n\n").expect("a whole event");
        let mut answer = None;
        for event in events.split("\n\n") {
            let data = event.strip_prefix("event: message\ndata: ").expect(event);
            assert!(answer.is_none(), "something after the answer: {text}");
            let message: Value = serde_json::from_str(data).unwrap();
            match message["id"] == id {
                true => answer = Some(data.as_bytes().to_vec()),
                false => self.told.push(message),
            }
        }
        answer.unwrap_or_else(|| panic!("{}: no answer in {text}", self.name))
    }

    /// Sends requests over stdio at once, and gives their answers by id. Questions of the server are answered,
    /// and what else it says is kept; nothing may come that answers something else.
    pub fn ask_all(&mut self, requests: &[Value]) -> HashMap<String, Vec<u8>> {
        let Line::Stdio(stdio) = &mut self.line else {
            panic!("not stdio");
        };
        for request in requests {
            stdio.send(request);
        }
        let mut answers = HashMap::new();
        while answers.len() < requests.len() {
            let mut line = stdio.line().expect("the output ended");
            assert_eq!(line.pop(), Some(b'\n'));
            let message: Value = serde_json::from_slice(&line).unwrap();
            if message["method"] == "elicitation/create" {
                stdio
                    .send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": filled_in() }));
            } else if let Some(id) = message["id"].as_str() {
                let asked = requests.iter().any(|request| request["id"] == id);
                let first = answers.insert(id.to_owned(), line).is_none();
                assert!(asked && first, "{}: not asked: {message}", self.name);
            } else {
                self.told.push(message);
            }
        }
        answers
    }

    /// A request that asks before it answers, with the question answered in the way of the revision.
    pub fn ask_and_answer(&mut self, request: &Value) -> Vec<u8> {
        match (&self.dialect, &self.line) {
            (Dialect::Modern, _) => {
                let able = "io.modelcontextprotocol/clientCapabilities";
                let mut request = request.clone();
                request["params"]["_meta"][able] = json!({ "elicitation": {} });
                let asked: Value = serde_json::from_slice(&self.ask(&request)).unwrap();
                assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
                if let Some(state) = asked["result"].get("requestState") {
                    request["params"]["requestState"] = state.clone();
                }
                request["params"]["inputResponses"] = json!({ "who": filled_in() });
                self.ask(&request)
            }
            (Dialect::Session(headers), Line::Http(_)) => {
                let id = request["id"].clone();
                let connection = Connection::to(self.address);
                let mut events =
                    connection.events_with(&borrowed(headers), request.to_string().as_bytes());
                let question = events.next().expect("a question");
                assert_eq!(question["method"], "elicitation/create", "{question}");
                let answer =
                    json!({ "jsonrpc": "2.0", "id": question["id"], "result": filled_in() });
                assert_eq!(self.post(&answer).status, 202);
                let answer = events.next().expect("an answer");
                assert_eq!((&answer["id"], events.next()), (&id, None));
                answer.to_string().into_bytes()
            }
            _ => self.ask(request),
        }
    }

    /// A stream of what a session is told.
    pub fn listen(&self) -> crate::support::Events {
        let headers = self.headers();
        let headers = [&borrowed(&headers)[..], &[STREAM]].concat();
        Connection::to(self.address).get_events(&headers)
    }

    /// Posts a notification of its session on a connection of its own.
    pub fn notify(&self, method: &str, params: Value) {
        let message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        let headers = self.headers();
        let mut connection = Connection::to(self.address);
        let reply = connection.post_with(&borrowed(&headers), message.to_string().as_bytes());
        assert_eq!(reply.status, 202, "{reply:?}");
    }
}

pub fn borrowed<'a>(headers: &'a [(&'static str, String)]) -> Vec<(&'static str, &'a str)> {
    let headers = headers.iter();
    headers
        .map(|(name, value)| (*name, value.as_str()))
        .collect()
}
