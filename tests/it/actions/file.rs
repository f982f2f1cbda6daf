//! `file`: what can be read from where.

use super::{failure, result, text};
use crate::support::{Daemon, Project, call, text_of, within};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::process::CommandExt as _;

const TOOL: &str = r#"
[[tool]]
name = "read"
arguments.path = { type = "string", required = true }
[tool.file]
root = "../data"
path = "{{ args.path }}"
"#;

/// A project that reads below `data`, with a secret beside it.
fn project() -> Project {
    Project::with(TOOL)
        .file("secret.txt", "the secret")
        .file("data/a.txt", "alpha\nbeta\r\ngamma")
        .file("data/deep/b.md", "# beta")
        .file("data/odd ü\n", "odd")
}

fn read(daemon: &Daemon, path: &str) -> Value {
    result(daemon, "read", json!({ "path": path }))
}

#[test]
fn nothing_outside_the_root_is_read_and_all_refusals_are_alike() {
    let project = project();
    let data = project.path().join("data");
    let secret = project.path().join("secret.txt");
    symlink(&secret, data.join("absolute")).unwrap();
    symlink("../secret.txt", data.join("relative")).unwrap();
    symlink("..", data.join("up")).unwrap();
    symlink("/", data.join("top")).unwrap();
    symlink("absolute", data.join("deep/chain")).unwrap();
    symlink("loop", data.join("loop")).unwrap();
    symlink("gone", data.join("dangling")).unwrap();
    symlink("/proc/self/fd/0", data.join("magic")).unwrap();
    let fifo = std::process::Command::new("mkfifo")
        .arg(data.join("fifo"))
        .status();
    assert!(fifo.unwrap().success());
    let _socket = std::os::unix::net::UnixListener::bind(data.join("socket")).unwrap();
    let daemon = project.serve();
    let long = "x".repeat(300);
    let many = "../".repeat(5000);
    for path in [
        "../secret.txt",
        "deep/../../secret.txt",
        "deep/../../data/a.txt",
        "..",
        "/",
        "/etc/passwd",
        "//etc/passwd",
        secret.to_str().unwrap(),
        data.join("a.txt").to_str().unwrap(),
        "absolute",
        "relative",
        "up/secret.txt",
        "up",
        "top/etc/passwd",
        "deep/chain",
        "loop",
        "dangling",
        "magic",
        "a.txt\0",
        "\0",
        "a.txt\0.md",
        "gone.txt",
        "a.txt/",
        "a.txt/..",
        "%2e%2e/secret.txt",
        "deep",
        ".",
        "",
        "fifo",
        "socket",
        "top/dev/zero",
        &long,
        &many,
    ] {
        let result = read(&daemon, path);
        assert_eq!(result["isError"], true, "{path:.60}: {result}");
        assert_eq!(
            text_of(&json!({ "result": result })),
            "file not found",
            "{path:.60}"
        );
    }
}

#[test]
fn what_stays_inside_is_read() {
    let project = project();
    let data = project.path().join("data");
    symlink("deep/b.md", data.join("link")).unwrap();
    symlink("../a.txt", data.join("deep/up")).unwrap();
    fs::write(data.join("HEAD~3..HEAD"), "range").unwrap();
    fs::write(data.join("-rf"), "dash").unwrap();
    let daemon = project.serve();
    let alpha = "alpha\nbeta\r\ngamma";
    for (path, content) in [
        ("a.txt", alpha),
        ("./a.txt", alpha),
        ("deep/../a.txt", alpha),
        ("deep//../deep/up", alpha),
        ("link", "# beta"),
        ("odd ü\n", "odd"),
        ("HEAD~3..HEAD", "range"),
        ("-rf", "dash"),
    ] {
        assert_eq!(
            text(&daemon, "read", json!({ "path": path })),
            content,
            "{path}"
        );
    }
}

/// As root nothing is denied, so the program runs as another user then.
#[test]
fn what_the_system_denies_reads_like_what_is_not_there() {
    let project = project();
    let closed = project.path().join("data/closed");
    fs::write(&closed, "x").unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    let mut command = project.command("serve");
    command.args(["--set", "http.listen=[\"127.0.0.1:0\"]"]);
    if fs::read(&closed).is_ok() {
        fs::set_permissions(project.path(), fs::Permissions::from_mode(0o755)).unwrap();
        command.uid(65534);
    }
    let daemon = Daemon::start(&mut command);
    assert_eq!(
        failure(&daemon, "read", json!({ "path": "closed" })),
        "file not found"
    );
    // The operator is told.
    daemon.wait_for_log("the system refused to let a file be read");
    assert_eq!(
        failure(&daemon, "read", json!({ "path": "gone" })),
        "file not found"
    );
}

