//! An actor that is told of a call and decides what becomes of it.

use super::{Inside, Stop};
use crate::actor::{Actors, Address};
use crate::lang::template::{RenderError, Scope};
use crate::model::SendSpec;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;

const UNDECIDED: &str = "decided neither to continue, nor to refuse, nor to answer";

/// Asks the actor. Whatever goes wrong refuses the call.
#[derive(Debug)]
pub(super) struct Policy {
    spec: Arc<SendSpec>,
    address: Address,
    timeout: Duration,
}

/// What becomes of the call.
#[derive(Debug, PartialEq)]
pub(super) enum Verdict {
    /// It goes on.
    Continue,
    /// It goes on with other arguments.
    With(Map<String, Value>),
    /// This is its answer.
    Answer(Value),
}

impl Policy {
    pub(super) fn new(spec: &Arc<SendSpec>, actors: &Actors) -> Self {
        Self {
            address: actors.address(&spec.target),
            // A wrapper that does not wait is refused when it is loaded.
            timeout: spec.timeout.unwrap_or_default(),
            spec: Arc::clone(spec),
        }
    }

    /// What the actor decides.
    pub(super) async fn ask(&self, inside: &dyn Inside, scope: &Scope) -> Result<Verdict, Stop> {
        let (kind, component) = inside.component();
        let mut scope = scope
            .clone()
            .with("component", Value::from(component))
            .with("kind", Value::from(kind.word()));
        if !inside.slot().is_empty() {
            scope = scope.with("completing", Value::from(inside.slot()));
        }
        let payload = self.spec.payload.value(&scope);
        let payload = payload.map_err(|error| self.unmade("message", &error))?;
        let payload = payload.unwrap_or_else(|| Map::new().into());
        let asked = self.address.call(&self.spec.message, payload, self.timeout);
        let reply = asked
            .await
            .map_err(|error| Stop::Refused(error.to_string()))?;
        let reply = match &self.spec.reply {
            None => reply,
            Some(shape) => {
                let shaped = shape.value(&scope.with("reply", reply));
                let shaped = shaped.map_err(|error| self.unmade("reply", &error))?;
                shaped.unwrap_or_default()
            }
        };
        self.verdict(reply)
    }

    /// The refusal when the actor's verdict is none.
    pub(super) fn wrong(&self, why: &str) -> Stop {
        Stop::Refused(format!("the actor `{}` {why}", self.spec.target))
    }

    fn unmade(&self, key: &str, error: &RenderError) -> Stop {
        let target = &self.spec.target;
        Stop::Refused(format!(
            "cannot make the `{key}` of the actor `{target}`: {error}"
        ))
    }

    fn verdict(&self, reply: Value) -> Result<Verdict, Stop> {
        let Value::Object(mut reply) = reply else {
            return Err(self.wrong(UNDECIDED));
        };
        // What a template leaves empty is not said.
        let mut take = |name| reply.remove(name).filter(|value| !value.is_null());
        match (take("continue"), take("refuse"), take("answer")) {
            (Some(Value::Bool(true)), None, None) => Ok(Verdict::Continue),
            (Some(Value::Object(arguments)), None, None) => Ok(Verdict::With(arguments)),
            (None, Some(Value::String(why)), None) => Err(Stop::Refused(why)),
            (None, None, Some(given)) => Ok(Verdict::Answer(given)),
            _ => Err(self.wrong(UNDECIDED)),
        }
    }
}
