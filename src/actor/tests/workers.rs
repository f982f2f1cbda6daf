//! Workers: the protocol, supervision, and their ends.

use super::*;
use crate::actor::Heard;

fn with(change: impl FnOnce(&mut WorkerSpec)) -> Actor {
    let mut spec = script(WORKER);
    change(&mut spec);
    of(Body::Worker(spec))
}

#[tokio::test]
async fn calls_and_casts_arrive_in_order() {
    let (world, a) = World::with(worker()).await;
    assert_eq!(ok(&a, "add", no_payload()).await, json!(1));
    for _ in 0..10 {
        a.cast("add", no_payload()).unwrap();
    }
    assert_eq!(ok(&a, "add", no_payload()).await, json!(12));
    assert_eq!(why(&a, "refuse", no_payload()).await, "no");
    world.end().await;
}

#[tokio::test]
async fn what_it_says_beside_is_heard_and_junk_is_not() {
    let (world, a) = World::with(worker()).await;
    let mut events = world.actors.subscribe();
    for junk in [
        json!("text"),
        json!({ "id": 99, "reply": 1 }),
        json!([1]),
        json!({}),
    ] {
        assert_eq!(ok(&a, "say", json!({ "say": junk })).await, json!(true));
    }
    let said = json!({ "event": "resource_updated", "uri": "x:y" });
    ok(&a, "say", json!({ "say": said })).await;
    let said = json!({ "log": { "level": "warning", "data": { "n": 1 } } });
    ok(&a, "say", json!({ "say": said })).await;
    let updated = Heard::Updated("x:y".to_owned());
    assert_eq!(events.next().await, Some(updated));
    world.end().await;
}

#[tokio::test]
async fn who_does_not_listen_is_told_how_much_was_lost() {
    let (world, a) = World::with(worker()).await;
    let mut events = world.actors.subscribe();
    let said = json!({ "event": "resource_updated", "uri": "x:y" });
    for _ in 0..super::super::EVENTS + 3 {
        ok(&a, "say", json!({ "say": said })).await;
    }
    assert_eq!(events.next().await, Some(Heard::Lost(3)));
    assert!(matches!(events.next().await, Some(Heard::Updated(_))));
    world.end().await;
}

#[tokio::test]
async fn a_late_answer_is_dropped() {
    let (world, a) = World::with(worker()).await;
    let timeout = Duration::from_millis(5);
    let late = a.call("late", no_payload(), timeout).await;
    let name = "a".to_owned();
    assert_eq!(late, Err(CallError::Timeout { name, timeout }));
    assert_eq!(
        ok(&a, "add", no_payload()).await,
        json!(2),
        "it was handled"
    );
    world.end().await;
}

#[tokio::test]
async fn a_call_whose_caller_has_gone_before_its_turn_is_not_handled() {
    let (world, a) = World::with(worker()).await;
    let first = tokio::spawn({
        let a = a.clone();
        async move { ok(&a, "late", no_payload()).await }
    });
    tokio::task::yield_now().await;
    let gone = a.call("add", no_payload(), Duration::from_millis(1)).await;
    assert!(matches!(gone, Err(CallError::Timeout { .. })), "{gone:?}");
    first.await.unwrap();
    assert_eq!(ok(&a, "add", no_payload()).await, json!(2));
    world.end().await;
}

#[tokio::test]
async fn a_death_fails_what_waits_at_once_and_keeps_casts() {
    let (world, a) = World::with(worker()).await;
    let crash = call(&a, "crash", no_payload());
    let behind = call(&a, "add", no_payload());
    let (crash, behind) = tokio::join!(crash, behind);
    let expected = Err(died("ended with exit code 3"));
    assert_eq!((crash, behind), (expected.clone(), expected));
    let killed = call(&a, "kill", no_payload()).await;
    assert_eq!(killed, Err(died("was ended by signal 9")));
    // One that the worker had not been given waits for the next.
    let crash = call(&a, "crash", no_payload());
    let behind = async { a.cast("add", no_payload()) };
    let (crash, behind) = tokio::join!(crash, behind);
    assert_eq!(
        (crash, behind),
        (Err(died("ended with exit code 3")), Ok(()))
    );
    let count = ok(&a, "add", no_payload()).await;
    assert_eq!(count, json!(2));
    world.end().await;
}

#[tokio::test]
async fn too_many_restarts_and_it_is_down_until_it_is_revived() {
    let (world, a) = World::with(worker()).await;
    for _ in 0..4 {
        let crash = call(&a, "crash", no_payload()).await;
        assert_eq!(crash, Err(died("ended with exit code 3")));
    }
    let down = "the actor `a` is down: its worker ended with exit code 3, and has ended too often";
    eventually("down", || world.actors.has_down()).await;
    assert_eq!(why(&a, "add", no_payload()).await, down);
    let cast = a.cast("add", no_payload()).unwrap_err();
    assert_eq!(cast.to_string(), down);
    // An unchanged manifest leaves it as it is.
    world.become_these([worker()]).await;
    assert_eq!(why(&a, "add", no_payload()).await, down);
    let wanted = [Arc::new(worker())];
    let prepared = world.actors.prepare(&wanted, true, |_| false).await;
    prepared.unwrap().commit();
    eventually("up", || !world.actors.has_down()).await;
    assert_eq!(ok(&a, "add", no_payload()).await, json!(1));
    world.end().await;
}

