//! What stands around an action: limits on how long, how many at the same time and how often, and
//! answers kept for a while. The first wrapper of a component is the outermost.
//!
//! A wrapper's state belongs to its component and lives as long as the component is unchanged,
//! whatever runtimes come and go. Whatever way a call ends, what it held is given back by dropping.

mod cache;
mod gate;
mod rate;

use crate::lang::template::{Scope, Template};
use crate::model::WrapSpec;
use crate::ops::{Answer, OpError};
use crate::units::Time;
use cache::Cache;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use gate::Gate;
use rate::Rate;
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
}

/// The call that wrappers stand around.
#[derive(Clone, Copy, Debug)]
pub struct Wrapped<'a> {
    /// What its templates see.
    pub scope: &'a Scope,
    /// What of the component it is: calls of different slots never share an answer.
    pub slot: &'a str,
}

impl Wraps {
    /// Fresh ones.
    pub fn new(specs: &[WrapSpec]) -> Self {
        Self(specs.iter().map(Wrap::new).collect())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The call inside all of them. Nothing happens before it is polled; dropping it drops the call.
    pub fn around<'a>(
        &'a self,
        wrapped: Wrapped<'a>,
        call: BoxFuture<'a, Outcome>,
    ) -> BoxFuture<'a, Outcome> {
        let wraps = self.0.iter().rev();
        wraps.fold(call, |inner, wrap| wrap.around(wrapped, inner))
    }
}

impl Wrap {
    fn new(spec: &WrapSpec) -> Self {
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
        }
    }

    fn around<'a>(
        &'a self,
        wrapped: Wrapped<'a>,
        inner: BoxFuture<'a, Outcome>,
    ) -> BoxFuture<'a, Outcome> {
        match self {
            Self::Timeout(limit) => in_time(*limit, inner).boxed(),
            Self::Concurrency(gate) => async move {
                let _place = gate.enter().await.map_err(|full| refused(&full))?;
                inner.await
            }
            .boxed(),
            Self::RateLimit { rate, key } => async move {
                let key = match key {
                    Some(key) => text(key, wrapped.scope)?,
                    None => String::new(),
                };
                let counted = rate.count(&key, Instant::now());
                counted.map_err(|used_up| refused(&used_up))?;
                inner.await
            }
            .boxed(),
            Self::Cache { cache, key } => async move {
                let key = format!("{}\0{}", wrapped.slot, text(key, wrapped.scope)?);
                if let Some(kept) = cache.get(&key, Instant::now()) {
                    return Ok(kept);
                }
                let answer = inner.await?;
                cache.keep(key, &answer, Instant::now());
                Ok(answer)
            }
            .boxed(),
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
