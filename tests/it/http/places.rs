//! Where it listens, and what it does when the system gives no more connections.

use super::{ECHO, serve};
use crate::support::{Daemon, Project, call, text_of};
use rustix::process::{Pid, Resource, Rlimit, prlimit};
use serde_json::json;

#[test]
fn running_out_of_descriptors_is_waited_out_and_said_once() {
    let (_project, daemon) = serve();
    let mut before = daemon.connect();
    let said = |text: &str| call(1, "echo", json!({ "text": text }));
    assert_eq!(text_of(&before.post(&said("before")).json()), "before");
    let hard = rustix::process::getrlimit(Resource::Nofile).maximum;
    let pid = Pid::from_raw(daemon.pid().cast_signed());
    let few = Rlimit {
        current: Some(daemon.descriptors_at_rest() as u64 + 4),
        maximum: hard,
    };
    let usual = prlimit(pid, Resource::Nofile, few).unwrap();

    let held: Vec<_> = (0..20).map(|_| daemon.connect()).collect();
    daemon.wait_for_log("cannot accept connections");
    // Those that were there are served, again and again, while others wait.
    for _ in 0..50 {
        assert_eq!(
            text_of(&before.post(&said("meanwhile")).json()),
            "meanwhile"
        );
    }
    let log = daemon.stderr();
    assert_eq!(log.matches("cannot accept connections").count(), 1, "{log}");
    // One that waited is served once there is room, without a limit being raised.
    let mut waited = daemon.connect();
    waited.send_message(&said("waited"));
    drop(held);
    assert_eq!(text_of(&waited.reply().json()), "waited");
    prlimit(pid, Resource::Nofile, usual).unwrap();
    let idle = daemon.descriptors();
    assert!(idle < 40, "{idle} descriptors");
}

#[test]
fn listening_beyond_this_machine_without_allowed_hosts_is_warned_of() {
    const WARNING: &str = "without `http.allowed_hosts`";
    for (listen, hosts, warns) in [
        ("0.0.0.0:0", "[]", true),
        ("0.0.0.0:0", "['mcp.example.com']", false),
        ("127.0.0.1:0", "[]", false),
    ] {
        let project = Project::with(ECHO);
        let mut command = project.command("serve");
        command.args(["--set", &format!("http.listen=['{listen}']")]);
        command.args(["--set", &format!("http.allowed_hosts={hosts}")]);
        // The warning stands before the line that `start` waits for.
        let daemon = Daemon::start(&mut command);
        let log = daemon.stderr();
        assert_eq!(log.contains(WARNING), warns, "{listen} {hosts}: {log}");
    }
}
