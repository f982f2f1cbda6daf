//! Which files are manifests, seen from outside.

use crate::support::Project;
use std::os::unix::fs::symlink;
use std::process::Command;

/// A tool of this name.
fn tool(name: &str) -> String {
    format!("[[tool]]\nname = \"{name}\"\nresult.text = \"x\"\n")
}

/// The places of all tools that are served, in order.
fn served(project: &Project, paths: &[&str]) -> Vec<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_snodo"))
        .args(["check", "--expand", "all", "--"])
        .args(paths)
        .current_dir(project.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let text = String::from_utf8(output.stdout).unwrap();
    let places = text.lines().filter_map(|line| line.strip_prefix("# "));
    places
        .map(|place| place.trim_end_matches(":1").to_owned())
        .collect()
}

#[test]
fn editors_files_and_other_litter_are_passed_over_in_silence() {
    let mut project = Project::new();
    for (n, name) in [
        "a.toml",
        "z.toml",
        "sub/deep/b.toml",
        "sub-b.toml",
        ".hidden.toml",
        "_draft.toml",
        ".#a.toml",
        "#a.toml#",
        "a.toml~",
        "a.toml.swp",
        ".a.toml.swp",
        "a.toml.bak",
        "a.toml.orig",
        "4913",
        "a.TOML",
        "a.tomlx",
        "README.md",
        "toml",
        "_off/c.toml",
        ".git/d.toml",
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("manifests/{name}");
        project = project.file(&name, tool(&format!("t{n}")));
    }
    let fifo = project.path().join("manifests/pipe.toml");
    assert!(Command::new("mkfifo").arg(fifo).status().unwrap().success());
    let socket = project.path().join("manifests/socket.toml");
    let _listener = std::os::unix::net::UnixListener::bind(socket).unwrap();
    assert_eq!(
        served(&project, &["manifests"]),
        [
            "manifests/a.toml",
            "manifests/sub/deep/b.toml",
            "manifests/sub-b.toml",
            "manifests/z.toml"
        ]
    );
}

#[test]
fn links_are_followed_and_loops_end() {
    let project = Project::new()
        .manifest("a.toml", &tool("a"))
        .file("elsewhere/b.toml", tool("b"))
        .file("elsewhere/c.toml", tool("c"));
    let link = |target: &str, name: &str| {
        symlink(target, project.manifests().join(name)).unwrap();
    };
    link("../elsewhere", "folder");
    link("../elsewhere/b.toml", "b-again.toml");
    link(".", "loop");
    link("..", "up");
    link("self.d", "self.d");
    // A file that is reached twice is read once, where it was reached first.
    assert_eq!(
        served(&project, &["manifests"]),
        [
            "manifests/a.toml",
            "manifests/b-again.toml",
            "manifests/folder/c.toml"
        ]
    );
}

#[test]
fn a_config_map_is_read_once() {
    // What Kubernetes mounts: `..data` leads to the version in use, and each file to one in it.
    let project = Project::new()
        .file("manifests/..2025_01/a.toml", tool("a"))
        .file("manifests/..2025_01/b.toml", tool("b"));
    for (target, name) in [
        ("..2025_01", "..data"),
        ("..data/a.toml", "a.toml"),
        ("..data/b.toml", "b.toml"),
    ] {
        symlink(target, project.manifests().join(name)).unwrap();
    }
    assert_eq!(
        served(&project, &["manifests"]),
        ["manifests/a.toml", "manifests/b.toml"]
    );
}

#[test]
fn folders_come_in_the_order_they_are_named() {
    let project = Project::new()
        .file("one/a.toml", tool("a"))
        .file("two/b.toml", tool("b"));
    assert_eq!(
        served(&project, &["two", "one"]),
        ["two/b.toml", "one/a.toml"]
    );
    assert_eq!(
        served(&project, &["one", "one/a.toml", "./one"]),
        ["one/a.toml"]
    );
}

#[test]
fn a_server_file_among_the_manifests_is_not_read_as_one() {
    let project = Project::new()
        .file("a.toml", tool("a"))
        .file("snodo.toml", "manifests = [\".\"]\n")
        .file("prod.toml", "manifests = [\".\"]\n");
    // Found: it is in use, and left out; the other is an ordinary file.
    let said = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_snodo"))
            .arg("check")
            .args(args)
            .current_dir(project.path())
            .output()
            .unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    let in_use = said(&[]);
    assert!(!in_use.contains("snodo.toml"), "{in_use}");
    assert!(in_use.contains("prod.toml:1:1"), "{in_use}");
    assert!(
        in_use.contains("`manifests` belongs to the server file"),
        "{in_use}"
    );

    std::fs::remove_file(project.path().join("prod.toml")).unwrap();
    assert_eq!(said(&[]), "ok: 1 tool in 1 file\n");
    assert_eq!(said(&["snodo.toml"]), "ok: 1 tool in 1 file\n");
    assert_eq!(
        said(&["--config", "./snodo.toml", "."]),
        "ok: 1 tool in 1 file\n"
    );

    // Named folders need no server file, so this one is not used; that is said.
    assert_eq!(
        said(&["."]),
        "\
warning: the server file `./snodo.toml` is not used
  = help: use it with `--config ./snodo.toml`

1 warning
what it means: snodo check --explain unused-server-file
ok: 1 tool in 1 file
"
    );

    // Whatever its name, the one in use is left out.
    let project = Project::new()
        .file("a.toml", tool("a"))
        .file("prod.toml", "manifests = [\".\"]\n")
        .arg("--config")
        .arg("prod.toml");
    assert_eq!(project.check(&[]).stderr, "ok: 1 tool in 1 file\n");
}
