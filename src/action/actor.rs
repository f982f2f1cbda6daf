//! The `actor` action of a component: a message sent, and the reply made an object.

use super::{Call, Failure, Output, render};
use crate::actor::{Actors, Address};
use crate::model::SendSpec;
use crate::ops::{Block, ToolOutcome};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// An actor action ready to run.
#[derive(Debug)]
pub struct ActorAction {
    spec: Arc<SendSpec>,
    address: Address,
}

/// What an actor answered.
#[derive(Debug)]
pub struct ActorOutput {
    answer: Map<String, Value>,
    is_cast: bool,
}

impl ActorAction {
    /// An action of this kind.
    pub fn new(spec: &Arc<SendSpec>, actors: &Actors) -> Self {
        Self {
            address: actors.address(&spec.target),
            spec: Arc::clone(spec),
        }
    }

    /// Sends the message; with `call` waits for the reply. Dropping the future gives up the wait.
    ///
    /// # Errors
    /// A message that cannot be made, an actor that does not answer, or not with an object.
    pub async fn run(&self, call: Call<'_>) -> Result<ActorOutput, Failure> {
        let spec = &*self.spec;
        let payload = render::tree("message", &spec.payload, call.scope)?;
        let payload = payload.ok_or_else(|| render::absent("message"))?;
        let failed = |error: crate::actor::CallError| Failure(error.to_string());
        let Some(timeout) = spec.timeout else {
            self.address.cast(&spec.message, payload).map_err(failed)?;
            return Ok(ActorOutput {
                answer: Map::from_iter([("sent".to_owned(), json!(true))]),
                is_cast: true,
            });
        };
        let reply = self.address.call(&spec.message, payload, timeout).await;
        let mut reply = reply.map_err(failed)?;
        if let Some(shape) = &spec.reply {
            let scope = call.scope.clone().with("reply", reply);
            reply = render::tree("reply", shape, &scope)?.ok_or_else(|| render::absent("reply"))?;
        }
        match reply {
            Value::Object(answer) => Ok(ActorOutput {
                answer,
                is_cast: false,
            }),
            other => Err(Failure(format!(
                "the reply of the actor `{}` is {}, not an object",
                spec.target,
                kind(&other)
            ))),
        }
    }
}

impl Output for ActorOutput {
    fn answer(&self) -> Result<ToolOutcome, Failure> {
        let structured = Value::Object(self.answer.clone());
        Ok(ToolOutcome {
            content: vec![Block::text(structured.to_string())],
            structured: Some(structured),
            ..ToolOutcome::default()
        })
    }

    fn value(&self) -> Value {
        let answer = Value::Object(self.answer.clone());
        match self.is_cast {
            true => answer,
            false => json!({ "reply": answer }),
        }
    }

    fn media_type(&self) -> Option<String> {
        Some("application/json".to_owned())
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
