//! A stream of messages.

use super::*;
use crate::protocol::{Carrier, Conversation, Step, receive};
use crate::server::in_flight::{InFlight, Refusal};
use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;

fn work(received: Received) -> BoxFuture<'static, Option<Bytes>> {
    match received {
        Received::Work(mut work) => Box::pin(async move {
            match work.parts.next().await? {
                Part::Last(answer) => Some(answer),
                Part::More(said) => panic!("said before the answer: {said:?}"),
            }
        }),
        Received::Answer(bytes) => panic!("answered at once: {bytes:?}"),
        Received::Nothing => panic!("nothing to do"),
    }
}

fn answer(received: Received) -> Value {
    match received {
        Received::Answer(bytes) => json_of(&bytes),
        Received::Work(_) => panic!("work"),
        Received::Nothing => panic!("nothing to do"),
    }
}

fn is_nothing(received: &Received) -> bool {
    matches!(received, Received::Nothing)
}

fn cancel(id: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
    )
}

async fn done(received: Received) -> Value {
    json_of(&work(received).await.expect("an answer"))
}

#[tokio::test]
async fn requests_are_work_that_ends_in_their_answer() {
    let (_, server) = server(Limits::default());
    let mut session = server.open();
    let body = done(session.receive(call("\"1\"", "echo", r#"{"a":[]}"#).as_bytes())).await;
    assert_eq!(body["id"], "1");
    assert_eq!(body["result"]["content"][0]["text"], r#"{"a":[]}"#);
    let body = done(session.receive((ask("2", "tools/list") + "\r").as_bytes())).await;
    assert_eq!(body["result"]["tools"][0]["name"], "echo");
    let body = done(session.receive(ask("3", "server/discover").as_bytes())).await;
    assert_eq!(body["result"]["supportedVersions"][0], "2026-07-28");
    let body = done(session.receive(call("4", "panic", "{}").as_bytes())).await;
    assert_eq!(
        (body["id"].clone(), body["error"]["code"].clone()),
        (json!(4), json!(-32603))
    );
}

#[test]
fn blank_lines_and_messages_without_id_get_no_answer() {
    let (runtime, server) = server(Limits::default());
    let mut session = server.open();
    for line in [
        "",
        " ",
        "\r",
        " \t \r",
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo"}}"#,
        &cancel("1"),
        &cancel("null"),
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
    ] {
        assert!(is_nothing(&session.receive(line.as_bytes())), "{line:?}");
    }
    assert_eq!(runtime.begun(), 0);
}

#[tokio::test]
async fn one_bad_line_does_not_end_the_session() {
    let (_, server) = server(Limits::default());
    let mut session = server.open();
    for (line, code) in [
        (&b"{nonsense"[..], -32700),
        (b"\xff\xfe", -32700),
        (b"[]", -32600),
        (b"{}", -32600),
    ] {
        let body = answer(session.receive(line));
        assert_eq!(body["error"]["code"], code);
        assert!(body.get("id").is_none());
    }
    let body = answer(session.receive(ask("9", "ping").as_bytes()));
    assert_eq!(
        (body["id"].clone(), body["error"]["code"].clone()),
        (json!(9), json!(-32601))
    );
    done(session.receive(call("1", "echo", "{}").as_bytes())).await;
}

#[test]
fn a_line_that_is_too_long_is_refused_without_id() {
    let (_, server) = server(Limits::default());
    assert_eq!(
        json_of(&server.open().too_long(4_194_304)),
        json!({"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid request: the message is longer than 4194304 bytes"}})
    );
}

#[tokio::test]
async fn one_slow_tool_stops_nothing() {
    let (runtime, server) = server(Limits::default());
    let mut session = server.open();
    let mut slow = work(session.receive(call("1", "wait", "{}").as_bytes()));
    assert!(futures_util::poll!(&mut slow).is_pending());
    done(session.receive(ask("2", "tools/list").as_bytes())).await;
    runtime.gate.add_permits(1);
    assert_eq!(json_of(&slow.await.unwrap())["id"], 1);
}

#[tokio::test]
async fn a_cancelled_request_stops_and_sends_nothing() {
    let (runtime, server) = server(Limits::default());
    let mut session = server.open();
    let mut running = work(session.receive(call("\"a\"", "wait", "{}").as_bytes()));
    let waiting = work(session.receive(call("2", "wait", "{}").as_bytes()));
    assert!(futures_util::poll!(&mut running).is_pending());
    assert!(is_nothing(
        &session.receive(cancel(r#""\u0061""#).as_bytes())
    ));
    assert!(is_nothing(&session.receive(cancel("2").as_bytes())));
    assert_eq!(running.await, None);
    assert_eq!(waiting.await, None);
    // The second was cancelled before its work began, and so it never did.
    assert_eq!((runtime.begun(), runtime.ended()), (1, 1));
}

#[tokio::test]
async fn a_cancellation_after_the_work_is_done_and_before_it_is_sent_still_holds() {
    let (runtime, server) = server(Limits::default());
    let mut session = server.open();
    let mut running = work(session.receive(call("1", "wait", "{}").as_bytes()));
    assert!(futures_util::poll!(&mut running).is_pending());
    runtime.gate.add_permits(1);
    assert!(is_nothing(&session.receive(cancel("1").as_bytes())));
    assert_eq!(running.await, None);
}

#[tokio::test]
async fn request_id_1_does_not_cancel_a_request_with_id_string_1() {
    let (runtime, server) = server(Limits::default());
    let mut session = server.open();
    let mut text = work(session.receive(call("\"1\"", "wait", "{}").as_bytes()));
    assert!(futures_util::poll!(&mut text).is_pending());
    for id in ["1", "\"01\"", "\"1 \"", "1.0", "null", "[\"1\"]"] {
        assert!(is_nothing(&session.receive(cancel(id).as_bytes())));
    }
    runtime.gate.add_permits(1);
    assert_eq!(json_of(&text.await.unwrap())["id"], "1");
    // Finished: a cancellation that comes late is ignored.
    assert!(is_nothing(&session.receive(cancel("\"1\"").as_bytes())));
}

#[tokio::test]
async fn an_id_in_flight_is_not_taken_twice() {
    let (runtime, server) = server(Limits::default());
    let mut session = server.open();
    let first = work(session.receive(call("1", "wait", "{}").as_bytes()));
    let body = answer(session.receive(call("1", "echo", "{}").as_bytes()));
    assert_eq!(
        (body["id"].clone(), body["error"]["code"].clone()),
        (json!(1), json!(-32600))
    );
    done(session.receive(call("\"1\"", "echo", "{}").as_bytes())).await;
    runtime.gate.add_permits(1);
    assert!(first.await.is_some());
    done(session.receive(call("1", "echo", "{}").as_bytes())).await;
}

#[tokio::test]
async fn an_id_is_free_as_soon_as_it_is_cancelled() {
    let (runtime, server) = server(Limits::default());
    let mut session = server.open();
    let mut first = work(session.receive(call("1", "wait", "{}").as_bytes()));
    assert!(futures_util::poll!(&mut first).is_pending());
    assert!(is_nothing(&session.receive(cancel("1").as_bytes())));
    let mut second = work(session.receive(call("1", "wait", "{}").as_bytes()));
    assert!(futures_util::poll!(&mut second).is_pending());
    // The end of the first does not give up the place of the second.
    assert_eq!(first.await, None);
    assert_eq!(
        answer(session.receive(call("1", "echo", "{}").as_bytes()))["error"]["code"],
        -32600
    );
    runtime.gate.add_permits(1);
    assert!(second.await.is_some());
}

#[tokio::test]
async fn over_the_bound_a_request_gets_an_error_and_the_reader_goes_on() {
    let (_, server) = server(Limits {
        in_flight: 2,
        ..Limits::default()
    });
    let mut session = server.open();
    let first = work(session.receive(call("1", "wait", "{}").as_bytes()));
    let _second = work(session.receive(call("2", "wait", "{}").as_bytes()));
    let body = answer(session.receive(call("3", "echo", "{}").as_bytes()));
    assert_eq!(
        (body["id"].clone(), body["error"]["code"].clone()),
        (json!(3), json!(-32603))
    );
    assert!(
        body["error"]["message"]
            .as_str()
            .unwrap()
            .contains("2 requests are in flight")
    );
    // A cancellation frees a place, and so does work that the transport drops.
    assert!(is_nothing(&session.receive(cancel("2").as_bytes())));
    done(session.receive(call("4", "echo", "{}").as_bytes())).await;
    drop(first);
    let both = [call("5", "echo", "{}"), call("6", "echo", "{}")];
    let both = both.map(|message| work(session.receive(message.as_bytes())));
    assert!(
        futures_util::future::join_all(both)
            .await
            .iter()
            .all(Option::is_some)
    );
}

#[tokio::test]
async fn dropping_the_session_cancels_all_that_is_in_flight() {
    let (runtime, server) = server(Limits::default());
    let mut session = server.open();
    let mut works = Vec::new();
    for id in 0..10 {
        let mut work = work(session.receive(call(&id.to_string(), "wait", "{}").as_bytes()));
        assert!(futures_util::poll!(&mut work).is_pending());
        works.push(work);
    }
    drop(session);
    assert!(
        futures_util::future::join_all(works)
            .await
            .iter()
            .all(Option::is_none)
    );
    assert_eq!((runtime.begun(), runtime.ended()), (10, 10));
}

#[tokio::test]
async fn a_request_that_takes_too_long_is_answered_and_its_place_is_free() {
    let (runtime, server) = server(hasty());
    let mut session = server.open();
    let body = done(session.receive(call("1", "wait", "{}").as_bytes())).await;
    assert_eq!(
        body["error"]["message"],
        "Internal error: request timed out after 20 ms"
    );
    assert_eq!(runtime.ended(), 1);
    done(session.receive(call("1", "echo", "{}").as_bytes())).await;
}

#[tokio::test]
async fn finished_requests_leave_nothing_behind() {
    let (_, server) = server(Limits {
        in_flight: 1,
        ..Limits::default()
    });
    let mut session = server.open();
    for number in 0..20_000 {
        let received = session.receive(call(&number.to_string(), "fail", "{}").as_bytes());
        assert!(work(received).await.is_some());
    }
}

#[test]
fn places_are_given_up_once_and_only_by_their_own_request() {
    let id = |json: &str| {
        let mut conversation = Conversation::default();
        let carrier = Carrier::Stream(&mut conversation);
        match receive(Scripted::new("s").face(), carrier, cancel(json).as_bytes()) {
            Step::Cancel { id, .. } => id,
            other => panic!("{other:?}"),
        }
    };
    let in_flight = InFlight::new(1);
    let place = in_flight.begin(&id("1")).unwrap();
    assert_eq!(in_flight.begin(&id("1")).unwrap_err(), Refusal::Duplicate);
    assert_eq!(in_flight.begin(&id("2")).unwrap_err(), Refusal::Full(1));
    assert!(!in_flight.cancel(&id("2")));
    assert!(in_flight.cancel(&id("1")) && !in_flight.cancel(&id("1")));
    let again = in_flight.begin(&id("1")).unwrap();
    assert!(!place.finish());
    assert_eq!(in_flight.begin(&id("2")).unwrap_err(), Refusal::Full(1));
    assert!(again.finish());
    assert!(in_flight.begin(&id("2")).unwrap().finish());
}
