//! The headers that mirror a request, over HTTP.

use super::*;

const VERSION: (&str, &str) = ("mcp-protocol-version", "2026-07-28");

fn add(name: &str) -> String {
    request("tools/call", &format!(r#""name":{}"#, json!(name)))
}

fn mismatch(headers: &[(&'static str, &str)], message: &str) -> String {
    let step = post(&mirror(headers), message);
    assert!(refused(post(&mirror(headers), message)).contains(r#""id":1,"#));
    let (status, code, message) = refusal(step);
    assert_eq!((status, code), (400, -32020), "{message}");
    message
}

#[test]
fn requests_whose_headers_mirror_the_body_are_served() {
    for (headers, message) in [
        (
            mirror(&[VERSION, ("mcp-method", "tools/list")]),
            request("tools/list", ""),
        ),
        (
            mirror(&[
                VERSION,
                ("mcp-method", "server/discover"),
                ("mcp-session-id", "x"),
                ("last-event-id", "1"),
            ]),
            request("server/discover", ""),
        ),
        (
            mirror(&[
                VERSION,
                ("mcp-method", "tools/list"),
                ("mcp-name", "ignored"),
            ]),
            request("tools/list", ""),
        ),
        (
            mirror(&[VERSION, ("mcp-method", "tools/call"), ("mcp-name", "add")]),
            add("add"),
        ),
        (
            mirror(&[
                VERSION,
                ("mcp-method", "tools/call"),
                ("mcp-name", "=?base64?YWRk?="),
            ]),
            add("add"),
        ),
        (
            mirror(&[
                VERSION,
                ("mcp-method", "tools/call"),
                ("mcp-name", "=?base64?SGVsbG8sIOS4lueVjA==?="),
            ]),
            add("Hello, 世界"),
        ),
        (
            mirror(&[
                VERSION,
                ("mcp-method", "tools/call"),
                ("mcp-name", "=?base64?IHBhZGRlZCA=?="),
            ]),
            add(" padded "),
        ),
        (
            mirror(&[
                VERSION,
                ("mcp-method", "tools/call"),
                ("mcp-name", "=?base64?bGluZTEKbGluZTI=?="),
            ]),
            add("line1\nline2"),
        ),
        (
            mirror(&[
                VERSION,
                ("mcp-method", "tools/call"),
                ("mcp-name", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
            ]),
            add("=?base64?literal?="),
        ),
        (
            mirror(&[
                VERSION,
                ("mcp-method", "tools/call"),
                ("mcp-name", "=?base64?="),
            ]),
            add("=?base64?="),
        ),
        (
            mirror(&[
                VERSION,
                ("mcp-method", "tools/call"),
                ("mcp-name", "=?BASE64?YWRk?="),
            ]),
            add("=?BASE64?YWRk?="),
        ),
        (
            mirror(&[
                VERSION,
                ("mcp-method", "tools/call"),
                ("mcp-name", "=?base64??="),
            ]),
            add(""),
        ),
    ] {
        call(post(&headers, &message));
    }
}

#[test]
fn a_missing_header_is_a_mismatch() {
    let (method, name) = (("mcp-method", "tools/call"), ("mcp-name", "add"));
    assert_eq!(
        mismatch(&[method, name], &add("add")),
        "Header mismatch: the MCP-Protocol-Version header is missing"
    );
    assert_eq!(
        mismatch(&[VERSION, name], &add("add")),
        "Header mismatch: the Mcp-Method header is missing"
    );
    assert_eq!(
        mismatch(&[VERSION, method], &add("add")),
        "Header mismatch: the Mcp-Name header is missing"
    );
    for (wanted, member) in [
        ("resources/read", r#""uri":"file:///a""#),
        ("prompts/get", r#""name":"p""#),
    ] {
        let message = mismatch(&[VERSION, ("mcp-method", wanted)], &request(wanted, member));
        assert_eq!(message, "Header mismatch: the Mcp-Name header is missing");
    }
    // Also of a method nobody knows: it is not known to be unknown before it is known to be asked.
    mismatch(&[VERSION], &request("nonsense", ""));
}

#[test]
fn a_header_that_differs_from_the_body_is_a_mismatch() {
    let method = ("mcp-method", "tools/call");
    assert_eq!(
        mismatch(&[VERSION, method, ("mcp-name", "foo")], &add("bar")),
        "Header mismatch: Mcp-Name header value 'foo' does not match body value 'bar'"
    );
    assert_eq!(
        mismatch(
            &[VERSION, ("mcp-method", "tools/list"), ("mcp-name", "add")],
            &add("add")
        ),
        "Header mismatch: Mcp-Method header value 'tools/list' does not match body value 'tools/call'"
    );
    assert_eq!(
        mismatch(
            &[
                ("mcp-protocol-version", "2025-11-25"),
                method,
                ("mcp-name", "add")
            ],
            &add("add")
        ),
        "Header mismatch: MCP-Protocol-Version header value '2025-11-25' does not match body value '2026-07-28'"
    );
    for name in ["Add", "add ", "add,add", "=?base64?QWRk?="] {
        mismatch(&[VERSION, method, ("mcp-name", name)], &add("add"));
    }
    mismatch(
        &[VERSION, ("mcp-method", "Tools/Call"), ("mcp-name", "add")],
        &add("add"),
    );
    mismatch(
        &[
            VERSION,
            ("mcp-method", "=?base64?dG9vbHMvY2FsbA==?="),
            ("mcp-name", "add"),
        ],
        &add("add"),
    );
}

#[test]
fn a_malformed_or_repeated_header_is_a_mismatch() {
    let method = ("mcp-method", "tools/call");
    for encoded in [
        "=?base64?YWR?=",
        "=?base64?YW Rk?=",
        "=?base64?/w==?=",
        "=?base64?YWR=?=",
        "=?base64?%%%%?=",
    ] {
        assert_eq!(
            mismatch(&[VERSION, method, ("mcp-name", encoded)], &add("add")),
            "Header mismatch: the Mcp-Name header is not Base64 of UTF-8"
        );
    }
    assert_eq!(
        mismatch(&[VERSION, method, ("mcp-name", "é")], &add("é")),
        "Header mismatch: the Mcp-Name header holds characters that are not visible ASCII"
    );
    assert_eq!(
        mismatch(
            &[VERSION, method, ("mcp-name", "add"), ("mcp-name", "add")],
            &add("add")
        ),
        "Header mismatch: the Mcp-Name header stands more than once"
    );
    mismatch(
        &[VERSION, VERSION, method, ("mcp-name", "add")],
        &add("add"),
    );
}

#[test]
fn header_and_body_of_one_unsupported_version_are_told_the_supported_ones() {
    let message = with_meta(r#"{"io.modelcontextprotocol/protocolVersion":"2024-11-05"}"#);
    for headers in [
        mirror(&[
            ("mcp-protocol-version", "2024-11-05"),
            ("mcp-method", "tools/list"),
        ]),
        mirror(&[("mcp-protocol-version", "2024-11-05")]),
    ] {
        let (status, code, _) = refusal(post(&headers, &message));
        assert_eq!((status, code), (400, -32022));
    }
    let (status, code, _) = refusal(post(&mirror(&[VERSION]), &message));
    assert_eq!((status, code), (400, -32020));
}

#[test]
fn a_body_without_its_name_is_refused_for_that() {
    let headers = mirror(&[VERSION, ("mcp-method", "tools/call")]);
    let (status, code, message) = refusal(post(&headers, &request("tools/call", "")));
    assert_eq!((status, code), (200, -32602), "{message}");
}

#[test]
fn a_body_without_its_meta_is_refused_for_that_whatever_its_headers() {
    let message = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}"#;
    for headers in [
        HeaderMap::new(),
        mirror(&[VERSION, ("mcp-method", "tools/list")]),
    ] {
        let (status, code, _) = refusal(post(&headers, message));
        assert_eq!((status, code), (400, -32602));
    }
}

#[test]
fn every_notification_over_http_is_taken_with_any_headers() {
    for message in [
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/never-heard-of"}"#,
    ] {
        for headers in [
            HeaderMap::new(),
            mirror(&[("mcp-protocol-version", "1999-01-01")]),
        ] {
            assert!(
                matches!(post(&headers, message), Step::Nothing),
                "{message}"
            );
        }
    }
}

#[test]
fn over_http_a_request_method_without_id_is_400() {
    let headers = mirror(&[VERSION, ("mcp-method", "tools/call"), ("mcp-name", "add")]);
    for message in [
        add("add").replace(r#""id":1,"#, ""),
        r#"{"jsonrpc":"2.0","method":"anything"}"#.into(),
        r#"{"jsonrpc":"2.0","method":"notifications"}"#.into(),
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#.into(),
        r#"{"method":"notifications/initialized"}"#.into(),
    ] {
        let body = refused(post(&headers, &message));
        assert!(!body.contains(r#""id""#), "{body}");
        let (status, code, _) = refusal(post(&headers, &message));
        assert_eq!((status, code), (400, -32600), "{message}");
    }
}

#[test]
fn over_http_unreadable_bodies_are_400() {
    for (body, code) in [("", -32700), ("{", -32700), ("[]", -32600), ("7", -32600)] {
        let (status, found, _) = refusal(post(&HeaderMap::new(), body));
        assert_eq!((status, found), (400, code), "{body}");
    }
}

/// A server with one tool, two of whose arguments stand in headers; callers need a scope for it.
fn mirroring() -> Face {
    let schema = json!({ "type": "object", "properties": {
        "a": { "type": "string", "x-mcp-header": "A" },
        "n": { "type": "integer", "x-mcp-header": "N" } } });
    let params = crate::lang::schema::header_params(&schema).unwrap();
    let scopes: std::sync::Arc<[String]> = ["s".to_owned()].into();
    let tools = [
        ("t", (params.as_slice(), &scopes)),
        ("u", (&[][..], &scopes)),
    ];
    face().with_mirrored(tools.into_iter())
}

#[test]
fn mirrored_arguments_agree_with_their_headers_for_who_may_use_the_tool() {
    let face = mirroring();
    let known = Caller::known("p", vec!["s".into()], None, Default::default());
    let missing = "the Mcp-Param-A header is missing";
    let of_nothing = "the Mcp-Param-A header has no value in the body";
    let other = "the Mcp-Param-A header does not match the value in the body";
    for (caller, arguments, headers, wrong) in [
        (&known, json!({}), &[][..], None),
        (
            &known,
            json!({ "a": "x" }),
            &[("mcp-param-a", "x")][..],
            None,
        ),
        (
            &known,
            json!({ "a": "x" }),
            &[("mcp-param-a", "y")],
            Some(other),
        ),
        (&known, json!({ "a": "x" }), &[], Some(missing)),
        (&known, json!({}), &[("mcp-param-a", "x")], Some(of_nothing)),
        // What has no form as a header; its schema refuses it.
        (&known, json!({ "a": ["x"] }), &[], None),
        (&known, json!({ "a": { "b": 1 } }), &[], None),
        (
            &known,
            json!({ "a": ["x"] }),
            &[("mcp-param-a", "x")],
            Some(of_nothing),
        ),
        (&known, json!({ "n": 10 }), &[("mcp-param-n", "10.0")], None),
        // Who may not use the tool is told nothing of its arguments.
        (&Caller::NOBODY, json!({ "a": "x" }), &[], None),
    ] {
        let message = request(
            "tools/call",
            &format!(r#""name":"t","arguments":{arguments}"#),
        );
        let mut all = vec![VERSION, ("mcp-method", "tools/call"), ("mcp-name", "t")];
        all.extend(headers);
        let headers = mirror(&all);
        let head = Head {
            caller,
            ..head(&headers)
        };
        let step = receive(&face, Carrier::Http(head), message.as_bytes());
        match wrong {
            None => assert_eq!(
                call(step).context.caller.principal(),
                caller.principal(),
                "{arguments} {all:?}"
            ),
            Some(why) => {
                let (status, code, message) = refusal(step);
                assert_eq!((status, code), (400, -32020));
                assert!(message.ends_with(why), "{message}");
            }
        }
    }
}
