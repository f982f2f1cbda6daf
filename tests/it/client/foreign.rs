//! Servers of other kinds: with a handshake, over both transports.

use super::{patience, script, snodo};
use crate::actions::upstream::{Request, Upstream};
use crate::support::Project;
use serde_json::{Value, json};

/// A server with a handshake that refuses what comes before it.
const LEGACY: &str = r#"
*server/discover*) echo '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}' ;;
*'"initialize"'*) echo 'hello, I am a server'
  echo '{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"old","version":"1"}}}' ;;
*notifications/initialized*) echo '{"jsonrpc":"2.0","id":"p1","method":"ping"}' ;;
*p1*) ponged=yes ;;
*_meta*protocolVersion*) echo '{"jsonrpc":"2.0","id":3,"error":{"code":-1,"message":"modern metadata"}}' ;;
*tools/list*) echo '{"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"ponged","inputSchema":{"type":"object"}}]}}' ;;
*tools/call*) echo "{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"${ponged:-no}\"}]}}" ;;
"#;

#[test]
fn a_program_with_a_handshake_is_spoken_to_in_its_own_way() {
    let project = Project::new();
    let command = script(&project, LEGACY);
    let said = snodo(project.path(), &["call", "ponged", "--stdio", &command]);
    assert_eq!((said.code, said.out.as_str()), (0, "yes\n"), "{}", said.err);
    assert_eq!(
        said.err,
        "passed over a line that is no message (not JSON: expected value at line 1 column 1): hello, I am a server\n"
    );
    let args = ["list", "--stdio", &command, "--protocol", "2026-07-28"];
    let said = snodo(project.path(), &args);
    assert_eq!(said.code, 3);
    assert_eq!(
        said.err,
        "error: the server refused `server/discover`: Method not found (-32601)\n"
    );
    let args = ["list", "--stdio", &command, "--protocol", "2025-11-25"];
    let said = snodo(project.path(), &[&args[..], &["--timeout", "5"]].concat());
    assert_eq!(said.code, 3, "{}", said.err);
}

/// An answer with this body.
fn json_answer(status: &str, more: &str, body: &Value) -> Vec<u8> {
    let body = if body.is_null() {
        String::new()
    } else {
        body.to_string()
    };
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\n{more}content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// A server with sessions, whose answers to calls are streams.
fn legacy(request: &Request) -> Vec<u8> {
    let message: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let id = &message["id"];
    let session = request.header("mcp-session-id");
    let result = |result: Value| json!({ "jsonrpc": "2.0", "id": id, "result": result });
    if request.line.starts_with("DELETE") {
        return json_answer("204 No Content", "", &Value::Null);
    }
    match (message["method"].as_str().unwrap_or_default(), session) {
        ("initialize", None) => json_answer(
            "200 OK",
            "mcp-session-id: s1\r\n",
            &result(
                json!({ "protocolVersion": "2025-11-25", "capabilities": { "tools": {} },
                            "serverInfo": { "name": "old", "version": "1" } }),
            ),
        ),
        (_, None) => json_answer(
            "400 Bad Request",
            "",
            &json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32000, "message": "Server not initialized" } }),
        ),
        (_, Some("s1")) if request.header("mcp-protocol-version") != Some("2025-11-25") => {
            json_answer("400 Bad Request", "", &Value::Null)
        }
        ("notifications/initialized", _) => json_answer("202 Accepted", "", &Value::Null),
        ("tools/list", _) => json_answer(
            "200 OK",
            "",
            &result(json!({ "tools": [{ "name": "t", "inputSchema": { "type": "object" } }] })),
        ),
        _ => {
            let progress = json!({ "jsonrpc": "2.0", "method": "notifications/progress",
                "params": { "progressToken": id, "progress": 1, "total": 2, "message": "half" } });
            let answer = result(json!({ "content": [{ "type": "text", "text": "done" }] }));
            format!(
                "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n\
                 id: 0\r\ndata:\r\n\r\nevent: message\r\ndata: {progress}\r\n\r\n: still there\r\n\r\ndata: {answer}\r\n\r\n"
            )
            .into_bytes()
        }
    }
}

