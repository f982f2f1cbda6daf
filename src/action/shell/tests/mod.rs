//! Commands run for real.

mod ending;
mod output;
mod start;

use super::{Captured, Command, Finished, Runner, Tap, Taps};
use crate::model::LimitsSpec;
use crate::process::ProcessError;
use crate::shutdown::Shutdown;
use bytes::Bytes;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// Nothing here takes so long unless it hangs.
const LONG: Duration = Duration::from_secs(60);

/// A runner of its own, so that its tasks are those of one test.
fn runner() -> (Runner, Shutdown) {
    let shutdown = Shutdown::new();
    let runner = Runner::new(shutdown.clone(), LONG, PathBuf::from("/nonexistent/snodo"));
    (runner, shutdown)
}

/// `argv` with a plain PATH and nothing else.
fn command<S: Into<OsString>>(argv: impl IntoIterator<Item = S>) -> Command {
    Command {
        argv: argv.into_iter().map(Into::into).collect(),
        env: vec![("PATH".into(), "/usr/bin:/bin".into())],
        cwd: "/".into(),
        stdin: None,
        timeout: LONG,
        max_stdout: 1 << 20,
        max_stderr: 1 << 20,
        kill_after: LONG,
        limits: LimitsSpec::default(),
    }
}

/// A script; `$1` and on are `arguments`.
fn script(text: &str, arguments: &[&str]) -> Command {
    command(["sh", "-c", text, "sh"].iter().chain(arguments))
}

async fn run(command: Command) -> Result<Finished, ProcessError> {
    runner().0.run(command, Taps::default()).await
}

async fn finish(command: Command) -> Finished {
    run(command).await.expect("the command starts")
}

fn input(text: impl Into<Bytes>, mut command: Command) -> Command {
    command.stdin = Some(text.into());
    command
}

/// A mark in the environment of a command and of all that it starts.
struct Mark(String);

impl Mark {
    fn on(command: &mut Command) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let value = format!("{}-{number}", std::process::id());
        command
            .env
            .push(("SNODO_MARK".into(), value.clone().into()));
        Self(format!("SNODO_MARK={value}\0"))
    }

    /// How many living processes bear it. A zombie has no environment.
    fn alive(&self) -> usize {
        let bears = |pid: &u32| {
            let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            String::from_utf8_lossy(&environment).contains(&self.0)
        };
        pids().into_iter().filter(bears).count()
    }
}

fn pids() -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").expect("/proc is there");
    let name =
        |entry: std::io::Result<std::fs::DirEntry>| entry.ok()?.file_name().into_string().ok();
    entries
        .filter_map(name)
        .filter_map(|name| name.parse().ok())
        .collect()
}

/// Whether `pid` is a zombie of this process.
fn is_our_zombie(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let after_name = stat.rsplit(") ").next().unwrap_or_default();
    let mut fields = after_name.split(' ');
    let zombie = fields.next() == Some("Z");
    zombie && fields.next() == Some(std::process::id().to_string().as_str())
}

/// Waits until `condition` holds; fails after a time that means it never will.
async fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let began = Instant::now();
    while !condition() {
        assert!(began.elapsed() < LONG / 2, "never: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// A tap that passes the pieces on.
fn listen() -> (Taps, mpsc::Receiver<Vec<u8>>) {
    let (heard, pieces) = mpsc::channel(64);
    let tap: Tap = Box::new(move |piece| {
        let _full = heard.try_send(piece.to_vec());
    });
    let taps = Taps {
        stdout: Some(tap),
        stderr: None,
    };
    (taps, pieces)
}

fn lines(captured: &Captured) -> Vec<String> {
    captured.text().lines().map(str::to_owned).collect()
}
