//! Calls a second to a declarative actor, to one that is kept on disk, and to a worker; and what the
//! worker's process answers over bare pipes, in turns with it.
//!
//! `cargo bench --bench actors`.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    missing_docs,
    reason = "a bench starts programs, prints what it measured, and fails by panicking"
)]

use serde_json::{Map, Value, json};
use snodo::actor::{Actors, Address};
use snodo::lang::diag::{SourceFile, Span};
use snodo::lang::template::{Template, Tree};
use snodo::model::{
    Actor, Body, DeclaredSpec, Handler, LimitsSpec, Restart, Supervision, WorkerSpec,
};
use snodo::process::Starter;
use snodo::shutdown::Shutdown;
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often each is measured, in turns.
const ROUNDS: usize = 5;
/// How long each time.
const TURN: Duration = Duration::from_secs(1);
/// Nothing here takes so long unless it hangs.
const LONG: Duration = Duration::from_secs(60);
/// The argument by which this program is the worker.
const WORKER: &str = "--be-the-worker";

fn main() {
    if std::env::args().any(|argument| argument == WORKER) {
        return be_the_worker();
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(measure());
}

fn this_program() -> PathBuf {
    std::env::current_exe().expect("a program has a file")
}

/// Answers each line with the message that it holds.
fn be_the_worker() {
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut line = String::new();
    while input.read_line(&mut line).is_ok_and(|read| read > 0) {
        let request: Value = serde_json::from_str(&line).expect("JSON");
        let answer = json!({ "id": request["id"], "reply": request["message"] });
        writeln!(output, "{answer}").expect("a reader");
        line.clear();
    }
}

fn actor(name: &str, body: Body, persist: bool) -> Arc<Actor> {
    let file = SourceFile::new("bench.toml", "");
    Arc::new(Actor {
        name: name.to_owned(),
        body,
        mailbox: 1024,
        timers: Vec::new(),
        supervision: Supervision {
            restart: Restart::Permanent,
            max_restarts: 3,
            window: Duration::from_secs(5),
            backoff: Duration::from_millis(100),
        },
        persist,
        keep_state: false,
        definition: [0; 32],
        at: Span {
            file,
            start: 0,
            end: 0,
        },
    })
}

fn counter() -> Body {
    let tree = |source| Tree::template(Template::parse(source).expect("a template"));
    let add = Handler {
        when: None,
        otherwise: None,
        set: vec![("count".to_owned(), tree("{{ state.count + msg.by }}"))],
        reply: Some(
            Tree::map(vec![("value".to_owned(), tree("{{ state.count }}"))]).expect("flat"),
        ),
    };
    Body::Declared(DeclaredSpec {
        state: Map::from_iter([("count".to_owned(), json!(0))]),
        on: BTreeMap::from([("add".to_owned(), add)]),
        env: Arc::default(),
    })
}

fn worker() -> Body {
    Body::Worker(WorkerSpec {
        argv: vec![this_program().into(), WORKER.into()],
        env: Vec::new(),
        cwd: std::env::temp_dir(),
        limits: LimitsSpec::default(),
        timeout: LONG,
        max_line: 1 << 20,
        kill_after: Duration::from_secs(2),
        secrets: BTreeMap::new(),
    })
}

async fn measure() {
    let folder = tempfile::tempdir().expect("a folder");
    let shutdown = Shutdown::new();
    let starter = Starter::new(this_program());
    let actors = Actors::new(&shutdown, starter, Some(folder.path().to_owned()));
    let all = [
        actor("declarative", counter(), false),
        actor("kept", counter(), true),
        actor("worker", worker(), false),
    ];
    let prepared = actors.prepare(&all, false, |_| false).await;
    prepared.expect("they start").commit();
    let mut bare = Bare::start();
    let mut rates: BTreeMap<(&str, usize), Vec<f64>> = BTreeMap::new();
    for _ in 0..ROUNDS {
        for name in ["declarative", "kept", "worker"] {
            for callers in [1, 64] {
                let rate = calls(&actors.address(name), callers).await;
                rates.entry((name, callers)).or_default().push(rate);
            }
        }
        let rate = tokio::task::block_in_place(|| bare.rate());
        rates
            .entry(("worker over bare pipes", 1))
            .or_default()
            .push(rate);
    }
    println!("{:<24} {:>8} {:>12}", "calls a second", "callers", "median");
    for ((name, callers), mut rates) in rates {
        rates.sort_by(f64::total_cmp);
        println!("{name:<24} {callers:>8} {:>12.0}", rates[ROUNDS / 2]);
    }
    actors.stop();
    shutdown.begin();
    assert!(shutdown.wait(Duration::from_secs(10)).await, "they stop");
}

/// Calls in a turn, by so many callers at the same time.
async fn calls(address: &Address, callers: usize) -> f64 {
    let begun = Instant::now();
    let callers = (0..callers).map(|_| {
        let address = address.clone();
        tokio::spawn(async move {
            let mut done = 0_u64;
            while begun.elapsed() < TURN {
                let reply = address.call("add", json!({ "by": 1 }), LONG).await;
                assert!(reply.is_ok_and(|reply| reply.is_object()));
                done += 1;
            }
            done
        })
    });
    let callers: Vec<_> = callers.collect();
    let mut done = 0;
    for caller in callers {
        done += caller.await.expect("it calls");
    }
    done as f64 / begun.elapsed().as_secs_f64()
}

/// The worker's process without anything between.
struct Bare {
    child: std::process::Child,
    output: BufReader<std::process::ChildStdout>,
}

impl Bare {
    fn start() -> Self {
        let mut command = Command::new(this_program());
        command
            .arg(WORKER)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { child, output }
    }

    fn rate(&mut self) -> f64 {
        let input = self.child.stdin.as_mut().expect("a pipe");
        let (begun, mut done, mut line) = (Instant::now(), 0_u64, String::new());
        while begun.elapsed() < TURN {
            let request = json!({ "id": done, "call": "add", "message": { "by": 1 } });
            input
                .write_all(format!("{request}\n").as_bytes())
                .expect("a reader");
            line.clear();
            self.output.read_line(&mut line).expect("a writer");
            let answer: Value = serde_json::from_str(&line).expect("JSON");
            assert_eq!(answer["id"], done);
            done += 1;
        }
        done as f64 / begun.elapsed().as_secs_f64()
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        // The end of its input ends it.
        self.child.stdin = None;
        let _ended = self.child.wait();
    }
}
