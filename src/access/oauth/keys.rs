//! The keys that tokens are signed with: fetched when they are first needed, kept, and fetched anew
//! when they are old or when a token names one that is not there.
//!
//! One fetch runs at a time and everybody waits for the same. A server that hangs or fails takes
//! nothing away from those whose keys are known.

use super::document::{self, NoDocument};
use crate::action::http::Client;
use crate::model::OauthSpec;
use futures_util::FutureExt as _;
use jsonwebtoken::jwk::{AlgorithmParameters, Jwk, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey};
use serde_json::Value;
use std::str::FromStr as _;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

/// Keys older than this are fetched anew while they go on being used.
const FRESH: Duration = Duration::from_secs(600);
/// Keys older than this are not used any more.
const USABLE: Duration = Duration::from_secs(86_400);
/// How long after a fetch there is no other because of a key that is not there: tokens with made-up
/// keys cost the authorization server no more than this.
const PAUSE: Duration = Duration::from_secs(5);
/// How long after a fetch there is no other because keys are old.
const RETRY: Duration = Duration::from_secs(30);
/// Most keys of a set.
const MOST: usize = 100;

/// The keys of one authorization server.
pub(super) struct Keys {
    spec: Arc<OauthSpec>,
    client: Arc<Client>,
    known: RwLock<Arc<Known>>,
    fetching: Mutex<Fetching>,
}

/// What the last fetches gave.
#[derive(Default)]
struct Known {
    keys: Vec<Key>,
    /// When they came; `None` when none did yet.
    since: Option<Instant>,
}

#[derive(Default)]
struct Fetching {
    last: Option<Fetched>,
    /// The one that runs, or has ended since somebody looked. It does not end with who waits for it.
    running: Option<AbortOnDropHandle<Fetched>>,
}

/// A fetch that has ended.
#[derive(Clone, Copy)]
struct Fetched {
    at: Instant,
    is_good: bool,
}

/// One key.
struct Key {
    id: Option<String>,
    algorithm: Option<Algorithm>,
    key: DecodingKey,
}

/// There is no telling whether a token is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unavailable;

impl Keys {
    pub(super) fn new(spec: Arc<OauthSpec>, client: Client) -> Arc<Self> {
        Arc::new(Self {
            spec,
            client: Arc::new(client),
            known: RwLock::default(),
            fetching: Mutex::default(),
        })
    }

    /// The keys that may have made a signature of this algorithm, with this name if it has one.
    /// Empty when there is none for sure.
    pub(super) async fn fitting(
        self: &Arc<Self>,
        id: Option<&str>,
        algorithm: Algorithm,
    ) -> Result<Vec<DecodingKey>, Unavailable> {
        let known = self.known();
        let found = known.fitting(id, algorithm);
        if !found.is_empty() && known.is_younger_than(USABLE) {
            if !known.is_younger_than(FRESH) {
                self.fetch_beside();
            }
            return Ok(found);
        }
        let was_fetched = self.fetch_after(known.since).await;
        let known = self.known();
        let found = match known.is_younger_than(USABLE) {
            true => known.fitting(id, algorithm),
            false => return Err(Unavailable),
        };
        match found.is_empty() && !was_fetched {
            true => Err(Unavailable),
            false => Ok(found),
        }
    }

    fn known(&self) -> Arc<Known> {
        let known = self.known.read();
        Arc::clone(&known.unwrap_or_else(PoisonError::into_inner))
    }

    /// Fetches the keys, unless somebody has since `seen`, or just tried to. False when the last
    /// attempt failed.
    async fn fetch_after(self: &Arc<Self>, seen: Option<Instant>) -> bool {
        let mut fetching = self.fetching.lock().await;
        if self.known().since > seen {
            return true;
        }
        if fetching.is_running() {
            return fetching.end().await;
        }
        match fetching.last {
            Some(last) if last.at.elapsed() < PAUSE => last.is_good,
            _ => {
                fetching.running = Some(self.start());
                fetching.end().await
            }
        }
    }

