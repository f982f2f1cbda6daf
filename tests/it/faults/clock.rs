//! A wall clock that jumps: nothing that waits goes by it.

use super::{TOOLS, hello};
use crate::support::{Daemon, Project};
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
    for (offset, year_ahead) in [("+1y", true), ("-1y", false), ("+0", false)] {
        project.save("offset", offset);
        ask(&daemon);
        // A reload is noticed and done under any clock.
        project.save(
            "manifests/b.toml",
            format!(
                "# {offset}\n[[tool]]\nname = \"b{}\"\nresult.text = \"1\"\n",
                offset.len() + usize::from(year_ahead)
            ),
        );
        ask(&daemon);
    }
    daemon.wait_for_log("reloaded");
    // The log goes by the wall clock: that it jumped is seen there.
    let year = Command::new("date").args(["-u", "+%Y"]).output().unwrap();
    let year: u32 = String::from_utf8(year.stdout)
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    for year in [year - 1, year, year + 1] {
        let log = daemon.stderr();
        let seen = log
            .lines()
            .any(|line| line.starts_with(&format!("{year}-")));
        assert!(seen, "no line of {year}:\n{log}");
    }
    daemon.signal("TERM");
    assert_eq!(daemon.wait().code(), Some(0));
}
