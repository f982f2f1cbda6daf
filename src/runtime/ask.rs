//! Asking the caller first: which questions are open, what their answers are, what is sent along.
//!
//! Nothing is kept between two requests of one caller. What earlier answers brought travels with the
//! caller as a sealed state, and is held against the questions anew each time.

use super::Runtime;
use super::execute::Request;
use crate::action::Failure;
use crate::action::ask::{Reply, holds, reply, request as question};
use crate::lang::template::Scope;
use crate::model::{AskSpec, ClientCapabilities, Component, QuestionSpec, RoundSpec, Settings};
use crate::ops::{Input, InputRequired, OpError};
use serde_json::{Map, Value};
use state::{Binding, State, States};
use std::collections::HashSet;
use std::time::Duration;

mod state;

/// What is needed to ask callers, for all components.
#[derive(Debug)]
pub(super) struct Asking {
    states: States,
}

/// What came of asking.
#[derive(Debug)]
pub(super) enum Asked {
    /// Everything is answered; templates see the answers.
    Answered(Scope),
    /// The caller is to answer these, and ask again.
    Open(InputRequired),
    /// The user does not want to; templates see what was answered before.
    Declined(Scope),
}

/// Why nothing came of asking.
#[derive(Debug)]
pub(super) enum NotAsked {
    /// A question could not be put; the text is for the caller.
    Failed(Failure),
    /// A protocol error.
    Error(OpError),
}

impl From<Failure> for NotAsked {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<OpError> for NotAsked {
    fn from(error: OpError) -> Self {
        Self::Error(error)
    }
}

impl NotAsked {
    /// The same where there is no other way to say it than a protocol error.
    pub(super) fn into_error(self) -> OpError {
        match self {
            Self::Failed(Failure(text)) => OpError::Failed(text),
            Self::Error(error) => error,
        }
    }
}

impl Asking {
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            states: States::new(&settings.server),
        }
    }
}

/// That the caller's program can do what the component cannot do without.
pub(super) fn check_caller<C: Component>(
    component: &C,
    caller: ClientCapabilities,
) -> Result<(), OpError> {
    let asks = component.asks();
    let certain = asks.rounds.iter();
    let certain = certain.filter(|round| round.when.is_none() && !round.skip_unsupported);
    let needed = certain.fold(asks.requires, |all, round| all.and(round.needs()));
    covers(caller, needed)
}

fn covers(caller: ClientCapabilities, needed: ClientCapabilities) -> Result<(), OpError> {
    let lacking = caller.lacking(needed);
    match lacking.is_empty() {
        true => Ok(()),
        false => Err(OpError::LacksCapabilities(lacking)),
    }
}

impl Runtime {
    /// How long the answers to questions are waited for (`server.ask_ttl_ms`).
    pub fn waits_for_answers(&self) -> Duration {
        self.asking.states.lasts()
    }

    /// Asks what the component asks. `brought` is what the call brings: answers belong to it alone.
    pub(super) fn ask<C: Component>(
        &self,
        component: &C,
        scope: Scope,
        brought: &Map<String, Value>,
        request: Request<'_>,
    ) -> Result<Asked, NotAsked> {
        let asks = component.asks();
        if asks.rounds.is_empty() {
            return Ok(Asked::Answered(scope));
        }
        let binding = Binding {
            method: request.context.method,
            name: component.key(),
            brought,
            principal: request.context.caller.principal(),
            stays: request.context.asks_in_place,
        };
        let state = match &request.context.input.state {
            Some(text) => Some(self.asking.states.open(text, &binding)?),
            None => None,
        };
        let mut replies = Replies::new(asks, &request.context.input, state);
        let mut answers = Map::new();
        for round in &asks.rounds {
            let seen = scope.clone().with("answers", answers.clone());
            let call = self.call(component, &seen, request);
            if let Some(when) = &round.when
                && !holds(when, call)?
            {
                continue;
            }
            let questions = askable(round, request.context.capabilities)?;
            let mut open = Vec::new();
            for asked in questions {
                match replies.of(asked) {
                    Reply::Answered(answer) => {
                        answers.insert(asked.id.clone(), answer);
                    }
                    Reply::Declined => {
                        let seen = scope.with("answers", answers);
                        return Ok(Asked::Declined(seen));
                    }
                    Reply::Unanswered => open.push(asked),
                }
            }
            if open.is_empty() {
                replies.end_round();
                continue;
            }
            let requests = open.iter().map(|asked| {
                let request = question(&asked.kind, call)?;
                Ok((asked.id.clone(), request))
            });
            let requests = requests.collect::<Result<Vec<_>, Failure>>()?;
            let needs_state = asks.sealed || !replies.held.is_empty();
            let state = needs_state.then(|| {
                let state = State {
                    asked: open.iter().map(|asked| asked.id.clone()).collect(),
                    held: replies.held,
                };
                self.asking.states.seal(&state, &binding)
            });
            let state = state.transpose()?;
            return Ok(Asked::Open(InputRequired { requests, state }));
        }
        Ok(Asked::Answered(scope.with("answers", answers)))
    }
}

/// The questions of a round that the caller's program can put.
fn askable(round: &RoundSpec, caller: ClientCapabilities) -> Result<Vec<&QuestionSpec>, OpError> {
    if !round.skip_unsupported {
        covers(caller, round.needs())?;
    }
    let questions = round.questions.iter();
    let can = |question: &&QuestionSpec| caller.lacking(question.kind.needs()).is_empty();
    Ok(questions.filter(can).collect())
}

/// The responses that count.
struct Replies<'a> {
    /// Those that fit, as they came: from earlier requests, and from this one.
    held: Map<String, Value>,
    fresh: &'a Map<String, Value>,
    /// Which of the fresh ones were asked for; `None` when there is no state to say so: then they
    /// answer the first round that is open.
    asked: Option<HashSet<String>>,
    /// A fresh one was taken in this round.
    took: bool,
}

impl<'a> Replies<'a> {
    fn new(asks: &AskSpec, input: &'a Input, state: Option<State>) -> Self {
        let (asked, held) = match state {
            Some(state) => (Some(state.asked.into_iter().collect()), state.held),
            // Without the state nothing says that anything was asked.
            None if asks.sealed => (Some(HashSet::new()), Map::new()),
            None => (None, Map::new()),
        };
        Self {
            held,
            fresh: &input.responses,
            asked,
            took: false,
        }
    }

    /// What came of a question.
    fn of(&mut self, question: &QuestionSpec) -> Reply {
        let id = question.id.as_str();
        if let Some(held) = self.held.get(id) {
            let reply = reply(&question.kind, Some(held));
            if let Reply::Answered(_) = reply {
                return reply;
            }
            // The manifest has changed since.
            self.held.shift_remove(id);
        }
        let counts = self.asked.as_ref().is_none_or(|asked| asked.contains(id));
        let fresh = self.fresh.get(id).filter(|_| counts);
        let reply = reply(&question.kind, fresh);
        if let (Reply::Answered(_), Some(fresh)) = (&reply, fresh) {
            self.held.insert(id.to_owned(), fresh.clone());
            self.took = true;
        }
        reply
    }

    /// A round is answered: what is left of the fresh ones is for no later one, unless it was asked
    /// for.
    fn end_round(&mut self) {
        if self.took && self.asked.is_none() {
            self.asked = Some(HashSet::new());
        }
    }
}
