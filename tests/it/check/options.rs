//! What `snodo check` takes and how it answers: paths, formats, exit codes, colours.

use crate::support::{Checked, Project};
use serde_json::Value;
use std::fs::File;
use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};

const HELLO: &str = "[[tool]]\nname = \"hello\"\nresult.text = \"x\"\n";
const WARNED: &str = "[[tool]]\nname = \"dotted.name\"\nresult.text = \"x\"\n";
const BROKEN: &str = "[[tool]]\nname = \"broken\"\nresult.text = \"x\"\nfoo = 1\n";

/// Runs `snodo check` in the project's folder with these arguments and no other.
fn check(project: &Project, args: &[&str]) -> Checked {
    let output = Command::new(env!("CARGO_BIN_EXE_snodo"))
        .arg("check")
        .args(args)
        .current_dir(project.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    Checked::of(output)
}

#[test]
fn a_folder_a_file_a_server_file_or_several() {
    let project = Project::new()
        .manifest("a.toml", HELLO)
        .manifest("sub/b.toml", &HELLO.replace("hello", "b"))
        .file("odd.name", HELLO.replace("hello", "c"))
        .file(
            "config/snodo.toml",
            "manifests = [\"../manifests\", \"../odd.name\"]\n",
        )
        .file("other.toml", "manifests = [\"manifests/sub\"]\n");
    for (args, said) in [
        (&["manifests"][..], "ok: 2 tools in 2 files\n"),
        (&["manifests/a.toml"], "ok: 1 tool in 1 file\n"),
        (&["odd.name"], "ok: 1 tool in 1 file\n"),
        (
            &["manifests/sub", "odd.name", "manifests"],
            "ok: 3 tools in 3 files\n",
        ),
        (&[], "ok: 3 tools in 3 files\n"),
        (&["config/snodo.toml"], "ok: 3 tools in 3 files\n"),
        (
            &["config/snodo.toml", "manifests/a.toml"],
            "ok: 1 tool in 1 file\n",
        ),
        (&["--config", "other.toml"], "ok: 1 tool in 1 file\n"),
        (
            &["--config", "other.toml", "manifests"],
            "ok: 2 tools in 2 files\n",
        ),
    ] {
        let checked = check(&project, args);
        assert_eq!(
            (checked.code, checked.stderr.as_str()),
            (0, said),
            "{args:?}"
        );
        assert_eq!(checked.stdout, "", "{args:?}");
    }
    // A server file by another name is taken for a manifest, and the finding says what to do.
    let said = check(&project, &["other.toml"]).stderr;
    assert!(said.contains("`manifests` belongs to the server file, and this is a manifest"));
    assert!(said.contains("help: name the server file with `--config`"));
}

#[test]
fn paths_are_shown_as_they_were_named() {
    let project = Project::new()
        .manifest("a.toml", BROKEN)
        .file("config/snodo.toml", "manifests = [\"../manifests\"]\n");
    let shown = |args: &[&str]| {
        let said = check(&project, args).stderr;
        let line = said
            .lines()
            .find_map(|line| line.trim_start().strip_prefix("--> "));
        line.unwrap_or_default().to_owned()
    };
    assert_eq!(shown(&["manifests"]), "manifests/a.toml:4:1");
    assert_eq!(shown(&["./manifests"]), "./manifests/a.toml:4:1");
    assert_eq!(shown(&[]), "manifests/a.toml:4:1");
    let absolute = project.manifests().join("a.toml");
    let absolute = absolute.to_str().unwrap();
    assert_eq!(shown(&[absolute]), format!("{absolute}:4:1"));
}

#[test]
fn exit_codes_are_those_of_the_help() {
    let project = Project::new()
        .manifest("good/a.toml", HELLO)
        .manifest("warned/a.toml", WARNED)
        .manifest("broken/a.toml", BROKEN);
    for (args, code) in [
        (&["manifests/good"][..], 0),
        (&["manifests/good", "--deny-warnings"], 0),
        (&["manifests/warned"], 0),
        (&["manifests/warned", "--deny-warnings"], 1),
        (
            &["manifests/warned", "--deny-warnings", "--format", "json"],
            1,
        ),
        (&["manifests/broken"], 1),
        (&["manifests/broken", "--format", "sarif"], 1),
        (&["nowhere"], 1),
        (&["--set", "x", "manifests/good"], 1),
        (&["--nothing"], 2),
        (&["--format", "xml", "manifests/good"], 2),
        (&["--explain", "nothing"], 2),
        (&["--explain", "all", "manifests/good"], 2),
        (&["--expand", "nothing", "--", "manifests/good"], 2),
        (&["--expand", "hello", "--", "manifests/good"], 0),
        (&["--expand", "broken", "--", "manifests/broken"], 1),
    ] {
        assert_eq!(check(&project, args).code, code, "{args:?}");
    }
    let help = check(&project, &["--help"]);
    assert_eq!(help.code, 0);
    for line in [
        "Exit codes:",
        "  0  no errors; there may be warnings",
        "  1  errors, or warnings with --deny-warnings",
        "  2  the command line is wrong",
    ] {
        assert!(help.stdout.contains(line), "{}", help.stdout);
    }
}

#[test]
fn warnings_are_told_beside_the_all_clear() {
    let said = Project::with(WARNED).check(&[]);
    assert_eq!(said.code, 0);
    assert!(
        said.stderr.starts_with("warning: several clients"),
        "{}",
        said.stderr
    );
    assert!(
        said.stderr.ends_with("\nok: 1 tool in 1 file\n"),
        "{}",
        said.stderr
    );
}

#[test]
fn json_is_on_standard_output_and_nothing_else_is() {
    let project = Project::new()
        .manifest("a.toml", HELLO)
        .manifest("b.toml", BROKEN);
    let said = project.check(&["--format", "json"]);
    assert_eq!(said.stderr, "");
    let found: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(
        found,
        serde_json::json!([{
            "code": "unknown-key",
            "severity": "error",
            "message": "unknown key `foo`",
            "file": "manifests/b.toml",
            "range": {
                "start": { "byte": 43, "line": 4, "column": 1 },
                "end": { "byte": 46, "line": 4, "column": 4 }
            },
            "label": "in tool \"broken\"",
            "help": found[0]["help"],
            "related": []
        }])
    );
    let none = Project::with(HELLO).check(&["--format", "json"]);
    assert_eq!(
        (none.code, none.stdout.as_str(), none.stderr.as_str()),
        (0, "[]\n", "")
    );
}

#[test]
fn sarif_lists_every_rule_and_points_at_each_finding() {
    let project = Project::new()
        .manifest("a.toml", HELLO)
        .manifest("b.toml", BROKEN);
    let said = project.check(&["--format", "sarif"]);
    assert_eq!(said.stderr, "");
    let log: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let result = &run["results"][0];
    assert_eq!(result["ruleId"], "unknown-key");
    let rule = &run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().unwrap() as usize];
    assert_eq!(rule["id"], "unknown-key");
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "manifests/b.toml");
    assert_eq!(place["region"]["startLine"], 4);
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap().len();
    let all = check(&project, &["--explain", "all"]).stdout;
    assert_eq!(rules, all.lines().count());
}

#[test]
fn colours_are_for_terminals_that_want_them() {
    let project = Project::with(BROKEN);
    let plain = project.check(&[]).stderr;
    assert!(!plain.contains('\u{1b}'));
    let said = |no_color: &str| on_terminal(&project, no_color);
    assert!(
        said("").contains("\u{1b}[1;31merror\u{1b}[0m"),
        "{:?}",
        said("")
    );
    assert!(!said("1").contains('\u{1b}'), "{:?}", said("1"));
}

/// What a check writes to a terminal, its line ends as the program wrote them.
fn on_terminal(project: &Project, no_color: &str) -> String {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap();
    let other = File::options()
        .write(true)
        .open(name.to_str().unwrap())
        .unwrap();
    let status = Command::new(env!("CARGO_BIN_EXE_snodo"))
        .args(["check", "manifests"])
        .current_dir(project.path())
        .env("NO_COLOR", no_color)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(OwnedFd::from(other))
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(1));
    let mut said = Vec::new();
    // The last writer is gone: the end of a terminal is an error of its own.
    let _ = File::from(terminal).read_to_end(&mut said);
    String::from_utf8(said).unwrap().replace("\r\n", "\n")
}
