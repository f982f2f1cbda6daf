//! What servers tell while they work, and being interrupted.

use super::snodo;
use crate::support::{Project, Stdio, kill, within};
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio as Io};

#[test]
fn progress_and_log_messages_are_shown_beside_the_result() {
    let project = Project::with(
        r#"
[[tool]]
name = "work"
[tool.shell]
command = ["sh", "-c", "echo 1/2; echo oh >&2; echo done"]
log = true
progress = { pattern = '(?<progress>[0-9]+)/(?<total>[0-9]+)' }
"#,
    );
    let checked = project.check(&[]);
    if checked.code != 0 {
        panic!("{}", checked.stderr);
    }
    let args = [
        "call",
        "work",
        "--manifests",
        "manifests",
        "--log-level",
        "info",
    ];
    let said = snodo(project.path(), &args);
    assert_eq!(said.err, "info work: oh\n");
    let said = snodo(project.path(), &[&args[..], &["--quiet"]].concat());
    assert_eq!(said.err, "");
    let said = snodo(project.path(), &[&args[..4], &["--verbose"]].concat());
    assert!(said.err.contains("\n 50 %\n"), "{}", said.err);
}

#[test]
fn an_interrupt_cancels_the_call_and_ends_the_server() {
    let project = Project::with(
        "[[tool]]\nname = \"long\"\nshell = { command = [\"sh\", \"-c\", \"echo $$ >begun; sleep 100\"], cwd = \"..\" }\n",
    );
    let mut child = Command::new(env!("CARGO_BIN_EXE_snodo"))
        .args(["call", "long", "--manifests", "manifests"])
        .current_dir(project.path())
        .stdin(Io::null())
        .stdout(Io::null())
        .spawn()
        .unwrap();
    let begun = project.path().join("begun");
    let pid = within("the command runs", || {
        let text = std::fs::read_to_string(&begun).ok()?;
        text.trim().parse::<u32>().ok()
    });
    kill(child.id(), "INT");
    let status = within("it ends", || child.try_wait().unwrap());
    assert_eq!(status.code(), Some(130));
    within("the command is gone", || {
        (!std::path::Path::new(&format!("/proc/{pid}")).exists()).then_some(())
    });
}

#[test]
fn listen_says_what_changes_until_it_is_interrupted() {
    let project = Project::with("[[tool]]\nname = \"a\"\nresult.text = \"1\"\n");
    let daemon = project.serve();
    let url = format!("http://{}/mcp", daemon.address());
    for place in [["--url", &url], ["--manifests", "manifests"]] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_snodo"))
            .args(["listen"])
            .args(place)
            .current_dir(project.path())
            .stdin(Io::null())
            .stdout(Io::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert_eq!(lines.next().unwrap().unwrap(), "listening");
        let name = if place[0] == "--url" { "b" } else { "c" };
        project.save(
            "manifests/a.toml",
            format!("[[tool]]\nname = \"{name}\"\nresult.text = \"1\"\n"),
        );
        assert_eq!(
            lines.next().unwrap().unwrap(),
            "the list of tools has changed"
        );
        kill(child.id(), "TERM");
        let status = within("it ends", || child.try_wait().unwrap());
        assert_eq!(status.code(), Some(143));
    }
    let mut server = Stdio::start(&mut project.command("stdio"));
    server.finish();
}