    /// Fetches the keys while the known ones are used.
    fn fetch_beside(self: &Arc<Self>) {
        let Ok(mut fetching) = self.fetching.try_lock() else {
            return;
        };
        let is_running = fetching.is_running();
        let is_recent = |last: Fetched| last.at.elapsed() < RETRY;
        if !is_running && !fetching.last.is_some_and(is_recent) {
            fetching.running = Some(self.start());
        }
    }

    fn start(self: &Arc<Self>) -> AbortOnDropHandle<Fetched> {
        // Who owns the keys owns the task, which therefore must not own them.
        let keys = Arc::downgrade(self);
        AbortOnDropHandle::new(tokio::spawn(async move {
            let is_good = match keys.upgrade() {
                Some(keys) => keys.fetch().await,
                None => false,
            };
            Fetched::now(is_good)
        }))
    }

    async fn fetch(&self) -> bool {
        let issuer = &self.spec.issuer;
        match document::keys(&self.client, &self.spec)
            .await
            .and_then(read)
        {
            Ok(keys) => {
                tracing::debug!(
                    issuer,
                    keys = keys.len(),
                    "fetched the keys of access tokens"
                );
                let known = Known {
                    keys,
                    since: Some(Instant::now()),
                };
                let mut place = self.known.write().unwrap_or_else(PoisonError::into_inner);
                *place = Arc::new(known);
                true
            }
            Err(error) => {
                tracing::warn!(issuer, %error, "cannot fetch the keys of access tokens");
                false
            }
        }
    }
}

impl Fetching {
    /// Whether one runs. What came of one that does not is the last.
    fn is_running(&mut self) -> bool {
        let Some(running) = &mut self.running else {
            return false;
        };
        let Some(ended) = running.now_or_never() else {
            return true;
        };
        self.ended(ended.ok());
        false
    }

    /// Waits for the one that runs, and says whether it is good.
    async fn end(&mut self) -> bool {
        let ended = match &mut self.running {
            Some(running) => running.await.ok(),
            None => None,
        };
        self.ended(ended).is_good
    }

    /// `None`: it panicked, which the panic hook says.
    fn ended(&mut self, fetched: Option<Fetched>) -> Fetched {
        let fetched = fetched.unwrap_or_else(|| Fetched::now(false));
        self.running = None;
        self.last = Some(fetched);
        fetched
    }
}

impl Fetched {
    fn now(is_good: bool) -> Self {
        Self {
            at: Instant::now(),
            is_good,
        }
    }
}

impl Known {
    fn is_younger_than(&self, age: Duration) -> bool {
        self.since.is_some_and(|since| since.elapsed() < age)
    }

    fn fitting(&self, id: Option<&str>, algorithm: Algorithm) -> Vec<DecodingKey> {
        let keys = self.keys.iter().filter(|key| {
            let is_named = id.is_none() || key.id.is_none() || key.id.as_deref() == id;
            let is_for = key.algorithm.is_none_or(|only| only == algorithm);
            is_named && is_for && key.key.family() == algorithm.family()
        });
        keys.map(|key| key.key.clone()).collect()
    }
}

/// The keys of a set that are for checking signatures. Those that cannot be read are passed over: the
/// set may hold more than is known here.
fn read(document: Value) -> Result<Vec<Key>, NoDocument> {
    let listed = document.get("keys").and_then(Value::as_array);
    let listed = listed.ok_or(NoDocument::Form)?;
    Ok(listed.iter().take(MOST).filter_map(key).collect())
}

fn key(value: &Value) -> Option<Key> {
    let algorithm = match value.get("alg") {
        None => None,
        Some(name) => Some(Algorithm::from_str(name.as_str()?).ok()?),
    };
    let jwk: Jwk = serde_json::from_value(value.clone()).ok()?;
    let is_public = matches!(
        jwk.algorithm,
        AlgorithmParameters::RSA(_)
            | AlgorithmParameters::EllipticCurve(_)
            | AlgorithmParameters::OctetKeyPair(_)
    );
    let is_for_signatures = matches!(
        jwk.common.public_key_use,
        None | Some(PublicKeyUse::Signature)
    );
    if !is_public || !is_for_signatures {
        return None;
    }
    Some(Key {
        id: jwk.common.key_id.clone(),
        algorithm,
        key: DecodingKey::from_jwk(&jwk).ok()?,
    })
}

#[cfg(test)]
mod tests;
