//! A wall clock that jumps: nothing that waits goes by it.

use super::{TOOLS, hello};
use crate::support::{Daemon, Project, call, text_of, within};
use serde_json::json;
use std::path::Path;
use std::process::Command;

/// Where Debian's package has the library.
const LIBRARY: &str = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";

/// A timer, and a limit that is reached after one call.
const CLOCK: &str = r#"
[[actor]]
name = "clock"
state = { ticks = 0 }
every = { interval_ms = 20, message = "tick" }
[actor.on.tick]
set.ticks = "{{ state.ticks + 1 }}"
[actor.on.look]
reply = { ticks = "{{ state.ticks }}" }
[[tool]]
name = "ticks"
actor = { target = "clock", call = "look" }
[[tool]]
name = "limited"
wrap = [{ rate_limit = { limit = 1, window_ms = 86400000 } }]
result.text = "once"
[[tool]]
name = "kept"
wrap = [{ cache = { ttl_ms = 86400000 } }]
actor = { target = "clock", call = "look" }
"#;

fn ticks(daemon: &Daemon, tool: &str) -> u64 {
    let answer = daemon.ask(&call(1, tool, json!({})));
    let ticks = &answer["result"]["structuredContent"]["ticks"];
    ticks.as_u64().unwrap_or_else(|| panic!("{answer}"))
}

#[test]
fn a_clock_that_jumps_a_year_ahead_and_back_disturbs_nothing() {
    if !Path::new(LIBRARY).exists() {
        crate::support::skipped("the package faketime is not installed");
        return;
    }
    let project = Project::with(TOOLS)
        .manifest("clock.toml", CLOCK)
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
    let mut connection = daemon.connect();
    let mut ask = |daemon: &Daemon| {
        hello(daemon);
        let reply = connection.post(&call(1, "t", json!({})));
        assert_eq!(reply.status, 200);
    };
    ask(&daemon);
    assert_eq!(text_of(&daemon.ask(&call(1, "limited", json!({})))), "once");
    let kept = ticks(&daemon, "kept");
    let year = Command::new("date").args(["-u", "+%Y"]).output().unwrap();
    let year = String::from_utf8(year.stdout).unwrap();
    let year: u32 = year.trim().parse().unwrap();
    for (offset, year) in [("+1y", year + 1), ("-1y", year - 1), ("+0", year)] {
        project.save("offset", offset);
        ask(&daemon);
        // Timers go on as before: neither a year of ticks at once nor none.
        let before = ticks(&daemon, "ticks");
        within("it ticks", || {
            (ticks(&daemon, "ticks") > before).then_some(())
        });
        assert!(ticks(&daemon, "ticks") < 1_000_000);
        let refused = text_of(&daemon.ask(&call(1, "limited", json!({}))));
        assert!(
            refused.starts_with("rate limit reached: 1 in 86400 s"),
            "{refused}"
        );
        assert_eq!(ticks(&daemon, "kept"), kept);
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
