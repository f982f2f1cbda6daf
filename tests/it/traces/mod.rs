//! Traces: the spans that a collector gets, what is handed on, and collectors that fail.

mod collector;
mod failing;
mod spans;

use crate::support::{Project, Reply};
use collector::Collector;
use serde_json::Value;
use std::net::SocketAddr;

pub const MANIFEST: &str = "\
[[tool]]
name = \"t\"
result.text = \"hello\"

[[tool]]
name = \"fails\"
shell.command = [\"false\"]

[[tool]]
name = \"trace\"
shell = { command = [\"printenv\", \"TRACEPARENT\"] }

[[resource]]
uri = \"notes:one\"
name = \"one\"
result.text = \"1\"

[[prompt]]
name = \"p\"
result.text = \"x\"
";

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const CALLER: &str = "00f067aa0ba902b7";

/// A project whose spans go to this collector.
fn project(collector: &Collector) -> Project {
    Project::with(MANIFEST)
        .set(&format!("traces.endpoint='{}'", collector.url()))
        .set("metrics.listen=['127.0.0.1:0']")
}

/// The request as part of a trace.
fn traced(mut request: Value, flags: &str) -> Value {
    request["params"]["_meta"]["traceparent"] = format!("00-{TRACE}-{CALLER}-{flags}").into();
    request["params"]["_meta"]["tracestate"] = "vendor=1".into();
    request
}

/// A sample of the server's numbers.
fn sample(log: &str, name: &str) -> Option<u64> {
    let rest = log.split("serving reports at http://").nth(1)?;
    let address: SocketAddr = rest.split_once('/')?.0.parse().ok()?;
    let mut connection = crate::support::Connection::to(address);
    connection.send(format!("GET /metrics HTTP/1.1\r\nHost: {address}\r\n\r\n").as_bytes());
    let reply: Reply = connection.reply();
    let text = reply.text();
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().parse().ok()
}
