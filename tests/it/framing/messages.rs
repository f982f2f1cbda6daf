//! One table of messages, each sent over both transports.

use super::project;
use crate::support::{Both, Project, call, list, modern};
use serde_json::{Value, json};

/// What a message must bring.
enum Brings {
    /// This error on both, with this status over HTTP; its id is in the message.
    Error(i64, u16),
    /// This error on both, without an `id` member.
    NoId(i64, u16),
    /// Nothing in a stream; over HTTP this status and no body.
    Silence(u16),
    /// Nothing in a stream; over HTTP this error without an id, with status 400.
    Refusal(i64),
}
use Brings::{Error, NoId, Refusal, Silence};

/// Sends each message over both transports.
fn check(both: &mut Both, rows: &[(&str, Brings)]) {
    for (message, brings) in rows {
        let answered = matches!(brings, Error(..) | NoId(..));
        let came = both.send(message.as_bytes(), answered);
        let (code, status, id) = match brings {
            Error(code, status) => (Some(*code), *status, Some(&ID)),
            NoId(code, status) => (Some(*code), *status, None),
            Silence(status) => (None, *status, None),
            Refusal(code) => (Some(*code), 400, None),
        };
        assert_eq!(came.status, status, "{message}: {came:?}");
        match code {
            Some(code) => {
                let body = came.body.as_ref().unwrap();
                assert_eq!(body["jsonrpc"], "2.0", "{message}");
                assert_eq!(body["error"]["code"], code, "{message}: {body}");
                assert!(body["error"]["message"].is_string(), "{message}: {body}");
                assert_eq!(body.get("id").is_some(), id.is_some(), "{message}: {body}");
                assert!(id.is_none_or(|id| body["id"] == *id), "{message}: {body}");
                assert!(body.get("result").is_none(), "{message}: {body}");
            }
            None => assert_eq!(came.body, None, "{message}"),
        }
        if answered {
            assert_eq!(came.line, came.body, "the transports differ on {message}");
        }
    }
}

/// The id of every request in the tables.
const ID: &str = "the id";

/// A request of the revision with these params, as text.
fn request(method: &str, params: Value) -> String {
    modern(ID, method, params).to_string()
}

/// The same with other `_meta`.
fn with_meta(method: &str, params: Value, meta: Value) -> String {
    let mut message = modern(ID, method, params);
    message["params"]["_meta"] = meta;
    message.to_string()
}

