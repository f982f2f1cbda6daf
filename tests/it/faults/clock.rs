//! A wall clock that jumps: nothing that waits goes by it.

use super::{TOOLS, hello};
use crate::support::{Daemon, Project, within};
use std::path::Path;
use std::process::Command;

/// Where Debian's package has the library.
const LIBRARY: &str = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";

#[test]
fn a_clock_that_jumps_a_year_ahead_and_back_disturbs_nothing() {
    if !Path::new(LIBRARY).exists() {
        // CI installs it.
        println!("skipped: the package faketime is not installed");
        return;
    }
    let project = Project::with(TOOLS)
        .file("offset", "+0")
        .set("http.idle_timeout_ms=60000")
        .set("http.listen=['127.0.0.1:0']");
    let mut command: Command = project.command("serve");
    command
        .env("LD_PRELOAD", LIBRARY)
        .env("FAKETIME_TIMESTAMP_FILE", project.path().join("offset"))
        .env("FAKETIME_NO_CACHE", "1")
        .env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    let mut daemon = Daemon::start(&mut command);
    let mut kept = daemon.connect();
    let mut ask = |daemon: &Daemon| {
        hello(daemon);
        let reply = kept.post(&crate::support::call(1, "t", serde_json::json!({})));
        assert_eq!(reply.status, 200);
    };
    ask(&daemon);
    let year = Command::new("date").args(["-u", "+%Y"]).output().unwrap();
    let year = String::from_utf8(year.stdout).unwrap();
    let year: u32 = year.trim().parse().unwrap();
    for (offset, year) in [("+1y", year + 1), ("-1y", year - 1), ("+0", year)] {
        project.save("offset", offset);
        ask(&daemon);
        // A reload is noticed and done under any clock; the log goes by it, so that the jump is seen there.
        project.save(
            "manifests/b.toml",
            format!("[[tool]]\nname = \"b{year}\"\nresult.text = \"1\"\n"),
        );
        within(&format!("a reload in {year}"), || {
            let log = daemon.stderr();
            let mut lines = log.lines();
            let seen = lines.any(|line| {
                line.starts_with(&format!("{year}-")) && line.contains("snodo::reload")
            });
            seen.then_some(())
        });
        ask(&daemon);
    }
    daemon.signal("TERM");
    assert_eq!(daemon.wait().code(), Some(0));
}
