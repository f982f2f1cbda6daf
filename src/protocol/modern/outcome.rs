//! What came of a request, written into its response.

use crate::ops::ToolOutcome;
use crate::protocol::content;
use crate::protocol::face::Face;
use crate::protocol::json::{self, Members};
use crate::protocol::jsonrpc::{self, Id};
use bytes::Bytes;

const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

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

    let mut meta = Members::open(result.member("_meta"));
    meta.raw(SERVER_INFO, &face.server_info);
    for (name, value) in &outcome.meta {
        if name != SERVER_INFO {
            json::value(meta.member(name), value);
        }
    }
    meta.close();
    result.close();
    out.push(b'}');
    out.into()
}

/// Writes the `_meta` of a result that has only the server's own.
pub(super) fn server_meta(face: &Face, result: &mut Members<'_>) {
    let mut meta = Members::open(result.member("_meta"));
    meta.raw(SERVER_INFO, &face.server_info);
    meta.close();
}

/// About how many bytes the result takes, so that it is written without moving. A structured value
/// mostly stands in the content as text too, and is about as long.
fn room(face: &Face, outcome: &ToolOutcome) -> usize {
    const FRAME: usize = 192;
    let content: usize = outcome.content.iter().map(content::room).sum();
    let structured = if outcome.structured.is_some() {
        content
    } else {
        0
    };
    FRAME + face.server_info.len() + content + content / 16 + structured
}