/// Whatever a read meets while a folder and a link to outside change places, it is never the
/// file outside.
#[test]
fn a_race_for_the_path_leads_nowhere() {
    let project = project();
    let data = project.path().join("data");
    project.write("outside/x", "the secret");
    project.write("data/real/x", "fine");
    symlink("../outside", data.join("link")).unwrap();
    let daemon = project.serve();
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            use rustix::fs::{CWD, RenameFlags, renameat_with};
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                let (real, link) = (data.join("real"), data.join("link"));
                renameat_with(CWD, real, CWD, link, RenameFlags::EXCHANGE).unwrap();
            }
        });
        let mut connection = daemon.connect();
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..500 {
            let answer = connection.post(&call(1, "read", json!({ "path": "real/x" })));
            seen.insert(text_of(&answer.json()));
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        let allowed = |text: &String| text == "fine" || text == "file not found";
        assert!(seen.iter().all(allowed), "{seen:?}");
        assert!(seen.contains("fine"), "{seen:?}");
    });
}

#[test]
fn a_literal_path_may_be_a_link_and_is_opened_anew_each_time() {
    let project = Project::with(
        r#"
        [[tool]]
        name = "current"
        file.path = "../releases/current.txt"
        "#,
    )
    .file("releases/one", "first")
    .file("elsewhere/two", "second");
    let link = project.path().join("releases/current.txt");
    let to = |target: &str| {
        let new = project.path().join("releases/new");
        symlink(target, &new).unwrap();
        fs::rename(new, &link).unwrap();
    };
    let daemon = project.serve();
    assert_eq!(failure(&daemon, "current", json!({})), "file not found");
    to("one");
    assert_eq!(text(&daemon, "current", json!({})), "first");
    to("../elsewhere/two");
    assert_eq!(text(&daemon, "current", json!({})), "second");
    fs::write(project.path().join("elsewhere/two"), "changed").unwrap();
    assert_eq!(text(&daemon, "current", json!({})), "changed");
    fs::remove_file(&link).unwrap();
    assert_eq!(failure(&daemon, "current", json!({})), "file not found");
}

#[test]
fn files_and_roots_that_change_after_the_start_are_seen() {
    let project = project();
    let data = project.path().join("data");
    let daemon = project.serve();
    let a = || text_of(&json!({ "result": read(&daemon, "a.txt") }));
    assert_eq!(a(), "alpha\nbeta\r\ngamma");
    project.write("data/new", "replaced");
    fs::rename(data.join("new"), data.join("a.txt")).unwrap();
    assert_eq!(a(), "replaced");
    // The folder is removed, then made anew.
    fs::remove_dir_all(&data).unwrap();
    assert_eq!(a(), "file not found");
    project.write("data/a.txt", "anew");
    assert_eq!(a(), "anew");
    assert_eq!(
        failure(&daemon, "read", json!({ "path": "../secret.txt" })),
        "file not found"
    );
}

#[test]
fn a_root_or_path_that_cannot_be_used_is_a_load_error() {
    for (file, message) in [
        (
            r#"file = { root = "../gone", path = "x" }"#,
            "gone` is not here",
        ),
        (
            r#"file = { path = "{{ args.x }}" }"#,
            "without it `path` must be literal text",
        ),
        (
            r#"file = { root = "..", path = "x", lines = "1", offset = "2" }"#,
            "`lines` excludes `offset` and `length`",
        ),
        (r#"file = { root = ".." }"#, "missing key `path`"),
    ] {
        let project = Project::with(&format!(
            "[[tool]]\nname = \"a\"\narguments.x = {{ type = \"string\" }}\n{file}\n"
        ));
        let checked = project.check(&[]);
        assert_eq!(checked.code, 1);
        assert!(checked.stderr.contains(message), "{}", checked.stderr);
    }
}

#[test]
fn many_reads_leave_no_descriptor_open() {
    let project = project();
    let daemon = project.serve();
    let mut connection = daemon.connect();
    let mut one = |path: &str| connection.post(&call(1, "read", json!({ "path": path })));
    one("a.txt");
    one("gone");
    let before = daemon.descriptors_at_rest();
    for _ in 0..100 {
        one("a.txt");
        one("gone");
        one("deep");
    }
    within("descriptors are closed", || {
        (daemon.descriptors() <= before).then_some(())
    });
}

#[test]
fn what_lies_beyond_the_longest_file_is_past_the_end() {
    let project = Project::with(
        r#"
        [[tool]]
        name = "part"
        arguments.from = { type = "integer" }
        file = { path = "a.toml", offset = "{{ args.from }}", length = 3 }
        "#,
    );
    let daemon = project.serve();
    for from in [1_i64 << 40, 1 << 50, i64::MAX] {
        assert_eq!(text(&daemon, "part", json!({ "from": from })), "", "{from}");
    }
}

#[test]
fn what_the_system_cannot_name_is_told_in_words() {
    let project = Project::with("[[tool]]\nname = \"mem\"\nfile.path = \"/proc/self/mem\"\n");
    let daemon = project.serve();
    let told = failure(&daemon, "mem", json!({}));
    assert_eq!(told, "the file could not be read: the file system failed");
}
