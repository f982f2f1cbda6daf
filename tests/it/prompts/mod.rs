//! Prompts and completion, over both transports.
//!
//! | requirement | tests |
//! |---|---|
//! | not-found codes (prompts) | `get::an_unknown_prompt_…`, `get::required_arguments_…` |
//! | a method whose capability is not offered | `list::without_prompts_…` |
//! | cursors | `list::prompts_are_paged_…` |

mod complete;
mod get;
mod list;

use crate::support::{Both, Project, modern};
use serde_json::{Value, json};

/// A manifest served over both transports.
fn served(manifest: &str) -> Both {
    Both::of(Project::with(manifest))
}

/// `prompts/get`.
fn get(name: &str, arguments: Value) -> Value {
    modern(
        1,
        "prompts/get",
        json!({ "name": name, "arguments": arguments }),
    )
}

/// `completion/complete` for a prompt's argument.
fn complete(prompt: &str, argument: &str, typed: &str, others: Value) -> Value {
    let params = json!({
        "ref": { "type": "ref/prompt", "name": prompt },
        "argument": { "name": argument, "value": typed },
        "context": { "arguments": others },
    });
    modern(1, "completion/complete", params)
}
