//! What each wrapper does to calls that are counted. Time is the test's own.

use super::*;
use crate::ops::{Block, ToolOutcome};
use serde_json::{Map, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::time::{advance, sleep};

fn template(source: &str) -> Template {
    Template::parse(source).unwrap()
}

fn scope(key: &str) -> Scope {
    let mut args = Map::new();
    args.insert("key".into(), json!(key));
    Scope::new().with("args", Arc::new(args))
}

fn answer(text: &str) -> Answer {
    Answer::Tool(ToolOutcome {
        content: vec![Block::text(text)],
        ..ToolOutcome::default()
    })
}

/// A call that takes a while, and answers how many there were before it.
struct Counted<'a> {
    calls: &'a AtomicUsize,
    slot: &'a str,
    millis: u64,
    fails: bool,
}

impl Inside for Counted<'_> {
    fn component(&self) -> (Kind, &str) {
        (Kind::Tool, "t")
    }

    fn slot(&self) -> &str {
        self.slot
    }

    fn root(&self) -> &'static str {
        "args"
    }

    fn checked(&self, arguments: Map<String, Value>) -> Result<Map<String, Value>, String> {
        Ok(arguments)
    }

    fn answer(&self, given: Value) -> Result<Answer, String> {
        Ok(answer(&given.to_string()))
    }

    fn run(&self, _: Scope) -> BoxFuture<'_, Outcome> {
        let call = async {
            let number = self.calls.fetch_add(1, Ordering::SeqCst);
            sleep(Duration::from_millis(self.millis)).await;
            match self.fails {
                true => Ok(Answer::Tool(ToolOutcome::error("no"))),
                false => Ok(answer(&number.to_string())),
            }
        };
        call.boxed()
    }
}

async fn call(wraps: &Wraps, calls: &AtomicUsize, key: &str, slot: &str, millis: u64) -> Outcome {
    let inside = Counted {
        calls,
        slot,
        millis,
        fails: false,
    };
    wraps.around(&inside, scope(key)).await
}

/// Wrappers of these kinds. None of them is an actor.
fn wraps(specs: &[WrapSpec]) -> Wraps {
    let shutdown = crate::shutdown::Shutdown::new();
    let starter = crate::process::Starter::new(std::path::PathBuf::new());
    Wraps::new(specs, &Actors::for_test(&shutdown, starter))
}

