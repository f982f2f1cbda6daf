//! Bringing a client's messages to a server that may be away for a while.

use super::exchange::Outcome;
use super::handshake::Handshake;
use super::parts::Notices;
use super::{INTERNAL, Say};
use crate::client::error::ClientError;
use crate::client::http::Http;
use crate::client::lists::{Kind, Listed};
use crate::client::options::{Options, Target};
use crate::client::{Client, Tool};
use crate::lang::schema::HeaderParam;
use crate::protocol::client::{Sent, failure};
use bytes::Bytes;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The first pause before a server is tried again, and the longest.
const PAUSES: [Duration; 2] = [Duration::from_millis(50), Duration::from_secs(1)];
/// How long an answer may take when tools are listed anew.
const LISTING: Duration = Duration::from_secs(60);
const HEADER_MISMATCH: i64 = -32020;

/// The server, and what has been agreed on with it.
pub(super) struct Server {
    pub(super) http: Http,
    target: Target,
    options: Options,
    wait: Duration,
    say: Say,
    pub(super) handshake: tokio::sync::Mutex<Handshake>,
    /// What tools mirror into headers, as far as it was asked for.
    mirrored: Mutex<HashMap<String, Vec<HeaderParam>>>,
    /// It was said that nobody is reached.
    is_away: AtomicBool,
}

/// Tries again, at growing distances, until it is too late.
pub(super) struct Patience {
    until: Option<Instant>,
    pause: Duration,
}

impl Patience {
    /// Until this much later; without a bound, for ever.
    pub(super) fn new(bound: Option<Duration>) -> Self {
        let [pause, _] = PAUSES;
        let until = bound.and_then(|bound| Instant::now().checked_add(bound));
        Self { until, pause }
    }

    /// Waits before the next try; `false` when there is to be none.
    pub(super) async fn again(&mut self) -> bool {
        if self.until.is_some_and(|until| Instant::now() >= until) {
            return false;
        }
        sleep(self.pause).await;
        let [_, longest] = PAUSES;
        self.pause = (self.pause * 2).min(longest);
        true
    }
}

impl Server {
    pub(super) fn new(
        http: Http,
        target: Target,
        options: Options,
        wait: Duration,
        say: Say,
    ) -> Self {
        Self {
            http,
            target,
            options,
            wait,
            say,
            handshake: tokio::sync::Mutex::default(),
            mirrored: Mutex::default(),
            is_away: AtomicBool::new(false),
        }
    }

    /// How long a server may send nothing at all, not even a comment, before it is given up.
    pub(super) fn silence(&self) -> Duration {
        self.options.timeout
    }

    pub(super) fn patience(&self) -> Patience {
        Patience::new(Some(self.wait))
    }

    /// The answer to a request, whatever happens.
    pub(super) async fn request(&self, sent: &Sent, message: Bytes, notices: &Notices) -> Bytes {
        match self.answered(sent, &message, notices).await {
            Ok(answer) => answer,
            Err(why) => failure(&sent.id, INTERNAL, &why),
        }
    }

    async fn answered(
        &self,
        sent: &Sent,
        message: &Bytes,
        notices: &Notices,
    ) -> Result<Bytes, String> {
        let (mut patience, mut renewed, mut relisted) = (self.patience(), false, false);
        loop {
            let agreed = self.handshake.lock().await.agreed(sent, &self.known(sent));
            let asked = self.ask(message.clone(), &agreed.headers, &sent.id, notices);
            match asked.await {
                Outcome::Answer(answer, session) => {
                    self.is_back();
                    if !relisted && is_mismatch(&answer) && self.relist(sent).await {
                        relisted = true;
                        continue;
                    }
                    let mut handshake = self.handshake.lock().await;
                    handshake.learn(sent, message, &answer, session);
                    return Ok(answer);
                }
                Outcome::SessionLost(error) if renewed => return Err(words(&error)),
                Outcome::SessionLost(_) => match self.renew(agreed.number).await {
                    Ok(()) => renewed = true,
                    Err(Outcome::Away { error, .. }) => self.wait_for(error, &mut patience).await?,
                    Err(outcome) => return Err(outcome.words()),
                },
                Outcome::Away { error, sent: true } if !sent.may_be_repeated() => {
                    return Err(format!(
                        "{}: whether the call was carried out is not known",
                        words(&error)
                    ));
                }
                Outcome::Away { error, .. } => self.wait_for(error, &mut patience).await?,
                Outcome::Failed(error) => return Err(words(&error)),
            }
        }
    }

