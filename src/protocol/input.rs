//! Questions to a client, in the form all revisions share (schema: InputRequest).

use super::content;
use super::json::{self, Members};
use crate::model::Role;
use crate::ops::{InputRequest, Message};

/// Writes a question's `method` and `params`.
pub(super) fn members(members: &mut Members<'_>, request: &InputRequest) {
    match request {
        InputRequest::Form { message, schema } => {
            members.text("method", "elicitation/create");
            let mut params = Members::open(members.member("params"));
            params.text("mode", "form");
            params.text("message", message);
            json::value(params.member("requestedSchema"), schema);
            params.close();
        }
        InputRequest::Url { message, url } => {
            members.text("method", "elicitation/create");
            let mut params = Members::open(members.member("params"));
            params.text("mode", "url");
            params.text("message", message);
            params.text("url", url);
            params.close();
        }
        InputRequest::Sample { messages, others } => {
            members.text("method", "sampling/createMessage");
            let mut params = Members::open(members.member("params"));
            json::array(params.member("messages"), messages, message);
            for (name, value) in others {
                json::value(params.member(name), value);
            }
            params.close();
        }
        InputRequest::Roots => members.text("method", "roots/list"),
    }
}

/// Writes a message of a prompt or of a conversation.
pub(super) fn message(out: &mut Vec<u8>, message: &Message) {
    let mut members = Members::open(out);
    members.text(
        "role",
        match message.role {
            Role::User => "user",
            Role::Assistant => "assistant",
        },
    );
    content::block(members.member("content"), &message.content);
    members.close();
}
