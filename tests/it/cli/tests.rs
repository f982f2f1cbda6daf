//! `snodo test`: what it runs, prints and exits with.

use crate::support::{Checked, Fifo, Project, kill};
use serde_json::Value;
use std::path::Path;
use std::process::Stdio as Io;

const MANIFEST: &str = r#"
[[tool]]
name = "echo"
arguments.text = { type = "string", required = true }
shell = { command = ["echo", "{{ args.text }}"] }

[[tool.test]]
name = "repeats"
arguments = { text = "one" }
expect.text = "one"

[[tool.test]]
name = "is wrong"
arguments = { text = "two" }
expect.text = "three"

[[tool]]
name = "fetch"
arguments.q = { type = "string", required = true }
http = { url = "https://shop.example/a/{{ args.q }}", headers = { authorization = "Bearer {{ secrets.key }}" } }

[[tool.test]]
name = "asks the shop"
arguments = { q = "a/b" }
expect.structured = { n = 1 }
http = { json = { n = 1 }, expect = { url = "https://shop.example/a/a%2Fb", headers = { authorization = "Bearer secret-key" } } }

[[tool.test]]
name = "is asked for something else"
arguments = { q = "x" }
expect.structured = { n = 2, deep = { a = [1, 3] } }
http = { json = { n = 1, deep = { a = [1, 2] } }, expect = { url = "https://shop.example/a/y" } }
"#;

fn project() -> Project {
    Project::with(MANIFEST)
        .env("KEY", "the real one")
        .set("secrets.key={ env = \"KEY\" }")
}

