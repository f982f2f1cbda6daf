//! A disk that is full: logs are lost and counted, and nothing else is.

use super::{TOOLS, hello, on_small_disk, sample, seen_by};
use crate::support::{Daemon, Project, within};
use std::fs::File;

#[test]
fn a_full_standard_error_loses_lines_and_no_call() {
    // /dev/full is a disk that is always full. Where the server listens is seen in its log file.
    let project = Project::with(TOOLS)
        .set("log.file={ dir = \"logs\", rotate = \"never\" }")
        .set("log.level=debug")
        .set("http.listen=['127.0.0.1:0']")
        .set("metrics.listen=['127.0.0.1:0']");
    let full = File::options().write(true).open("/dev/full").unwrap();
    let mut child = project.command("serve").stderr(full).spawn().unwrap();
    let log = || std::fs::read_to_string(project.path().join("logs/snodo.log")).unwrap_or_default();
    let at = |what: &str| {
        within(what, || {
            let log = log();
            let rest = log.split(what).nth(1)?.to_owned();
            rest.split_once('/')?.0.parse().ok()
        })
    };
    let (address, reports) = (at("serving http://"), at("serving reports at http://"));
    for _ in 0..10 {
        let mut connection = crate::support::Connection::to(address);
        let reply = connection.post(&crate::support::call(1, "t", serde_json::json!({})));
        assert_eq!(reply.status, 200);
    }
    within("the losses are counted", || {
        let mut connection = crate::support::Connection::to(reports);
        connection.send(format!("GET /metrics HTTP/1.1\r\nHost: {reports}\r\n\r\n").as_bytes());
        let text = connection.reply().text();
        let lost = "snodo_log_lines_dropped_total{log=\"stderr\"} ";
        let lost = text.lines().find_map(|line| line.strip_prefix(lost))?;
        (lost.parse::<u64>().unwrap() > 0).then_some(())
    });
    assert!(log().contains("cannot write to stderr"), "{}", log());
    crate::support::kill(child.id(), "TERM");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_full_log_folder_loses_lines_until_there_is_room_again() {
    let project = Project::with(TOOLS)
        .set("log.audit={ dir = \"logs\", rotate = \"never\" }")
        .set("metrics.listen=['127.0.0.1:0']")
        .set("http.listen=['127.0.0.1:0']");
    let Some(mut command) = on_small_disk(&project, "serve", "logs") else {
        return;
    };
    let mut daemon = Daemon::start(&mut command);
    let logs = seen_by(daemon.pid(), &project, "logs");
    let filler = logs.join("filler");
    let lost =
        |daemon: &Daemon| sample(daemon, "snodo_log_lines_dropped_total{log=\"audit log\"} ");
    hello(&daemon);
    within("a line is written", || {
        (std::fs::metadata(logs.join("audit.log")).ok()?.len() > 0).then_some(())
    });
    // What is left of it is taken; writing more than there is fails part of the way.
    let _full = std::fs::write(&filler, vec![0; 128 * 1024]);
    within("lines are lost", || {
        hello(&daemon);
        (lost(&daemon) > 0.0).then_some(())
    });
    daemon.wait_for_log("cannot write to audit log");
    std::fs::remove_file(&filler).unwrap();
    let written = || std::fs::metadata(logs.join("audit.log")).unwrap().len();
    let before = written();
    within("lines are written again", || {
        hello(&daemon);
        (written() > before).then_some(())
    });
    daemon.signal("TERM");
    assert_eq!(daemon.wait().code(), Some(0));
}