#[test]
fn an_endpoint_with_sessions_is_spoken_to_in_its_own_way() {
    let project = Project::new();
    let upstream = Upstream::new(legacy);
    let url = format!("{}/mcp", upstream.url());
    let said = snodo(project.path(), &["call", "t", "--url", &url, "--verbose"]);
    assert_eq!(
        (said.code, said.out.as_str()),
        (0, "done\n"),
        "{}",
        said.err
    );
    assert_eq!(said.err, " 50 %  half\n");
    let requests = upstream.requests();
    let lines: Vec<&str> = requests
        .iter()
        .map(|request| request.line.as_str())
        .collect();
    assert_eq!(lines.last(), Some(&"DELETE /mcp HTTP/1.1"), "{lines:?}");
    assert_eq!(
        requests.last().unwrap().header("mcp-session-id"),
        Some("s1")
    );
}

/// A server without a handshake that mirrors an argument only in its second list.
#[test]
fn a_list_that_has_changed_is_read_again_when_headers_do_not_fit() {
    let lists = std::sync::atomic::AtomicUsize::new(0);
    let upstream = Upstream::new(move |request| {
        let message: Value = serde_json::from_slice(&request.body).unwrap();
        let answer = |result: Value| {
            let result = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
            json_answer("200 OK", "", &result)
        };
        match message["method"].as_str().unwrap() {
            "server/discover" => answer(
                json!({ "supportedVersions": ["2026-07-28"], "capabilities": { "tools": {} } }),
            ),
            "tools/list" => {
                let number = lists.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                let name = if number == 0 { "Old" } else { "New" };
                answer(
                    json!({ "tools": [{ "name": "t", "inputSchema": { "type": "object",
                    "properties": { "a": { "type": "string", "x-mcp-header": name } } } }] }),
                )
            }
            _ if request.header("mcp-param-new") == Some("x") => {
                answer(json!({ "content": [{ "type": "text", "text": "fits" }] }))
            }
            _ => json_answer(
                "400 Bad Request",
                "",
                &json!({ "jsonrpc": "2.0", "id": message["id"],
                         "error": { "code": -32020, "message": "Header mismatch" } }),
            ),
        }
    });
    let project = Project::new();
    let url = upstream.url();
    let said = snodo(project.path(), &["call", "t", "a=x", "--url", &url]);
    assert_eq!(
        (said.code, said.out.as_str()),
        (0, "fits\n"),
        "{}",
        said.err
    );
    let said = snodo(
        project.path(),
        &["call", "t", "a=y", "--url", &url, "--timeout", &patience()],
    );
    assert_eq!(said.code, 3);
    assert_eq!(
        said.err,
        "error: the server refused `tools/call`: Header mismatch (-32020)\n"
    );
}

/// A program with a handshake that tells of changes right behind its answer, and ends.
const TELLING: &str = r#"
*server/discover*) echo '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}' ;;
*'"initialize"'*) echo '{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true}},"serverInfo":{"name":"old","version":"1"}}}' ;;
*resources/subscribe*) id=${line#*'"id":'}; id=${id%%[!0-9]*}
  echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{}}"
  echo '{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"note://a"}}'
  echo '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'
  exit 0 ;;
"#;

