//! Random calls, casts, ends, reloads and kills of the server, against a model of what must come of them.

use super::*;
use crate::support::Stdio;

/// Small, and the same in every run for a seed (xorshift64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

/// What must hold.
#[derive(Default)]
struct Model {
    /// Of the declarative actor, on disk: at least what was acknowledged.
    kept: u64,
    /// Casts since then, which may be lost when the server is killed.
    cast: u64,
    /// Of the worker, since its start.
    counted: u64,
    restarts: u32,
}

const MAX_RESTARTS: u32 = 3;

fn manifest(n: u64) -> String {
    let kept = counter(&format!("persist = true\nmailbox = {}", 500 + n / 2));
    let kept = kept + "[[tool]]\nname = \"later\"\nactor = { target = \"a\", cast = \"add\" }\n";
    let kept = kept.replace("name = \"a\"", "name = \"kept\"");
    let kept = kept.replace("target = \"a\"", "target = \"kept\"");
    let kept = kept.replace("name = \"add\"", "name = \"kept_add\"");
    let keys = format!(
        "max_restarts = {MAX_RESTARTS}\nrestart_window_ms = 86400000\nbackoff_ms = 0\nmailbox = {}",
        500 + n.div_ceil(2)
    );
    kept + &worker(&keys)
}

fn ask(stdio: &mut Stdio, tool: &str) -> Result<u64, String> {
    let answer = stdio.ask(&call(1, tool, json!({})));
    match answer["result"]["isError"] == false {
        true => Ok(answer["result"]["structuredContent"]["count"]
            .as_u64()
            .unwrap_or_default()),
        false => Err(text_of(&answer)),
    }
}

fn play(seed: u64) {
    let mut random = Random(seed);
    let project = project(&manifest(0)).set("server.state_dir=\"states\"");
    let mut stdio = started(&project);
    let (mut model, mut reloads) = (Model::default(), 0_u64);
    for step in 0..60 {
        let at = format!("seed {seed}, step {step}");
        match random.below(12) {
            0..=2 => {
                model.kept += model.cast + 1;
                model.cast = 0;
                assert_eq!(ask(&mut stdio, "kept_add"), Ok(model.kept), "{at}");
            }
            3 => {
                ask(&mut stdio, "later").unwrap();
                model.cast += 1;
            }
            4..=6 => match model.restarts > MAX_RESTARTS {
                true => assert!(
                    ask(&mut stdio, "add").unwrap_err().contains("is down"),
                    "{at}"
                ),
                false => {
                    model.counted += 1;
                    assert_eq!(ask(&mut stdio, "add"), Ok(model.counted), "{at}");
                }
            },
            7 => {
                let sent = ask(&mut stdio, "add_later");
                assert_eq!(sent.is_ok(), model.restarts <= MAX_RESTARTS, "{at}");
                model.counted += 1;
            }
            8 | 9 => {
                let said = ask(&mut stdio, ["crash", "leave"][step % 2]).unwrap_err();
                if model.restarts <= MAX_RESTARTS {
                    assert!(said.contains("before it answered"), "{at}: {said}");
                    model.restarts += 1;
                    model.counted = 0;
                }
            }
            10 => {
                // What still waits would be handled by the new one.
                if model.restarts <= MAX_RESTARTS {
                    model.counted += 1;
                    assert_eq!(ask(&mut stdio, "add"), Ok(model.counted), "{at}");
                }
                // One of both actors changes, in turn, and begins anew; the other stays.
                reloads += 1;
                project.save("manifests/a.toml", manifest(reloads));
                let changed = ["kept", "a"][usize::try_from(reloads % 2).unwrap()];
                let log = format!("changed=\"actor {changed}\"");
                let times = usize::try_from(reloads.div_ceil(2)).unwrap();
                crate::support::within(&at, || {
                    (stdio.stderr().matches(&log).count() >= times).then_some(())
                });
                if changed == "a" {
                    (model.counted, model.restarts) = (0, 0);
                }
            }
            _ => {
                stdio.signal("KILL");
                stdio.wait();
                stdio = started(&project);
                let restored = ask(&mut stdio, "get").unwrap();
                let may = model.kept..=model.kept + model.cast;
                assert!(may.contains(&restored), "{at}: {restored} of {may:?}");
                reloads = 0;
                project.save("manifests/a.toml", manifest(0));
                model = Model {
                    kept: restored,
                    ..Model::default()
                };
                // The manifest may have been another one when it started.
                stdio = restarted(&project, stdio);
            }
        }
    }
    let (status, _) = stdio.finish();
    assert!(status.success());
}

/// In an orderly way, with the manifest that is there now.
fn restarted(project: &Project, mut stdio: Stdio) -> Stdio {
    assert!(stdio.finish().0.success());
    started(project)
}

/// With the manifest that is there now: it has been read when a call is answered.
fn started(project: &Project) -> Stdio {
    let mut stdio = project.stdio();
    ask(&mut stdio, "get").unwrap();
    stdio
}

#[test]
fn whatever_happens_nothing_acknowledged_is_lost_and_nothing_is_done_twice() {
    std::thread::scope(|scope| {
        for seed in [1, 2, 3, 4].map(|seed: u64| seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)) {
            scope.spawn(move || play(seed));
        }
    });
}
