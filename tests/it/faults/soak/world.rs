//! What the soak plays in: a project, its server, an upstream, and what all threads know of each other.

use super::tally::Tally;
use crate::actions::upstream::{Upstream, answer, ok, until_closed};
use crate::support::{Connection, Daemon, Project, Stdio, call};
use serde_json::{Value, json};
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The bytes of `large`: more than any socket's buffers hold.
pub const LARGE: usize = 4 << 20;

/// How many may listen: sessions that nobody reads any more give way to those who listen.
pub const LISTENERS: u64 = 40;

pub struct World {
    pub project: Project,
    pub daemon: Daemon,
    pub tally: Tally,
    _upstream: Upstream,
    stop: AtomicBool,
    tokens: AtomicU64,
    /// Calls of `count` that the daemon has answered.
    pub counted: AtomicU64,
    /// The number of the newest edit that may be served, and of the newest that the daemon serves.
    written: AtomicU64,
    served: AtomicU64,
    /// The number of the last edit of a round; 0 as long as there will be others.
    last: AtomicU64,
}

impl World {
    pub fn new() -> Self {
        let upstream = upstream();
        let steady = include_str!("steady.toml").replace("UPSTREAM", &upstream.url());
        let project = Project::new()
            .manifest("steady.toml", &steady)
            .manifest("edited.toml", &super::edits::edited(1))
            .file("manifests/worker.sh", include_str!("worker.sh"))
            .file("notes/notes.txt", "one\ntwo\nthree\nfour\n")
            .file("notes/watched.txt", "1")
            .file("large", "x".repeat(LARGE))
            // Measured is what the servers hold, not what glibc keeps of freed large answers: up to 8 MiB an arena
            // once these thresholds have grown by themselves.
            .env("MALLOC_MMAP_THRESHOLD_", "131072")
            .env("MALLOC_TRIM_THRESHOLD_", "131072")
            .set("http.write_timeout_ms=3000")
            .set(&format!("http.max_subscriptions={LISTENERS}"))
            .set("reload.debounce_ms=20");
        let daemon = Daemon::start(project.command("serve").args([
            "--set",
            "http.listen=['127.0.0.1:0']",
            "--set",
            "metrics.listen=['127.0.0.1:0']",
            "--set",
            "server.state_dir=states",
        ]));
        daemon.wait_for_log("serving reports at http://");
        Self {
            project,
            daemon,
            tally: Tally::default(),
            _upstream: upstream,
            stop: AtomicBool::new(false),
            tokens: AtomicU64::new(0),
            counted: AtomicU64::new(0),
            written: AtomicU64::new(1),
            served: AtomicU64::new(1),
            last: AtomicU64::new(0),
        }
    }

    /// A server of the same project over stdio, which keeps its states in a folder of its own.
    pub fn stdio(&self, states: &str) -> Stdio {
        let states = format!("server.state_dir={states}");
        Stdio::start(self.project.command("stdio").args(["--set", &states]))
    }

    pub fn connect(&self) -> Connection {
        self.daemon.connect()
    }

    /// A word that no other call has, always of the same length.
    pub fn token(&self) -> String {
        format!("K{:09}", self.tokens.fetch_add(1, Ordering::Relaxed))
    }

    /// Calls a tool of the daemon by the newest revision, on a connection of its own.
    pub fn call(&self, tool: &str, arguments: Value) -> Value {
        self.daemon.ask(&call(self.token(), tool, arguments))
    }

    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    pub fn stop(&self) {
        self.stop.store(true, Ordering::SeqCst);
    }

    /// A new round begins.
    pub fn begin(&self) {
        self.last.store(0, Ordering::SeqCst);
        self.stop.store(false, Ordering::SeqCst);
    }

    /// Says that the next edit is about to be written, and gives its number.
    pub fn next_edit(&self, is_last: bool) -> u64 {
        let number = self.written.load(Ordering::SeqCst) + 1;
        if is_last {
            self.last.store(number, Ordering::SeqCst);
        }
        self.written.store(number, Ordering::SeqCst);
        number
    }

    /// Says that the daemon serves this edit.
    pub fn serves(&self, number: u64) {
        self.served.store(number, Ordering::SeqCst);
    }

    /// Which edits an answer may be of: the newest that is served, and the newest that was written.
    pub fn served(&self) -> u64 {
        self.served.load(Ordering::SeqCst)
    }

    pub fn written(&self) -> u64 {
        self.written.load(Ordering::SeqCst)
    }

    /// Whether this edit is the last of the round.
    pub fn is_last(&self, number: u64) -> bool {
        self.last.load(Ordering::SeqCst) == number
    }

    /// A sample of the daemon's metrics.
    pub fn sample(&self, name: &str) -> u64 {
        super::super::sample(&self.daemon, name) as u64
    }
}

/// Ends the round when a thread has failed: the others would go on until somebody waits for it in vain.
pub struct Alarm<'a>(pub &'a World);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop();
        }
    }
}

/// Answers, refuses, never answers, or breaks off in the middle.
fn upstream() -> Upstream {
    Upstream::raw(|request, stream| {
        let target = request.target();
        let word = target.split_once("q=").map_or("", |(_, word)| word);
        let _ = match target.split('?').next().unwrap_or_default() {
            "/echo" => stream.write_all(&ok("application/json", json!({ "q": word }).to_string())),
            "/absent" => stream.write_all(&answer("404 Not Found", &[], format!("no {word}"))),
            "/cut" => stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"),
            _ => {
                until_closed(stream);
                Ok(())
            }
        };
    })
}
