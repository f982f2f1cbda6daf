//! Actors, through the real program.
//!
//! | requirement | tests |
//! |---|---|
//! | actor tools (seeds, "GenServer tools") | `messages::*` |
//! | state without code | `declared::*` |
//! | supervision, nothing left running | `workers::*` |
//! | what was acknowledged outlives kill -9 | `persist::*`, `model::*` |
//! | reload keeps actors | `reload::*` |
//! | events reach subscribers | `events::*` |
//! | the actor as a wrapper | `policy::*`, `guarded::*` |

mod declared;
mod events;
mod guarded;
mod messages;
mod model;
mod persist;
mod policy;
mod reload;
mod workers;

use crate::support::{Daemon, Project, call, text_of};
use serde_json::{Value, json};

/// A worker in plain `sh`: it counts, and does as it is told.
///
/// | message | what it does |
/// |---|---|
/// | `add` | counts, and replies the count and its process id |
/// | `echo` | replies with the message |
/// | `hold` | counts once somebody has written to the pipe `gate`, and replies the count |
/// | `text` | replies a text |
/// | `fail` | replies an error |
/// | `crash`, `leave` | exits with 3, with 0 |
/// | `say` | writes the message's `line` to standard output, and replies |
/// | `grumble` | writes `$WORD` to standard error, and replies |
const WORKER: &str = r#"
count=0
# Its own process, and one more that outlives the end of the input and SIGTERM.
[ -n "$STUBBORN" ] && { (trap '' TERM; echo "$$" >stubborn; exec sleep 600) & trap '' TERM; }
while read -r line; do
    id= && message=${line#*\"message\":} && message=${message%\}}
    case $line in '{"id":'*) id=${line#*:} && id=${id%%,*} ;; esac
    name=${line#*\"call\":\"} && name=${name#*\"cast\":\"} && name=${name%%\"*}
    case $name in
        add) count=$((count + 1)) reply="{\"count\":$count,\"pid\":$$}" ;;
        echo) reply=$message ;;
        hold) cat gate >/dev/null; count=$((count + 1)) reply="{\"count\":$count,\"pid\":$$}" ;;
        text) reply='"text"' ;;
        fail) echo "{\"id\":$id,\"error\":\"it went wrong\"}"; continue ;;
        crash) exit 3 ;;
        leave) exit 0 ;;
        say) said=${message#*\"line\":} && echo "${said%\}}"; reply="{}" ;;
        grumble) echo "$WORD" >&2; reply="{}" ;;
    esac
    [ -n "$id" ] && echo "{\"id\":$id,\"reply\":$reply}"
done
[ -n "$STUBBORN" ] && sleep 600
exit 0
"#;

/// A tool for each of these messages, named as the message is, to the actor `a`.
fn tools(messages: &[&str]) -> String {
    let tools = messages.iter().map(|name| {
        format!("\n[[tool]]\nname = \"{name}\"\nactor = {{ target = \"a\", call = \"{name}\" }}\n")
    });
    tools.collect()
}

/// The worker as the actor `a`, with these further keys of it, and a tool for each of its messages.
fn worker(keys: &str) -> String {
    let messages = [
        "add", "echo", "hold", "text", "fail", "crash", "leave", "say", "grumble",
    ];
    format!(
        "[[actor]]\nname = \"a\"\nprocess.command = [\"sh\", \"worker.sh\"]\n{keys}\n{}\n\
         [[tool]]\nname = \"add_later\"\nactor = {{ target = \"a\", cast = \"add\" }}\n",
        tools(&messages)
    )
}

fn project(manifest: &str) -> Project {
    Project::with(manifest)
        .file("manifests/worker.sh", WORKER)
        .set("reload.debounce_ms=20")
}

/// Calls a tool that succeeds, and gives its structured content.
fn ok(daemon: &Daemon, tool: &str, arguments: Value) -> Value {
    let answer = daemon.ask(&call(1, tool, arguments));
    assert_eq!(answer["result"]["isError"], false, "{tool}: {answer}");
    answer["result"]["structuredContent"].clone()
}

/// Calls a tool that fails, and gives the error's text.
fn failed(daemon: &Daemon, tool: &str, arguments: Value) -> String {
    let answer = daemon.ask(&call(1, tool, arguments));
    assert_eq!(answer["result"]["isError"], true, "{tool}: {answer}");
    assert!(answer["result"].get("structuredContent").is_none());
    text_of(&answer)
}

/// The count that a worker has come to, with one more.
fn add(daemon: &Daemon) -> u64 {
    ok(daemon, "add", json!({}))["count"].as_u64().unwrap()
}

/// The worker's process.
fn pid(daemon: &Daemon) -> u32 {
    let pid = ok(daemon, "add", json!({}))["pid"].as_u64().unwrap();
    u32::try_from(pid).unwrap()
}

/// A declarative counter as the actor `a`, with these further keys, and its tools.
fn counter(keys: &str) -> String {
    format!(
        "[[actor]]\nname = \"a\"\nstate = {{ count = 0 }}\n{keys}\n[actor.on.add]\n\
         set.count = \"{{{{ state.count + 1 }}}}\"\nreply = {{ count = \"{{{{ state.count }}}}\" }}\n\
         [actor.on.get]\nreply = {{ count = \"{{{{ state.count }}}}\" }}\n{}",
        tools(&["add", "get"])
    )
}
