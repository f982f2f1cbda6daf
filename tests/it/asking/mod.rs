//! Asking the user, over both transports.
//!
//! | requirement | tests |
//! |---|---|
//! | rounds in order, asked together, on tools, resources and prompts | `rounds` |
//! | every kind of question and of field | `questions` |
//! | a wrong, missing or null answer is asked again | `answers` |
//! | sealed state: bound, expiring, shared by a secret | `state`, `access::asked` |
//! | capability rules | `capabilities` |
//! | one declaration, both deliveries | `in_place` |

mod answers;
mod capabilities;
mod in_place;
mod questions;
mod rounds;
mod state;

use crate::support::{Both, Project, modern};
use serde_json::{Value, json};

/// A manifest served over both transports, which share a secret.
fn served(manifest: &str) -> Both {
    Both::of(shared(manifest))
}

/// A manifest with a secret.
fn shared(manifest: &str) -> Project {
    Project::with(manifest)
        .env("SEAL", "the same for all")
        .set("server.secret={ env = \"SEAL\" }")
}

/// Everything that a client can be able to do.
fn able() -> Value {
    json!({ "elicitation": { "form": {}, "url": {} }, "sampling": { "context": {}, "tools": {} }, "roots": {} })
}

/// A request of a client that can do everything. `more` is added to its parameters.
fn asking(method: &str, params: Value, more: Value) -> Value {
    asking_with(&able(), method, params, more)
}

fn asking_with(able: &Value, method: &str, mut params: Value, more: Value) -> Value {
    for (name, value) in more.as_object().into_iter().flatten() {
        params[name] = value.clone();
    }
    let mut request = modern(1, method, params);
    request["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = able.clone();
    request
}

/// `tools/call` of a client that can do everything.
fn call(tool: &str, arguments: Value, more: Value) -> Value {
    asking(
        "tools/call",
        json!({ "name": tool, "arguments": arguments }),
        more,
    )
}

/// These answers, and the state that came with the questions.
fn answered(asked: &Value, responses: Value) -> Value {
    let mut more = json!({ "inputResponses": responses });
    if let Some(state) = asked["result"].get("requestState") {
        more["requestState"] = state.clone();
    }
    more
}

/// A form filled in.
fn form(content: Value) -> Value {
    json!({ "action": "accept", "content": content })
}

/// The questions of an answer that asks.
fn questions(answer: &Value) -> &Value {
    assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
    &answer["result"]["inputRequests"]
}

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"]
        .as_str()
        .unwrap_or_else(|| panic!("no text: {answer}"))
}