fn refusal(outcome: Outcome) -> String {
    match outcome {
        Err(Stop::Refused(text)) => text,
        other => panic!("not refused: {other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_takes_too_long_is_dropped() {
    let wraps = wraps(&[WrapSpec::Timeout(Duration::from_millis(50))]);
    let calls = AtomicUsize::new(0);
    assert!(call(&wraps, &calls, "", "", 49).await.is_ok());
    let text = refusal(call(&wraps, &calls, "", "", 51).await);
    assert_eq!(text, "timed out after 50 ms");
}

#[tokio::test(start_paused = true)]
async fn so_many_run_and_so_many_wait() {
    let wraps = wraps(&[WrapSpec::Concurrency { limit: 2, queue: 1 }]);
    let calls = AtomicUsize::new(0);
    let one = call(&wraps, &calls, "", "", 10);
    let two = call(&wraps, &calls, "", "", 10);
    let three = call(&wraps, &calls, "", "", 10);
    let four = async {
        tokio::task::yield_now().await;
        assert_eq!(calls.load(Ordering::SeqCst), 2);
        let text = refusal(call(&wraps, &calls, "", "", 10).await);
        assert_eq!(
            text,
            "too busy: at most 2 at a time and 1 waiting; try again later"
        );
    };
    let (one, two, three, ()) = tokio::join!(one, two, three, four);
    assert!(one.is_ok() && two.is_ok() && three.is_ok());
    // One that is dropped while it runs, and one while it waits, give their places back.
    for _ in 0..5 {
        let all = [(); 3].map(|()| call(&wraps, &calls, "", "", 1000).boxed());
        let all = futures_util::future::join_all(all);
        let dropped = tokio::time::timeout(Duration::from_millis(5), all).await;
        assert!(dropped.is_err());
        // Neither place that was to run in, nor the one to wait in, is taken.
        let all = [(); 3].map(|()| call(&wraps, &calls, "", "", 1).boxed());
        let all = futures_util::future::join_all(all).await;
        assert!(all.iter().all(Result::is_ok), "{all:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn no_stretch_holds_more_calls_than_the_limit() {
    let wraps = wraps(&[WrapSpec::RateLimit {
        limit: 2,
        window: Duration::from_secs(1),
        key: Some(template("{{ args.key }}")),
    }]);
    let calls = AtomicUsize::new(0);
    assert!(call(&wraps, &calls, "a", "", 0).await.is_ok());
    advance(Duration::from_millis(900)).await;
    assert!(call(&wraps, &calls, "a", "", 0).await.is_ok());
    let text = refusal(call(&wraps, &calls, "a", "", 0).await);
    assert!(
        text == "rate limit reached: 2 in 1 s; try again in 100 ms",
        "{text}"
    );
    // Others have their own count.
    assert!(call(&wraps, &calls, "b", "", 0).await.is_ok());
    advance(Duration::from_millis(100)).await;
    assert!(call(&wraps, &calls, "a", "", 0).await.is_ok());
    assert!(
        call(&wraps, &calls, "a", "", 0).await.is_err(),
        "one of the last second is still there"
    );
    assert_eq!(calls.load(Ordering::SeqCst), 4);
}

#[tokio::test(start_paused = true)]
async fn keys_are_bounded() {
    let rate = Rate::new(1, Duration::from_secs(1000));
    for key in 0..20_000 {
        rate.count(&key.to_string(), Instant::now()).unwrap();
        if key % 100 == 0 {
            advance(Duration::from_millis(1)).await;
        }
    }
    // The newest are remembered.
    assert!(rate.count("19999", Instant::now()).is_err());
    assert!(rate.count("0", Instant::now()).is_ok());
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_given_again_while_it_is_kept() {
    let wraps = wraps(&[WrapSpec::Cache {
        ttl: Duration::from_secs(1),
        key: template("{{ args.key }}"),
    }]);
    let calls = AtomicUsize::new(0);
    let first = call(&wraps, &calls, "a", "", 0).await.unwrap();
    assert_eq!(call(&wraps, &calls, "a", "", 0).await.unwrap(), first);
    assert_ne!(call(&wraps, &calls, "b", "", 0).await.unwrap(), first);
    assert_ne!(call(&wraps, &calls, "a", "other", 0).await.unwrap(), first);
    advance(Duration::from_secs(1)).await;
    assert_ne!(call(&wraps, &calls, "a", "", 0).await.unwrap(), first);
    // An error is asked for again.
    let asked = AtomicUsize::new(0);
    for expected in 1..3 {
        let inside = Counted {
            calls: &asked,
            slot: "",
            millis: 0,
            fails: true,
        };
        wraps.around(&inside, scope("e")).await.unwrap();
        assert_eq!(asked.load(Ordering::SeqCst), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn kept_answers_are_bounded() {
    let cache = Cache::new(Duration::from_secs(1000));
    let get = |key: &str| cache.get(key, Instant::now());
    let keep = |key: &str, answer: &Answer| {
        let begun = get(key).unwrap_err();
        cache.keep(key.to_owned(), answer, begun, Instant::now());
    };
    for key in 0..1500 {
        keep(&key.to_string(), &answer("x"));
    }
    assert!(get("499").is_err());
    assert!(get("500").is_ok());
    let large = answer(&"x".repeat(9 << 20));
    keep("l1", &large);
    keep("l2", &large);
    assert!(get("l1").is_err());
    assert!(get("l2").is_ok());
    keep("l3", &answer(&"x".repeat(17 << 20)));
    assert!(get("l3").is_err());
}

#[tokio::test(start_paused = true)]
async fn what_is_forgotten_is_asked_for_again_and_a_call_under_way_is_not_kept() {
    let wraps = wraps(&[WrapSpec::Cache {
        ttl: Duration::from_secs(1000),
        key: template("{{ args.key }}"),
    }]);
    let calls = AtomicUsize::new(0);
    let first = call(&wraps, &calls, "a", "", 0).await.unwrap();
    assert_eq!(call(&wraps, &calls, "a", "", 0).await.unwrap(), first);
    wraps.forget_answers();
    // This one began before the next change, and says what was before it.
    let (before, ()) = tokio::join!(call(&wraps, &calls, "a", "", 10), async {
        sleep(Duration::from_millis(5)).await;
        wraps.forget_answers();
    });
    assert_eq!(before.unwrap(), answer("1"));
    let after = call(&wraps, &calls, "a", "", 0).await.unwrap();
    assert_eq!(after, answer("2"));
    assert_eq!(call(&wraps, &calls, "a", "", 0).await.unwrap(), after);
}

#[tokio::test(start_paused = true)]
async fn the_first_is_the_outermost() {
    let rate = WrapSpec::RateLimit {
        limit: 1,
        window: Duration::from_secs(1),
        key: None,
    };
    let cache = WrapSpec::Cache {
        ttl: Duration::from_secs(1),
        key: template("{{ args.key }}"),
    };
    let calls = AtomicUsize::new(0);
    let outside = wraps(&[rate.clone(), cache.clone()]);
    assert!(call(&outside, &calls, "a", "", 0).await.is_ok());
    assert!(call(&outside, &calls, "a", "", 0).await.is_err());
    let inside = wraps(&[cache, rate]);
    assert!(call(&inside, &calls, "a", "", 0).await.is_ok());
    assert!(call(&inside, &calls, "a", "", 0).await.is_ok());
    assert!(call(&inside, &calls, "b", "", 0).await.is_err());
}
