//! Declarative actors.

use super::*;

#[tokio::test]
async fn set_is_computed_from_the_old_state_and_the_reply_from_the_new() {
    let (world, a) = World::with(counter()).await;
    assert_eq!(ok(&a, "add", json!({ "by": 2 })).await, json!(2));
    assert_eq!(ok(&a, "add", json!({ "by": 3 })).await, json!(5));
    assert_eq!(ok(&a, "swap", no_payload()).await, json!({}));
    let state = ok(&a, "get", no_payload()).await;
    assert_eq!(state, json!({ "count": 0, "last": 5 }));
    world.end().await;
}

#[tokio::test]
async fn a_handler_that_fails_changes_nothing() {
    let (world, a) = World::with(counter()).await;
    ok(&a, "add", json!({ "by": 7 })).await;
    for (message, payload, text) in [
        (
            "fail",
            no_payload(),
            "cannot make `reply`: `state.count / 0 ~ ''`",
        ),
        ("add", no_payload(), "cannot make `set.count`"),
        ("add", json!({ "by": [] }), "cannot make `set.count`"),
        ("ad", no_payload(), "the actor has no message `ad`"),
    ] {
        let said = why(&a, message, payload).await;
        assert!(said.starts_with(text), "{said}");
        let state = ok(&a, "get", no_payload()).await;
        assert_eq!(state, json!({ "count": 7, "last": 0 }));
    }
    world.end().await;
}

#[tokio::test]
async fn a_condition_that_does_not_hold_is_an_error_of_the_authors() {
    let (world, a) = World::with(counter()).await;
    assert_eq!(why(&a, "take", no_payload()).await, "not now: 0");
    ok(&a, "add", json!({ "by": 1 })).await;
    assert_eq!(ok(&a, "take", no_payload()).await, json!({}));
    assert_eq!(why(&a, "take", no_payload()).await, "not now: 0");
    world.end().await;
}

#[tokio::test]
async fn calls_of_many_are_handled_one_at_a_time() {
    let (world, a) = World::with(counter()).await;
    let calls = (0..200).map(|_| {
        let a = a.clone();
        tokio::spawn(async move { ok(&a, "add", json!({ "by": 1 })).await })
    });
    let mut seen: Vec<u64> = Vec::new();
    for call in calls.collect::<Vec<_>>() {
        seen.push(call.await.unwrap().as_u64().unwrap());
    }
    seen.sort_unstable();
    assert_eq!(seen, (1..=200).collect::<Vec<_>>());
    world.end().await;
}

#[tokio::test(start_paused = true)]
async fn timers_send_their_messages() {
    let mut actor = counter();
    let Body::Declared(spec) = &mut actor.body else {
        unreachable!()
    };
    let tick = handler(None, &[("count", "{{ state.count + 1 }}")], None);
    spec.on.insert("tick".to_owned(), tick);
    actor.timers = vec![timer(100, "tick"), timer(1000, "fail")];
    let (world, a) = World::with(actor).await;
    tokio::time::sleep(Duration::from_millis(1050)).await;
    let state = ok(&a, "get", no_payload()).await;
    assert_eq!(state["count"], 10, "the failing one changes nothing");
    world.end().await;
}

#[tokio::test]
async fn a_state_has_a_bound() {
    let mut actor = counter();
    let Body::Declared(spec) = &mut actor.body else {
        unreachable!()
    };
    let set = handler(None, &[("last", "{{ msg.text }}")], None);
    spec.on.insert("set".to_owned(), set);
    let (world, a) = World::with(actor).await;
    let text = |bytes: usize| json!({ "text": "x".repeat(bytes) });
    ok(&a, "set", text(15 << 20)).await;
    let said = why(&a, "set", text(17 << 20)).await;
    assert!(
        said.contains("larger than 16 MiB") || said.contains("bytes"),
        "{said}"
    );
    ok(&a, "set", text(1)).await;
    ok(&a, "set", text(15 << 20)).await;
    assert_eq!(ok(&a, "add", json!({ "by": 1 })).await, json!(1));
    world.end().await;
}

#[tokio::test]
async fn a_state_is_on_disk_before_its_reply() {
    let folder = tempfile::tempdir().unwrap();
    let persistent = || Actor {
        persist: true,
        ..counter()
    };
    for round in 0..3 {
        let world = World::new(Some(folder.path()));
        // The process before is gone, and with it its hold on the folder, at some moment.
        let prepared = loop {
            let wanted = [Arc::new(persistent())];
            match world.actors.prepare(&wanted, false, |_| false).await {
                Ok(prepared) => break prepared,
                Err(errors) => assert!(errors[0].1.to_string().contains("another process")),
            }
            tokio::task::yield_now().await;
        };
        prepared.commit();
        let a = world.actors.address("a");
        let state = ok(&a, "get", no_payload()).await;
        assert_eq!(state["count"], 40 * round);
        let calls = (0..40).map(|_| {
            let a = a.clone();
            tokio::spawn(async move { ok(&a, "add", json!({ "by": 1 })).await })
        });
        for call in calls.collect::<Vec<_>>() {
            call.await.unwrap();
        }
        let file = std::fs::read_to_string(folder.path().join("actors/a.state")).unwrap();
        let count = 40 * (round + 1);
        assert!(file.contains(&format!("\"count\":{count}")), "{file}");
        // As when the process is killed.
        drop(world);
    }
}

#[tokio::test]
async fn a_state_that_cannot_be_saved_is_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::new(Some(folder.path()));
    let actor = Actor {
        persist: true,
        ..counter()
    };
    world.become_these([actor]).await;
    let a = world.actors.address("a");
    ok(&a, "add", json!({ "by": 1 })).await;
    // A folder in the way of the file that is written beside.
    let way = folder.path().join("actors/a.state.new");
    std::fs::create_dir(&way).unwrap();
    let said = why(&a, "add", json!({ "by": 1 })).await;
    assert!(said.starts_with("the state cannot be saved"), "{said}");
    assert_eq!(ok(&a, "get", no_payload()).await["count"], 1);
    std::fs::remove_dir(&way).unwrap();
    assert_eq!(ok(&a, "add", json!({ "by": 1 })).await, json!(2));
    world.end().await;
}
