//! What a call says before it is answered: progress and log messages, on both transports.

mod commands;
mod streams;

use crate::support::{Fifo, Project};
use serde_json::Value;

/// Tools that say how they go. Those with a gate wait until the test reads or writes its pipe.
const TOOLS: &str = r#"
[[tool]]
name = "quiet"
result.text = "done"

[[tool]]
name = "steps"
[tool.shell]
cwd = ".."
progress = "lines"
script = '''
echo one
read go < gate
printf 'two\nthree'
'''

[[tool]]
name = "build"
[tool.shell]
progress = { pattern = '^\[(?<progress>[\d.]+)/(?<total>\d+)\](?<message>.*)$' }
script = '''
echo '[0/4] begin'
echo 'nothing to see'
printf '[1.5/4] compile\r[1/4] back\r[2/4]\r\n'
echo '[NaN/4] never'
echo '[4/4] end'
'''

[[tool]]
name = "chatty"
[tool.shell]
log = true
env.KEY = "{{ secrets.key }}"
script = '''
echo "the key is $KEY" >&2
echo >&2
printf 'bad \377 byte' >&2
echo out
'''

[[tool]]
name = "family"
[tool.shell]
cwd = ".."
progress = "lines"
script = '''
sleep 1000 & echo "$$ $!" > family
echo started
wait
'''

[[tool]]
name = "flood"
[tool.shell]
cwd = ".."
progress = "lines"
log = true
script = '''
seq 200000
seq 200000 >&2
echo over > family
'''
"#;

/// A project of these tools with the pipes they use.
fn project() -> Project {
    let project = Project::with(TOOLS)
        .file("key", "k3y-0f-all\nsecond-line")
        .file(
            "snodo.toml",
            "manifests = [\"manifests\"]\nsecrets.key = { file = \"key\" }",
        )
        .arg("--config")
        .arg("snodo.toml");
    Fifo::make(project.path().join("gate"));
    Fifo::make(project.path().join("family"));
    project
}

/// Lets the tool `steps` go on.
fn open_gate(project: &Project) {
    drop(Fifo::at(project.path().join("gate")).until_read());
}

/// What each message says: progress as `[progress, total, message]`, a log message as `[level,
/// logger, data]`, the answer as its id.
fn said(messages: &[Value]) -> Vec<Value> {
    messages.iter().map(one).collect()
}

fn one(message: &Value) -> Value {
    let params = &message["params"];
    let members = |names: [&str; 3]| names.map(|name| params[name].clone()).into();
    match message["method"].as_str() {
        Some("notifications/progress") => {
            assert!(message.get("id").is_none());
            assert_eq!(params["progressToken"], "token");
            members(["progress", "total", "message"])
        }
        Some("notifications/message") => members(["level", "logger", "data"]),
        None => message["id"].clone(),
        Some(method) => panic!("{method}"),
    }
}