#[test]
fn each_test_is_told_of_and_what_differs() {
    let ran = project().test(&[]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    for line in [
        "ok    echo: repeats\n",
        "FAIL  echo: is wrong\n      manifests/a.toml:13\n",
        "        - three\n        + two\n",
        "ok    fetch: asks the shop\n",
        "FAIL  fetch: is asked for something else\n",
        "https://shop.example/a/y",
        "https://shop.example/a/x",
        "/deep/a/1",
        "failed: 2 of 4 tests\n",
    ] {
        assert!(ran.stdout.contains(line), "{line}\n{}", ran.stdout);
    }
    assert!(!ran.stdout.contains("the real one"), "{}", ran.stdout);
}

#[test]
fn a_filter_chooses_and_one_that_matches_nothing_is_an_error() {
    let ran = project().test(&["--filter", "echo: rep", "--filter", "asks the"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert_eq!(
        ran.stdout,
        "ok    echo: repeats\nok    fetch: asks the shop\nok: 2 tests passed\n"
    );
    let ran = project().test(&["--filter", "nope"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("no test matches `nope`"),
        "{}",
        ran.stderr
    );
}

#[test]
fn reports_are_for_programs_too() {
    let ran = project().test(&["--format", "json"]);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(
        (&report["passed"], &report["failed"]),
        (&2.into(), &2.into())
    );
    assert_eq!(report["tests"][1]["outcome"], "failed");
    let ran = project().test(&["--format", "junit"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.starts_with("<?xml"), "{}", ran.stdout);
    assert_eq!(ran.stdout.matches("<failure ").count(), 2, "{}", ran.stdout);
}

#[test]
fn nothing_runs_while_a_manifest_is_broken() {
    let project = project().manifest("b.toml", "[[tool]]\nname = \"b\"\nshell = { command = [\"touch\", \"ran\"] }\n[[tool.test]]\nname = \"t\"\nexpect.txt = \"x\"\n");
    let ran = project.test(&[]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("unknown key `txt`"), "{}", ran.stderr);
    assert!(!project.path().join("manifests/ran").exists());
}

#[test]
fn an_edit_of_a_test_changes_no_tool() {
    let project = project().set("log.level=\"debug\"");
    let daemon = project.serve();
    project.save("manifests/a.toml", MANIFEST.replace("three", "two"));
    daemon.wait_for_log("the components are the same");
}

#[test]
fn an_interrupted_run_ends_its_command() {
    let script = "echo $$ >pid; read line <begun; sleep 600";
    let manifest = format!(
        "[[tool]]\nname = \"t\"\nshell = {{ command = [\"sh\", \"-c\", \"{script}\"] }}\n\
         [[tool.test]]\nname = \"t\"\nexpect.is_error = false\n"
    );
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let project = Project::with(&manifest);
        let begun = Fifo::make(project.manifests().join("begun"));
        let mut command = project.command("test");
        command.stdout(Io::null()).stderr(Io::null());
        let mut child = command.spawn().unwrap();
        drop(begun.until_read());
        kill(child.id(), signal);
        assert_eq!(child.wait().unwrap().code(), Some(code));
        let pid = std::fs::read_to_string(project.manifests().join("pid")).unwrap();
        let shell = Path::new("/proc").join(pid.trim());
        assert!(!shell.exists(), "{}", shell.display());
    }
}

#[test]
fn a_folder_without_tests_says_so() {
    let ran = Project::with("[[tool]]\nname = \"t\"\nresult.text = \"x\"\n").test(&[]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert_eq!(
        ran.stdout,
        "no tests in 1 tool: a tool's tests stand in [[tool.test]] below it\n"
    );
}

#[test]
fn tests_of_what_is_left_out_are_skipped() {
    let manifest = "[[tool]]\nname = \"t\"\navailable = { commands = [\"not-a-program\"] }\nresult.text = \"x\"\n\
                    [[tool.test]]\nname = \"says x\"\nexpect.text = \"y\"\n";
    // Another system's tool of the same name, with a test of the same name.
    let other = manifest
        .replace("available = { commands = [\"not-a-program\"] }\n", "")
        .replace("text = \"x\"", "text = \"y\"");
    let project = Project::new()
        .manifest("a.toml", manifest)
        .manifest("b.toml", &other);
    let ran = project.test(&[]);
    assert_eq!(
        ran.stdout,
        "skip  t: says x\n      the tool is left out here\nok    t: says x\nok: 1 test passed, 1 skipped\n"
    );
    assert_eq!(ran.code, 0);
    let report = project.test(&["--format", "junit"]).stdout;
    assert!(report.contains("<skipped message="), "{report}");
}

#[test]
fn the_samples_pass_their_tests() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_snodo"))
        .args(["test", "manifests"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdin(Io::null())
        .output();
    let ran = Checked::of(output.unwrap());
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn a_terminal_is_not_driven_by_what_a_tool_says() {
    let manifest = "[[tool]]\nname = \"t\"\nresult.text = \"\\u001b[2J\\u202e\\r<&>\"\n\
                    [[tool.test]]\nname = \"t\"\nexpect.text = \"x\"\n";
    let project = Project::with(manifest);
    let ran = project.test(&[]);
    assert_eq!(
        ran.stdout,
        "FAIL  t: t\n      manifests/a.toml:5\n      text differs (- expected, + actual)\n        - x\n        \
         + \\u{1b}[2J\\u{202e}\\r<&>\nfailed: 1 of 1 test\n"
    );
    let report = project.test(&["--format", "junit"]).stdout;
    assert!(
        report.contains("\\u{1b}[2J\\u{202e}\\r&lt;&amp;&gt;"),
        "{report}"
    );
}

#[test]
fn each_way_to_miss_an_expectation_is_told() {
    let ran = Project::with(include_str!("expectations.toml")).test(&[]);
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
    assert_eq!(ran.stdout, include_str!("expectations.txt"));
}

#[test]
fn a_call_that_takes_too_long_is_a_failure() {
    let manifest = "[[tool]]\nname = \"t\"\nshell = { script = \"sleep 600\" }\n\
                    [[tool.test]]\nname = \"t\"\nexpect.text = \"x\"\n";
    let ran = Project::with(manifest)
        .set("http.request_timeout_ms=100")
        .test(&[]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let why = "is_error: the call ended with protocol error -32603\n        | \
               Internal error: request timed out after 100 ms\n";
    assert!(ran.stdout.contains(why), "{}", ran.stdout);
}
