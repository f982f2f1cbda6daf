//! A worker actor: what the actor adds to a round trip over pipes to the same program.

use super::Folder;
use crate::cores::{self, Place};
use crate::load::{Target, Until, closed};
use crate::mcp;
use crate::measure::{Plan, Turn, alternate, turn};
use crate::process::{Process, Server, this_program};
use crate::table::{Figure, Goal, Row, Unit};
use serde::Deserialize;
use serde_json::json;
use snodo::actor::{Actors, Address};
use snodo::lang::diag::{SourceFile, Span};
use snodo::model::{Actor, Body, LimitsSpec, Restart, Supervision, WorkerSpec};
use snodo::process::Starter;
use snodo::shutdown::Shutdown;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{ChildStdin, ChildStdout, Command};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Nothing here takes so long unless it hangs.
const LONG: Duration = Duration::from_secs(60);

/// The command of the worker: on the load's core, or on the core of who started it.
fn command(apart: bool) -> Vec<OsString> {
    let mut argv = vec![this_program().into(), "--be".into(), "worker".into()];
    if apart {
        argv.push(cores::load().to_string().into());
    }
    argv
}

pub(super) fn worker(plan: &Plan) -> Row {
    let mut figures = Vec::new();
    for (apart, what, goal) in [
        (true, "a core each, beside bare pipes", Goal::AtLeast(0.8)),
        (false, "on one core, beside bare pipes", Goal::None),
    ] {
        let (ours, theirs) = Place::Server.during(|| compare(plan, apart));
        let rate: (Unit, fn(&Turn) -> f64) = (Unit::Rate, |turn| turn.rate);
        figures.push(Figure::beside(what, (&ours, &theirs), rate, goal));
    }
    figures.push(over_http(plan));
    Row {
        name: "worker",
        figures,
        notes: Vec::new(),
    }
}

/// Calls one after the other: through the actor, in this process, and over pipes.
fn compare(plan: &Plan, apart: bool) -> (Vec<Turn>, Vec<Turn>) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime");
    let _entered = runtime.enter();
    let shutdown = Shutdown::new();
    let actors = Actors::new(&shutdown, Starter::new(this_program()), None);
    let declared = [actor(apart)];
    let prepared = runtime.block_on(actors.prepare(&declared, false, |_| false));
    prepared.expect("it starts").commit();
    let address = actors.address("worker");
    let mut pipes = Pipes::start(apart);
    let turns = alternate(
        plan,
        vec![
            Box::new(|plan| {
                let calls = calls(address.clone(), plan.time);
                rate(runtime.block_on(runtime.spawn(calls)).expect("it calls"))
            }),
            Box::new(|plan| rate(pipes.calls(plan.time))),
        ],
    );
    actors.stop();
    shutdown.begin();
    let ended = runtime.block_on(shutdown.wait(Duration::from_secs(10)));
    assert!(ended, "actors end");
    match <[Vec<Turn>; 2]>::try_from(turns) {
        Ok([ours, theirs]) => (ours, theirs),
        Err(_) => unreachable!("two sides"),
    }
}

/// A turn of which only the rate is known.
fn rate((calls, wall): (u64, Duration)) -> Turn {
    Turn {
        rate: calls as f64 / wall.as_secs_f64(),
        cpu: 0.0,
        p50: 0.0,
        p99: 0.0,
        load: 0.0,
        server: 0.0,
    }
}

async fn calls(address: Address, time: Duration) -> (u64, Duration) {
    let (begun, mut done) = (Instant::now(), 0);
    while begun.elapsed() < time {
        let reply = address.call("add", json!({ "by": 1 }), LONG).await;
        assert!(reply.is_ok_and(|reply| reply == json!({ "by": 1 })));
        done += 1;
    }
    (done, begun.elapsed())
}

fn actor(apart: bool) -> Arc<Actor> {
    let file = SourceFile::new("bench.toml", "");
    Arc::new(Actor {
        name: "worker".to_owned(),
        body: Body::Worker(WorkerSpec {
            argv: command(apart),
            env: Vec::new(),
            cwd: std::env::temp_dir(),
            limits: LimitsSpec::default(),
            timeout: LONG,
            max_line: 1 << 20,
            kill_after: Duration::from_secs(2),
            secrets: BTreeMap::new(),
        }),
        mailbox: 1024,
        timers: Vec::new(),
        supervision: Supervision {
            restart: Restart::Permanent,
            max_restarts: 3,
            window: Duration::from_secs(5),
            backoff: Duration::from_millis(100),
        },
        persist: false,
        keep_state: false,
        definition: [0; 32],
        at: Span {
            file,
            start: 0,
            end: 0,
        },
    })
}

/// The same program without anything between; what comes back is parsed as the actor must.
struct Pipes {
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    _process: Process,
}

#[derive(Deserialize)]
struct Answer {
    id: u64,
    reply: serde_json::Value,
}

impl Pipes {
    fn start(apart: bool) -> Self {
        let argv = command(apart);
        let (program, arguments) = argv.split_first().expect("a program");
        let mut command = Command::new(program);
        command.args(arguments);
        let mut process = Process::start_piped(&mut command, Place::Server);
        let (input, output) = process.pipes();
        Self {
            input,
            output: BufReader::new(output),
            _process: process,
        }
    }

    fn calls(&mut self, time: Duration) -> (u64, Duration) {
        let (begun, mut done, mut line) = (Instant::now(), 0_u64, String::new());
        while begun.elapsed() < time {
            let request = json!({ "id": done, "call": "add", "message": { "by": 1 } });
            let request = format!("{request}\n");
            self.input.write_all(request.as_bytes()).expect("a reader");
            line.clear();
            self.output.read_line(&mut line).expect("a writer");
            let answer: Answer = serde_json::from_str(&line).expect("JSON");
            assert!(answer.id == done && answer.reply == json!({ "by": 1 }));
            done += 1;
        }
        (done, begun.elapsed())
    }
}

/// The whole way: 64 connections that ask the tool of a worker.
fn over_http(plan: &Plan) -> Figure {
    let argv: Vec<String> = command(false)
        .iter()
        .map(|word| serde_json::Value::from(word.to_string_lossy()).to_string())
        .collect();
    let folder = Folder::new(&format!(
        "[[actor]]\nname = \"worker\"\nprocess.command = [{}]\n\
         [[tool]]\nname = \"add\"\narguments.by = {{ type = \"integer\", required = true }}\n\
         actor = {{ target = \"worker\", call = \"add\" }}\n",
        argv.join(", ")
    ));
    let snodo = Server::snodo(&folder.manifests(), &[]);
    let request = mcp::call(snodo.address, "add", r#"{"by":1}"#);
    let (target, _) = Target::first(snodo.address, request, r#""structuredContent":{"by":1}"#);
    let turns = alternate(
        plan,
        vec![Box::new(|plan| {
            turn(&snodo.process, || {
                closed(&target, 64, Until::Time(plan.time))
            })
        })],
    );
    let rates = turns.iter().flatten().map(|turn| turn.rate).collect();
    let what = "over HTTP, 64 connections, on one core";
    Figure::alone(what, Unit::Rate, crate::measure::median(rates), Goal::None)
}
