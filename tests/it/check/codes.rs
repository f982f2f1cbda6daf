//! Codes: every one is explained, and every one is what some manifest or server file gets.

use super::fixtures;
use crate::support::{Checked, Project};
use serde_json::Value;
use std::collections::BTreeSet;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// What cannot be brought about from outside, and the unit test that does.
const FROM_INSIDE: [(&str, &str); 2] = [
    ("too-many-files", "manifest::discover::tests"),
    (
        "vanished-file",
        "manifest::discover::read::tests::gone_meanwhile",
    ),
];

fn snodo(args: &[&str]) -> Checked {
    let output = Command::new(env!("CARGO_BIN_EXE_snodo"))
        .args(args)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    Checked::of(output)
}

fn listed() -> Vec<String> {
    let all = snodo(&["check", "--explain", "all"]);
    assert_eq!(all.code, 0);
    all.stdout.lines().map(str::to_owned).collect()
}

/// The codes of findings printed as JSON.
fn codes(checked: &Checked) -> BTreeSet<String> {
    let found: Value = serde_json::from_str(&checked.stdout).unwrap();
    let found = found.as_array().unwrap().iter();
    found
        .map(|one| one["code"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn every_code_of_the_program_is_listed_and_explained() {
    let mut written = BTreeSet::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with("tests") && !path.ends_with("diag") {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                let program = text.split("#[cfg(test)]").next().unwrap();
                let parts = program.split("Code(\"").skip(1);
                written.extend(parts.map(|part| part.split('"').next().unwrap().to_owned()));
            }
        }
    }
    let listed = listed();
    assert!(written.len() > 30);
    assert_eq!(Vec::from_iter(written), listed);
    for code in &listed {
        let said = snodo(&["check", "--explain", code]);
        assert_eq!((said.code, said.stderr.as_str()), (0, ""), "{code}");
        let text = said.stdout.strip_prefix(&format!("{code}\n\n")).unwrap();
        assert!(text.len() > 80, "{code}: {text}");
    }
}

#[test]
fn a_code_that_does_not_exist_is_answered_with_the_nearest() {
    let said = snodo(&["check", "--explain", "unknwon-key"]);
    assert_eq!(said.code, 2);
    assert_eq!(said.stdout, "");
    assert_eq!(
        said.stderr,
        "error: there is no code `unknwon-key`\n  = help: did you mean `unknown-key`?\n"
    );
    let said = snodo(&["check", "--explain", "\u{1b}[31m"]);
    assert_eq!(
        said.stderr,
        "error: there is no code `\\u{1b}[31m`\n  = help: `--explain all` lists the codes\n"
    );
}

#[test]
fn every_code_is_what_something_gets() {
    let mut got = BTreeSet::new();
    for manifest in fixtures::manifests() {
        got.extend(codes(&fixtures::check(&manifest, &["--format", "json"])));
    }
    for (code, checked) in from_files() {
        let codes = codes(&checked);
        assert!(codes.contains(code), "{code}: {codes:?}");
        got.extend(codes);
    }
    got.extend(FROM_INSIDE.map(|(code, _)| code.to_owned()));
    let wanting: Vec<String> = listed()
        .into_iter()
        .filter(|code| !got.contains(code))
        .collect();
    assert!(wanting.is_empty(), "nothing brings about {wanting:?}");
}

/// What files and options bring about, and no text of one manifest.
fn from_files() -> Vec<(&'static str, Checked)> {
    let json = |project: &Project| project.check(&["--format", "json"]);
    let hello = || Project::with("[[tool]]\nname = \"a\"\nresult.text = \"x\"\n");
    let path = |project: &Project, name: &str| project.path().join(name);
    let mut all = Vec::new();

    let project = hello();
    all.push((
        "path-not-found",
        project.check(&["--format", "json", "nowhere"]),
    ));
    all.push((
        "unreadable-file",
        project.check(&["--format", "json", "manifests/a.toml/b.toml"]),
    ));
    all.push((
        "bad-set",
        project.check(&["--format", "json", "--set", "x"]),
    ));
    all.push((
        "no-server-file",
        project.check(&["--format", "json", "--config", "nowhere.toml"]),
    ));

    let project = hello();
    let fifo = path(&project, "fifo");
    assert!(
        Command::new("mkfifo")
            .arg(&fifo)
            .status()
            .unwrap()
            .success()
    );
    all.push(("not-a-file", project.check(&["--format", "json", "fifo"])));

    let project = hello();
    symlink("nowhere.toml", path(&project, "manifests/link.toml")).unwrap();
    all.push(("broken-link", json(&project)));

    all.push(("no-manifests", json(&Project::new())));

    let project = hello().manifest("snodo.toml", "manifests = [\".\"]\n");
    all.push(("unused-server-file", json(&project)));

    let deep = format!("manifests/{}a.toml", "x/".repeat(40));
    all.push(("folder-too-deep", json(&hello().file(&deep, ""))));

    let project = hello();
    let large = std::fs::File::create(path(&project, "manifests/large.toml")).unwrap();
    large.set_len((16 << 20) + 1).unwrap();
    all.push(("file-too-large", json(&project)));

    let project = hello().file("manifests/latin.toml", b"# caf\xe9\n");
    all.push(("not-utf8", json(&project)));

    let project = hello()
        .file(
            "s.toml",
            "manifests = [\"manifests\"]\n[secrets]\nx = { env = \"NOT_SET\" }\n",
        )
        .arg("--config")
        .arg("s.toml");
    all.push(("missing-value", json(&project)));

    all.push(("unreadable-folder", unreadable_folder()));
    all
}

/// Nothing is closed to root, so the check is run as nobody where the test runs as root.
fn unreadable_folder() -> Checked {
    let project = Project::new().file("manifests/closed/a.toml", "");
    let closed = project.path().join("manifests/closed");
    let open = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(project.path(), open).unwrap();
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o000)).unwrap();
    let program = project.path().join("snodo");
    std::fs::copy(env!("CARGO_BIN_EXE_snodo"), &program).unwrap();
    let mut command = Command::new(program);
    command
        .args(["check", "--format", "json", "manifests"])
        .current_dir(project.path())
        .stdin(Stdio::null());
    if std::fs::read_dir(&closed).is_ok() {
        command.uid(65534).gid(65534);
    }
    let checked = Checked::of(command.output().unwrap());
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o755)).unwrap();
    checked
}
