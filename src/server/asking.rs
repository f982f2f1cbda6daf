//! Asking a client while its request runs, in the revisions where the server sends requests of its
//! own: they go where the request's notifications go, and what comes of them comes back as a message
//! of its own (specification of 2025-11-25: transports §Sending Messages).

use crate::ops::{Input, InputRequired, Notices, OpError};
use crate::protocol::seal::random;
use crate::protocol::{Outcome, SessionKey};
use crate::units::Time;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;

/// How often one request may ask: a client that never answers rightly is not asked for ever.
pub(super) const MOST_TIMES: usize = 64;

/// The questions that are open. Clones are one. There are no more than the requests in flight ask.
#[derive(Clone, Debug, Default)]
pub(super) struct Asking(Arc<Mutex<HashMap<String, Open>>>);

#[derive(Debug)]
struct Open {
    /// Who may answer.
    session: Option<SessionKey>,
    answer: oneshot::Sender<Value>,
}

/// A question's place. Dropping it closes the question.
struct Place<'a> {
    asking: &'a Asking,
    id: String,
}

impl Asking {
    /// Asks, and waits for all answers: `within` so long. They are what the request goes on with.
    ///
    /// # Errors
    /// Somebody does not answer in time.
    pub(super) async fn ask(
        &self,
        session: Option<SessionKey>,
        notices: &Notices,
        required: InputRequired,
        within: Duration,
    ) -> Result<Input, OpError> {
        let mut waiting = Vec::with_capacity(required.requests.len());
        for (name, request) in required.requests {
            let (place, answer) = self.open(session)?;
            notices.question(&place.id, request);
            waiting.push((name, place, answer));
        }
        let all = async {
            let mut responses = Map::new();
            for (name, _place, answer) in waiting {
                // A closed channel is no answer: it is asked again, or the request is over.
                responses.insert(name, answer.await.unwrap_or_default());
            }
            responses
        };
        match tokio::time::timeout(within, all).await {
            Ok(responses) => Ok(Input {
                responses,
                state: required.state,
            }),
            Err(_) => Err(OpError::Failed(format!(
                "the client did not answer within {}",
                Time(within)
            ))),
        }
    }

    fn open(
        &self,
        session: Option<SessionKey>,
    ) -> Result<(Place<'_>, oneshot::Receiver<Value>), OpError> {
        let failed = || OpError::Internal("no question can be asked".into());
        let id = format!(
            "ask-{}",
            URL_SAFE_NO_PAD.encode(random().ok_or_else(failed)?)
        );
        let (answer, came) = oneshot::channel();
        lock(&self.0).insert(id.clone(), Open { session, answer });
        Ok((Place { asking: self, id }, came))
    }

    /// Hands over what came of a question. What nobody waits for is dropped.
    pub(super) fn came(&self, outcome: Outcome) {
        let Outcome { session, id, came } = outcome;
        let id = id.to_text();
        let mut table = lock(&self.0);
        let is_theirs = table.get(&id).is_some_and(|open| open.session == session);
        if !is_theirs {
            return;
        }
        let Some(open) = table.remove(&id) else {
            return;
        };
        drop(table);
        let answer = match came {
            Ok(result) => serde_json::from_str(result.get()).unwrap_or_default(),
            // A client has no other way to say that its user, or itself, does not want to.
            Err(_) => json!({ "action": "decline" }),
        };
        // Who asked may have gone.
        let _ = open.answer.send(answer);
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        lock(&self.asking.0).remove(&self.id);
    }
}

/// Nothing panics while the lock is held, so what it guards is whole even if it is poisoned.
fn lock(table: &Mutex<HashMap<String, Open>>) -> MutexGuard<'_, HashMap<String, Open>> {
    table.lock().unwrap_or_else(PoisonError::into_inner)
}
