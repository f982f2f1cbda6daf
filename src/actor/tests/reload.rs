//! What a reload does to actors.

use super::*;

fn changed(actor: Actor, digest: u8) -> Actor {
    Actor {
        definition: [digest; 32],
        ..actor
    }
}

#[tokio::test]
async fn an_unchanged_actor_keeps_its_process_and_a_changed_one_does_not() {
    let (world, a) = World::with(worker()).await;
    let pid = ok(&a, "pid", no_payload()).await;
    ok(&a, "add", no_payload()).await;
    world.become_these([worker()]).await;
    assert_eq!(ok(&a, "pid", no_payload()).await, pid);
    assert_eq!(ok(&a, "add", no_payload()).await, json!(2));
    world.become_these([changed(worker(), 1)]).await;
    assert_eq!(ok(&a, "add", no_payload()).await, json!(1));
    assert_ne!(ok(&a, "pid", no_payload()).await, pid);
    assert!(!is_alive(&pid));
    world.end().await;
}

#[tokio::test]
async fn calls_that_wait_across_a_change_are_answered_once() {
    let (world, a) = World::with(worker()).await;
    let calls: Vec<_> = (0..5)
        .map(|at| {
            let a = a.clone();
            let message = if at == 0 { "late" } else { "add" };
            tokio::spawn(async move { ok(&a, message, no_payload()).await })
        })
        .collect();
    tokio::task::yield_now().await;
    world.become_these([changed(worker(), 1)]).await;
    let mut answers = Vec::new();
    for call in calls {
        answers.push(call.await.unwrap());
    }
    assert_eq!(answers, [1, 1, 2, 3, 4].map(|count| json!(count)));
    world.end().await;
}

#[tokio::test]
async fn state_is_carried_over_when_the_manifest_says_so() {
    let (world, a) = World::with(counter()).await;
    ok(&a, "add", json!({ "by": 5 })).await;
    let keeping = Actor {
        keep_state: true,
        ..changed(counter(), 1)
    };
    world.become_these([keeping]).await;
    assert_eq!(ok(&a, "add", json!({ "by": 1 })).await, json!(6));
    world.become_these([changed(counter(), 2)]).await;
    assert_eq!(ok(&a, "add", json!({ "by": 1 })).await, json!(1));
    world.end().await;
}

#[tokio::test]
async fn a_removed_actor_handles_what_waits_and_can_come_back() {
    let (world, a) = World::with(worker()).await;
    let pid = ok(&a, "pid", no_payload()).await;
    let late = tokio::spawn({
        let a = a.clone();
        async move { ok(&a, "late", no_payload()).await }
    });
    tokio::task::yield_now().await;
    a.cast("add", no_payload()).unwrap();
    world.become_these([]).await;
    let refused = a.cast("add", no_payload()).unwrap_err();
    assert_eq!(refused.to_string(), "the actor `a` is being removed");
    assert_eq!(late.await.unwrap(), json!(1));
    eventually("gone", || !world.actors.runs("a")).await;
    assert!(!is_alive(&pid));
    let said = why(&a, "add", no_payload()).await;
    assert_eq!(said, "the actor `a` is not there");
    world.become_these([worker()]).await;
    assert_eq!(
        ok(&a, "add", no_payload()).await,
        json!(1),
        "by the same address"
    );
    world.end().await;
}

#[tokio::test]
async fn a_removed_actor_that_does_not_come_to_an_end_is_ended() {
    for waiting in [false, true] {
        let mut slow = worker();
        if let Body::Worker(spec) = &mut slow.body {
            spec.timeout = Duration::from_secs(3600);
        }
        let (world, a) = World::with(slow).await;
        let pid = ok(&a, "pid", no_payload()).await;
        let hang = |a: Address| async move { call(&a, "hang", no_payload()).await };
        // It hangs on a message that it had when it was removed, or that waited then.
        let hanging = match waiting {
            true => {
                let late = tokio::spawn({
                    let a = a.clone();
                    async move { ok(&a, "late", no_payload()).await }
                });
                tokio::task::yield_now().await;
                let hanging = tokio::spawn(hang(a.clone()));
                tokio::task::yield_now().await;
                world.become_these([]).await;
                late.await.unwrap();
                hanging
            }
            false => {
                let hanging = tokio::spawn(hang(a.clone()));
                tokio::task::yield_now().await;
                world.become_these([]).await;
                hanging
            }
        };
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert!(world.actors.runs("a"));
        tokio::time::pause();
        tokio::time::advance(Duration::from_secs(31)).await;
        tokio::time::resume();
        let absent = CallError::Absent("a".to_owned());
        assert_eq!(hanging.await.unwrap(), Err(absent));
        eventually("gone", || !world.actors.runs("a")).await;
        assert!(!is_alive(&pid));
        world.end().await;
    }
}

