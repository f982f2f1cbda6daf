//! What a request still needs from its caller, and what a caller brings for one that has asked
//! (specification: patterns, Multi Round-Trip Requests).

use super::Message;
use serde_json::{Map, Value};
use std::sync::Arc;

/// What a caller brings for a request that has asked before.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Input {
    /// Its answers as they came, by the questions' names.
    pub responses: Map<String, Value>,
    /// The state that was given with the questions.
    pub state: Option<String>,
}

/// What a request needs before it can be answered.
#[derive(Clone, Debug, PartialEq)]
pub struct InputRequired {
    /// The questions, by name: at least one.
    pub requests: Vec<(String, InputRequest)>,
    /// What is to be brought back with the answers.
    pub state: Option<String>,
}

/// One question.
#[derive(Clone, Debug, PartialEq)]
pub enum InputRequest {
    /// `elicitation/create` with a form.
    Form {
        /// What it is for.
        message: String,
        /// `requestedSchema`.
        schema: Arc<Value>,
    },
    /// `elicitation/create` with a URL to go to.
    Url {
        /// Why.
        message: String,
        /// Where.
        url: String,
    },
    /// `sampling/createMessage`.
    Sample {
        /// The conversation.
        messages: Vec<Message>,
        /// The other members of its `params`, in the specification's names.
        others: Map<String, Value>,
    },
    /// `roots/list`.
    Roots,
}
