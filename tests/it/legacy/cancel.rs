//! What ends a request, and what does not.

use super::{Client, NEWER, OLDER, Session, call, notification, request};
use crate::support::{Fifo, Project, gone};
use serde_json::{Value, json};

/// `slow` says who it is, and goes on when the test opens the gate; `told` says so first.
const TOOLS: &str = r#"
[[tool]]
name = "slow"
[tool.shell]
cwd = ".."
script = '''
echo $$ > who
read go < gate
echo done > end
echo ended
'''

[[tool]]
name = "told"
[tool.shell]
cwd = ".."
progress = "lines"
script = '''
echo begun
echo $$ > who
read go < gate
echo done > end
'''
"#;

struct Slow {
    project: Project,
}

impl Slow {
    fn new() -> Self {
        let project = Project::with(TOOLS);
        for name in ["who", "gate", "end"] {
            Fifo::make(project.path().join(name));
        }
        Self { project }
    }

    fn pipe(&self, name: &str) -> Fifo {
        Fifo::at(self.project.path().join(name))
    }

    fn open_gate(&self) {
        drop(self.pipe("gate").until_read());
    }
}

fn told(id: &str) -> Value {
    let mut request = call(id, "told", json!({}));
    request["params"]["_meta"]["progressToken"] = 1.into();
    request
}

#[test]
fn a_disconnect_is_no_cancellation() {
    let slow = Slow::new();
    let daemon = slow.project.serve();
    for message in [call(1, "slow", json!({})), told("a")] {
        let (mut who, mut end) = (slow.pipe("who").reader(), slow.pipe("end").reader());
        let session = Session::begin(&daemon, NEWER);
        let mut caller = session.on(&daemon);
        let headers = caller.headers.clone();
        let body = message.to_string();
        let mut head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n",
            daemon.address(),
            body.len()
        );
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        caller
            .connection
            .send(format!("{head}\r\n{body}").as_bytes());
        Fifo::line(&mut who);
        drop(caller);
        // The connection's end is noticed before this is answered: it is the same runtime's.
        for _ in 0..20 {
            assert_eq!(
                session
                    .on(&daemon)
                    .post(&request(2, "ping", json!({})))
                    .status,
                200
            );
        }
        slow.open_gate();
        assert_eq!(Fifo::line(&mut end), "done", "{message}");
    }
}

#[test]
fn a_notification_cancels_and_ends_the_answer_without_one() {
    let slow = Slow::new();
    let daemon = slow.project.serve();
    let session = Session::begin(&daemon, OLDER);
    let cancel = |id: Value| notification("notifications/cancelled", json!({ "requestId": id }));
    // A call that has said something is a stream already, and ends.
    let mut who = slow.pipe("who").reader();
    let headers = session.headers();
    let mut events = daemon
        .connect()
        .events_with(&headers, told("a").to_string().as_bytes());
    assert_eq!(events.next().unwrap()["method"], "notifications/progress");
    let pid = Fifo::line(&mut who).parse().unwrap();
    for other in [json!("b"), json!(1), json!(null)] {
        assert_eq!(session.on(&daemon).post(&cancel(other)).status, 202);
    }
    // Another session has no say in it, nor has who names none.
    assert_eq!(
        Session::begin(&daemon, OLDER)
            .post(&cancel(json!("a")))
            .status,
        202
    );
    let nobody = cancel(json!("a")).to_string();
    assert_eq!(
        daemon.connect().post_with(&[], nobody.as_bytes()).status,
        202
    );
    assert_eq!(
        session
            .on(&daemon)
            .post(&request(3, "ping", json!({})))
            .status,
        200
    );
    assert!(std::path::Path::new(&format!("/proc/{pid}")).exists());
    assert_eq!(session.on(&daemon).post(&cancel(json!("a"))).status, 202);
    assert_eq!(events.next(), None);
    gone(&[pid], daemon.pid());
    // One that has not is answered with a stream that ends at once.
    let mut who = slow.pipe("who").reader();
    let mut waiting = session.on(&daemon);
    let answer = std::thread::spawn(move || waiting.post(&call(7, "slow", json!({}))));
    let pid = Fifo::line(&mut who).parse().unwrap();
    assert_eq!(session.on(&daemon).post(&cancel(json!(7))).status, 202);
    let reply = answer.join().unwrap();
    assert_eq!((reply.status, reply.body.len()), (200, 0));
    gone(&[pid], daemon.pid());
}

#[test]
fn a_cancelled_request_of_a_stream_has_no_answer() {
    let slow = Slow::new();
    let mut who = slow.pipe("who").reader();
    let Client::Stdio(mut stdio) = Client::stdio(&slow.project, NEWER) else {
        panic!("another transport");
    };
    stdio.send(&call("a", "slow", json!({})));
    let pid = Fifo::line(&mut who).parse().unwrap();
    stdio.send(&notification(
        "notifications/cancelled",
        json!({ "requestId": "a" }),
    ));
    stdio.send(&request("b", "ping", json!({})));
    assert_eq!(stdio.receive()["id"], "b");
    gone(&[pid], stdio.pid());
    let (status, rest) = stdio.finish();
    assert!(status.success() && rest.is_empty(), "{rest:?}");
}

#[test]
fn a_ping_is_answered_beside_a_slow_tool() {
    let slow = Slow::new();
    let daemon = slow.project.serve();
    let mut who = slow.pipe("who").reader();
    let Client::Stdio(mut stdio) = Client::stdio(&slow.project, OLDER) else {
        panic!("another transport");
    };
    stdio.send(&call("a", "slow", json!({})));
    Fifo::line(&mut who);
    assert_eq!(
        stdio.ask(&request("b", "ping", json!({})))["result"],
        json!({})
    );
    let mut end = slow.pipe("end").reader();
    slow.open_gate();
    assert_eq!(Fifo::line(&mut end), "done");
    assert_eq!(stdio.receive()["id"], "a");
    let session = Session::begin(&daemon, OLDER);
    let mut waiting = session.on(&daemon);
    let answer = std::thread::spawn(move || waiting.post(&call(7, "slow", json!({}))));
    Fifo::line(&mut who);
    let reply = session.on(&daemon).post(&request(8, "ping", json!({})));
    assert_eq!(reply.json()["result"], json!({}));
    slow.open_gate();
    assert_eq!(Fifo::line(&mut end), "done");
    assert_eq!(
        answer.join().unwrap().json()["result"]["content"][0]["text"],
        "ended\n"
    );
}