    /// Waits before the next try. The error is that it is too late.
    async fn wait_for(&self, error: ClientError, patience: &mut Patience) -> Result<(), String> {
        self.is_gone(&error);
        match patience.again().await {
            true => Ok(()),
            false => Err(words(&error)),
        }
    }

    /// Passes a notification on.
    pub(super) async fn tell(&self, sent: &Sent, message: Bytes) {
        let (mut patience, mut renewed) = (self.patience(), false);
        loop {
            let agreed = self.handshake.lock().await.agreed(sent, &[]);
            let error = match self.post(message.clone(), &agreed.headers).await {
                Ok(()) => return self.is_back(),
                Err(Outcome::Away { error, sent: false }) => {
                    self.is_gone(&error);
                    if patience.again().await {
                        continue;
                    }
                    error
                }
                Err(Outcome::SessionLost(error)) => {
                    if !renewed && self.renew(agreed.number).await.is_ok() {
                        renewed = true;
                        continue;
                    }
                    error
                }
                Err(Outcome::Failed(error) | Outcome::Away { error, .. }) => error,
                Err(Outcome::Answer(..)) => return,
            };
            return self.say(&format!("`{}` was not passed on: {error}", sent.method));
        }
    }

    /// Passes on what the client answers to the server. A server that went away asks no longer.
    pub(super) async fn answer(&self, message: Bytes) {
        let headers = self.handshake.lock().await.headers();
        if let Err(outcome) = self.post(message, &headers).await {
            self.say(&format!("an answer was not passed on: {}", outcome.words()));
        }
    }

    /// What the called tool is known to mirror.
    fn known(&self, sent: &Sent) -> Vec<HeaderParam> {
        let known = self.mirrored.lock().unwrap_or_else(PoisonError::into_inner);
        let known = sent.tool().and_then(|tool| known.get(tool));
        known.cloned().unwrap_or_default()
    }

    /// Asks what tools mirror; `true` when that is something else of the called one than was known.
    async fn relist(&self, sent: &Sent) -> bool {
        let Some(called) = sent.tool() else {
            return false;
        };
        let options = Options {
            timeout: self.options.timeout.min(LISTING),
            ..self.options.clone()
        };
        let Ok(client) = Client::connect(self.target.clone(), &options).await else {
            return false;
        };
        let listed = client.list(Kind::Tools).await;
        client.close().await;
        let Ok(Listed { items: tools, .. }) = listed else {
            return false;
        };
        let tools = tools.iter().filter_map(Tool::of);
        let now: HashMap<String, Vec<HeaderParam>> = tools
            .map(|tool| (tool.name().to_owned(), tool.mirrored().to_vec()))
            .filter(|(_, mirrored)| !mirrored.is_empty())
            .collect();
        let mut known = self.mirrored.lock().unwrap_or_else(PoisonError::into_inner);
        let learnt = now.get(called) != known.get(called);
        *known = now;
        learnt
    }

    pub(super) fn say(&self, words: &str) {
        (self.say)(words);
    }

    /// Says once that nobody is reached.
    pub(super) fn is_gone(&self, error: &ClientError) {
        if !self.is_away.swap(true, Ordering::Relaxed) {
            self.say(&format!("{}; trying again", words(error)));
        }
    }

    pub(super) fn is_back(&self) {
        if self.is_away.swap(false, Ordering::Relaxed) {
            self.say(&format!("{} is there", self.http.shown()));
        }
    }

    /// Ends the session, where there is one.
    pub(super) async fn close(&self) {
        let headers = self.handshake.lock().await.headers();
        self.http.end_session(&headers).await;
    }
}

impl Outcome {
    /// Why there is no answer.
    pub(super) fn words(&self) -> String {
        match self {
            Self::SessionLost(error) | Self::Failed(error) | Self::Away { error, .. } => {
                words(error)
            }
            Self::Answer(..) => "the server answered something else".to_owned(),
        }
    }
}

fn words(error: &ClientError) -> String {
    error.to_string()
}

fn is_mismatch(answer: &[u8]) -> bool {
    let code = |answer: &Value| answer.get("error")?.get("code")?.as_i64();
    answer.len() < 4096
        && serde_json::from_slice(answer)
            .is_ok_and(|answer: Value| code(&answer) == Some(HEADER_MISMATCH))
}
