//! Messages of revision 2026-07-28, and what is in their answers.

use serde_json::{Value, json};

/// A request with the `_meta` that every request needs.
pub fn modern(id: impl Into<Value>, method: &str, params: Value) -> Value {
    let mut params = params;
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
    params["_meta"]["io.modelcontextprotocol/clientInfo"] = json!({ "name": "it", "version": "1" });
    json!({ "jsonrpc": "2.0", "id": id.into(), "method": method, "params": params })
}

/// `tools/call`.
pub fn call(id: impl Into<Value>, tool: &str, arguments: Value) -> Value {
    modern(
        id,
        "tools/call",
        json!({ "name": tool, "arguments": arguments }),
    )
}

/// `tools/list`, the first page.
pub fn list(id: impl Into<Value>) -> Value {
    modern(id, "tools/list", json!({}))
}

/// `tools/list` after a cursor.
pub fn list_after(id: impl Into<Value>, cursor: &str) -> Value {
    modern(id, "tools/list", json!({ "cursor": cursor }))
}

/// `server/discover`.
pub fn discover(id: impl Into<Value>) -> Value {
    modern(id, "server/discover", json!({}))
}

/// The text blocks of a tool's result, joined by line feeds.
pub fn text_of(response: &Value) -> String {
    let blocks = response["result"]["content"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let texts: Vec<&str> = blocks
        .iter()
        .filter_map(|block| block["text"].as_str())
        .collect();
    texts.join("\n")
}

/// The same request by a caller who wants to hear how it goes: progress under this token, and log
/// messages from this level on.
pub fn wanting(mut request: Value, token: Value, level: &str) -> Value {
    let meta = &mut request["params"]["_meta"];
    meta["progressToken"] = token;
    meta["io.modelcontextprotocol/logLevel"] = level.into();
    request
}
