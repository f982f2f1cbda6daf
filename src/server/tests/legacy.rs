//! Requests by HTTP of the revisions with a handshake: what outlives its caller, and what ends it.

use super::*;
use futures_util::{FutureExt as _, StreamExt as _};

const VERSION: &str = "2025-11-25";

/// A request of this method, as JSON, with these parameters.
fn old(id: &str, method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
}

fn tool(id: &str, name: &str, arguments: &str) -> String {
    let params =
        format!(r#"{{"name":"{name}","arguments":{arguments},"_meta":{{"progressToken":1}}}}"#);
    old(id, "tools/call", &params)
}

/// The headers of a session that begins here.
async fn session(server: &Server<Source>) -> HeaderMap {
    let params = format!(r#"{{"protocolVersion":"{VERSION}","capabilities":{{}}}}"#);
    let body = Bytes::from(old("0", "initialize", &params));
    let Reply::Began { session, .. } = server
        .post(Caller::default(), &HeaderMap::new(), body, true)
        .await
    else {
        panic!("no session");
    };
    let mut headers = HeaderMap::new();
    headers.insert("mcp-session-id", HeaderValue::try_from(session).unwrap());
    headers
}

async fn post(
    server: &Server<Source>,
    headers: &HeaderMap,
    message: &str,
    may_stream: bool,
) -> Reply {
    let body = Bytes::copy_from_slice(message.as_bytes());
    server
        .post(Caller::default(), headers, body, may_stream)
        .await
}

fn cancel(id: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
    )
}

fn code(reply: Reply) -> (u16, Value) {
    match reply {
        Reply::Message { status, body } => (
            status.as_u16(),
            json_of(&body.into_bytes())["error"]["code"].clone(),
        ),
        _ => panic!("another answer than one message"),
    }
}

async fn until(mut done: impl FnMut() -> bool) {
    while !done() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn a_call_goes_on_when_nobody_waits_for_it() {
    let (runtime, server) = server(Limits::default());
    let headers = session(&server).await;
    for (may_stream, message) in [
        (false, tool("1", "wait", "{}")),
        (true, tool("2", "wait", "{}")),
        (true, tool("3", "tell", r#"{"steps":[1,null]}"#)),
    ] {
        let ended = runtime.ended();
        let begun = runtime.begun();
        let mut waiting = Box::pin(post(&server, &headers, &message, may_stream));
        let reply = waiting.as_mut().now_or_never();
        until(|| runtime.begun() > begun).await;
        drop((waiting, reply));
        tokio::task::yield_now().await;
        assert_eq!(runtime.ended(), ended, "{message}");
        runtime.gate.add_permits(1);
        until(|| runtime.ended() > ended).await;
        // It had the permit, so it came to its end and was not dropped.
        assert_eq!(runtime.gate.available_permits(), 0, "{message}");
    }
}

#[tokio::test]
async fn a_cancelled_call_has_no_answer() {
    let (runtime, server) = server(Limits::default());
    let headers = session(&server).await;
    for may_stream in [false, true] {
        let ended = runtime.ended();
        let message = old("\"a\"", "tools/call", r#"{"name":"wait"}"#);
        let waiting = post(&server, &headers, &message, may_stream);
        let cancelling = async {
            until(|| runtime.begun() > ended).await;
            post(&server, &headers, &cancel("\"a\""), may_stream).await
        };
        let (reply, accepted) = tokio::join!(waiting, cancelling);
        assert!(matches!(accepted, Reply::Accepted));
        match reply {
            Reply::Stream(mut parts) => assert!(may_stream && parts.next().await.is_none()),
            Reply::Accepted => assert!(!may_stream),
            _ => panic!("an answer"),
        }
        assert_eq!(runtime.ended(), ended + 1);
    }
    // One that has said something says nothing more.
    let message = tool("7", "tell", r#"{"steps":[1,null,2]}"#);
    let Reply::Stream(mut parts) = post(&server, &headers, &message, true).await else {
        panic!("no stream");
    };
    assert!(matches!(parts.next().await, Some(Part::More(_))));
    post(&server, &headers, &cancel("7"), true).await;
    assert_eq!(parts.next().await, None);
}

#[tokio::test]
async fn there_are_as_many_in_flight_as_there_may_be() {
    let limits = Limits {
        outliving: 2,
        ..Limits::default()
    };
    let (runtime, server) = server(limits);
    let headers = session(&server).await;
    let wait = old("1", "tools/call", r#"{"name":"wait"}"#);
    let list = old("1", "tools/list", "{}");
    // Nobody waits for these two any more, and they have one id.
    for _ in 0..2 {
        assert!(
            post(&server, &headers, &wait, false)
                .now_or_never()
                .is_none()
        );
    }
    assert_eq!(
        code(post(&server, &headers, &list, false).await),
        (200, json!(-32603))
    );
    // Requests that stand alone are not counted among them.
    let modern = ask("1", "tools/list");
    let reply = post(&server, &mirror(&modern), &modern, false).await;
    assert!(matches!(reply, Reply::Message { status, .. } if status == 200));
    runtime.gate.add_permits(2);
    until(|| runtime.ended() >= 2).await;
    until(|| {
        let reply = post(&server, &headers, &list, false)
            .now_or_never()
            .unwrap();
        code(reply).1 == Value::Null
    })
    .await;
}

#[tokio::test]
async fn a_panic_and_a_limit_are_answered_as_in_every_revision() {
    let (_, server) = server(hasty());
    let headers = session(&server).await;
    for name in ["panic", "wait"] {
        let message = old("1", "tools/call", &format!(r#"{{"name":"{name}"}}"#));
        assert_eq!(
            code(post(&server, &headers, &message, false).await),
            (200, json!(-32603)),
            "{name}"
        );
    }
}

#[tokio::test]
async fn only_what_can_be_there_is_subscribed_to() {
    let (_, server) = server(Limits::default());
    let none = HeaderMap::new();
    assert!(
        server.stream(Caller::default(), &none).is_none()
            && server.end(Caller::default(), &none).is_none()
    );
    let headers = session(&server).await;
    let subscribe = |uri: &str| old("1", "resources/subscribe", &format!(r#"{{"uri":"{uri}"}}"#));
    // No resources are offered by this one.
    let reply = post(&server, &headers, &subscribe("a:1"), true).await;
    assert_eq!(code(reply), (200, json!(-32601)));
    assert!(matches!(
        server.stream(Caller::default(), &headers),
        Some(Reply::Stream(_))
    ));
    assert!(matches!(
        server.end(Caller::default(), &headers),
        Some(Reply::Ended)
    ));
    let gone = server.stream(Caller::default(), &headers).unwrap();
    assert_eq!(code(gone), (404, json!(-32001)));
}
