//! Questions to a client, in the form all revisions share (schema: InputRequest).

use super::json::{self, Members};
use super::pieces::Cuts;
use super::results;
use super::version::Shape;
use crate::ops::InputRequest;
use serde_json::Value;

/// Writes a question's `method` and `params`. `id` is its own where it is a request: then going to a
/// URL has a name too (schema of 2025-11-25: ElicitRequestURLParams).
pub(super) fn members(
    members: &mut Members<'_>,
    request: &InputRequest,
    shape: Shape,
    id: Option<&str>,
) {
    match request {
        InputRequest::Form { message, schema } => {
            members.text("method", "elicitation/create");
            let mut params = Members::open(members.member("params"));
            if shape.titled_choices {
                params.text("mode", "form");
            }
            params.text("message", message);
            let out = params.member("requestedSchema");
            match shape.titled_choices {
                true => json::value(out, schema),
                false => json::value(out, &named(schema)),
            }
            params.close();
        }
        InputRequest::Url { message, url } => {
            members.text("method", "elicitation/create");
            let mut params = Members::open(members.member("params"));
            params.text("mode", "url");
            params.text("message", message);
            params.maybe_text("elicitationId", id);
            params.text("url", url);
            params.close();
        }
        InputRequest::Sample { messages, others } => {
            members.text("method", "sampling/createMessage");
            let mut params = Members::open(members.member("params"));
            json::array(params.member("messages"), messages, |out, item| {
                results::message(out, item, shape, &mut Cuts::none());
            });
            for (name, value) in others {
                json::value(params.member(name), value);
            }
            params.close();
        }
        InputRequest::Roots => members.text("method", "roots/list"),
    }
}

/// Whether a client can be asked this in that shape: without titles there are no choices of several
/// either (schema of 2025-06-18: PrimitiveSchemaDefinition).
pub(super) fn fits(request: &InputRequest, shape: Shape) -> bool {
    let InputRequest::Form { schema, .. } = request else {
        return true;
    };
    let fields = schema.get("properties").and_then(Value::as_object);
    let is_list = |field: &Value| field.get("type").is_some_and(|kind| kind == "array");
    shape.titled_choices
        || !fields
            .into_iter()
            .flatten()
            .any(|(_, field)| is_list(field))
}

/// The form for clients that know no choices with titles but as `enumNames`.
fn named(form: &Value) -> Value {
    let mut form = form.clone();
    let fields = form.get_mut("properties").and_then(Value::as_object_mut);
    for (_, field) in fields.into_iter().flatten() {
        let Some(field) = field.as_object_mut() else {
            continue;
        };
        let Some(Value::Array(choices)) = field.shift_remove("oneOf") else {
            continue;
        };
        for (keyword, member) in [("enum", "const"), ("enumNames", "title")] {
            let values = choices.iter().filter_map(|choice| choice.get(member));
            field.insert(keyword.into(), values.cloned().collect());
        }
    }
    form
}
