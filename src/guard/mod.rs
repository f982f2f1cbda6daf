//! What stands around an action: limits on how long, how many at the same time and how often,
//! answers kept for a while, and actors that decide. The first wrapper of a component is the outermost.
//!
//! A wrapper's state belongs to its component and lives as long as the component is unchanged,
//! whatever runtimes come and go. Whatever way a call ends, what it held is given back by dropping.

mod cache;
mod gate;
mod policy;
mod rate;

use crate::actor::Actors;
use crate::lang::template::{Scope, Template};
use crate::model::{Kind, WrapSpec};
use crate::ops::{Answer, OpError};
use crate::units::Time;
use cache::Cache;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use gate::Gate;
use policy::{Policy, Verdict};
use rate::Rate;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// What a wrapped call comes to.
pub type Outcome = Result<Answer, Stop>;

/// Why a call has no answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// A wrapper refused it; the text is for the caller.
    Refused(String),
    /// The protocol error that it came to.
    Error(OpError),
}

impl From<OpError> for Stop {
    fn from(error: OpError) -> Self {
        Self::Error(error)
    }
}

/// The wrappers of one component, with their state.
#[derive(Debug)]
pub struct Wraps(Box<[Wrap]>);

#[derive(Debug)]
enum Wrap {
    Timeout(Duration),
    Concurrency(Gate),
    RateLimit { rate: Rate, key: Option<Template> },
    Cache { cache: Cache, key: Template },
    Actor(Policy),
}

/// The call that wrappers stand around.
pub trait Inside: Sync {
    /// What is called: its kind, and what it is found by.
    fn component(&self) -> (Kind, &str);

    /// What of the component it is, when it is a completion: calls of different slots never share an
    /// answer.
    fn slot(&self) -> &str {
        ""
    }

    /// The name under which templates see the arguments.
    fn root(&self) -> &'static str;

    /// Other arguments, checked as the caller's were, and defaults filled in.
    ///
    /// # Errors
    /// What is wrong with them.
    fn checked(&self, arguments: Map<String, Value>) -> Result<Map<String, Value>, String>;

    /// The answer that a wrapper gives in place of the call.
    ///
    /// # Errors
    /// Why it cannot be one.
    fn answer(&self, given: Value) -> Result<Answer, String>;

    /// Does what was called for. Dropping the future stops it.
    fn run(&self, scope: Scope) -> BoxFuture<'_, Outcome>;
}

impl Wraps {
    /// Fresh ones. Actors are found among these.
    pub fn new(specs: &[WrapSpec], actors: &Actors) -> Self {
        Self(specs.iter().map(|spec| Wrap::new(spec, actors)).collect())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether any keeps answers.
    pub fn keep_answers(&self) -> bool {
        self.0.iter().any(|wrap| matches!(wrap, Wrap::Cache { .. }))
    }

    /// Forgets the answers that are kept, and those of calls that have begun: what they tell of has
    /// changed.
    pub fn forget_answers(&self) {
        for wrap in &self.0 {
            if let Wrap::Cache { cache, .. } = wrap {
                cache.forget();
            }
        }
    }

    /// The call inside all of them; `scope` is what its templates see. Nothing happens before it is
    /// polled; dropping it drops the call.
    pub fn around<'a>(&'a self, inside: &'a dyn Inside, scope: Scope) -> BoxFuture<'a, Outcome> {
        around(&self.0, inside, scope)
    }
}

/// The call inside these.
fn around<'a>(wraps: &'a [Wrap], inside: &'a dyn Inside, scope: Scope) -> BoxFuture<'a, Outcome> {
    match wraps.split_first() {
        None => inside.run(scope),
        Some((first, rest)) => first.around(rest, inside, scope).boxed(),
    }
}

impl Wrap {
    fn new(spec: &WrapSpec, actors: &Actors) -> Self {
        match spec {
            WrapSpec::Timeout(limit) => Self::Timeout(*limit),
            WrapSpec::Concurrency { limit, queue } => Self::Concurrency(Gate::new(*limit, *queue)),
            WrapSpec::RateLimit { limit, window, key } => Self::RateLimit {
                rate: Rate::new(*limit, *window),
                key: key.clone(),
            },
            WrapSpec::Cache { ttl, key } => Self::Cache {
                cache: Cache::new(*ttl),
                key: key.clone(),
            },
            WrapSpec::Actor(spec) => Self::Actor(Policy::new(spec, actors)),
        }
    }

    async fn around(&self, rest: &[Self], inside: &dyn Inside, scope: Scope) -> Outcome {
        match self {
            Self::Timeout(limit) => in_time(*limit, around(rest, inside, scope)).await,
            Self::Concurrency(gate) => {
                let _place = gate.enter().await.map_err(|full| refused(&full))?;
                around(rest, inside, scope).await
            }
            Self::RateLimit { rate, key } => {
                let key = match key {
                    Some(key) => text(key, &scope)?,
                    None => String::new(),
                };
                let counted = rate.count(&key, Instant::now());
                counted.map_err(|used_up| refused(&used_up))?;
                around(rest, inside, scope).await
            }
            Self::Cache { cache, key } => {
                let key = format!("{}\0{}", inside.slot(), text(key, &scope)?);
                let begun = match cache.get(&key, Instant::now()) {
                    Ok(kept) => return Ok(kept),
                    Err(begun) => begun,
                };
                let answer = around(rest, inside, scope).await?;
                cache.keep(key, &answer, begun, Instant::now());
                Ok(answer)
            }
            Self::Actor(policy) => {
                let scope = match policy.ask(inside, &scope).await? {
                    Verdict::Continue => scope,
                    Verdict::With(arguments) => {
                        let checked = inside.checked(arguments);
                        let arguments = checked.map_err(|wrong| policy.wrong(&wrong))?;
                        scope.with(inside.root(), Arc::new(arguments))
                    }
                    Verdict::Answer(given) => {
                        let answer = inside.answer(given);
                        return answer.map_err(|wrong| policy.wrong(&wrong));
                    }
                };
                around(rest, inside, scope).await
            }
        }
    }
}

async fn in_time(limit: Duration, inner: BoxFuture<'_, Outcome>) -> Outcome {
    match tokio::time::timeout(limit, inner).await {
        Ok(outcome) => outcome,
        Err(_) => Err(Stop::Refused(format!("timed out after {}", Time(limit)))),
    }
}

fn refused(why: &impl std::fmt::Display) -> Stop {
    Stop::Refused(why.to_string())
}

/// The JSON of a key's value: values of different types are different keys. What is absent is a key
/// of its own.
fn text(key: &Template, scope: &Scope) -> Result<String, Stop> {
    let value = key.value(scope).map_err(|error| {
        let message = format!("cannot make the key of a wrapper: {error}");
        Stop::Refused(message)
    })?;
    Ok(value.map_or_else(String::new, |value| value.to_string()))
}

#[cfg(test)]
mod tests;
