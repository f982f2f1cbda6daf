//! What came of a request, written into its response.

use crate::ops::{Completion, PromptOutcome, ResourceOutcome, ToolOutcome};
use crate::protocol::json::{self, Members};
use crate::protocol::jsonrpc::{self, Id};
use crate::protocol::pieces::{Cuts, Pieces};
use crate::protocol::results;
use crate::protocol::version::Shape;
use bytes::Bytes;
use serde_json::{Map, Value};

/// The response that says no more than that it is done (schema: EmptyResult).
pub(in crate::protocol) fn done(id: &Id) -> Pieces {
    jsonrpc::result(id, &Bytes::from_static(b"{}"))
}

/// The response to `tools/call` (schema: CallToolResult). Structured content is an object here; what
/// is another value stands in the content alone, as its text. It stands only in a success: what
/// failed has no output that its schema describes.
pub(in crate::protocol) fn tool_response(id: &Id, outcome: &ToolOutcome, shape: Shape) -> Pieces {
    let mut out = jsonrpc::begin_result(id, results::room_of_tool(outcome));
    let mut cuts = Cuts::some();
    let mut result = Members::open(&mut out);
    results::content(result.member("content"), outcome, shape, &mut cuts);
    let structured = outcome.structured.as_ref();
    if let Some(structured) =
        structured.filter(|value| !outcome.is_error && (shape.any_output || value.is_object()))
    {
        json::value(result.member("structuredContent"), structured);
    }
    result.raw("isError", if outcome.is_error { b"true" } else { b"false" });
    end(result, &outcome.meta);
    out.push(b'}');
    cuts.applied(out)
}

/// The response to `prompts/get` (schema: GetPromptResult).
pub(in crate::protocol) fn prompt_response(
    id: &Id,
    outcome: &PromptOutcome,
    shape: Shape,
) -> Pieces {
    let mut out = jsonrpc::begin_result(id, results::room_of_prompt(outcome));
    let mut cuts = Cuts::some();
    let mut result = Members::open(&mut out);
    result.maybe_text("description", outcome.description.as_deref());
    results::messages(result.member("messages"), outcome, shape, &mut cuts);
    end(result, &outcome.meta);
    out.push(b'}');
    cuts.applied(out)
}

/// The response to `resources/read` (schema: ReadResourceResult).
pub(in crate::protocol) fn resource_response(id: &Id, outcome: &ResourceOutcome) -> Pieces {
    let mut out = jsonrpc::begin_result(id, results::room_of_resource(outcome));
    let mut cuts = Cuts::some();
    let mut result = Members::open(&mut out);
    results::contents(result.member("contents"), outcome, &mut cuts);
    end(result, &outcome.meta);
    out.push(b'}');
    cuts.applied(out)
}

/// The response to `completion/complete` (schema: CompleteResult).
pub(in crate::protocol) fn completion_response(id: &Id, completion: &Completion) -> Bytes {
    let mut out = jsonrpc::begin_result(id, results::room_of_completion(completion));
    let mut result = Members::open(&mut out);
    results::completion(result.member("completion"), completion);
    result.close();
    out.push(b'}');
    out.into()
}

/// Ends a result, after what its component says in `_meta`.
fn end(mut result: Members<'_>, meta: &Map<String, Value>) {
    if !meta.is_empty() {
        json::object(result.member("_meta"), meta);
    }
    result.close();
}
