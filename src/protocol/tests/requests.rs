//! Requests and notifications in.

use super::*;

#[test]
fn the_served_methods_become_operations() {
    let arguments = |json: Value| json.as_object().cloned().unwrap();
    let tool = |arguments| Operation::CallTool {
        name: "add".into(),
        arguments,
    };
    for (method, members, operation) in [
        ("server/discover", "", Operation::Discover),
        ("tools/list", "", Operation::ListTools { cursor: None }),
        (
            "tools/list",
            r#""cursor":null"#,
            Operation::ListTools { cursor: None },
        ),
        (
            "tools/list",
            r#""cursor":"""#,
            Operation::ListTools {
                cursor: Some(String::new()),
            },
        ),
        (
            "tools/list",
            r#""cursor":"\u0061=""#,
            Operation::ListTools {
                cursor: Some("a=".into()),
            },
        ),
        ("tools/call", r#""name":"add""#, tool(arguments(json!({})))),
        (
            "tools/call",
            r#""name":"add","arguments":null"#,
            tool(arguments(json!({}))),
        ),
        (
            "tools/call",
            r#""name":"add","arguments":{}"#,
            tool(arguments(json!({}))),
        ),
        (
            "tools/call",
            r#""name":"add","arguments":{"b":[1,2.5,"\n"],"a":null},"extra":1"#,
            tool(arguments(json!({"b": [1, 2.5, "\n"], "a": null}))),
        ),
    ] {
        let call = call(stream(&request(method, members)));
        assert_eq!(call.operation, operation, "{method} {members}");
        assert_eq!(call.context.method, method);
    }
}

#[test]
fn the_order_of_arguments_is_kept() {
    let call = call(stream(&request(
        "tools/call",
        r#""name":"t","arguments":{"z":1,"a":2,"m":3}"#,
    )));
    let Operation::CallTool { arguments, .. } = call.operation else {
        panic!("another operation");
    };
    assert_eq!(arguments.keys().collect::<Vec<_>>(), ["z", "a", "m"]);
}

#[test]
fn params_of_the_wrong_form_are_invalid_params() {
    for (method, members, why) in [
        (
            "tools/list",
            r#""cursor":5"#,
            "Invalid params: `cursor` must be a string",
        ),
        ("tools/call", "", "Invalid params: `name` must be a string"),
        (
            "tools/call",
            r#""name":null"#,
            "Invalid params: `name` must be a string",
        ),
        (
            "tools/call",
            r#""name":["add"]"#,
            "Invalid params: `name` must be a string",
        ),
        (
            "tools/call",
            r#""name":"add","arguments":[]"#,
            "Invalid params: `arguments` must be an object",
        ),
        (
            "tools/call",
            r#""name":"add","arguments":"{}""#,
            "Invalid params: `arguments` must be an object",
        ),
        (
            "tools/call",
            r#""name":"add","arguments":false"#,
            "Invalid params: `arguments` must be an object",
        ),
    ] {
        let (status, code, message) = refusal(stream(&request(method, members)));
        assert_eq!(
            (status, code, message.as_str()),
            (200, -32602, why),
            "{method} {members}"
        );
    }
    let (_, code, message) = refusal(stream(&request(
        "tools/call",
        r#""name":"a","arguments":{"n":1e999}"#,
    )));
    assert!(
        code == -32602 && message.starts_with("Invalid params: `arguments`: number out of range")
    );
}

#[test]
fn a_parameter_that_stands_twice_is_refused() {
    for members in [
        r#""name":"a","name":"b""#,
        META,
        r#""name":"a","arguments":{},"\u0061rguments":{"x":1}"#,
    ] {
        let (_, code, message) = refusal(stream(&request("tools/call", members)));
        assert!(
            code == -32602 && message.contains("duplicate field"),
            "{message}"
        );
    }
}

#[test]
fn modern_unknown_methods_are_404_and_method_not_found() {
    for method in [
        "ping",
        "logging/setLevel",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "resources/subscribe",
        "resources/unsubscribe",
        "prompts/list",
        "prompts/get",
        "completion/complete",
        "tasks/get",
        "Tools/List",
        "tools/list ",
        "",
        "notifications/cancelled",
    ] {
        let (status, code, message) = refusal(stream(&request(method, "")));
        assert_eq!(
            (status, code, message),
            (404, -32601, format!("Method not found: {method}"))
        );
    }
    let (_, _, message) = refusal(stream(&request(&"x".repeat(10_000), "")));
    assert_eq!(message.len(), "Method not found: ".len() + 200);
}

#[test]
fn tools_without_the_tools_capability_are_method_not_found() {
    let bare = face_offering(Offer::default());
    for (method, members) in [("tools/list", ""), ("tools/call", r#""name":"add""#)] {
        let step = receive(
            &bare,
            Carrier::Stream(&mut Conversation::default()),
            request(method, members).as_bytes(),
        );
        assert_eq!(
            refusal(step),
            (404, -32601, format!("Method not found: {method}"))
        );
    }
}

#[test]
fn a_request_without_its_meta_is_400_and_told_what_it_lacks() {
    let both = "Invalid params: `params._meta` lacks `io.modelcontextprotocol/protocolVersion` and `io.modelcontextprotocol/clientCapabilities`";
    let version = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#;
    for (message, why) in [
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#.to_owned(),
            both,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":null}"#.to_owned(),
            both,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}"#.to_owned(),
            both,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}"#.to_owned(),
            "Invalid params: `params` must be an object",
        ),
        (with_meta("{}"), both),
        (with_meta("null"), both),
        (
            with_meta("[]"),
            "Invalid params: `params._meta` must be an object",
        ),
        (
            with_meta("7"),
            "Invalid params: `params._meta` must be an object",
        ),
        (
            with_meta(r#"{"io.modelcontextprotocol/clientCapabilities":{}}"#),
            "Invalid params: `params._meta` lacks `io.modelcontextprotocol/protocolVersion`",
        ),
        (
            with_meta(&format!("{{{version}}}")),
            "Invalid params: `params._meta` lacks `io.modelcontextprotocol/clientCapabilities`",
        ),
        (
            with_meta(&format!(
                r#"{{{version},"io.modelcontextprotocol/clientCapabilities":[]}}"#
            )),
            "Invalid params: `io.modelcontextprotocol/clientCapabilities` must be an object",
        ),
        (
            with_meta(r#"{"io.modelcontextprotocol/protocolVersion":20260728}"#),
            "Invalid params: `io.modelcontextprotocol/protocolVersion` must be a string",
        ),
    ] {
        let step = stream(&message);
        assert_eq!(refusal(step), (400, -32602, why.to_owned()), "{message}");
    }
    let (status, code, _) = refusal(stream(&with_meta(&format!("{{{version},{version}}}"))));
    assert_eq!((status, code), (400, -32602));
}

#[test]
fn an_unsupported_version_is_refused_with_those_that_are() {
    let message = with_meta(r#"{"io.modelcontextprotocol/protocolVersion":"1900-01-01"}"#);
    assert_eq!(
        refused(stream(&message)),
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2026-07-28"],"requested":"1900-01-01"}}}"#
    );
    assert_eq!(refusal(stream(&message)).0, 400);
}

#[test]
fn an_initialize_is_told_which_versions_are_served() {
    let message = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
    let says = "Unsupported protocol version: this server speaks 2026-07-28, which has no `initialize`; send the version in each request's `_meta`";
    for step in [stream(message), post(&HeaderMap::new(), message)] {
        assert_eq!(
            refused(step),
            format!(
                r#"{{"jsonrpc":"2.0","id":0,"error":{{"code":-32022,"message":"{says}","data":{{"supported":["2026-07-28"],"requested":"2025-11-25"}}}}}}"#
            )
        );
    }
    for params in ["{}", "null", r#"{"protocolVersion":7}"#, "[]"] {
        let message =
            format!(r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{params}}}"#);
        assert_eq!(refusal(stream(&message)).0, 400);
    }
    // With the version in its `_meta` it is a request of that revision, which has no such method.
    let (status, code, message) = refusal(stream(&request(
        "initialize",
        r#""protocolVersion":"2025-11-25""#,
    )));
    assert_eq!((status, code), (404, -32601));
    assert!(message.contains("2026-07-28"), "{message}");
}

#[test]
fn the_context_is_what_came_beside_the_request() {
    let traceparent = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";
    let message = format!(
        r#"{{"jsonrpc":"2.0","id":"r\u0031","method":"tools/list","params":{{"_meta":{{
        "io.modelcontextprotocol/protocolVersion":"2026-07-28",
        "io.modelcontextprotocol/clientCapabilities":{{"sampling":{{}}}},
        "io.modelcontextprotocol/clientInfo":{{"name":"inspector","version":"2.12.0","title":"I"}},
        "io.modelcontextprotocol/logLevel":"warning",
        "progressToken":12345678901234567890123,
        "traceparent":"{traceparent}","tracestate":"v=1","com.example/other":[1]}}}}}}"#
    );
    let Call {
        context, reply_to, ..
    } = call(stream(&message));
    assert_eq!(reply_to.id().as_json(), r#""r\u0031""#);
    assert_eq!(&*context.request_id, "r1");
    assert_eq!(
        context.client,
        Some(std::sync::Arc::new(ClientInfo {
            name: "inspector".into(),
            version: "2.12.0".into()
        }))
    );
    assert_eq!(context.log_level, Some(LogLevel::Warning));
    assert_eq!(
        context.progress,
        Some(ProgressToken("12345678901234567890123".into()))
    );
    assert_eq!(context.trace.parent.as_deref(), Some(traceparent));
    assert_eq!(context.trace.state.as_deref(), Some("v=1"));
    let bare = call(stream(&request("tools/list", ""))).context;
    assert_eq!(
        (bare.client, bare.progress, bare.log_level),
        (None, None, None)
    );
}

