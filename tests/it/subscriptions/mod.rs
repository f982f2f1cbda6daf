//! `subscriptions/listen`, over both transports.
//!
//! | requirement | tests |
//! |---|---|
//! | listen answered without acknowledgement | `lists::the_acknowledgement_…`, `lists::only_what_was_asked_…` |
//! | `list_changed` storms | `lists::two_hundred_…`, `lists::a_comment_edit_…` |
//! | Accept is too strict (listen) | `lists::without_a_stream_…` |
//! | SIGTERM waits for streams | `ends::the_server_ends_…` |
//! | server outlives its client | `ends::the_end_of_input_…` |
//! | reload cuts streams and calls | `lists::two_hundred_…` |

mod ends;
mod files;
mod lists;

use crate::support::{Events, Project, Stdio, modern};
use serde_json::{Value, json};

const ID: &str = "io.modelcontextprotocol/subscriptionId";

/// `subscriptions/listen` with this filter.
pub fn listen(id: impl Into<Value>, filter: Value) -> Value {
    modern(
        id,
        "subscriptions/listen",
        json!({ "notifications": filter }),
    )
}

/// Who listens over either transport.
enum Listener {
    Stdio(Stdio),
    Http(Events),
}

impl Listener {
    fn stdio(project: &Project, request: &Value) -> Self {
        let mut stdio = project.stdio();
        stdio.send(request);
        Self::Stdio(stdio)
    }

    /// The next message.
    fn next(&mut self) -> Value {
        match self {
            Self::Stdio(stdio) => stdio.receive(),
            Self::Http(events) => events.next().expect("the stream has ended"),
        }
    }
}

/// What a notification is of, and to whom it is sent.
fn said(message: &Value) -> (&str, &Value) {
    let method = message["method"].as_str().unwrap_or_default();
    (method, &message["params"]["_meta"][ID])
}
