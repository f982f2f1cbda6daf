//! The commands that ask a server, against the real server over each way to reach one, and against
//! servers that misbehave.

mod add;
mod answers;
mod asked;
mod catalog;
mod commands;
mod connect;
mod foreign;
mod hostile;
mod init;
mod lies;
mod questions;
mod secure;

use crate::support::{DEADLINE, Project};
use std::path::Path;
use std::process::{Command, Stdio as Io};

/// What a command said.
#[derive(Debug, PartialEq)]
struct Said {
    code: i32,
    out: String,
    err: String,
}

/// Runs `snodo` with these arguments in this folder.
fn snodo(folder: &Path, args: &[&str]) -> Said {
    let mut command = Command::new(env!("CARGO_BIN_EXE_snodo"));
    let command = command.args(args).current_dir(folder).env("NO_COLOR", "1");
    let output = command.stdin(Io::null()).output().unwrap();
    Said {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// What is printed, where nothing is said beside it and all is well.
fn printed(folder: &Path, args: &[&str]) -> String {
    let said = snodo(folder, args);
    assert_eq!(
        (said.code, said.err.as_str()),
        (0, ""),
        "{args:?}: {}",
        said.out
    );
    said.out
}

/// Runs the same command against a folder, a program, an address and a socket; what is said must be
/// the same.
fn everywhere(project: &Project, args: &[&str]) -> Said {
    let socket = project.path().join("s.sock");
    let listen = format!(
        "http.listen=[\"127.0.0.1:0\",\"unix:{}\"]",
        socket.display()
    );
    let mut command = project.command("serve");
    let daemon = crate::support::Daemon::start(command.args(["--set", &listen]));
    let url = format!("http://{}/mcp", daemon.address());
    let socket = format!("unix:{}", socket.display());
    let program = format!(
        "{} stdio manifests --set log.level=warn",
        env!("CARGO_BIN_EXE_snodo")
    );
    let with = |place: &[&str]| snodo(project.path(), &[args, place].concat());
    let first = with(&["--manifests", "manifests"]);
    for place in [["--stdio", &program], ["--url", &url], ["--url", &socket]] {
        assert_eq!(with(&place), first, "{args:?} {place:?}");
    }
    first
}

/// A shell script that is a server: it is given each line as `$line`.
fn script(project: &Project, cases: &str) -> String {
    let text = format!("while read -r line; do case \"$line\" in\n{cases}\nesac; done\n");
    project.write("server.sh", text);
    "exec sh server.sh".to_owned()
}

/// Long enough for a loaded machine.
fn patience() -> String {
    DEADLINE.as_secs().to_string()
}
