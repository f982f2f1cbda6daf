//! Asking a client while its request runs, in the revisions where the server sends requests of its
//! own: they go where the request's notifications go, and what comes of them comes back as a message
//! of its own (specification of 2025-11-25: transports §Sending Messages).

use crate::action::ask::is_declined;
use crate::ops::{Input, InputRequired, Notices, OpError};
use crate::protocol::seal::random;
use crate::protocol::{Outcome, SessionKey};
use crate::units::Time;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures_util::future::select_all;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until};

/// How often one request may ask: a client that never answers rightly is not asked for ever.
pub(super) const MOST_TIMES: usize = 64;

/// How long an answer is still waited for when nobody reads the stream any more on which the question
/// went: it may be on its way, and no other can be asked for.
const UNREAD: Duration = Duration::from_secs(10);

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
    /// What it is to the component.
    name: String,
    answer: oneshot::Receiver<Value>,
}

impl Asking {
    /// Asks, and waits for all answers, or for the first that declines: `within` so long. They are
    /// what the request goes on with. What is not waited for any more is withdrawn (specification of
    /// 2025-11-25: lifecycle §Timeouts).
    ///
    /// # Errors
    /// Somebody does not answer in time, or cannot any more.
    pub(super) async fn ask(
        &self,
        session: Option<SessionKey>,
        notices: &Notices,
        required: InputRequired,
        within: Duration,
    ) -> Result<Input, OpError> {
        let mut open = Vec::with_capacity(required.requests.len());
        for (name, request) in required.requests {
            let place = self.open(session, name)?;
            notices.question(&place.id, request);
            open.push(place);
        }
        let mut responses = Map::new();
        let mut ends = Instant::now() + within;
        let mut is_read = true;
        while !open.is_empty() {
            let answers = open.iter_mut().map(|place| &mut place.answer);
            tokio::select! {
                biased;
                (answer, at, _) = select_all(answers) => {
                    let place = open.swap_remove(at);
                    let Ok(answer) = answer else {
                        return Err(OpError::Failed("the session is over".into()));
                    };
                    let declined = is_declined(&answer);
                    responses.insert(place.name.clone(), answer);
                    if declined {
                        break;
                    }
                }
                () = notices.unread(), if is_read => {
                    is_read = false;
                    ends = ends.min(Instant::now() + UNREAD);
                }
                () = sleep_until(ends) => {
                    withdraw(notices, &open);
                    return Err(OpError::Failed(match is_read {
                        true => format!("the client did not answer within {}", Time(within)),
                        false => "the client is gone and cannot be asked".into(),
                    }));
                }
            }
        }
        withdraw(notices, &open);
        Ok(Input {
            responses,
            state: required.state,
        })
    }

    fn open(&self, session: Option<SessionKey>, name: String) -> Result<Place<'_>, OpError> {
        let failed = || OpError::Internal("no question can be asked".into());
        let id = format!(
            "ask-{}",
            URL_SAFE_NO_PAD.encode(random().ok_or_else(failed)?)
        );
        let (sender, answer) = oneshot::channel();
        let answered = Open {
            session,
            answer: sender,
        };
        lock(&self.0).insert(id.clone(), answered);
        Ok(Place {
            asking: self,
            id,
            name,
            answer,
        })
    }

    /// Closes the questions of a session that is over: nobody can answer them any more.
    pub(super) fn end(&self, session: SessionKey) {
        lock(&self.0).retain(|_, open| open.session != Some(session));
    }

    /// Hands over what came of a question. What nobody waits for is dropped.
    pub(super) fn came(&self, outcome: Outcome) {
        let Outcome { session, id, came } = outcome;
        let id = id.to_text();
        let mut table = lock(&self.0);
        let is_theirs = table.get(&*id).is_some_and(|open| open.session == session);
        if !is_theirs {
            return;
        }
        let Some(open) = table.remove(&*id) else {
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

fn withdraw(notices: &Notices, open: &[Place<'_>]) {
    for place in open {
        notices.withdraw(&place.id);
    }
}

/// Nothing panics while the lock is held, so what it guards is whole even if it is poisoned.
fn lock(table: &Mutex<HashMap<String, Open>>) -> MutexGuard<'_, HashMap<String, Open>> {
    table.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::{Context, InputRequest};
    use crate::protocol::Id;
    use serde_json::value::RawValue;
    use tokio::time::{advance, timeout};

    const LONG: Duration = Duration::from_secs(300);

    fn ends() -> (Notices, crate::ops::Waiting) {
        Notices::of(&Context {
            asks_in_place: true,
            ..Context::default()
        })
        .unwrap()
    }

    fn required() -> InputRequired {
        InputRequired {
            requests: vec![("where".into(), InputRequest::Roots)],
            state: None,
        }
    }

    fn asked(waiting: &crate::ops::Waiting) -> String {
        match waiting.take_rest() {
            Some(crate::ops::Notice::Question(id, _)) => id,
            other => panic!("{other:?}"),
        }
    }

    fn answer(asking: &Asking, id: &str) {
        asking.came(Outcome {
            session: None,
            id: Id::of(&format!("\"{id}\"")),
            came: Ok(RawValue::from_string("7".into()).unwrap()),
        });
    }

    #[tokio::test(start_paused = true)]
    async fn when_nobody_reads_an_answer_may_still_be_on_its_way() {
        let asking = Asking::default();
        for is_answered in [true, false] {
            let (notices, waiting) = ends();
            let ask = asking.ask(None, &notices, required(), LONG);
            tokio::pin!(ask);
            assert!(timeout(Duration::ZERO, &mut ask).await.is_err());
            let id = asked(&waiting);
            drop(waiting);
            assert!(
                timeout(UNREAD - Duration::from_secs(1), &mut ask)
                    .await
                    .is_err()
            );
            if is_answered {
                answer(&asking, &id);
                let input = ask.await.unwrap();
                assert_eq!(input.responses["where"], 7);
            } else {
                advance(Duration::from_secs(1)).await;
                let gone = ask.await.unwrap_err().to_string();
                assert!(gone.contains("is gone"), "{gone}");
            }
            assert!(lock(&asking.0).is_empty());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_question_ends_with_its_request_or_its_time() {
        let asking = Asking::default();
        let (notices, waiting) = ends();
        let ask = asking.ask(None, &notices, required(), LONG);
        assert!(timeout(Duration::from_secs(1), ask).await.is_err());
        assert!(lock(&asking.0).is_empty(), "it was dropped");
        let id = asked(&waiting);
        let came = asking.ask(None, &notices, required(), LONG).await;
        assert!(
            came.unwrap_err()
                .to_string()
                .contains("did not answer within")
        );
        assert!(lock(&asking.0).is_empty());
        assert_eq!(waiting.take_rest(), None, "it was never sent");
        answer(&asking, &id);
    }
}
