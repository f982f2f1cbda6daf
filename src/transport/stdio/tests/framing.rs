//! Lines in and lines out.

use super::*;

#[tokio::test]
async fn answers_come_a_line_each_and_notifications_have_none() {
    let mut client = start(options());
    client
        .send("answer one\nnote\r\n\n  \t \r\n\r\nanswer two\r\n")
        .await;
    assert_eq!(client.line().await, "one");
    assert_eq!(client.line().await, "two");
    let script = client.script.clone();
    let (lines, ended) = client.finish().await;
    assert_eq!(lines, [""; 0]);
    assert_eq!(ended.unwrap(), Ended::Eof);
    assert_eq!(script.now().received, ["answer one", "note", "answer two"]);
}

#[tokio::test]
async fn a_message_in_many_pieces_is_one() {
    let mut client = start(options());
    for piece in ["ans", "wer", " a b", "\r", "\n"] {
        client.send(piece).await;
        tokio::task::yield_now().await;
    }
    assert_eq!(client.line().await, "a b");
}

#[tokio::test]
async fn a_line_too_long_is_one_error_and_the_next_is_served() {
    let mut client = start(options());
    client.send(&format!("answer {}\n", "x".repeat(993))).await;
    assert_eq!(client.line().await, "x".repeat(993));
    client
        .send(&format!("answer {}", "x".repeat(1_000_000)))
        .await;
    assert_eq!(client.line().await, "longer than 1000");
    client.send("xxx\nanswer next\n").await;
    assert_eq!(client.line().await, "next");
    assert_eq!(client.script.now().received.len(), 2);
}

#[tokio::test]
async fn bytes_that_are_not_text_reach_the_session_as_they_are() {
    let mut client = start(options());
    client.input.write_all(b"answer \xff\0\n").await.unwrap();
    assert_eq!(client.line().await, "\u{fffd}\0");
}

#[tokio::test]
async fn a_partial_last_line_is_served() {
    let mut client = start(options());
    client.send("answer one\nanswer two").await;
    let (lines, ended) = client.finish().await;
    assert_eq!(lines, ["one", "two"]);
    assert_eq!(ended.unwrap(), Ended::Eof);
}

#[tokio::test]
async fn answers_leave_when_they_are_ready() {
    let mut client = start(options());
    client.send("work slow\nwork quick\nanswer now\n").await;
    assert_eq!(client.line().await, "now");
    client.script.release("quick");
    assert_eq!(client.line().await, "quick");
    client.script.release("slow");
    assert_eq!(client.line().await, "slow");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lines_are_never_interleaved() {
    let mut client = start(options());
    let mut expected = Vec::new();
    for number in 0..300 {
        // Small ones that are gathered, and ones larger than the pipe.
        let length = if number % 7 == 0 {
            70_000 + number
        } else {
            10 + number
        };
        expected.push(length);
        client.send(&format!("work {number} {length}\n")).await;
    }
    for number in (0..300).rev() {
        client.script.release(&number.to_string());
    }
    let (lines, ended) = client.finish().await;
    let mut lengths: Vec<_> = lines.iter().map(String::len).collect();
    assert!(
        lines
            .iter()
            .all(|line| line.bytes().all(|byte| byte == b'x'))
    );
    lengths.sort_unstable();
    expected.sort_unstable();
    assert_eq!(lengths, expected);
    assert_eq!(ended.unwrap(), Ended::Eof);
}

#[tokio::test]
async fn a_cancelled_request_has_no_answer() {
    let mut client = start(options());
    client.send("work one\nwork two\n").await;
    client.script.until(|log| log.begun.len() == 2).await;
    client.send("cancel one\ncancel unknown\n").await;
    client.script.until(|log| log.gone == ["one"]).await;
    client.script.release("one");
    client.script.release("two");
    let (lines, _) = client.finish().await;
    assert_eq!(lines, ["two"]);
}

#[tokio::test]
async fn a_panic_ends_one_request_only() {
    let mut client = start(options());
    client.send("work other\npanic\n").await;
    client.script.until(|log| log.gone == ["panic"]).await;
    client.script.release("other");
    assert_eq!(client.line().await, "other");
    client.send("answer still\n").await;
    assert_eq!(client.line().await, "still");
}
