//! The rows: what each measures, and its goals.

mod actors;
mod calls;
mod files;
mod legacy;
mod many;
mod memory;
mod outside;
mod reload;
mod rmcp;
mod start;
mod streams;
mod worker;

use crate::load::{Target, Until, closed};
use crate::measure::{Plan, Side, turn};
use crate::process::Server;
use crate::table::Row;
use serde_json::Value;
use std::path::PathBuf;
use tempfile::TempDir;

/// Measures a row; panics when something is not as it must be.
pub type Run = fn(&Plan) -> Row;

/// Every row, in the order of the table.
pub const ROWS: [(&str, Run); 20] = [
    ("call-64", calls::call_64),
    ("call-1", calls::call_1),
    ("rate-2000", calls::rate_2000),
    ("rate-8000", calls::rate_8000),
    ("legacy", legacy::without_session),
    ("legacy-session", legacy::with_session),
    ("text-64k", streams::text_64k),
    ("stdio", streams::stdio),
    ("list-1000", many::list_1000),
    ("spawn", outside::spawn),
    ("spawn-1gib", outside::spawn_1gib),
    ("file-4k", files::file_4k),
    ("file-1m", files::file_1m),
    ("relay", outside::relay),
    ("actor", actors::declarative),
    ("worker", worker::worker),
    ("start", start::start),
    ("reload", reload::reload),
    ("memory", memory::memory),
    ("binary", memory::binary),
];

/// How many times further from its goal a row is without optimisation, as it was measured: snodo is slower
/// by more than the libraries that the peers consist of.
pub fn cost_of_no_optimisation(row: &str) -> f64 {
    match row {
        "call-1" | "spawn" | "spawn-1gib" | "worker" => 2.0,
        "list-1000" | "memory" | "binary" => 3.0,
        "reload" => 4.0,
        "call-64" | "file-4k" | "file-1m" => 5.0,
        "legacy" | "legacy-session" | "text-64k" | "relay" => 6.0,
        "start" => 15.0,
        // How late the latest are says little of a server that is nearly busy.
        "rate-2000" | "rate-8000" => f64::INFINITY,
        _ => 1.0,
    }
}

/// A folder that is removed in the end: manifests in `manifests`, whatever else beside it.
struct Folder(TempDir);

impl Folder {
    fn new(manifest: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let made = Self(folder);
        std::fs::create_dir(made.manifests()).expect("a folder");
        made.file("manifests/bench.toml", manifest);
        made
    }

    fn manifests(&self) -> PathBuf {
        self.0.path().join("manifests")
    }

    /// Writes a file and gives its path.
    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).expect("a file");
        path
    }

    /// A file with the `_meta` of this answer, for peers that write the rest themselves.
    fn meta(&self, answer: &[u8]) -> PathBuf {
        let answer = json(answer);
        let meta = answer.pointer("/result/_meta").expect("`_meta`");
        self.file("meta.json", meta.to_string())
    }
}

fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).expect("JSON")
}

/// The peer's answer is snodo's, byte for byte.
fn must_agree(ours: &[u8], theirs: &[u8]) {
    let begin = |bytes: &[u8]| {
        let begin = bytes.get(..1000).unwrap_or(bytes);
        String::from_utf8_lossy(begin).into_owned()
    };
    assert!(
        ours == theirs,
        "the peer answers {}, snodo {}",
        begin(theirs),
        begin(ours)
    );
}

/// As fast as it answers, on so many connections.
fn side<'a>(server: &'a Server, target: &'a Target, connections: usize) -> Side<'a> {
    Box::new(move |plan| {
        turn(&server.process, || {
            closed(target, connections, Until::Time(plan.time))
        })
    })
}
