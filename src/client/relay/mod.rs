//! A stdio server that passes every message on to one behind HTTP or a Unix socket, and outlives it:
//! while the server is away requests wait, and when it is back sessions and subscriptions are begun
//! anew. For clients that can only start a program.
//!
//! Nothing that may change something is sent twice: of a call whose answer got lost the client hears
//! that nobody knows what became of it.

mod deliver;
mod exchange;
mod handshake;
mod hear;
mod parts;

use super::error::ClientError;
use super::http::Http;
use super::options::{Options, Target};
use crate::protocol::client::{Relayed, Sent, failure};
use crate::server::{Received, Session};
use bytes::Bytes;
use deliver::Server;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// Requests that may be under way at the same time.
const IN_FLIGHT: usize = 1024;
const INTERNAL: i64 = -32603;
const INVALID: i64 = -32600;

/// Who is told what goes wrong on the way: a line without its end.
pub type Say = Arc<dyn Fn(&str) + Send + Sync>;

/// One client's messages on their way to a server. It is the session of a stream of messages.
pub struct Relay {
    server: Arc<Server>,
    in_flight: InFlight,
    /// Opens once the handshake that was begun has been finished by the client's word.
    gate: watch::Receiver<bool>,
    /// There was a handshake.
    shook: bool,
    /// No message comes any more.
    ended: CancellationToken,
}

/// The requests without an answer, by their ids.
#[derive(Clone, Default)]
struct InFlight(Arc<Mutex<Places>>);

type Places = HashMap<String, CancellationToken>;

/// A request's place; dropping it gives it up.
struct Place(InFlight, String, CancellationToken);

impl Drop for Place {
    fn drop(&mut self) {
        // A cancelled one's id may be another's by now.
        if !self.2.is_cancelled() {
            self.0.with(|places| places.remove(&self.1));
        }
    }
}

impl InFlight {
    fn with<T>(&self, act: impl FnOnce(&mut Places) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn begin(&self, id: &Value, token: &CancellationToken) -> Result<Place, &'static str> {
        let key = id.to_string();
        self.with(|places| {
            if places.contains_key(&key) {
                return Err("the id is that of a request that has no answer yet");
            }
            if places.len() >= IN_FLIGHT {
                return Err("too many requests have no answer yet");
            }
            places.insert(key.clone(), token.clone());
            Ok(())
        })?;
        Ok(Place(self.clone(), key, token.clone()))
    }

    fn cancel(&self, id: &Value) {
        if let Some(token) = self.with(|places| places.remove(&id.to_string())) {
            token.cancel();
        }
    }
}

impl Relay {
    /// Passes messages on to the server at `target`, for which a request waits up to `wait` while
    /// nobody is reached there. Nothing is connected to before the first message.
    ///
    /// # Errors
    /// The address or a certificate cannot be used, or the target is a program.
    pub fn new(
        target: Target,
        options: Options,
        wait: Duration,
        say: Say,
    ) -> Result<Self, ClientError> {
        let http = match &target {
            Target::Http(url) => Http::at(url, &options)?,
            Target::Unix(path, at) => Http::on(path.clone(), at, &options)?,
            Target::Program(program) => return Err(ClientError::Address(program.shown.clone())),
        };
        let (_, open) = watch::channel(true);
        Ok(Self {
            server: Arc::new(Server::new(http, target, options, wait, say)),
            in_flight: InFlight::default(),
            gate: open,
            shook: false,
            ended: CancellationToken::new(),
        })
    }

    /// What ends the session that there may be, once the relay itself has ended.
    pub fn goodbye(&self) -> impl Future<Output = ()> + Send + use<> {
        let server = Arc::clone(&self.server);
        async move { server.close().await }
    }

    fn request(&self, sent: Sent, message: Bytes) -> Received {
        let waits = sent.method == "subscriptions/listen";
        // After the last message what was begun may finish, and what only listens ends.
        let token = if waits {
            self.ended.child_token()
        } else {
            CancellationToken::new()
        };
        let place = match self.in_flight.begin(&sent.id, &token) {
            Ok(place) => place,
            Err(why) => return Received::Answer(failure(&sent.id, INTERNAL, why)),
        };
        let (server, mut gate) = (Arc::clone(&self.server), self.gate.clone());
        Received::Work(parts::work(token, async move |notices| {
            let _place = place;
            // Its sender is gone once the word has been passed on, or could not be.
            let _opened = gate.wait_for(|open| *open).await.map(drop);
            if waits {
                server.listen(&sent, message, &notices).await
            } else {
                Some(server.request(&sent, message, &notices).await)
            }
        }))
    }

    fn notice(&mut self, sent: Sent, message: Bytes) -> Received {
        if sent.method == "notifications/cancelled" {
            if let Some(id) = sent.param("requestId") {
                self.in_flight.cancel(id);
            }
            // Without a handshake the end of the exchange is what cancels.
            if !self.shook {
                return Received::Nothing;
            }
        }
        let server = Arc::clone(&self.server);
        if sent.method != "notifications/initialized" {
            return self.beside(async move { server.tell(&sent, message).await });
        }
        let (opens, gate) = watch::channel(false);
        (self.gate, self.shook) = (gate, true);
        Received::Work(parts::work(
            self.ended.child_token(),
            async move |notices| {
                server.initialized(&sent, message).await;
                opens.send_replace(true);
                server.hear(&notices).await;
                None
            },
        ))
    }

    /// Work that nothing comes of.
    fn beside(&self, work: impl Future<Output = ()> + Send + 'static) -> Received {
        let done = async move |_| {
            work.await;
            None
        };
        Received::Work(parts::work(CancellationToken::new(), done))
    }
}

impl Session for Relay {
    fn receive(&mut self, message: &[u8]) -> Received {
        let message = Bytes::copy_from_slice(message);
        match Relayed::read(&message) {
            Ok(Relayed::Request(sent)) => self.request(sent, message),
            Ok(Relayed::Notice(sent)) => self.notice(sent, message),
            Ok(Relayed::Answer) => {
                let server = Arc::clone(&self.server);
                self.beside(async move { server.answer(message).await })
            }
            Err(answer) => Received::Answer(answer),
        }
    }

    fn ended(&mut self) {
        self.ended.cancel();
    }

    fn too_long(&mut self, limit: usize) -> Bytes {
        let why = format!("the message is longer than {limit} bytes");
        failure(&Value::Null, INVALID, &why)
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.ended.cancel();
        self.in_flight
            .with(|places| places.values().for_each(CancellationToken::cancel));
    }
}
