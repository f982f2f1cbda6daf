//! Standard output holds messages and nothing else, whatever is logged.

use super::{TOOLS, project};
use crate::support::{Project, call, discover, list, within};
use serde_json::{Value, json};
use std::process::Stdio as Io;

/// Manifests that do not parse, or are wrong.
const BROKEN: [&str; 3] = [
    "[[tool",
    "[[tool]]\nname = \"a b\"\nresult.text = \"x\"",
    "[[tool]]\nname = \"x\"\nresult.text = \"{{ args.nowhere }}\"",
];

#[test]
fn nothing_but_messages_is_written_at_the_most_verbose_level() {
    for format in ["text", "json"] {
        let project = project()
            .set("log.level=trace")
            .set(&format!("log.format={format}"));
        let mut stdio = project.stdio();
        assert_eq!(stdio.ask(&discover(1))["id"], 1);
        assert_eq!(stdio.ask(&call(2, "echo", json!({})))["id"], 2);
        stdio.send_raw(b"{nope\n");
        assert_eq!(stdio.receive()["error"]["code"], -32700);
        // A reload that fails and one that works, each said on standard error.
        project.write("manifests/a.toml", BROKEN[0]);
        within("the broken manifest is said", || {
            stdio.stderr().contains("a.toml").then_some(())
        });
        project.write("manifests/a.toml", format!("{TOOLS}\n# again\n"));
        project.write(
            "manifests/b.toml",
            "[[tool]]\nname = \"more\"\nresult.text = \"x\"\n",
        );
        within("the new tool is listed", || {
            let tools = stdio.ask(&list(3))["result"]["tools"].clone();
            let more = |tool: &Value| tool["name"] == "more";
            tools.as_array().unwrap().iter().any(more).then_some(())
        });
        let (status, rest) = stdio.finish();
        assert!(status.success(), "{status}");
        // What came in between was read as messages by `receive`; nothing else is left.
        assert!(rest.is_empty(), "{rest:?}");
    }
}

#[test]
fn a_broken_manifest_at_start_is_said_on_standard_error_alone() {
    for broken in BROKEN {
        for level in ["trace", "error"] {
            let project = Project::with(broken).set(&format!("log.level={level}"));
            let output = project.command("stdio").stdin(Io::null()).output().unwrap();
            assert_eq!(output.status.code(), Some(1), "{broken}");
            assert_eq!(String::from_utf8_lossy(&output.stdout), "", "{broken}");
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(said.contains("manifests/a.toml:"), "{said}");
        }
    }
}

#[test]
fn a_broken_manifest_that_is_skipped_is_said_on_standard_error_alone() {
    for broken in BROKEN {
        let project = project()
            .manifest("broken.toml", broken)
            .set("server.on_error=skip")
            .set("log.level=trace");
        let mut stdio = project.stdio();
        assert_eq!(stdio.ask(&call(1, "echo", json!({})))["id"], 1);
        stdio.wait_for_log("broken.toml:");
        let (status, rest) = stdio.finish();
        assert!(status.success() && rest.is_empty(), "{status} {rest:?}");
    }
}

#[test]
fn a_misused_command_line_writes_nothing_to_standard_output() {
    let project = Project::with("");
    for args in [
        &["--nonsense"][..],
        &["--set", "nonsense"],
        &["--set", "server.nmae=x"],
    ] {
        let output = project
            .command("stdio")
            .args(args)
            .stdin(Io::null())
            .output()
            .unwrap();
        assert!(!output.status.success(), "{args:?}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "", "{args:?}");
        assert!(!output.stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn a_tool_has_neither_the_servers_input_nor_its_output() {
    // `cat` without an argument reads its standard input: empty, and not the messages.
    let project = Project::with(
        r#"
        [[tool]]
        name = "steal"
        [tool.shell]
        script = 'cat; for fd in /proc/self/fd/*; do readlink "$fd"; done; :'
        "#,
    );
    let mut stdio = project.stdio();
    // Both are on their way before the tool begins to read.
    stdio.send_raw(format!("{}\n{}\n", call(1, "steal", json!({})), discover(2)).as_bytes());
    let mut answers = [stdio.receive(), stdio.receive()];
    answers.sort_by_key(|answer| answer["id"].as_u64());
    assert_eq!(answers[1]["id"], 2);
    let text = crate::support::text_of(&answers[0]);
    assert!(!text.contains("jsonrpc"), "{text}");
    let own = |fd: u32| std::fs::read_link(format!("/proc/{}/fd/{fd}", stdio.pid())).unwrap();
    for fd in 0..2 {
        let own = own(fd).to_string_lossy().into_owned();
        assert!(
            own.starts_with("pipe:") && !text.contains(&own),
            "{own}: {text}"
        );
    }
}
