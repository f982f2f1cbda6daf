//! The command line: start, stop, signals, exit codes.

mod start;
mod stop;
mod tests;
mod upstream;
mod usage;

use crate::support::Project;
use std::process::{Command, Output, Stdio as Io};

/// Runs `snodo` with these arguments to its end, with nothing on its input.
fn run(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_snodo"));
    command.args(args).stdin(Io::null()).output().unwrap()
}

/// Starts `snodo SUBCOMMAND` of a project that is not expected to serve, and gives what it said.
fn ends(project: &Project, subcommand: &str) -> (Option<i32>, String, String) {
    let mut command = project.command(subcommand);
    command.args(["--set", "http.listen=[\"127.0.0.1:0\"]"]);
    let output = command.stdin(Io::null()).output().unwrap();
    (
        output.status.code(),
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

const TOOL: &str = "[[tool]]\nname = \"t\"\nresult.text = \"1\"\n";
