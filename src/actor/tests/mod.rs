//! Whole actors: through their addresses, with real workers.

mod declared;
mod model;
mod reload;
mod workers;

use super::{Actors, Address, CallError};
use crate::lang::diag::{SourceFile, Span};
use crate::lang::template::{Template, Tree};
use crate::model::{
    Actor, Body, DeclaredSpec, Handler, LimitsSpec, Restart, Supervision, Timer, WorkerSpec,
};
use crate::process::Starter;
use crate::shutdown::Shutdown;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Nothing here takes so long unless it hangs.
const LONG: Duration = Duration::from_secs(60);

fn tree(source: &str) -> Tree {
    Tree::template(Template::parse(source).unwrap())
}

/// `when`, what is set, and the reply.
fn handler(when: Option<&str>, set: &[(&str, &str)], reply: Option<&str>) -> Handler {
    Handler {
        when: when.map(|source| Template::parse(source).unwrap()),
        otherwise: when.map(|_| Template::parse("not now: {{ state.count }}").unwrap()),
        set: set
            .iter()
            .map(|(name, source)| ((*name).to_owned(), tree(source)))
            .collect(),
        reply: reply.map(tree),
    }
}

/// A counter with `add`, `take`, `get`, `swap`, and `fail`, whose reply cannot be made.
fn counter() -> Actor {
    let on = [
        (
            "add",
            handler(
                None,
                &[("count", "{{ state.count + msg.by }}")],
                Some("{{ state.count }}"),
            ),
        ),
        (
            "take",
            handler(
                Some("{{ state.count > 0 }}"),
                &[("count", "{{ state.count - 1 }}")],
                None,
            ),
        ),
        ("get", handler(None, &[], Some("{{ state }}"))),
        (
            "swap",
            handler(
                None,
                &[("count", "{{ state.last }}"), ("last", "{{ state.count }}")],
                None,
            ),
        ),
        (
            "fail",
            handler(
                None,
                &[("count", "{{ 99 }}")],
                Some("{{ state.count / 0 ~ '' }}"),
            ),
        ),
    ];
    let state = json!({ "count": 0, "last": 0 });
    of(Body::Declared(DeclaredSpec {
        state: state.as_object().unwrap().clone(),
        on: BTreeMap::from(on.map(|(name, handler)| (name.to_owned(), handler))),
        env: Arc::default(),
    }))
}

fn of(body: Body) -> Actor {
    Actor {
        name: "a".to_owned(),
        body,
        mailbox: 1024,
        timers: Vec::new(),
        supervision: Supervision {
            restart: Restart::Permanent,
            max_restarts: 3,
            window: LONG * 60,
            backoff: Duration::from_millis(1),
        },
        persist: false,
        keep_state: false,
        definition: [0; 32],
        at: Span {
            file: SourceFile::new("a.toml", ""),
            start: 0,
            end: 0,
        },
    }
}

/// A worker in shell. It counts what it is given; the word of the message decides.
const WORKER: &str = r#"
n=0
while IFS= read -r line; do
  id=${line#*:}; id=${id%%,*}
  case $line in
    *'"call":"add"'*) n=$((n + 1)); echo "{\"id\":$id,\"reply\":$n}" ;;
    *'"cast":"add"'*) n=$((n + 1)) ;;
    *'"call":"pid"'*) echo "{\"id\":$id,\"reply\":$$}" ;;
    *'"call":"env"'*) echo "{\"id\":$id,\"reply\":\"$SNODO_STATE_DIR\"}" ;;
    *'"call":"say"'*) line=${line#*'"say":'}; echo "${line%??}" ; echo "{\"id\":$id,\"reply\":true}" ;;
    *'"call":"refuse"'*) echo "{\"id\":$id,\"error\":\"no\"}" ;;
    *'"call":"late"'*) sleep 0.05; n=$((n + 1)); echo "{\"id\":$id,\"reply\":$n}" ;;
    *'"call":"hang"'*) sleep 600 ;;
    *'"call":"exit"'*) exit 0 ;;
    *'"call":"crash"'*) exit 3 ;;
    *'"call":"kill"'*) kill -9 $$ ;;
    *'"cast":"crash"'*) exit 3 ;;
  esac
done
"#;

fn worker() -> Actor {
    of(Body::Worker(script(WORKER)))
}

fn script(text: &str) -> WorkerSpec {
    WorkerSpec {
        argv: ["/bin/sh", "-c", text].map(Into::into).to_vec(),
        env: vec![("PATH".into(), "/usr/bin:/bin".into())],
        cwd: "/".into(),
        limits: LimitsSpec::default(),
        timeout: LONG,
        max_line: 4096,
        kill_after: Duration::from_millis(200),
        secrets: BTreeMap::new(),
    }
}

/// Actors of one test.
struct World {
    actors: Actors,
    shutdown: Shutdown,
}

impl World {
    fn new(state_dir: Option<&Path>) -> Self {
        let shutdown = Shutdown::new();
        let starter = Starter::new("/nonexistent/snodo".into());
        let dir = state_dir.map(Path::to_owned);
        Self {
            actors: Actors::new(&shutdown, starter, dir),
            shutdown,
        }
    }

    /// One actor, and how it is reached.
    async fn with(actor: Actor) -> (Self, Address) {
        let world = Self::new(None);
        world.become_these([actor]).await;
        let address = world.actors.address("a");
        (world, address)
    }

    /// Makes these and no others be there.
    async fn become_these<const N: usize>(&self, actors: [Actor; N]) {
        let actors = actors.map(Arc::new);
        let prepared = self.actors.prepare(&actors, false, |_| false);
        prepared.await.unwrap().commit();
    }

    /// Ends everything, and fails when something does not end.
    async fn end(self) {
        self.actors.stop();
        assert!(self.shutdown.wait(LONG).await, "an actor did not end");
        assert!(self.actors.is_empty());
    }
}

impl Drop for World {
    /// As when the process is ended: nothing is waited for.
    fn drop(&mut self) {
        self.shutdown.hurry();
    }
}

async fn call(address: &Address, message: &str, payload: Value) -> Result<Value, CallError> {
    address.call(message, payload, LONG).await
}

async fn ok(address: &Address, message: &str, payload: Value) -> Value {
    call(address, message, payload).await.unwrap()
}

/// What an error says.
async fn why(address: &Address, message: &str, payload: Value) -> String {
    call(address, message, payload)
        .await
        .unwrap_err()
        .to_string()
}

fn died(how: &str) -> CallError {
    CallError::Died {
        name: "a".to_owned(),
        how: how.to_owned(),
    }
}

/// Waits until a condition holds.
async fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let began = std::time::Instant::now();
    while !condition() {
        assert!(began.elapsed() < LONG, "never: {what}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

fn is_alive(pid: &Value) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit(") ").next().unwrap_or_default();
    !state.is_empty() && !state.starts_with('Z')
}

fn no_payload() -> Value {
    Value::Object(Map::new())
}

fn timer(millis: u64, message: &str) -> Timer {
    Timer {
        interval: Duration::from_millis(millis),
        message: message.to_owned(),
    }
}
