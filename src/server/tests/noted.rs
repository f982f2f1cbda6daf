//! What a request says before its answer.

use super::*;
use futures_util::{StreamExt as _, poll};

/// A call of `tell` with these steps, by a caller who wants progress and log messages.
fn tell(id: &str, steps: Value) -> String {
    let arguments = json!({ "steps": steps }).to_string();
    let wants = r#""_meta":{"progressToken":"t","io.modelcontextprotocol/logLevel":"info","#;
    call(id, "tell", &arguments).replace(r#""_meta":{"#, wants)
}

async fn post(server: &Server<Source>, message: &str, may_stream: bool) -> Reply {
    let body = Bytes::copy_from_slice(message.as_bytes());
    server
        .post(Caller::default(), &mirror(message), body, may_stream)
        .await
}

fn stream(reply: Reply) -> Parts {
    match reply {
        Reply::Stream(parts) => parts,
        Reply::Message { body, .. } => panic!("one message: {body:?}"),
        _ => panic!("no answer"),
    }
}

fn work(received: Received) -> Work {
    match received {
        Received::Work(work) => work,
        _ => panic!("no work"),
    }
}

/// What a notification says: progress as a number, a log message as its data; an answer as its id.
fn said(part: Option<Part>) -> Value {
    match part {
        None => json!("the end"),
        Some(Part::Last(answer)) => json!({ "id": json_of(&answer)["id"] }),
        Some(Part::More(notice)) => {
            let notice = json_of(&notice);
            assert!(notice.get("id").is_none());
            match notice["method"].as_str() {
                Some("notifications/progress") => {
                    assert_eq!(notice["params"]["progressToken"], "t");
                    notice["params"]["progress"].clone()
                }
                Some("notifications/message") => {
                    assert_eq!(notice["params"]["level"], "info");
                    notice["params"]["data"].clone()
                }
                _ => panic!("{notice}"),
            }
        }
    }
}

#[tokio::test]
async fn what_was_said_comes_before_the_answer_in_a_stream() {
    let (_, server) = server(Limits::default());
    let steps = json!([1, "a", 2, "b", 2, 1, 3]);
    let mut parts = stream(post(&server, &tell("7", steps), true).await);
    let mut all = Vec::new();
    while let Some(part) = parts.next().await {
        all.push(said(Some(part)));
    }
    assert_eq!(json!(all), json!(["a", "b", 3, {"id": 7}]));
}

#[tokio::test]
async fn without_a_word_or_a_wish_or_a_way_there_is_one_message() {
    let (_, server) = server(Limits::default());
    let one = |reply| matches!(reply, Reply::Message { status, .. } if status == 200);
    assert!(one(post(&server, &tell("1", json!([])), true).await));
    assert!(one(post(&server, &tell("1", json!([1, "a"])), false).await));
    let silent = call("1", "tell", r#"{"steps":[1,"a"]}"#);
    assert!(one(post(&server, &silent, true).await));
}

#[tokio::test]
async fn a_stream_begins_with_the_first_word_and_its_work_goes_on_unread() {
    let (runtime, server) = server(Limits::default());
    let message = tell("7", json!([null, 1, null, 2]));
    let mut reply = Box::pin(post(&server, &message, true));
    assert!(poll!(&mut reply).is_pending());
    runtime.gate.add_permits(1);
    let mut parts = stream(reply.await);
    assert_eq!(said(parts.next().await), json!(1));
    runtime.gate.add_permits(1);
    // Nobody reads, and yet it ends.
    while runtime.ended() == 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(said(parts.next().await), json!(2));
    assert_eq!(said(parts.next().await), json!({"id": 7}));
    assert_eq!(said(parts.next().await), json!("the end"));
}

#[tokio::test]
async fn dropping_the_stream_cancels_the_request() {
    let (runtime, server) = server(Limits::default());
    let message = tell("7", json!([1, null]));
    let parts = stream(post(&server, &message, true).await);
    assert_eq!((runtime.begun(), runtime.ended()), (1, 0));
    drop(parts);
    while runtime.ended() == 0 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn progress_waits_for_its_turn_and_the_last_of_it_is_sent() {
    let (runtime, server) = server(Limits::default());
    let message = tell("7", json!([1, 2, 3, null]));
    // The first report is due at once, and by then it is the third.
    let mut parts = stream(post(&server, &message, true).await);
    assert_eq!(said(parts.next().await), json!(3));
    assert!(poll!(parts.next()).is_pending());
    runtime.gate.add_permits(1);
    assert_eq!(said(parts.next().await), json!({"id": 7}));
}

#[tokio::test]
async fn a_request_that_times_out_ends_its_stream_with_the_error() {
    let (_, server) = server(hasty());
    let mut parts = stream(post(&server, &tell("7", json!([1, null])), true).await);
    assert_eq!(said(parts.next().await), json!(1));
    let Some(Part::Last(answer)) = parts.next().await else {
        panic!("no answer")
    };
    assert_eq!(json_of(&answer)["error"]["code"], -32603);
    assert_eq!(parts.next().await, None);
}

#[tokio::test]
async fn in_a_stream_of_messages_it_comes_before_the_answer_too() {
    let (runtime, server) = server(Limits::default());
    let mut session = server.open();
    let received = session.receive(tell("7", json!(["a", null, 1])).as_bytes());
    let mut work = work(received);
    assert_eq!(said(work.parts.next().await), json!("a"));
    assert!(poll!(work.parts.next()).is_pending());
    runtime.gate.add_permits(1);
    assert_eq!(said(work.parts.next().await), json!(1));
    assert_eq!(said(work.parts.next().await), json!({"id": 7}));
    assert_eq!(said(work.parts.next().await), json!("the end"));
    // Its id is free again.
    let received = session.receive(tell("7", json!([])).as_bytes());
    assert!(matches!(received, Received::Work(_)));
}

#[tokio::test]
async fn after_a_cancellation_nothing_more_is_said() {
    let (runtime, server) = server(Limits::default());
    let mut session = server.open();
    let received = session.receive(tell("7", json!([1, null, "a"])).as_bytes());
    let mut work = work(received);
    assert_eq!(said(work.parts.next().await), json!(1));
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#;
    assert!(matches!(
        session.receive(cancel.as_bytes()),
        Received::Nothing
    ));
    runtime.gate.add_permits(1);
    assert_eq!(said(work.parts.next().await), json!("the end"));
    drop(work);
    while runtime.ended() == 0 {
        tokio::task::yield_now().await;
    }
}
