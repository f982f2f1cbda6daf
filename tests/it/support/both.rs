//! One project served over both transports, and messages that must mean the same on each.

use super::{Connection, Daemon, Project, Stdio, discover};
use serde_json::Value;

/// `snodo stdio` and `snodo serve` of the same project.
pub struct Both {
    pub project: Project,
    pub stdio: Stdio,
    pub daemon: Daemon,
    connection: Connection,
    probes: u64,
}

/// What came of one message.
#[derive(Debug, PartialEq)]
pub struct Came {
    /// What was written to standard output; `None` is nothing.
    pub line: Option<Value>,
    /// The status of the HTTP answer.
    pub status: u16,
    /// Its body; `None` is an empty one.
    pub body: Option<Value>,
}

impl Both {
    pub fn of(project: Project) -> Self {
        let daemon = project.serve();
        Self {
            stdio: project.stdio(),
            connection: daemon.connect(),
            daemon,
            probes: 0,
            project,
        }
    }

    /// Sends a request over both; the answers must be the same JSON, and HTTP's status 200.
    pub fn ask(&mut self, request: &Value) -> Value {
        let line = self.stdio.ask(request);
        let reply = self.connection.post(request);
        let body = reply.json();
        assert_eq!(line, body, "the transports differ on {request}");
        assert_eq!(reply.status, 200, "{request}: {body}");
        line
    }

    /// Sends bytes over both: as a line, and as a body with the headers that mirror it if it is a
    /// request. `answered` says whether the line has an answer; nothing else may come before the
    /// answer to a request sent behind it.
    pub fn send(&mut self, message: &[u8], answered: bool) -> Came {
        self.stdio.send_raw(message);
        self.stdio.send_raw(b"\n");
        let line = answered.then(|| self.stdio.receive());
        self.probes += 1;
        let probe = discover(format!("probe {}", self.probes));
        self.stdio.send(&probe);
        let next = self.stdio.receive();
        assert_eq!(next["id"], probe["id"], "one answer too many: {next}");
        let parsed: Value = serde_json::from_slice(message).unwrap_or_default();
        let reply = if parsed["method"].is_string() {
            self.connection.post_as(&parsed, message)
        } else {
            self.connection.post_with(&[], message)
        };
        Came {
            line,
            status: reply.status,
            body: (!reply.body.is_empty()).then(|| reply.json()),
        }
    }

    /// Both ended: nothing is left to come on standard output, and the program ended well.
    pub fn finish(mut self) {
        let (status, rest) = self.stdio.finish();
        assert!(status.success(), "{status}");
        assert!(rest.is_empty(), "{rest:?}");
    }
}
