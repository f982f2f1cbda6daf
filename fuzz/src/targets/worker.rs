//! Lines of a worker: whatever it writes, the call that it was given is answered with the first
//! answer to it, and the next call too.
//!
//! The worker is this program again. It writes the input, with the number of the call for each
//! [`NUMBER`], and then an answer of its own.

use crate::folder::{Folder, environment};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};
use snodo::actor::{Actors, Address, CallError};
use snodo::lang::schema::SchemaCache;
use snodo::manifest::load::load;
use snodo::process::Starter;
use snodo::runtime::helper;
use snodo::shutdown::Shutdown;
use std::io::{BufRead as _, Write as _};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What makes this program a worker.
pub const ARGUMENT: &str = "--worker";
/// The longest line that it may write.
const MAX_LINE: usize = 256;
/// Stands for the number of the call.
const NUMBER: &[u8] = b"$ID";
/// What is answered after the input.
const END: &str = "the end";
/// An input has no more lines than this that are too long.
const MOST_LONG: usize = 64;
/// Nothing takes so long.
const LONG: Duration = Duration::from_secs(10);

pub fn run(input: &[u8]) {
    if input.len() > MAX_LINE * MOST_LONG {
        return;
    }
    let actor = Acting::get();
    let call = |message, payload| {
        let call = actor.address.call(message, payload, LONG);
        actor.tokio.block_on(call)
    };
    let number = actor.number.load(Ordering::Relaxed) + 1;
    let answer = call("say", json!({ "bytes": STANDARD.encode(input) }));
    match (expected(&numbered(input, number), number), answer) {
        (Some(expected), Ok(answer)) => assert_eq!(answer, expected),
        (None, Err(CallError::Failed(_))) => {}
        (expected, answer) => panic!("{answer:?}, expected {expected:?}"),
    }
    // Lines that are too long and come late may answer it.
    let mut answers = (0..=MOST_LONG).map(|_| call("number", Value::Null));
    let answered = answers.find(|answer| !matches!(answer, Err(CallError::Failed(_))));
    let answered = answered.expect("the next call is answered");
    let number = answered.expect("an answer").as_u64().expect("a number");
    actor.number.store(number, Ordering::Relaxed);
}

/// What answers the call: the first line that is for it; `None` for an error.
fn expected(sent: &[u8], number: u64) -> Option<Value> {
    for line in sent.split(|byte| *byte == b'\n') {
        if line.len() > MAX_LINE {
            return None;
        }
        let Ok(mut said) = serde_json::from_slice::<Map<String, Value>>(line) else {
            continue;
        };
        if said.get("id").and_then(Value::as_u64) == Some(number) {
            return match (said.remove("reply"), said.remove("error")) {
                (Some(reply), None) => Some(reply),
                _ => None,
            };
        }
    }
    Some(END.into())
}

/// The input with the number of the call.
fn numbered(input: &[u8], number: u64) -> Vec<u8> {
    let number = number.to_string();
    let mut numbered = Vec::with_capacity(input.len());
    let mut rest = input;
    while let Some(at) = rest.windows(NUMBER.len()).position(|place| place == NUMBER) {
        numbered.extend_from_slice(&rest[..at]);
        numbered.extend_from_slice(number.as_bytes());
        rest = &rest[at + NUMBER.len()..];
    }
    numbered.extend_from_slice(rest);
    numbered
}

/// The worker.
pub fn work() {
    let (input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    for line in input.lines() {
        let given: Value = serde_json::from_str(&line.expect("a line")).expect("JSON");
        let number = given["id"].as_u64().expect("a call");
        let said = given["message"]["bytes"].as_str().unwrap_or_default();
        let said = STANDARD.decode(said).expect("Base64");
        let reply = match &given["call"] {
            Value::String(call) if call == "say" => Value::from(END),
            _ => number.into(),
        };
        let mut lines = numbered(&said, number);
        lines.extend_from_slice(
            format!("\n{}\n", json!({ "id": number, "reply": reply })).as_bytes(),
        );
        output.write_all(&lines).expect("a reader");
        output.flush().expect("a reader");
    }
}

/// The actor of this process.
struct Acting {
    address: Address,
    /// The number of the last call.
    number: AtomicU64,
    tokio: tokio::runtime::Runtime,
    _actors: Actors,
}

impl Acting {
    fn get() -> &'static Self {
        static ACTING: OnceLock<Acting> = OnceLock::new();
        ACTING.get_or_init(Self::new)
    }

    fn new() -> Self {
        let tokio = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        let program = std::env::current_exe().expect("this program");
        let command = json!([program, ARGUMENT]);
        let folder = Folder::get();
        folder.write(&format!(
            "[[actor]]\nname = \"worker\"\n[actor.process]\ncommand = {command}\nmax_line_bytes = {MAX_LINE}\n"
        ));
        let loaded = load(folder.settings(), &environment(), &SchemaCache::new(), None);
        assert_eq!(loaded.errors(), 0, "{:?}", loaded.diagnostics);
        let actors = Actors::new(&Shutdown::new(), Starter::new(helper()), None);
        tokio.block_on(async {
            let prepared = actors
                .prepare(&loaded.catalog.actors, false, |_| false)
                .await;
            prepared.expect("a worker").commit();
        });
        let address = actors.address("worker");
        Self {
            address,
            number: AtomicU64::new(0),
            tokio,
            _actors: actors,
        }
    }
}
