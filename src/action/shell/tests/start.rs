//! What reaches the child, and what is refused before there is one.

use super::*;
use crate::process::Exit;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

#[tokio::test]
async fn arguments_arrive_as_they_are() {
    let awkward: Vec<OsString> = [
        "; id",
        "$(id)",
        "`id`",
        "",
        "a\nb",
        "\"'\\",
        "--",
        "-n",
        "*",
        "żółć 🦀",
        " ",
        "\u{1}",
    ]
    .map(OsString::from)
    .into_iter()
    .chain([OsString::from_vec(vec![0xff, b'x', 0x80])])
    .collect();
    let mut wanted = Vec::new();
    for argument in &awkward {
        wanted.extend(argument.clone().into_vec());
        wanted.push(0);
    }
    let mut printer = script(r#"printf '%s\0' "$@""#, &[]);
    printer.argv.extend(awkward);
    let finished = finish(printer).await;
    assert_eq!(finished.stdout.bytes, wanted);
    assert_eq!(finished.exit, Exit::Code(0));
}

#[tokio::test]
async fn the_program_sees_its_name_as_written() {
    let finished = finish(command(["cat", "/proc/self/cmdline"])).await;
    assert_eq!(finished.stdout.bytes, b"cat\0/proc/self/cmdline\0");
}

#[tokio::test]
async fn the_environment_is_what_was_given() {
    let mut command = command(["/bin/cat", "/proc/self/environ"]);
    let pairs = [("B", "2"), ("A", "first"), ("E", ""), ("A", "a=b c\n")];
    command.env = pairs
        .map(|(name, value)| (name.into(), value.into()))
        .to_vec();
    let finished = finish(command).await;
    let text = finished.stdout.text().into_owned();
    let mut seen: Vec<&str> = text.split_terminator('\0').collect();
    seen.sort_unstable();
    assert_eq!(seen, ["A=a=b c\n", "B=2", "E="]);
}

#[tokio::test]
async fn the_child_starts_in_its_folder_and_leads_its_group() {
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().canonicalize().unwrap();
    let mut command = script(
        "pwd; read -r stat < /proc/$$/stat; echo $$; echo \"$stat\"",
        &[],
    );
    command.cwd = real.clone();
    let seen = lines(&finish(command).await.stdout);
    assert_eq!(Path::new(&seen[0]), real);
    let stat: Vec<&str> = seen[2].split(' ').collect();
    assert_eq!(stat[4], seen[1], "the group's number is the leader's");
}

fn program(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
}

#[tokio::test]
async fn a_bare_name_is_looked_up_in_the_childs_path() {
    let folder = tempfile::tempdir().unwrap();
    let bin = folder.path().join("bin");
    std::fs::create_dir(&bin).unwrap();
    std::fs::create_dir(folder.path().join("greet")).unwrap();
    std::fs::write(folder.path().join("plain"), "").unwrap();
    program(&bin.join("greet"), "#!/bin/sh\necho found\n");
    program(&folder.path().join("here"), "#!/bin/sh\necho here\n");
    let with_path = |name: &str, path: &str| {
        let mut command = command([name]);
        command.cwd = folder.path().to_owned();
        command.env = vec![("PATH".into(), path.into())];
        command
    };
    // A folder of that name is passed over, and a relative element is relative to the child.
    let found = finish(with_path("greet", "/nonexistent:.:bin")).await;
    assert_eq!(found.stdout.bytes, b"found\n");
    // An empty element is the child's folder.
    let here = finish(with_path("here", "/nonexistent:")).await;
    assert_eq!(here.stdout.bytes, b"here\n");
    let relative = finish(with_path("bin/greet", "/nonexistent")).await;
    assert_eq!(relative.stdout.bytes, b"found\n");
    let missing = run(with_path("sh", "/nonexistent")).await.unwrap_err();
    assert_eq!(
        missing.to_string(),
        "program `sh` is in no folder of the command's PATH"
    );
    let plain = run(with_path("plain", "/nonexistent:.")).await.unwrap_err();
    assert_eq!(plain.to_string(), "`plain` is not an executable file");
    let mut bare = command(["sh", "-c", "echo \"$0\""]);
    bare.env.clear();
    assert_eq!(finish(bare).await.stdout.bytes, b"sh\n");
}

#[tokio::test]
async fn what_cannot_run_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("plain"), "").unwrap();
    program(&at("text"), "echo no interpreter line\n");
    program(&at("orphan"), "#!/nonexistent/interpreter\n");
    program(&at("ok"), "#!/bin/sh\n");
    let in_folder = |name: &str| {
        let mut command = command([name]);
        command.cwd = folder.path().to_owned();
        command
    };
    let cases = [
        (in_folder("./absent"), "program `./absent` does not exist"),
        (in_folder("ok/x"), "program `ok/x` does not exist"),
        (in_folder("./plain"), "`./plain` is not an executable file"),
        (in_folder("/"), "`/` is not an executable file"),
        (
            in_folder("./text"),
            "`./text` is not a program this system can run, nor a script that begins with `#!`",
        ),
        (
            in_folder("./orphan"),
            "the interpreter that `./orphan` asks for does not exist",
        ),
        (in_folder(""), "the command names no program"),
        (command::<&str>([]), "the command names no program"),
        (
            command(["true".to_owned(), "x".repeat(1 << 20)]),
            "the arguments and environment of `true` are longer than the system allows",
        ),
    ];
    for (command, message) in cases {
        assert_eq!(run(command).await.unwrap_err().to_string(), message);
    }
    for (folder, problem) in [("absent", "does not exist"), ("plain", "is not a folder")] {
        let mut command = command(["true"]);
        command.cwd = at(folder);
        let message = format!("the command's folder `{}` {problem}", at(folder).display());
        assert_eq!(run(command).await.unwrap_err().to_string(), message);
    }
    // The helper that would set limits is missing in these tests.
    let mut limited = command(["true"]);
    limited.limits.nice = Some(1);
    assert_eq!(
        run(limited).await.unwrap_err().to_string(),
        "the limits of `true` could not be set: this server's own program is gone"
    );
}

