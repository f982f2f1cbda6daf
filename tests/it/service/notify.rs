//! sd_notify(3): a socket of the test's own hears what systemd would.

use super::{TOOL, project};
use crate::support::{DEADLINE, Daemon, Project, call, text_of};
use rustix::time::{ClockId, clock_gettime};
use serde_json::json;
use std::os::unix::net::UnixDatagram;
use std::process::Command;

/// A project and the socket that its server reports to.
struct Managed {
    project: Project,
    socket: UnixDatagram,
}

impl Managed {
    fn new() -> Self {
        let project = project();
        let socket = UnixDatagram::bind(project.path().join("notify")).unwrap();
        socket.set_read_timeout(Some(DEADLINE)).unwrap();
        Self { project, socket }
    }

    fn command(&self) -> Command {
        let mut command = self.project.command("serve");
        command
            .args(["--set", "http.listen=[\"127.0.0.1:0\"]"])
            .env("NOTIFY_SOCKET", self.project.path().join("notify"));
        command
    }

    fn serve(&self) -> Daemon {
        Daemon::start(&mut self.command())
    }

    fn heard(&self) -> String {
        let mut bytes = [0; 4096];
        let length = self.socket.recv(&mut bytes).unwrap();
        String::from_utf8(bytes[..length].to_vec()).unwrap()
    }

    /// The next message that begins so; those before it are passed over.
    fn hears(&self, begin: &str) -> String {
        loop {
            let message = self.heard();
            if message.starts_with(begin) {
                return message;
            }
        }
    }
}

#[test]
fn a_life_as_systemd_hears_it() {
    let managed = Managed::new();
    let mut daemon = managed.serve();
    assert_eq!(managed.heard(), "READY=1\nSTATUS=serving 1 tool");
    assert_eq!(text_of(&daemon.ask(&call(1, "t", json!({})))), "hello");

    // A reload that is asked for: RELOADING with the time, then READY.
    let before = clock_gettime(ClockId::Monotonic);
    daemon.signal("HUP");
    let reloading = managed.heard();
    let usec = reloading.strip_prefix("RELOADING=1\nMONOTONIC_USEC=");
    let usec: i64 = usec.unwrap().parse().unwrap();
    assert!(usec >= before.tv_sec * 1_000_000 + before.tv_nsec / 1000);
    let ready = managed.hears("READY=1");
    assert_eq!(
        ready,
        "READY=1\nSTATUS=serving 1 tool; last reload: unchanged"
    );

    // One that fails is over too, and the status says so.
    managed
        .project
        .save("manifests/a.toml", TOOL.replace("result", "resalt"));
    let refused = "serving 1 tool; last reload: refused, 2 errors";
    assert_eq!(managed.hears("STATUS=s"), format!("STATUS={refused}"));
    daemon.signal("HUP");
    managed.hears("RELOADING=1");
    assert_eq!(
        managed.hears("READY=1"),
        format!("READY=1\nSTATUS={refused}")
    );

    // An edit that nobody asked systemd for is no reload to it.
    managed.project.save(
        "manifests/a.toml",
        format!("{TOOL}{}", TOOL.replace("\"t\"", "\"u\"")),
    );
    let status = managed.heard();
    assert_eq!(status, "STATUS=serving 2 tools; last reload: reloaded");

    daemon.signal("TERM");
    assert_eq!(
        managed.hears("STOPPING=1"),
        "STOPPING=1\nSTATUS=stopping, had 2 tools; last reload: reloaded"
    );
    assert_eq!(daemon.wait().code(), Some(0));
}

#[test]
fn a_watchdog_hears_signs_of_life() {
    let managed = Managed::new();
    let mut command = managed.command();
    let mut daemon = Daemon::start(command.env("WATCHDOG_USEC", "100000"));
    for _ in 0..3 {
        managed.hears("WATCHDOG=1");
    }
    daemon.signal("TERM");
    assert_eq!(daemon.wait().code(), Some(0));
}

#[test]
fn a_watchdog_of_another_process_hears_nothing() {
    let managed = Managed::new();
    let mut command = managed.command();
    command
        .env("WATCHDOG_USEC", "1000")
        .env("WATCHDOG_PID", "1");
    let mut daemon = Daemon::start(&mut command);
    assert!(managed.heard().starts_with("READY=1"));
    daemon.signal("TERM");
    assert!(managed.heard().starts_with("STOPPING=1"));
    assert_eq!(daemon.wait().code(), Some(0));
}

#[test]
fn a_manager_that_cannot_be_told_is_no_reason_to_stop() {
    for (address, said) in [
        ("relative", "`NOTIFY_SOCKET` is `relative`"),
        ("/nowhere/notify", "cannot tell the service manager"),
    ] {
        let mut command = project().command("serve");
        let project = project();
        command.current_dir(project.path());
        command
            .args(["--set", "http.listen=[\"127.0.0.1:0\"]"])
            .env("NOTIFY_SOCKET", address);
        let daemon = Daemon::start(&mut command);
        daemon.wait_for_log(said);
        assert_eq!(text_of(&daemon.ask(&call(1, "t", json!({})))), "hello");
    }
}

#[test]
fn a_server_on_the_standard_streams_reports_to_nobody() {
    let managed = Managed::new();
    let notify = managed.project.path().join("notify");
    let project = project().env("NOTIFY_SOCKET", notify.to_str().unwrap());
    let mut stdio = project.stdio();
    let (status, _) = stdio.finish();
    assert!(status.success());
    managed.socket.set_nonblocking(true).unwrap();
    assert!(managed.socket.recv(&mut [0; 16]).is_err());
}