#[test]
fn a_program_with_a_handshake_is_listened_to() {
    let project = Project::new();
    let command = script(&project, TELLING);
    let said = snodo(project.path(), &["listen", "note://a", "--stdio", &command]);
    assert_eq!(
        said.out,
        "listening\nnote://a has changed\nthe list of tools has changed\n"
    );
    let note = "note: the server does not tell of changes of the list of prompts, resources\n";
    assert!(said.err.starts_with(note), "{}", said.err);
    // It has ended by itself, which a server that is listened to does not.
    assert_eq!(said.code, 3, "{}", said.err);
    let args = [
        "listen", "note://a", "--quiet", "--output", "json", "--stdio", &command,
    ];
    let said = snodo(project.path(), &args);
    assert_eq!(
        said.out,
        "{\"listening\":{\"toolsListChanged\":true,\"resourceSubscriptions\":[\"note://a\"]}}\n\
         {\"updated\":\"note://a\"}\n{\"listChanged\":\"tools\"}\n"
    );
}

#[test]
fn an_endpoint_with_sessions_is_listened_to() {
    let project = Project::new();
    let upstream = Upstream::new(|request: &Request| {
        if !request.line.starts_with("GET") {
            return legacy(request);
        }
        assert_eq!(request.header("mcp-session-id"), Some("s1"));
        let updated = json!({ "jsonrpc": "2.0", "method": "notifications/resources/updated",
            "params": { "uri": "note://a" } });
        let ping = json!({ "jsonrpc": "2.0", "id": "p", "method": "ping" });
        format!(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n\
             data: {ping}\r\n\r\ndata: {updated}\r\n\r\n"
        )
        .into_bytes()
    });
    let url = format!("{}/mcp", upstream.url());
    let said = snodo(project.path(), &["listen", "note://a", "--url", &url]);
    assert_eq!(
        said.out, "listening\nnote://a has changed\n",
        "{}",
        said.err
    );
    assert_eq!(said.code, 0, "{}", said.err);
    let bodies = upstream.requests();
    let mut bodies = bodies.iter().map(|request| request.body.clone());
    let pong: &[u8] = br#""id":"p","result":{}"#;
    assert!(
        bodies.any(|body| body.windows(pong.len()).any(|part| part == pong)),
        "the ping is answered"
    );
    // One that has no such stream says so.
    let upstream = Upstream::new(|request: &Request| match request.line.starts_with("GET") {
        true => json_answer("405 Method Not Allowed", "", &Value::Null),
        false => legacy(request),
    });
    let url = format!("{}/mcp", upstream.url());
    let said = snodo(project.path(), &["listen", "--url", &url]);
    assert_eq!((said.code, said.out.as_str()), (3, ""));
    assert!(said.err.contains("405"), "{}", said.err);
}

#[test]
fn revisions_that_nobody_here_speaks_are_said() {
    let result = |id: u32, result: &Value| {
        let answer = json!({ "jsonrpc": "2.0", "id": id, "result": result });
        format!("echo '{answer}'")
    };
    let unknown = "echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"Method not found\"}}'";
    let future = json!({ "supportedVersions": ["2099-01-01", "2098-01-01"], "capabilities": {} });
    let past = json!({ "protocolVersion": "1999-01-01", "capabilities": {} });
    for (discovered, initialized, why) in [
        (
            result(1, &future),
            result(2, &past),
            "speaks protocol 2099-01-01, 2098-01-01, and this program does not\n  = help: known here are 2026-07-28, ",
        ),
        (
            "echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32022,\"message\":\"no\",\"data\":{\"supported\":[\"2099-01-01\"]}}}'".to_owned(),
            result(2, &past),
            "speaks protocol 2099-01-01, and this program does not\n",
        ),
        (
            unknown.to_owned(),
            result(2, &past),
            "speaks protocol 1999-01-01, and this program does not\n",
        ),
        (
            unknown.to_owned(),
            result(2, &json!({ "capabilities": {} })),
            "names no `protocolVersion`",
        ),
    ] {
        let project = Project::new();
        let cases = format!("*server/discover*) {discovered} ;;\n*initialize*) {initialized} ;;");
        let command = script(&project, &cases);
        let said = snodo(project.path(), &["list", "--stdio", &command]);
        assert_eq!((said.code, said.out.as_str()), (3, ""), "{}", said.err);
        assert!(said.err.contains(why), "{}", said.err);
    }
}
