//! Requests in whose middle the server asks something: by a result that wants the request again with
//! answers (specification: mrtr), or, in revisions with a handshake, by a request of its own.

use super::error::ClientError;
use super::{Client, Listener, wants_more};
use crate::protocol::client::{Notice, Request, answer, retry_with};
use serde_json::{Map, Value};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until};

/// How many rounds one request may take.
const MOST_ROUNDS: u32 = 50;
/// Questions of a server that wait while another is answered.
const MOST_QUESTIONS: usize = 16;
/// The pause before a request that a busy server wants again.
const BUSY: Duration = Duration::from_secs(1);

/// What a server wants to know.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The server's name for it; empty in revisions with a handshake, which have none.
    pub id: String,
    /// What kind: `elicitation/create`.
    pub method: String,
    /// What exactly.
    pub params: Map<String, Value>,
}

/// Why there is no result.
pub(super) enum Ended<E> {
    /// The server, or the way to it.
    Client(ClientError),
    /// A question is not answered.
    Answers(E),
}

impl<E> From<ClientError> for Ended<E> {
    fn from(error: ClientError) -> Self {
        Self::Client(error)
    }
}

impl<E: From<ClientError>> Ended<E> {
    /// As one error.
    pub(super) fn joined(self) -> E {
        match self {
            Self::Client(error) => error.into(),
            Self::Answers(error) => error,
        }
    }
}

impl Client {
    /// Asks, and while the server wants to know something first, has that answered. How long `answers`
    /// takes is not counted.
    ///
    /// # Errors
    /// Why there is no result, or why a question is not answered.
    pub async fn ask_through<A, E>(
        &self,
        request: &Request,
        on: &mut Listener<'_>,
        answers: &mut A,
    ) -> Result<Value, E>
    where
        A: AsyncFnMut(Question) -> Result<Value, E>,
        E: From<ClientError>,
    {
        let outcome = self.rounds(request, on, answers).await;
        outcome.map_err(Ended::joined)
    }

    /// The same, with what failed kept apart.
    pub(super) async fn rounds<A, E>(
        &self,
        request: &Request,
        on: &mut Listener<'_>,
        answers: &mut A,
    ) -> Result<Value, Ended<E>>
    where
        A: AsyncFnMut(Question) -> Result<Value, E>,
    {
        let method = request.method();
        let wrong = |why: &str| ClientError::Answer {
            method,
            why: why.to_owned(),
        };
        let mut next = request.clone();
        for _ in 0..MOST_ROUNDS {
            let mut result = self.round(&next, on, answers).await?;
            if !wants_more(&result) {
                return Ok(result);
            }
            let asked = match result.get_mut("inputRequests").map(Value::take) {
                Some(Value::Object(asked)) => asked,
                _ => Map::new(),
            };
            let state = result.get("requestState");
            if asked.is_empty() {
                state.ok_or_else(|| wrong("wants more and says not what"))?;
                sleep(BUSY).await;
            }
            let mut responses = Map::new();
            for (id, question) in asked {
                let Value::Object(mut question) = question else {
                    return Err(wrong("asks something that is no question").into());
                };
                let params = match question.remove("params") {
                    Some(Value::Object(params)) => params,
                    _ => Map::new(),
                };
                let method = question.get("method").and_then(Value::as_str);
                let question = Question {
                    id: id.clone(),
                    method: method.unwrap_or_default().to_owned(),
                    params,
                };
                let said = answers(question).await.map_err(Ended::Answers)?;
                responses.insert(id, said);
            }
            next = retry_with(request, responses, state);
        }
        Err(wrong("wants to know something again and again").into())
    }

    /// One round: the result, and meanwhile what the server asks by requests of its own.
    async fn round<A, E>(
        &self,
        request: &Request,
        on: &mut Listener<'_>,
        answers: &mut A,
    ) -> Result<Value, Ended<E>>
    where
        A: AsyncFnMut(Question) -> Result<Value, E>,
    {
        let (sender, mut questions) = mpsc::channel(MOST_QUESTIONS);
        let mut hear = |notice| match notice {
            Notice::Asked { id, method, params } => {
                // A server that asks more at once waits in vain, as long as for any answer.
                let _full = sender.try_send((id, method, params));
            }
            other => on(other),
        };
        let asking = self.send(request, None, &mut hear);
        tokio::pin!(asking);
        let method = request.method();
        let mut deadline = Instant::now() + self.timeout;
        loop {
            tokio::select! {
                biased;
                outcome = &mut asking => {
                    let outcome = outcome?;
                    return outcome.map_err(|error| ClientError::Refused { method, error }.into());
                }
                Some((id, method, params)) = questions.recv() => {
                    let question = Question { id: String::new(), method, params };
                    let said = answers(question).await.map_err(Ended::Answers)?;
                    let said = answer(&id, said);
                    self.tell("elicitation/create", said).await?;
                    deadline = Instant::now() + self.timeout;
                }
                () = sleep_until(deadline) => {
                    let after = self.timeout;
                    return Err(ClientError::TimedOut { method, after }.into());
                }
            }
        }
    }
}
