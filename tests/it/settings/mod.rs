//! The server file, `--set`, secrets, and what they refuse.

mod command_line;
mod secrets;
mod sections;

use crate::support::{Checked, Project};
use std::process::{Command, Stdio};

const HELLO: &str = "[[tool]]\nname = \"hello\"\nresult.text = \"x\"\n";

/// A tool of this name.
fn tool(name: &str) -> String {
    HELLO.replace("hello", name)
}

/// Runs `snodo check` in a folder of the project with these arguments and no other.
fn check_in(project: &Project, folder: &str, args: &[&str]) -> Checked {
    let output = Command::new(env!("CARGO_BIN_EXE_snodo"))
        .arg("check")
        .args(args)
        .current_dir(project.path().join(folder))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    Checked::of(output)
}