#[tokio::test]
async fn what_its_manifest_says_decides_whether_it_is_started_again() {
    for (restart, message, again) in [
        (Restart::Permanent, "exit", true),
        (Restart::Transient, "exit", false),
        (Restart::Transient, "crash", true),
        (Restart::Temporary, "crash", false),
    ] {
        let mut actor = worker();
        actor.supervision.restart = restart;
        let (world, a) = World::with(actor).await;
        assert!(matches!(
            call(&a, message, no_payload()).await,
            Err(CallError::Died { .. })
        ));
        if again {
            assert_eq!(ok(&a, "add", no_payload()).await, json!(1));
        } else {
            eventually("down", || world.actors.has_down()).await;
            let said = why(&a, "add", no_payload()).await;
            assert!(
                said.starts_with("the actor `a` is down: its worker ended"),
                "{said}"
            );
        }
        world.end().await;
    }
}

#[tokio::test]
async fn a_worker_that_hangs_is_ended() {
    let actor = with(|spec| spec.timeout = Duration::from_millis(50));
    let (world, a) = World::with(actor).await;
    let pid = ok(&a, "pid", no_payload()).await;
    let how = "was ended because it took longer than 50 ms for a message";
    assert_eq!(call(&a, "hang", no_payload()).await, Err(died(how)));
    assert_eq!(ok(&a, "add", no_payload()).await, json!(1));
    assert!(!is_alive(&pid));
    world.end().await;
}

#[tokio::test]
async fn a_worker_that_reads_nothing_does_not_hold_up_its_actor() {
    let mut actor = of(Body::Worker(script("sleep 600 & exec sleep 600")));
    let Body::Worker(spec) = &mut actor.body else {
        unreachable!()
    };
    spec.timeout = Duration::from_millis(50);
    actor.supervision.max_restarts = 0;
    let (world, a) = World::with(actor).await;
    let long = json!({ "text": "x".repeat(1 << 20) });
    assert!(matches!(
        call(&a, "x", long).await,
        Err(CallError::Died { .. })
    ));
    eventually("down", || world.actors.has_down()).await;
    world.end().await;
}

#[tokio::test]
async fn a_worker_that_never_stops_writing_is_written_to() {
    // Each line is one write, so that none falls into the middle of another.
    let endless = "while :; do echo '{}'; done &\n";
    let endless = format!("yes >&2 &\n{endless}{endless}{WORKER}");
    let (world, a) = World::with(of(Body::Worker(script(&endless)))).await;
    // Each answer stands behind a pipe full of lines.
    for count in 1..=2 {
        assert_eq!(ok(&a, "add", no_payload()).await, json!(count));
    }
    world.end().await;
}

#[tokio::test]
async fn a_timer_that_is_always_due_takes_turns_with_the_mailbox() {
    let timers = vec![timer(1, "slow"), timer(1, "slow")];
    let slow = "while read -r line; do case $line in *call*) id=${line#*:}; echo \
                \"{\\\"id\\\":${id%%,*},\\\"reply\\\":{}}\" ;; *) sleep 0.02; echo x >&2 ;; esac; done";
    let slow = Actor {
        timers,
        ..of(Body::Worker(script(slow)))
    };
    let (world, a) = World::with(slow).await;
    for _ in 0..20 {
        ok(&a, "x", no_payload()).await;
    }
    world.become_these([]).await;
    eventually("gone, though its timers are due", || {
        !world.actors.runs("a")
    })
    .await;
    world.end().await;
}

#[tokio::test]
async fn lines_and_mailboxes_are_bounded() {
    let (world, a) = World::with(Actor {
        mailbox: 2,
        ..with(|spec| spec.max_line = 64)
    })
    .await;
    let long = json!({ "say": "y".repeat(100) });
    assert_eq!(
        why(&a, "say", long).await,
        "the worker's answer is too long"
    );
    // The answer to it comes late, and is no answer to the next.
    assert_eq!(ok(&a, "add", no_payload()).await, json!(1));
    let busy = tokio::spawn({
        let a = a.clone();
        async move { ok(&a, "late", no_payload()).await }
    });
    let full = "the mailbox of the actor `a` is full: 2 messages wait";
    let refused = loop {
        if let Err(error) = a.cast("add", no_payload()) {
            break error.to_string();
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(refused, full);
    busy.await.unwrap();
    world.end().await;
}

#[tokio::test]
async fn nothing_is_left_running() {
    let text = format!("trap '' TERM\nsleep 600 &\n{WORKER}");
    let (world, a) = World::with(of(Body::Worker(script(&text)))).await;
    let pid = ok(&a, "pid", no_payload()).await;
    assert!(is_alive(&pid));
    world.end().await;
    assert!(!is_alive(&pid));
    let group = pid.to_string();
    let left = std::fs::read_dir("/proc").unwrap().filter(|entry| {
        let path = entry.as_ref().unwrap().path().join("stat");
        let stat = std::fs::read_to_string(path).unwrap_or_default();
        let fields = stat.rsplit(") ").next().unwrap_or_default().to_owned();
        let mut fields = fields.split(' ');
        fields.next() != Some("Z") && fields.nth(1) == Some(&group)
    });
    assert_eq!(left.count(), 0);
}

#[tokio::test]
async fn a_worker_that_keeps_something_has_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::new(Some(folder.path()));
    let actor = Actor {
        persist: true,
        ..worker()
    };
    world.become_these([actor]).await;
    let given = ok(&world.actors.address("a"), "env", no_payload()).await;
    let own = folder.path().join("actors/a.worker");
    assert_eq!(given, json!(own.to_str().unwrap()));
    assert!(own.is_dir());
    world.end().await;
}