#[test]
fn what_was_asked_comes_back_with_the_methods_that_ask() {
    let brought = r#""inputResponses":{"q":{"action":"accept"}},"requestState":"s""#;
    let all = Some(Behaviour::default());
    let face = face_offering(Offer {
        tools: all,
        resources: all,
        prompts: all,
        ..Offer::default()
    });
    for (method, members, asks) in [
        ("tools/call", r#""name":"t","#, true),
        ("prompts/get", r#""name":"p","#, true),
        ("resources/read", r#""uri":"a:b","#, true),
        ("tools/list", "", false),
    ] {
        let message = request(method, &format!("{members}{brought}"));
        let conversation = &mut Conversation::default();
        let step = receive(&face, Carrier::Stream(conversation), message.as_bytes());
        let input = call(step).context.input;
        let responses = json!(input.responses);
        let expected = match asks {
            true => (json!({"q": {"action": "accept"}}), Some("s")),
            false => (json!({}), None),
        };
        assert_eq!((responses, input.state.as_deref()), expected, "{method}");
    }
}

#[test]
fn optional_meta_is_judged_where_it_stands() {
    let with = |member: &str| {
        let meta = format!(
            "{},{member}}}",
            META.trim_start_matches(r#""_meta":"#)
                .trim_end_matches('}')
                .to_owned()
                + "}"
        );
        stream(&with_meta(&meta))
    };
    for member in [
        r#""io.modelcontextprotocol/logLevel":"verbose""#,
        r#""io.modelcontextprotocol/logLevel":"Warning""#,
        r#""io.modelcontextprotocol/logLevel":4"#,
        r#""progressToken":1.5"#,
        r#""progressToken":{}"#,
        r#""io.modelcontextprotocol/clientInfo":"me""#,
        r#""io.modelcontextprotocol/clientInfo":["me","1"]"#,
        r#""io.modelcontextprotocol/clientInfo":{"name":"me"}"#,
    ] {
        let (status, code, _) = refusal(with(member));
        assert_eq!((status, code), (200, -32602), "{member}");
    }
    for member in [
        r#""io.modelcontextprotocol/logLevel":null"#,
        r#""progressToken":null"#,
        r#""io.modelcontextprotocol/clientInfo":null"#,
        r#""traceparent":7,"tracestate":"a=1""#,
    ] {
        let context = call(with(member)).context;
        assert_eq!(context.trace, Default::default(), "{member}");
    }
    let context = call(with(r#""progressToken":"a\"\n""#)).context;
    assert_eq!(context.progress, Some(ProgressToken(r#""a\"\n""#.into())));
}

#[test]
fn notifications_in_a_stream_ask_for_nothing_but_a_cancellation() {
    for message in [
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed","params":{}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/never-heard-of"}"#,
        r#"{"jsonrpc":"2.0","method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","method":"tools/list","params":[]}"#,
        r#"{"method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":null}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1.5}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"requestId":2}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}"#,
    ] {
        assert!(matches!(stream(message), Step::Nothing), "{message}");
    }
    let message = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"r","requestId":"7"}}"#;
    match stream(message) {
        Step::Cancel { id, .. } => assert_eq!(id.as_json(), "\"7\""),
        other => panic!("{other:?}"),
    }
}