/// A server that speaks nothing else. What a message without `_meta` is to one that does is in
/// `legacy`.
fn only_newest() -> Project {
    project().set(r#"server.protocols=["2026-07-28"]"#)
}

#[test]
fn what_is_not_json_is_a_parse_error_without_an_id() {
    let mut both = Both::of(project());
    check(
        &mut both,
        &[
            ("{nope", NoId(-32700, 400)),
            ("hello", NoId(-32700, 400)),
            (r#"{"jsonrpc":"2.0","id":1"#, NoId(-32700, 400)),
            (r#"{"jsonrpc":"2.0","id":1,}"#, NoId(-32700, 400)),
            (
                r#"{"jsonrpc":"2.0","id":01,"method":"x"}"#,
                NoId(-32700, 400),
            ),
            (r#"{} {}"#, NoId(-32700, 400)),
            (r#"[{"jsonrpc""#, NoId(-32700, 400)),
            ("\u{0}", NoId(-32700, 400)),
            ("{\"a\":\"\u{1}\"}", NoId(-32700, 400)),
        ],
    );
    let came = both.send(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", true);
    assert_eq!(came.line.as_ref().unwrap()["error"]["code"], -32700);
    assert_eq!((came.status, &came.body), (400, &came.line));
    // Deep nesting is refused before anything recurses into it.
    for opener in ["[", "{\"a\":"] {
        let came = both.send(opener.repeat(100_000).as_bytes(), true);
        assert_eq!(came.line.as_ref().unwrap()["error"]["code"], -32700);
        assert_eq!((came.status, &came.body), (400, &came.line));
    }
    assert!(both.ask(&list(1))["result"]["tools"].is_array());
    both.finish();
}

#[test]
fn json_that_is_no_message_is_an_invalid_request() {
    let mut both = Both::of(project());
    check(
        &mut both,
        &[
            ("null", NoId(-32600, 400)),
            ("5", NoId(-32600, 400)),
            (r#""{}""#, NoId(-32600, 400)),
            ("{}", NoId(-32600, 400)),
            (r#"{"jsonrpc":"2.0"}"#, NoId(-32600, 400)),
            (r#"{"jsonrpc":"2.0","id":"the id"}"#, Error(-32600, 400)),
            (
                r#"{"id":"the id","method":"server/discover"}"#,
                Error(-32600, 400),
            ),
            (
                r#"{"jsonrpc":"1.0","id":"the id","method":"server/discover"}"#,
                Error(-32600, 400),
            ),
            (
                r#"{"jsonrpc":2.0,"id":"the id","method":"server/discover"}"#,
                Error(-32600, 400),
            ),
            (
                r#"{"jsonrpc":"2.0","id":"the id","method":5}"#,
                Error(-32600, 400),
            ),
            (
                r#"{"jsonrpc":"2.0","id":"the id","method":"tools/list","params":"x"}"#,
                Error(-32600, 400),
            ),
            // Readers disagree on which of two ids counts, so neither does.
            (
                r#"{"jsonrpc":"2.0","id":"the id","id":2,"method":"tools/list"}"#,
                NoId(-32600, 400),
            ),
            (
                r#"{"jsonrpc":"2.0","id":"the id","method":"tools/list","method":"tools/call"}"#,
                Error(-32600, 400),
            ),
        ],
    );
    for id in [
        "null",
        "1.5",
        "1.0",
        "1e3",
        "true",
        "[1]",
        "{}",
        r#""\ud800""#,
    ] {
        let message = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"server/discover"}}"#);
        check(&mut both, &[(&message, NoId(-32600, 400))]);
    }
    both.finish();
}

#[test]
fn a_batch_is_refused_and_nothing_of_it_is_executed() {
    let project = Project::with(
        r#"
        [[tool]]
        name = "touch"
        shell = { command = ["touch", "touched"], cwd = ".." }
        "#,
    );
    let mut both = Both::of(project);
    let touch = call(ID, "touch", json!({}));
    let notification = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    for batch in [
        json!([]),
        json!([touch]),
        json!([touch, touch]),
        json!([notification]),
        json!([1]),
    ] {
        let came = both.send(batch.to_string().as_bytes(), true);
        let expected = json!({
            "jsonrpc": "2.0",
            "error": { "code": -32600, "message": "Invalid request: batches are not supported" },
        });
        assert_eq!(came.line, Some(expected.clone()));
        assert_eq!((came.status, came.body), (400, Some(expected)));
    }
    assert!(!both.project.path().join("touched").exists());
    assert_eq!(both.ask(&touch)["result"]["isError"], false);
    assert!(both.project.path().join("touched").exists());
    both.finish();
}

#[test]
fn notifications_get_no_answer() {
    let mut both = Both::of(only_newest());
    let notify = |method: &str, params: Value| {
        json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string()
    };
    for message in [
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned(),
        r#"{"jsonrpc":"2.0","method":"notifications/initialized","params":null}"#.to_owned(),
        notify("notifications/roots/list_changed", json!({})),
        notify("notifications/never/heard/of", json!({ "a": 1 })),
        notify("notifications/cancelled", json!({ "requestId": "unknown" })),
        notify("notifications/cancelled", json!({ "requestId": null })),
        notify("notifications/cancelled", json!({ "requestId": [1] })),
        notify("notifications/cancelled", json!({})),
    ] {
        check(&mut both, &[(&message, Silence(202))]);
    }
    // Without an id nothing is answered in a stream, whatever it is named. Over HTTP a request
    // without an id is refused, and not executed.
    for message in [
        notify("tools/list", json!({})),
        notify("tools/call", json!({ "name": "echo" })),
        notify("initialize", json!({})),
        notify("nonsense", json!({})),
        r#"{"jsonrpc":"1.0","method":"notifications/initialized"}"#.to_owned(),
        r#"{"jsonrpc":"2.0","method":"notifications/initialized","params":"x"}"#.to_owned(),
        // Responses: a client has none to send.
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}"#.to_owned(),
    ] {
        check(&mut both, &[(&message, Refusal(-32600))]);
    }
    check(
        &mut both,
        &[(
            r#"{"jsonrpc":"2.0","method":"notifications/initialized","params":[]}"#,
            Refusal(-32602),
        )],
    );
    both.finish();
}

#[test]
fn a_request_without_its_meta_is_invalid_params_with_status_400() {
    let mut both = Both::of(only_newest());
    const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
    const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
    let listed = |meta| with_meta("tools/list", json!({}), meta);
    for message in [
        r#"{"jsonrpc":"2.0","id":"the id","method":"tools/list"}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":"the id","method":"tools/list","params":null}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":"the id","method":"tools/list","params":{}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":"the id","method":"tools/list","params":[]}"#.to_owned(),
        // A method that does not exist lacks them all the same.
        r#"{"jsonrpc":"2.0","id":"the id","method":"nonsense","params":{}}"#.to_owned(),
        listed(Value::Null),
        listed(json!([])),
        listed(json!({})),
        listed(json!({ VERSION: "2026-07-28" })),
        listed(json!({ CAPABILITIES: {} })),
        listed(json!({ VERSION: 20260728, CAPABILITIES: {} })),
        listed(json!({ VERSION: null, CAPABILITIES: {} })),
        listed(json!({ VERSION: "2026-07-28", CAPABILITIES: null })),
        listed(json!({ VERSION: "2026-07-28", CAPABILITIES: [] })),
    ] {
        check(&mut both, &[(&message, Error(-32602, 400))]);
    }
    let came = both.send(listed(json!({})).as_bytes(), true);
    assert_eq!(
        came.line.unwrap()["error"]["message"],
        "Invalid params: `params._meta` lacks `io.modelcontextprotocol/protocolVersion` and \
         `io.modelcontextprotocol/clientCapabilities`"
    );
    both.finish();
}

#[test]
fn an_unsupported_version_is_answered_with_those_that_are() {
    let mut both = Both::of(project());
    for version in [
        "1900-01-01",
        "2025-11-25",
        "2025-06-18",
        "",
        "2026-07-28 ",
        "next",
    ] {
        for method in ["server/discover", "tools/list", "nonsense", "initialize"] {
            let mut message = modern(ID, method, json!({}));
            message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = version.into();
            // A header value begins and ends with no space, so this one cannot be mirrored.
            if version.ends_with(' ') {
                let line = both.stdio.ask(&message);
                assert_eq!(line["error"]["code"], -32022);
                continue;
            }
            let came = both.send(message.to_string().as_bytes(), true);
            let expected = json!({
                "jsonrpc": "2.0",
                "id": ID,
                "error": {
                    "code": -32022,
                    "message": "Unsupported protocol version",
                    "data": {
                        "supported": ["2026-07-28", "2025-11-25", "2025-06-18"],
                        "requested": version,
                    },
                },
            });
            assert_eq!(came.line.as_ref(), Some(&expected));
            assert_eq!((came.status, came.body), (400, Some(expected)));
        }
    }
    both.finish();
}

#[test]
fn a_handshake_is_refused_with_the_versions_that_are_served() {
    let mut both = Both::of(only_newest());
    let message = json!({
        "jsonrpc": "2.0",
        "id": ID,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": { "name": "old", "version": "1" },
        },
    });
    let came = both.send(message.to_string().as_bytes(), true);
    let error = &came.line.as_ref().unwrap()["error"];
    assert_eq!(error["code"], -32022);
    assert!(
        error["message"].as_str().unwrap().contains("2026-07-28"),
        "{error}"
    );
    assert_eq!(
        error["data"],
        json!({ "supported": ["2026-07-28"], "requested": "2025-06-18" })
    );
    assert_eq!((came.status, &came.body), (400, &came.line));
    for params in [json!({}), json!({ "protocolVersion": 5 }), Value::Null] {
        let mut message = message.clone();
        message["params"] = params;
        check(&mut both, &[(&message.to_string(), Error(-32022, 400))]);
    }
    // A caller that speaks this revision has no such method; the answer says so by name as well.
    let message = request("initialize", json!({}));
    let came = both.send(message.as_bytes(), true);
    let error = &came.line.as_ref().unwrap()["error"];
    assert_eq!(error["code"], -32601);
    assert!(
        error["message"].as_str().unwrap().contains("2026-07-28"),
        "{error}"
    );
    assert_eq!((came.status, &came.body), (404, &came.line));
    both.finish();
}

#[test]
fn methods_that_are_not_served_are_not_found() {
    let mut both = Both::of(project());
    for method in [
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
        "resources/list",
        "prompts/list",
        "completion/complete",
        "tools/List",
        "tools",
        "nonsense",
        "notifications/initialized",
        "notifications/cancelled",
    ] {
        check(
            &mut both,
            &[(&request(method, json!({})), Error(-32601, 404))],
        );
    }
    both.finish();
}

#[test]
fn methods_of_what_is_not_offered_are_not_found() {
    // The only tool is left out on this machine, so there is no tools capability.
    let project = Project::with(
        r#"
        [[tool]]
        name = "elsewhere"
        available = { commands = ["no-such-command-anywhere"] }
        result.text = "x"
        "#,
    );
    let mut both = Both::of(project);
    let discovered = both.ask(&modern(1, "server/discover", json!({})));
    assert_eq!(discovered["result"]["capabilities"], json!({}));
    check(
        &mut both,
        &[
            (&request("tools/list", json!({})), Error(-32601, 404)),
            (
                &request("tools/call", json!({ "name": "elsewhere" })),
                Error(-32601, 404),
            ),
        ],
    );
    both.finish();
}

#[test]
fn params_of_the_wrong_form_are_invalid_params() {
    let mut both = Both::of(project());
    let called = |params| request("tools/call", params);
    for message in [
        called(json!({})),
        called(json!({ "name": null })),
        called(json!({ "name": 5 })),
        called(json!({ "name": "no such tool" })),
        called(json!({ "name": "ECHO" })),
        called(json!({ "name": "" })),
        called(json!({ "name": "echo", "arguments": [] })),
        called(json!({ "name": "echo", "arguments": "{}" })),
        called(json!({ "name": "echo", "arguments": 0 })),
        called(json!({ "name": "echo", "arguments": false })),
        request("tools/list", json!({ "cursor": 5 })),
        request("tools/list", json!({ "cursor": "" })),
        request("tools/list", json!({ "cursor": "nonsense" })),
        request("tools/list", json!({ "_meta": { "progressToken": {} } })),
        request(
            "tools/list",
            json!({ "_meta": { "io.modelcontextprotocol/logLevel": "loud" } }),
        ),
    ] {
        check(&mut both, &[(&message, Error(-32602, 200))]);
    }
    let came = both.send(called(json!({ "name": "no such tool" })).as_bytes(), true);
    assert_eq!(
        came.line.unwrap()["error"]["message"],
        "Unknown tool: no such tool"
    );
    both.finish();
}

#[test]
fn null_in_the_envelope_is_absent() {
    let mut both = Both::of(project());
    let first = both.ask(&list(1));
    assert_eq!(
        both.ask(&modern(1, "tools/list", json!({ "cursor": null }))),
        first
    );
    for meta in [
        "progressToken",
        "io.modelcontextprotocol/logLevel",
        "traceparent",
    ] {
        let message = modern(1, "tools/list", json!({ "_meta": { meta: null } }));
        assert_eq!(both.ask(&message), first, "{meta}");
    }
    both.finish();
}
