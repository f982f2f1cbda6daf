//! The bytes of requests, as clients of each revision send them.

use std::net::SocketAddr;

/// What 2026-07-28 wants in each request's `_meta`.
pub const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1.0.0"},"io.modelcontextprotocol/clientCapabilities":{}}"#;

/// A body of 2026-07-28: these members of `params`, and `_meta`.
pub fn body(method: &str, members: &str) -> String {
    let comma = if members.is_empty() { "" } else { "," };
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{members}{comma}{META}}}}}"#)
}

/// A POST of this method in 2026-07-28. `name` is the tool or the URI that the body names.
pub fn request(address: SocketAddr, method: &str, name: Option<&str>, members: &str) -> Vec<u8> {
    let name = name.map_or(String::new(), |name| format!("mcp-name: {name}\r\n"));
    let headers = format!("mcp-protocol-version: 2026-07-28\r\nmcp-method: {method}\r\n{name}");
    post(address, &headers, &body(method, members))
}

/// A `tools/call` of 2026-07-28; `arguments` is JSON.
pub fn call(address: SocketAddr, tool: &str, arguments: &str) -> Vec<u8> {
    request(
        address,
        "tools/call",
        Some(tool),
        &format!(r#""name":"{tool}","arguments":{arguments}"#),
    )
}

/// A `tools/call` of 2025-11-25, in this session if there is one.
pub fn legacy_call(
    address: SocketAddr,
    tool: &str,
    arguments: &str,
    session: Option<&str>,
) -> Vec<u8> {
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}"#
    );
    post(address, &legacy_headers(session), &body)
}

/// The handshake of 2025-11-25.
pub fn initialize(address: SocketAddr) -> Vec<u8> {
    post(
        address,
        "",
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1.0.0"}}}"#,
    )
}

/// What a client says once it has the answer to its handshake.
pub fn initialized(address: SocketAddr, session: &str) -> Vec<u8> {
    post(
        address,
        &legacy_headers(Some(session)),
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    )
}

fn legacy_headers(session: Option<&str>) -> String {
    let session = session.map_or(String::new(), |id| format!("mcp-session-id: {id}\r\n"));
    format!("mcp-protocol-version: 2025-11-25\r\n{session}")
}

/// `headers` are whole lines.
pub fn post(address: SocketAddr, headers: &str, body: &str) -> Vec<u8> {
    format!(
        "POST /mcp HTTP/1.1\r\nhost: {address}\r\naccept: application/json, text/event-stream\r\n\
         content-type: application/json\r\n{headers}content-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}
