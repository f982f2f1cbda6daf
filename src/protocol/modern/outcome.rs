//! What came of a request, written into its response.

use super::declare::SHAPE;
use crate::ops::{Completion, InputRequired, PromptOutcome, ToolOutcome};
use crate::protocol::face::Face;
use crate::protocol::input;
use crate::protocol::json::{self, Members};
use crate::protocol::jsonrpc::{self, Id};
use crate::protocol::pieces::{Cuts, Pieces};
use crate::protocol::results;
use bytes::Bytes;
use serde_json::{Map, Value};

pub(super) const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// The response to `tools/call` (schema: CallToolResult). Structured content stands only in a
/// success: what failed has no output that its schema describes.
pub(in crate::protocol) fn tool_response(face: &Face, id: &Id, outcome: &ToolOutcome) -> Pieces {
    let room = face.server_info.len() + results::room_of_tool(outcome);
    let mut out = jsonrpc::begin_result(id, room);
    let mut cuts = Cuts::some();
    let mut result = Members::open(&mut out);
    result.text("resultType", "complete");
    results::content(result.member("content"), outcome, SHAPE, &mut cuts);
    if let Some(structured) = outcome.structured.as_ref().filter(|_| !outcome.is_error) {
        json::value(result.member("structuredContent"), structured);
    }
    result.raw("isError", if outcome.is_error { b"true" } else { b"false" });

    meta(face, &mut result, &outcome.meta);
    result.close();
    out.push(b'}');
    cuts.applied(out)
}

/// The response to `prompts/get` (schema: GetPromptResult).
pub(in crate::protocol) fn prompt_response(
    face: &Face,
    id: &Id,
    outcome: &PromptOutcome,
) -> Pieces {
    let room = face.server_info.len() + results::room_of_prompt(outcome);
    let mut out = jsonrpc::begin_result(id, room);
    let mut cuts = Cuts::some();
    let mut result = Members::open(&mut out);
    result.text("resultType", "complete");
    result.maybe_text("description", outcome.description.as_deref());
    results::messages(result.member("messages"), outcome, SHAPE, &mut cuts);
    meta(face, &mut result, &outcome.meta);
    result.close();
    out.push(b'}');
    cuts.applied(out)
}

/// The response to a request whose caller is asked first (schema: InputRequiredResult).
pub(in crate::protocol) fn input_required_response(
    face: &Face,
    id: &Id,
    required: &InputRequired,
) -> Bytes {
    let state = required.state.as_ref().map_or(0, String::len);
    let room = 512 * (1 + required.requests.len()) + face.server_info.len() + state;
    let mut out = jsonrpc::begin_result(id, room);
    let mut result = Members::open(&mut out);
    result.text("resultType", "input_required");
    let mut requests = Members::open(result.member("inputRequests"));
    for (name, request) in &required.requests {
        let mut members = Members::open(requests.member(name));
        input::members(&mut members, request, SHAPE, None);
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
    let room = face.server_info.len() + results::room_of_completion(completion);
    let mut out = jsonrpc::begin_result(id, room);
    let mut result = Members::open(&mut out);
    result.text("resultType", "complete");
    results::completion(result.member("completion"), completion);
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