#[tokio::test]
async fn a_program_being_written_is_waited_for_a_little() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new");
    program(&path, "#!/bin/sh\necho new\n");
    let writer = std::fs::OpenOptions::new()
        .append(true)
        .open(&path)
        .unwrap();
    let busy = run(command([&path])).await;
    // Linux 6.11 and 6.12 let it run.
    assert!(
        matches!(busy, Ok(_) | Err(ProcessError::Busy(_))),
        "{busy:?}"
    );
    let (later, _) = tokio::join!(finish(command([&path])), async { drop(writer) });
    assert_eq!(later.stdout.bytes, b"new\n");
}

#[tokio::test]
async fn nul_and_bad_names_are_refused() {
    let argument = run(command(["echo", "a\0b"])).await;
    assert!(matches!(argument, Err(ProcessError::NulInArgument(1))));
    let named = |name: &str, value: &str| {
        let mut command = command(["true"]);
        command.env.push((name.into(), value.into()));
        run(command)
    };
    let value = named("A", "secret\0").await.unwrap_err();
    assert!(matches!(&value, ProcessError::NulInVariable(name) if name == "A"));
    assert!(!value.to_string().contains("secret"));
    for name in ["", "A=B", "A\0"] {
        let refused = named(name, "x").await;
        assert!(matches!(refused, Err(ProcessError::VariableName(_))));
    }
    let mut folder = command(["true"]);
    folder.cwd = "/tmp\0".into();
    assert!(matches!(run(folder).await, Err(ProcessError::NoFolder(_))));
}

#[tokio::test]
async fn input_reaches_the_child_whole() {
    let text: Vec<u8> = (0..1_000_000_u32).map(|n| (n % 251) as u8).collect();
    let echoed = finish(input(text.clone(), command(["cat"]))).await;
    assert_eq!(echoed.stdout.bytes, text);
    let empty = finish(input("", command(["cat"]))).await;
    assert_eq!((empty.stdout.total, empty.exit), (0, Exit::Code(0)));
    let null = finish(command(["readlink", "/proc/self/fd/0"])).await;
    assert_eq!(null.stdout.bytes, b"/dev/null\n");
}

#[tokio::test]
async fn a_child_need_not_read_its_input() {
    let text = vec![b'x'; 1_000_000];
    let deaf = finish(input(text.clone(), command(["true"]))).await;
    assert_eq!(deaf.exit, Exit::Code(0));
    let brief = finish(input(text.clone(), command(["head", "-c", "3"]))).await;
    assert_eq!(brief.stdout.bytes, b"xxx");
    // It goes on after closing its input.
    let closes = finish(input(text, script("exec <&-; echo on", &[]))).await;
    assert_eq!(closes.stdout.bytes, b"on\n");
}

#[tokio::test]
async fn a_broken_pipe_ends_a_writer() {
    let finished = finish(script(
        "yes | head -n 1; grep SigIgn /proc/self/status",
        &[],
    ))
    .await;
    let seen = lines(&finished.stdout);
    assert_eq!(seen[0], "y");
    let mask = seen[1].trim_start_matches("SigIgn:").trim();
    let mask = u64::from_str_radix(mask, 16).unwrap();
    assert_eq!(mask >> 12 & 1, 0, "SIGPIPE is not ignored");
}

/// What this very process was started with and could pass on (a harness may leave some open).
fn inheritable() -> Vec<String> {
    let entries = std::fs::read_dir("/proc/self/fdinfo").unwrap();
    let keeps = |name: &String| {
        let info = std::fs::read_to_string(format!("/proc/self/fdinfo/{name}")).unwrap_or_default();
        let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
        let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok());
        flags.is_some_and(|flags| flags & 0o2_000_000 == 0)
    };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.filter(keeps).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_descriptor_is_inherited() {
    let _file = std::fs::File::open("/dev/null").unwrap();
    let _socket = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let ours = inheritable();
    let (runner, _) = runner();
    let list = r#"for f in /proc/$$/fd/*; do [ -e "$f" ] && echo "${f##*/}"; done"#;
    let runs: Vec<_> = (0..100)
        .map(|_| {
            let runner = runner.clone();
            let command = input("x", script(list, &[]));
            tokio::spawn(async move { runner.run(command, Taps::default()).await })
        })
        .collect();
    for run in runs {
        let seen = lines(&run.await.unwrap().unwrap().stdout);
        assert!(seen.len() >= 3, "{seen:?}");
        for fd in &seen {
            let standard = ["0", "1", "2"].contains(&fd.as_str());
            assert!(standard || ours.contains(fd), "{fd} of {seen:?}");
        }
    }
}