#[tokio::test]
async fn one_that_is_declared_again_while_it_stops_goes_on() {
    let (world, a) = World::with(worker()).await;
    let late = tokio::spawn({
        let a = a.clone();
        async move { ok(&a, "late", no_payload()).await }
    });
    tokio::task::yield_now().await;
    world.become_these([]).await;
    world.become_these([worker()]).await;
    assert_eq!(late.await.unwrap(), json!(1));
    assert_eq!(ok(&a, "add", no_payload()).await, json!(1), "anew");
    world.end().await;
}

#[tokio::test]
async fn what_cannot_be_started_leaves_everything_as_it_was() {
    let (world, a) = World::with(worker()).await;
    let pid = ok(&a, "pid", no_payload()).await;
    let missing = |name: &str| {
        let mut spec = script("");
        spec.argv = vec!["/nonexistent/program".into()];
        Arc::new(Actor {
            name: name.to_owned(),
            ..changed(of(Body::Worker(spec)), 9)
        })
    };
    let good = Arc::new(Actor {
        name: "good".to_owned(),
        ..worker()
    });
    for wanted in [vec![good.clone(), missing("new")], vec![good, missing("a")]] {
        let refused = world.actors.prepare(&wanted, false, |_| false).await;
        let errors = refused.unwrap_err();
        assert_eq!(errors.len(), 1);
        assert!(errors[0].1.to_string().contains("does not exist"));
        eventually("the good one is gone too", || !world.actors.runs("good")).await;
        assert_eq!(ok(&a, "pid", no_payload()).await, pid);
    }
    let wanted = [Arc::new(worker()), missing("new")];
    let prepared = world
        .actors
        .prepare(&wanted, false, |name| name == "new")
        .await;
    let prepared = prepared.unwrap();
    assert_eq!(prepared.left_out().len(), 1);
    prepared.commit();
    let new = world.actors.address("new");
    assert_eq!(
        new.cast("x", no_payload()),
        Err(CallError::Absent("new".to_owned()))
    );
    world.end().await;
}

#[tokio::test]
async fn one_that_has_stopped_while_it_was_prepared_again_begins_anew() {
    let (world, a) = World::with(counter()).await;
    ok(&a, "add", json!({ "by": 1 })).await;
    world.become_these([]).await;
    let wanted = [Arc::new(counter())];
    let prepared = world.actors.prepare(&wanted, false, |_| false).await;
    eventually("stopped", || !world.actors.runs("a")).await;
    prepared.unwrap().commit();
    assert_eq!(ok(&a, "add", json!({ "by": 1 })).await, json!(1));
    world.end().await;
}

#[tokio::test]
async fn one_that_is_kept_on_disk_from_now_on_is() {
    let folder = tempfile::tempdir().unwrap();
    let keeping = |digest| Actor {
        keep_state: true,
        ..changed(counter(), digest)
    };
    let kept = |digest| Actor {
        persist: true,
        ..keeping(digest)
    };
    let world = World::new(Some(folder.path()));
    world.become_these([keeping(0)]).await;
    let a = world.actors.address("a");
    ok(&a, "add", json!({ "by": 1 })).await;
    world.become_these([kept(1)]).await;
    assert_eq!(ok(&a, "add", json!({ "by": 1 })).await, json!(2));
    // Not kept for a while, what it comes to is newer than what lies on disk.
    world.become_these([keeping(2)]).await;
    assert_eq!(ok(&a, "add", json!({ "by": 1 })).await, json!(3));
    world.become_these([kept(3)]).await;
    assert_eq!(ok(&a, "get", no_payload()).await["count"], 3);
    // What was carried over is on disk before anything is answered.
    let shutdown = world.shutdown.clone();
    drop(world);
    assert!(shutdown.wait(LONG).await);
    let world = World::new(Some(folder.path()));
    world.become_these([kept(3)]).await;
    let a = world.actors.address("a");
    assert_eq!(ok(&a, "get", no_payload()).await["count"], 3);
    world.end().await;
}
