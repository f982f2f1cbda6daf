//! Flags and help: what a person types first.

use super::run;
use crate::support::Project;
use std::fs::File;

fn stdout(args: &[&str]) -> String {
    let output = run(args);
    assert!(output.status.success(), "{args:?}: {output:?}");
    assert!(output.stderr.is_empty());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_help_of_every_command_has_examples() {
    for args in [
        &["--help"] as &[&str],
        &["help"],
        &["serve", "--help"],
        &["help", "serve"],
        &["stdio", "--help"],
        &["check", "--help"],
    ] {
        let help = stdout(args);
        assert!(help.contains("Usage: snodo"), "{help}");
        assert!(help.contains("Examples:\n  snodo "), "{args:?}: {help}");
    }
    let top = stdout(&["--help"]);
    for command in ["serve", "stdio", "check"] {
        assert!(top.contains(&format!("\n  {command} ")), "{top}");
    }
    assert!(!top.contains("exec-limits"), "{top}");
}

#[test]
fn the_version_is_that_of_the_package() {
    let expected = format!("snodo {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(stdout(&["--version"]), expected);
    assert_eq!(stdout(&["-V"]), expected);
}

#[test]
fn misuse_exits_with_2_and_says_what_is_wrong() {
    for (args, said) in [
        (&["serve", "--lisen=x"] as &[&str], "--lisen"),
        (&["stdio", "--port", "1"], "--port"),
        (&["check", "--format", "xml"], "xml"),
        (&["sevre"], "serve"),
        (&["serve", "--config"], "--config"),
        (&[], "Usage"),
    ] {
        let output = run(args);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
        assert!(stderr.contains(said), "{args:?}: {stderr}");
        assert!(output.stdout.is_empty(), "{args:?}");
    }
}

#[test]
fn a_result_that_cannot_be_written_is_a_failure() {
    let project = Project::with("[[tool]]\nname = \"a\"\nresult.text = \"x\"\n");
    for (command, args) in [
        ("check", &["--format", "json"] as &[&str]),
        ("check", &["--format", "sarif"]),
        ("check", &["--expand", "all"]),
        ("test", &[]),
        ("test", &["--format", "json"]),
        ("test", &["--format", "junit"]),
    ] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = project.command(command).args(args).stdout(full).output();
        let output = output.unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?}: {stderr}");
        assert!(
            stderr.contains("error: cannot write to standard output: No space left"),
            "{args:?}: {stderr}"
        );
    }
}
