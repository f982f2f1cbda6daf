//! Clients that read slowly, or never.

use super::*;
use futures_util::FutureExt as _;

#[tokio::test]
async fn reading_goes_on_while_a_large_answer_leaves() {
    let mut client = start(options());
    client
        .send("work large 8388608\nwork other\nanswer queued\n")
        .await;
    client.script.release("large");
    client.script.until(|log| log.gone == ["large"]).await;
    // The pipe is full by now, or soon: nothing of the answer is read yet.
    client.send("cancel other\n").await;
    client
        .script
        .until(|log| log.gone == ["large", "other"])
        .await;
    client.send("answer after\n").await;
    assert_eq!(client.line().await, "queued");
    let large = client.line().await;
    assert!(large.len() == 8_388_608 && large.bytes().all(|byte| byte == b'x'));
    assert_eq!(client.line().await, "after");
}

#[tokio::test]
async fn an_answer_larger_than_the_bound_does_not_stop_the_reading() {
    let options = StdioOptions {
        max_unsent_bytes: 1000,
        ..options()
    };
    let mut client = start(options);
    client.send("work large 8388608\n").await;
    client.script.release("large");
    client.script.until(|log| log.gone == ["large"]).await;
    client.send("answer still here\n").await;
    client.script.until(|log| log.received.len() == 2).await;
    assert_eq!(client.line().await.len(), 8_388_608);
    assert_eq!(client.line().await, "still here");
}

#[tokio::test]
async fn no_work_begins_while_too_much_is_unsent() {
    let options = StdioOptions {
        max_unsent_bytes: 200_000,
        ..options()
    };
    let mut client = start(options);
    client.send("work first 300000\n").await;
    client.script.release("first");
    client.script.until(|log| log.gone == ["first"]).await;
    client.send("work second\nnote\n").await;
    client.script.release("second");
    // Received, and in flight, but not begun: its answer would have to be kept as well.
    let log = client.script.until(|log| log.received.len() == 3).await;
    assert_eq!(log.begun, ["first"]);
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert_eq!(client.script.now().begun, ["first"]);
    assert_eq!(client.line().await.len(), 300_000);
    assert_eq!(client.line().await, "second");
}

#[tokio::test]
async fn work_that_was_cancelled_before_it_began_is_not_held() {
    let options = StdioOptions {
        max_unsent_bytes: 200_000,
        ..options()
    };
    let mut client = start(options);
    client.send("work first 300000\n").await;
    client.script.release("first");
    client.script.until(|log| log.gone == ["first"]).await;
    // The client reads nothing, so none of these may begin, and none may stay.
    for number in 0..100 {
        client
            .send(&format!("work {number}\ncancel {number}\n"))
            .await;
    }
    let log = client.script.until(|log| log.gone.len() == 101).await;
    assert_eq!(log.begun, ["first"]);
}

#[tokio::test]
async fn reading_stops_for_a_client_that_never_reads_and_goes_on_once_it_does() {
    let options = StdioOptions {
        max_unsent_bytes: 100_000,
        ..options()
    };
    let mut client = start(options);
    // 1 MB of answers to 500 KB of requests: all are taken only if all the answers are held.
    let requests = format!("fill 936 {}\n", "-".repeat(490)).repeat(1000);
    let mut sent = 0;
    let mut turns = 0;
    // The runtime has one thread: each turn, everyone else who can go on does.
    while turns < 1000 {
        match client
            .input
            .write(&requests.as_bytes()[sent..])
            .now_or_never()
        {
            Some(length) => {
                sent += length.unwrap();
                turns = 0;
            }
            None => turns += 1,
        }
        assert!(sent < requests.len(), "the transport reads on and on");
        tokio::task::yield_now().await;
    }
    // Each answer counts 1000: the bound, and what the output's pipe and the writer hold.
    let held = client.script.now().received.len();
    assert!((100..300).contains(&held), "{held}");
    let mut input = client.input;
    let rest = requests.as_bytes()[sent..].to_vec();
    let sending = tokio::spawn(async move { input.write_all(&rest).await });
    let mut answers = 0;
    let mut line = String::new();
    while client.output.read_line(&mut line).await.unwrap() > 0 {
        assert_eq!(line.len(), 937);
        answers += 1;
        line.clear();
    }
    assert_eq!(answers, 1000);
    sending.await.unwrap().unwrap();
    assert_eq!(ended(client.serving).await.unwrap(), Ended::Eof);
}
