//! Random messages, crashes, timeouts and reloads, against a reference model.

use super::*;
use proptest::prelude::*;
use proptest::test_runner::Config;

/// What is done to a worker.
#[derive(Clone, Debug)]
enum Act {
    Call,
    Cast,
    Refuse,
    /// The caller gives up; the worker goes on.
    TimeOut,
    Exit,
    Crash,
    Kill,
    /// Two calls, of which the first ends the worker.
    CrashBefore,
    ReloadSame,
    ReloadChanged,
    RemoveAndAdd,
    Revive,
}

/// What a worker should be.
struct Model {
    count: u64,
    restarts: u32,
    down: bool,
    digest: u8,
}

const MAX_RESTARTS: u32 = 2;

impl Model {
    fn end(&mut self) {
        self.count = 0;
        self.down = self.restarts == MAX_RESTARTS;
        self.restarts += 1;
    }

    fn anew(&mut self) {
        self.count = 0;
        self.restarts = 0;
        self.down = false;
    }
}

fn actor(digest: u8) -> Actor {
    let mut actor = worker();
    actor.supervision.max_restarts = MAX_RESTARTS;
    actor.definition = [digest; 32];
    actor
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        4 => Just(Act::Call),
        4 => Just(Act::Cast),
        1 => Just(Act::Refuse),
        1 => Just(Act::TimeOut),
        1 => Just(Act::Exit),
        2 => Just(Act::Crash),
        1 => Just(Act::Kill),
        1 => Just(Act::CrashBefore),
        2 => Just(Act::ReloadSame),
        2 => Just(Act::ReloadChanged),
        1 => Just(Act::RemoveAndAdd),
        1 => Just(Act::Revive),
    ]
}

async fn play(acts: Vec<Act>) {
    let world = World::new(None);
    let mut model = Model {
        count: 0,
        restarts: 0,
        down: false,
        digest: 0,
    };
    world.become_these([actor(0)]).await;
    let a = world.actors.address("a");
    for act in acts {
        step(&world, &a, &mut model, act).await;
        if model.down {
            eventually("down", || world.actors.has_down()).await;
        }
    }
    world.end().await;
}

async fn step(world: &World, a: &Address, model: &mut Model, act: Act) {
    let is_down = |result: Result<Value, CallError>| {
        assert!(matches!(result, Err(CallError::Down { .. })), "{result:?}");
    };
    let ending = match act {
        Act::Exit => Some(("exit", "ended with exit code 0")),
        Act::Crash | Act::CrashBefore => Some(("crash", "ended with exit code 3")),
        Act::Kill => Some(("kill", "was ended by signal 9")),
        _ => None,
    };
    let begins_anew = matches!(act, Act::ReloadChanged | Act::RemoveAndAdd);
    if begins_anew && !model.down {
        // A cast that still waited would be for the next worker.
        model.count += 1;
        assert_eq!(ok(a, "add", no_payload()).await, json!(model.count));
    }
    match (act, ending) {
        (Act::ReloadSame, _) => world.become_these([actor(model.digest)]).await,
        (Act::ReloadChanged, _) => {
            model.digest = model.digest.wrapping_add(1);
            model.anew();
            world.become_these([actor(model.digest)]).await;
            up(world).await;
        }
        (Act::RemoveAndAdd, _) => {
            model.anew();
            world.become_these([]).await;
            world.become_these([actor(model.digest)]).await;
            up(world).await;
        }
        (Act::Revive, _) => {
            if model.down {
                model.anew();
            }
            let wanted = [Arc::new(actor(model.digest))];
            let prepared = world.actors.prepare(&wanted, true, |_| false).await;
            prepared.unwrap().commit();
            if !model.down {
                up(world).await;
            }
        }
        (_, _) if model.down => is_down(call(a, "add", no_payload()).await),
        (Act::CrashBefore, Some((message, how))) => {
            let both = tokio::join!(call(a, message, no_payload()), call(a, "add", no_payload()));
            assert_eq!(both, (Err(died(how)), Err(died(how))));
            model.end();
        }
        (_, Some((message, how))) => {
            assert_eq!(call(a, message, no_payload()).await, Err(died(how)));
            model.end();
        }
        (Act::Call, _) => {
            model.count += 1;
            assert_eq!(call(a, "add", no_payload()).await, Ok(json!(model.count)));
        }
        (Act::Cast, _) => {
            model.count += 1;
            a.cast("add", no_payload()).unwrap();
        }
        (Act::Refuse, _) => {
            let refused = call(a, "refuse", no_payload()).await;
            assert_eq!(refused, Err(CallError::Failed("no".to_owned())));
        }
        (Act::TimeOut, _) => {
            // What was sent before is handled first, so that its turn comes before the time is over.
            model.count += 1;
            assert_eq!(call(a, "add", no_payload()).await, Ok(json!(model.count)));
            let late = a
                .call("late", no_payload(), Duration::from_millis(20))
                .await;
            assert!(matches!(late, Err(CallError::Timeout { .. })), "{late:?}");
            model.count += 1;
        }
        (act, None) => unreachable!("{act:?}"),
    }
}

