//! Questions to a client, in the form all revisions share (schema: InputRequest).

use super::json::{self, Members};
use super::results;
use super::version::Shape;
use crate::ops::InputRequest;

/// Writes a question's `method` and `params`.
pub(super) fn members(members: &mut Members<'_>, request: &InputRequest, shape: Shape) {
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
            json::array(params.member("messages"), messages, |out, item| {
                results::message(out, item, shape);
            });
            for (name, value) in others {
                json::value(params.member(name), value);
            }
            params.close();
        }
        InputRequest::Roots => members.text("method", "roots/list"),
    }
}
