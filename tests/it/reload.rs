//! Hot reload: every way a file changes, and what must not change with it.

mod folders;
mod kept;
mod refusals;
mod saves;
mod server_file;
mod steady;
mod triggers;

use crate::support::{Connection, Daemon, Stdio, call, list, text_of, within};
use serde_json::{Value, json};
use std::path::Path;

/// A manifest of one tool `name` that says `text`.
fn tool(name: &str, text: &str) -> String {
    format!("[[tool]]\nname = \"{name}\"\nresult.text = \"{text}\"\n")
}

/// What a tool says, or how the protocol refuses it.
fn said(answer: &Value) -> String {
    match answer["error"]["message"].as_str() {
        Some(message) => message.to_owned(),
        None => text_of(answer),
    }
}

/// Someone who can be asked again and again.
trait Ask {
    fn ask_for(&mut self, message: &Value) -> Value;

    /// What a tool says now.
    fn says(&mut self, name: &str) -> String {
        said(&self.ask_for(&call(1, name, json!({}))))
    }

    /// Waits until a tool says this.
    fn until_says(&mut self, name: &str, text: &str) {
        let mut last = String::new();
        let asked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            within(text, || {
                last = self.says(name);
                (last == text).then_some(())
            });
        }));
        assert!(asked.is_ok(), "{name} says {last:?}, never {text:?}");
    }

    /// The names of the tools, in the order of the list.
    fn tools(&mut self) -> Vec<String> {
        let answer = self.ask_for(&list(1));
        let tools = answer["result"]["tools"].as_array().cloned();
        let tools = tools.unwrap_or_default();
        let name = |tool: &Value| tool["name"].as_str().unwrap().to_owned();
        tools.iter().map(name).collect()
    }

    fn until_tools(&mut self, names: &[&str]) {
        within(&names.join(" "), || (self.tools() == names).then_some(()));
    }
}

impl Ask for Connection {
    fn ask_for(&mut self, message: &Value) -> Value {
        self.post(message).json()
    }
}

impl Ask for Stdio {
    fn ask_for(&mut self, message: &Value) -> Value {
        self.ask(message)
    }
}

/// The lines of a log that hold this.
fn lines<'l>(log: &'l str, text: &str) -> Vec<&'l str> {
    log.lines().filter(|line| line.contains(text)).collect()
}

/// How often it has reloaded, once the log says at least `count` times: a runtime is swapped first
/// and logged then.
fn reloads(daemon: &Daemon, count: usize) -> usize {
    let reloads = || lines(&daemon.stderr(), ": reloaded").len();
    within(&format!("{count} reloads"), || {
        (reloads() >= count).then_some(())
    });
    reloads()
}

/// Waits until every edit made so far has been looked at: an edit of a file of its own is served.
fn settled(connection: &mut Connection, manifests: &Path) {
    static NEXT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let text = tool("settled", &number.to_string());
    std::fs::write(manifests.join("settled.toml"), text).unwrap();
    connection.until_says("settled", &number.to_string());
}
