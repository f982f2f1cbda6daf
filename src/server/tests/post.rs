//! One message by HTTP.

use super::*;

async fn post(server: &Server<Source>, message: &str) -> (u16, Value) {
    let body = Bytes::copy_from_slice(message.as_bytes());
    match server
        .post(Caller::default(), &mirror(message), body, false)
        .await
    {
        Reply::Accepted => (202, Value::Null),
        Reply::Message { status, body } => (status.as_u16(), json_of(&body.into_bytes())),
        _ => panic!("another answer than one message"),
    }
}

#[tokio::test]
async fn messages_in_answers_out() {
    let (_, server) = server(Limits::default());
    let info = json!({"io.modelcontextprotocol/serverInfo": {"name": "scripted", "version": "1"}});
    let result = |id: Value, result: Value| json!({"jsonrpc": "2.0", "id": id, "result": result});
    let error = |id: Value, code: i64, message: &str| json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}});
    let text = |text: &str, is_error: bool| json!({"resultType": "complete", "content": [{"type": "text", "text": text}], "isError": is_error, "_meta": info});
    let table = [
        (
            ask("\"d\"", "server/discover"),
            200,
            result(
                json!("d"),
                json!({"resultType": "complete", "supportedVersions": ["2026-07-28", "2025-11-25", "2025-06-18"], "capabilities": {"tools": {}},
                       "_meta": info, "ttlMs": 0, "cacheScope": "public"}),
            ),
        ),
        (
            ask("-3", "tools/list"),
            200,
            result(
                json!(-3),
                json!({"resultType": "complete", "tools": [{"name": "echo", "inputSchema": {"type": "object"}}],
                       "ttlMs": 0, "cacheScope": "public", "_meta": info}),
            ),
        ),
        (
            call("1", "echo", r#"{"a":1}"#),
            200,
            result(json!(1), text(r#"{"a":1}"#, false)),
        ),
        (
            call("1", "echo", "null"),
            200,
            result(json!(1), text("{}", false)),
        ),
        (
            call("0", "fail", "{}"),
            200,
            result(json!(0), text("it broke", true)),
        ),
        (
            call("\"\"", "refuse", "{}"),
            200,
            error(json!(""), 1042, "not today"),
        ),
        (
            call("1", "nope", "{}"),
            200,
            error(json!(1), -32602, "Unknown tool: nope"),
        ),
        (
            ask("1", "tools/list").replace("{\"_meta", "{\"cursor\":\"x\",\"_meta"),
            200,
            error(json!(1), -32602, "Invalid cursor"),
        ),
        (
            ask("1", "ping"),
            404,
            error(json!(1), -32601, "Method not found: ping"),
        ),
        (
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.into(),
            202,
            Value::Null,
        ),
        (
            "[]".into(),
            400,
            json!({"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid request: batches are not supported"}}),
        ),
    ];
    for (message, status, body) in table {
        assert_eq!(post(&server, &message).await, (status, body), "{message}");
    }
}

#[tokio::test]
async fn what_is_refused_is_not_executed() {
    let (runtime, server) = server(Limits::default());
    let request = call("1", "echo", "{}");
    for message in [
        request.replace(r#""id":1,"#, ""),
        format!("[{request}]"),
        request.replace("2026-07-28", "2026-07-29"),
        request.replace("clientCapabilities", "x"),
        request.replace(r#""2.0""#, r#""2.1""#),
        ask("1", "nonsense"),
    ] {
        let (status, _) = post(&server, &message).await;
        assert!(status >= 400, "{status} {message}");
    }
    let mismatched = server
        .post(
            Caller::default(),
            &mirror(&call("1", "fail", "{}")),
            Bytes::from(request),
            false,
        )
        .await;
    assert!(matches!(mismatched, Reply::Message { status, .. } if status == 400));
    assert_eq!(runtime.begun(), 0);
}

#[tokio::test]
async fn two_clients_with_one_id_get_their_own_answers() {
    let (_, server) = server(Limits::default());
    let calls = (0..200).map(|number| {
        let server = &server;
        async move {
            let (_, body) = post(server, &call("1", "echo", &format!(r#"{{"n":{number}}}"#))).await;
            assert_eq!(body["id"], 1);
            assert_eq!(
                body["result"]["content"][0]["text"],
                format!(r#"{{"n":{number}}}"#)
            );
        }
    });
    futures_util::future::join_all(calls).await;
}

#[tokio::test]
async fn a_disconnect_cancels_the_request() {
    let (runtime, server) = server(Limits::default());
    let message = call("1", "wait", "{}");
    let headers = mirror(&message);
    let mut request =
        Box::pin(server.post(Caller::default(), &headers, Bytes::from(message), false));
    assert!(futures_util::poll!(&mut request).is_pending());
    assert_eq!((runtime.begun(), runtime.ended()), (1, 0));
    drop(request);
    assert_eq!(runtime.ended(), 1);
}

#[tokio::test]
async fn a_cancellation_by_post_reaches_no_request() {
    let (runtime, server) = server(Limits::default());
    let message = call("1", "wait", "{}");
    let headers = mirror(&message);
    let mut request =
        Box::pin(server.post(Caller::default(), &headers, Bytes::from(message), false));
    assert!(futures_util::poll!(&mut request).is_pending());
    let cancelled =
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    assert_eq!(post(&server, cancelled).await.0, 202);
    runtime.gate.add_permits(1);
    assert!(matches!(request.await, Reply::Message { status, .. } if status == 200));
}

#[tokio::test]
async fn a_panic_is_an_internal_error_of_that_request_alone() {
    let (_, server) = server(Limits::default());
    let (status, body) = post(&server, &call("7", "panic", "{}")).await;
    assert_eq!(status, 200);
    assert_eq!(
        body,
        json!({"jsonrpc": "2.0", "id": 7, "error": {"code": -32603, "message": "Internal error: the request failed unexpectedly"}})
    );
    assert_eq!(post(&server, &call("8", "echo", "{}")).await.0, 200);
}

#[tokio::test]
async fn a_request_that_takes_too_long_is_dropped_and_answered() {
    let (runtime, server) = server(hasty());
    let (status, body) = post(&server, &call("7", "wait", "{}")).await;
    assert_eq!(status, 200);
    assert_eq!(
        body["error"],
        json!({"code": -32603, "message": "Internal error: request timed out after 20 ms"})
    );
    assert_eq!(runtime.ended(), 1);
}

#[tokio::test]
async fn a_request_that_is_given_up_is_dropped_and_answered() {
    let runtime = Scripted::new("scripted");
    let shutdown = Shutdown::new();
    let source = Source::new(runtime.clone());
    let server = Server::new(source, Limits::default(), Hub::new(1), shutdown.clone());
    let message = call("7", "wait", "{}");
    let headers = mirror(&message);
    let mut request =
        Box::pin(server.post(Caller::default(), &headers, Bytes::from(message), false));
    assert!(futures_util::poll!(&mut request).is_pending());
    shutdown.give_up();
    match request.await {
        Reply::Message { body, .. } => assert_eq!(
            json_of(&body.into_bytes())["error"],
            json!({"code": -32603, "message": "Internal error: the server is stopping"})
        ),
        _ => panic!("no answer"),
    }
    assert_eq!(runtime.ended(), 1);
}

#[tokio::test]
async fn a_call_in_flight_keeps_the_runtime_it_started_with() {
    let old = Scripted::new("old");
    let source = Source::new(old.clone());
    let server = Server::new(
        source.clone(),
        Limits::default(),
        Hub::new(1),
        Shutdown::new(),
    );
    let message = call("1", "wait", "{}");
    let headers = mirror(&message);
    let mut request =
        Box::pin(server.post(Caller::default(), &headers, Bytes::from(message), false));
    assert!(futures_util::poll!(&mut request).is_pending());
    source.swap(Scripted::new("new"));
    let name = |body: &Value| {
        body["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"].clone()
    };
    assert_eq!(
        name(&post(&server, &call("2", "echo", "{}")).await.1),
        "new"
    );
    old.gate.add_permits(1);
    match request.await {
        Reply::Message { body, .. } => assert_eq!(name(&json_of(&body.into_bytes())), "old"),
        _ => panic!("no answer"),
    }
}

#[tokio::test]
async fn the_request_is_described_to_the_runtime() {
    let (runtime, server) = server(Limits::default());
    post(&server, &call("\"a\"", "echo", "{}")).await;
    post(&server, &ask("12", "tools/list")).await;
    let contexts = runtime.contexts.lock().unwrap();
    let seen: Vec<_> = contexts
        .iter()
        .map(|context| (&*context.request_id, context.method))
        .collect();
    assert_eq!(seen, [("a", "tools/call"), ("12", "tools/list")]);
}
