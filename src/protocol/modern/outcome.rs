//! What came of a request, written into its response.

use crate::ops::{Completion, InputRequired, PromptOutcome, ToolOutcome};
use crate::protocol::content;
use crate::protocol::face::Face;
use crate::protocol::input;
use crate::protocol::json::{self, Members};
use crate::protocol::jsonrpc::{self, Id};
use bytes::Bytes;
use serde_json::{Map, Value};

pub(super) const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// The response to `tools/call` (schema: CallToolResult). Structured content stands only in a
/// success: what failed has no output that its schema describes.
pub(in crate::protocol) fn tool_response(face: &Face, id: &Id, outcome: &ToolOutcome) -> Bytes {
    let mut out = jsonrpc::begin_result(id, room(face, outcome));
    let mut result = Members::open(&mut out);
    result.text("resultType", "complete");
    json::array(result.member("content"), &outcome.content, content::block);
    if let Some(structured) = outcome.structured.as_ref().filter(|_| !outcome.is_error) {
        json::value(result.member("structuredContent"), structured);
    }
    result.raw("isError", if outcome.is_error { b"true" } else { b"false" });

    meta(face, &mut result, &outcome.meta);
    result.close();
    out.push(b'}');
    out.into()
}

/// The response to `prompts/get` (schema: GetPromptResult).
pub(in crate::protocol) fn prompt_response(face: &Face, id: &Id, outcome: &PromptOutcome) -> Bytes {
    let content = outcome.messages.iter();
    let content: usize = content.map(|message| content::room(&message.content)).sum();
    let mut out = jsonrpc::begin_result(id, FRAME + face.server_info.len() + content);
    let mut result = Members::open(&mut out);
    result.text("resultType", "complete");
    result.maybe_text("description", outcome.description.as_deref());
    json::array(result.member("messages"), &outcome.messages, input::message);
    meta(face, &mut result, &outcome.meta);
    result.close();
    out.push(b'}');
    out.into()
}

/// The response to a request whose caller is asked first (schema: InputRequiredResult).
pub(in crate::protocol) fn input_required_response(
    face: &Face,
    id: &Id,
    required: &InputRequired,
) -> Bytes {
    let state = required.state.as_ref().map_or(0, String::len);
    let room = FRAME + face.server_info.len() + state + FRAME * required.requests.len();
    let mut out = jsonrpc::begin_result(id, room);
    let mut result = Members::open(&mut out);
    result.text("resultType", "input_required");
    let mut requests = Members::open(result.member("inputRequests"));
    for (name, request) in &required.requests {
        let mut members = Members::open(requests.member(name));
        input::members(&mut members, request);
        members.close();
    }
    requests.close();
    result.maybe_text("requestState", required.state.as_deref());
    server_meta(face, &mut result);
    result.close();
    out.push(b'}');
    out.into()
}

/// The response to `completion/complete` (schema: CompleteResult).
pub(in crate::protocol) fn completion_response(
    face: &Face,
    id: &Id,
    completion: &Completion,
) -> Bytes {
    let values: usize = completion.values.iter().map(|value| value.len() + 3).sum();
    let mut out = jsonrpc::begin_result(id, FRAME + face.server_info.len() + values);
    let mut result = Members::open(&mut out);
    result.text("resultType", "complete");
    let mut members = Members::open(result.member("completion"));
    json::array(
        members.member("values"),
        &completion.values,
        |out, value| {
            json::string(out, value);
        },
    );
    json::display(members.member("total"), completion.total);
    members.raw(
        "hasMore",
        if completion.has_more() {
            b"true"
        } else {
            b"false"
        },
    );
    members.close();
    server_meta(face, &mut result);
    result.close();
    out.push(b'}');
    out.into()
}

/// Writes the `_meta` of a result that has only the server's own.
pub(super) fn server_meta(face: &Face, result: &mut Members<'_>) {
    meta(face, result, &Map::new());
}

/// Writes the `_meta` of a result: the server's own members, and others that do not take their place.
pub(super) fn meta(face: &Face, result: &mut Members<'_>, others: &Map<String, Value>) {
    let mut meta = Members::open(result.member("_meta"));
    meta.raw(SERVER_INFO, &face.server_info);
    for (name, value) in others {
        if name != SERVER_INFO {
            json::value(meta.member(name), value);
        }
    }
    meta.close();
}

/// About how many bytes a response takes beside its content.
pub(super) const FRAME: usize = 192;

/// About how many bytes the result takes, so that it is written without moving. A structured value
/// mostly stands in the content as text too, and is about as long.
fn room(face: &Face, outcome: &ToolOutcome) -> usize {
    let content: usize = outcome.content.iter().map(content::room).sum();
    let structured = if outcome.structured.is_some() {
        content
    } else {
        0
    };
    FRAME + face.server_info.len() + content + content / 16 + structured
}