/// An order to become another takes effect between two messages; being down is seen before.
async fn up(world: &World) {
    eventually("up", || !world.actors.has_down()).await;
}

proptest! {
    #![proptest_config(Config { cases: 24, ..Config::default() })]

    #[test]
    fn a_worker_does_what_the_model_says(acts in proptest::collection::vec(act(), 1..16)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            tokio::time::timeout(LONG, play(acts)).await.expect("it hangs");
        });
    }
}

/// What is done to a persistent counter.
#[derive(Clone, Debug)]
enum Deed {
    Add(i64),
    Take,
    Fail,
    Cast(i64),
    ReloadChanged,
    RemoveAndAdd,
    /// The process ends at once, and another begins.
    Killed,
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        4 => (-3_i64..4).prop_map(Deed::Add),
        3 => Just(Deed::Take),
        2 => Just(Deed::Fail),
        2 => (-3_i64..4).prop_map(Deed::Cast),
        1 => Just(Deed::ReloadChanged),
        1 => Just(Deed::RemoveAndAdd),
        2 => Just(Deed::Killed),
    ]
}

async fn persist(deeds: Vec<Deed>) {
    let folder = tempfile::tempdir().unwrap();
    let actor = |digest: u8| Actor {
        persist: true,
        definition: [digest; 32],
        ..counter()
    };
    let mut world = World::new(Some(folder.path()));
    let (mut digest, mut count) = (0_u8, 0_i64);
    world.become_these([actor(digest)]).await;
    for deed in deeds {
        let a = world.actors.address("a");
        match deed {
            Deed::Add(by) => {
                count += by;
                assert_eq!(ok(&a, "add", json!({ "by": by })).await, json!(count));
            }
            Deed::Take => {
                let taken = call(&a, "take", no_payload()).await;
                assert_eq!(taken.is_ok(), count > 0);
                count -= i64::from(count > 0);
            }
            Deed::Fail => assert!(call(&a, "fail", no_payload()).await.is_err()),
            Deed::Cast(by) => {
                count += by;
                a.cast("add", json!({ "by": by })).unwrap();
                // Until here a cast is only sent.
                assert_eq!(ok(&a, "get", no_payload()).await["count"], count);
            }
            Deed::ReloadChanged => {
                digest = digest.wrapping_add(1);
                world.become_these([actor(digest)]).await;
            }
            Deed::RemoveAndAdd => {
                world.become_these([]).await;
                world.become_these([actor(digest)]).await;
            }
            Deed::Killed => {
                let shutdown = world.shutdown.clone();
                drop(world);
                assert!(shutdown.wait(LONG).await);
                world = World::new(Some(folder.path()));
                world.become_these([actor(digest)]).await;
            }
        }
    }
    let state = ok(&world.actors.address("a"), "get", no_payload()).await;
    assert_eq!(state["count"], count);
    world.end().await;
}

proptest! {
    #![proptest_config(Config { cases: 48, ..Config::default() })]

    #[test]
    fn what_a_persistent_actor_acknowledged_is_kept(
        deeds in proptest::collection::vec(deed(), 1..24),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            tokio::time::timeout(LONG, persist(deeds)).await.expect("it hangs");
        });
    }
}
