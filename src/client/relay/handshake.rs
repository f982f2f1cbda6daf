//! What a client and a server of a revision with a handshake have agreed on, and how it is agreed on
//! anew with a server that forgot it.

use super::deliver::Server;
use super::exchange::Outcome;
use crate::client::http::SESSION;
use crate::lang::schema::HeaderParam;
use crate::protocol::client::Sent;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;
use std::collections::BTreeMap;
use tokio::sync::mpsc;

/// Subscriptions that are begun anew.
const REMEMBERED: usize = 1024;

/// The state of a handshake; none yet, or never one, by default.
#[derive(Default)]
pub(super) struct Handshake {
    /// How often it was made anew.
    number: u64,
    /// The client's own words.
    initialize: Option<(Value, Bytes)>,
    initialized: Option<Bytes>,
    /// What is said again after them, by what it is about.
    standing: BTreeMap<String, (Value, Bytes)>,
    version: Option<HeaderValue>,
    session: Option<HeaderValue>,
    /// The lists whose changes the server tells of.
    lists: Vec<&'static str>,
}

/// What a message is sent with.
pub(super) struct Agreed {
    pub(super) number: u64,
    pub(super) headers: HeaderMap,
}

impl Handshake {
    /// The headers of this message.
    pub(super) fn agreed(&self, sent: &Sent, mirrored: &[HeaderParam]) -> Agreed {
        let headers = match sent.revision() {
            Some(_) => sent.headers(mirrored),
            None if sent.method == "initialize" => HeaderMap::new(),
            None => self.headers(),
        };
        Agreed {
            number: self.number,
            headers,
        }
    }

    /// The headers of what belongs to no request.
    pub(super) fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        if let Some(version) = &self.version {
            let name = HeaderName::from_static("mcp-protocol-version");
            headers.insert(name, version.clone());
        }
        if let Some(session) = &self.session {
            headers.insert(SESSION, session.clone());
        }
        headers
    }

    pub(super) fn number(&self) -> u64 {
        self.number
    }

    pub(super) fn lists(&self) -> &[&'static str] {
        &self.lists
    }

    /// Keeps what has to be said again to a server that forgets.
    pub(super) fn learn(
        &mut self,
        sent: &Sent,
        message: &Bytes,
        answer: &Bytes,
        session: Option<HeaderValue>,
    ) {
        if sent.revision().is_some() {
            return;
        }
        let words = || (sent.id.clone(), message.clone());
        let about = |name: &str| {
            let value = sent.param(name).and_then(Value::as_str);
            value.map(str::to_owned)
        };
        match sent.method.as_str() {
            "initialize" if self.begun(answer, session).is_ok() => {
                self.initialize = Some(words());
            }
            "logging/setLevel" => {
                self.standing.insert(String::new(), words());
            }
            "resources/subscribe" if self.standing.len() < REMEMBERED => {
                if let Some(uri) = about("uri") {
                    self.standing.insert(uri, words());
                }
            }
            "resources/unsubscribe" => {
                if let Some(uri) = about("uri") {
                    self.standing.remove(&uri);
                }
            }
            _ => {}
        }
    }

    /// Takes over what the answer to `initialize` says. The error is what is wrong.
    fn begun(&mut self, answer: &[u8], session: Option<HeaderValue>) -> Result<(), &'static str> {
        let answer: Value = serde_json::from_slice(answer).unwrap_or_default();
        let result = answer
            .get("result")
            .ok_or("the server refuses a new session")?;
        let version = result.get("protocolVersion").and_then(Value::as_str);
        let version = version.and_then(|version| HeaderValue::try_from(version).ok());
        if self.version.is_some() && version != self.version {
            return Err("the server speaks another revision than before");
        }
        self.version = version;
        self.session = session;
        let changes = |list: &&str| {
            let of = result.get("capabilities").and_then(|all| all.get(*list));
            of.and_then(|of| of.get("listChanged")) == Some(&Value::Bool(true))
        };
        self.lists = ["tools", "prompts", "resources"]
            .into_iter()
            .filter(changes)
            .collect();
        Ok(())
    }
}

impl Server {
    /// Passes the end of the handshake on.
    pub(super) async fn initialized(&self, sent: &Sent, message: Bytes) {
        self.handshake.lock().await.initialized = Some(message.clone());
        self.tell(sent, message).await;
    }

    /// Makes the handshake anew, unless that was done since it had this number.
    ///
    /// # Errors
    /// The server is away, or does not agree to the same.
    pub(super) async fn renew(&self, number: u64) -> Result<(), Outcome> {
        let mut handshake = self.handshake.lock().await;
        if handshake.number != number {
            return Ok(());
        }
        let Some((id, message)) = handshake.initialize.clone() else {
            return Err(Outcome::Failed(self.http.broken("there was no handshake")));
        };
        let (unheard, _) = mpsc::channel(1);
        let asked = self.ask(message, &HeaderMap::new(), &id, &unheard).await;
        let Outcome::Answer(answer, session) = asked else {
            return Err(asked);
        };
        let begun = handshake.begun(&answer, session);
        begun.map_err(|why| Outcome::Failed(self.http.broken(why)))?;
        let headers = handshake.headers();
        if let Some(word) = handshake.initialized.clone() {
            self.post(word, &headers).await?;
        }
        for (id, message) in handshake.standing.values() {
            // A resource that has gone is no longer subscribed to, and nobody waits for the answer.
            let _answer = self.ask(message.clone(), &headers, id, &unheard).await;
        }
        handshake.number += 1;
        self.say("the server began anew, and so did the session");
        Ok(())
    }
}
