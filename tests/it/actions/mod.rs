//! What actions do when a tool is called: shell, file, http.

mod answers;
mod contents;
mod ending;
mod environment;
mod file;
mod http;
mod network;
mod output;
mod overflow;
mod progress;
mod samples;
mod secrets;
mod shell;
mod tls;
pub mod upstream;

use super::support::{Daemon, Project, call, text_of};
use serde_json::{Value, json};

/// A project that is served; it stays for as long as its daemon.
struct Served {
    daemon: Daemon,
    _project: Project,
}

impl std::ops::Deref for Served {
    type Target = Daemon;

    fn deref(&self) -> &Daemon {
        &self.daemon
    }
}

fn serve(project: Project) -> Served {
    Served {
        daemon: project.serve(),
        _project: project,
    }
}

/// Calls a tool and gives its result.
fn result(daemon: &Daemon, tool: &str, arguments: Value) -> Value {
    let answer = daemon.ask(&call(1, tool, arguments));
    assert!(answer["result"].is_object(), "{tool}: {answer}");
    answer["result"].clone()
}

/// Calls a tool that succeeds, and gives its text.
fn text(daemon: &Daemon, tool: &str, arguments: Value) -> String {
    let result = result(daemon, tool, arguments);
    assert_ne!(result["isError"], true, "{tool}: {result}");
    text_of(&json!({ "result": result }))
}

/// Calls a tool that fails as tools do, and gives what it says.
fn failure(daemon: &Daemon, tool: &str, arguments: Value) -> String {
    let result = result(daemon, tool, arguments);
    assert_eq!(result["isError"], true, "{tool}: {result}");
    assert!(result.get("structuredContent").is_none(), "{result}");
    text_of(&json!({ "result": result }))
}

/// The processes whose environment holds `NAME=VALUE`. A zombie has no environment.
fn processes_with(name: &str, value: &str) -> Vec<u32> {
    let mark = format!("{name}={value}\0");
    let entries = std::fs::read_dir("/proc").unwrap();
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|pid| {
            let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            String::from_utf8_lossy(&environment).contains(&mark)
        })
        .collect()
}

/// A value that no other test and no other run uses.
fn unique() -> String {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("mark-{}-{number}", std::process::id())
}
