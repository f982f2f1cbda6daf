//! Manifests that are meant to hurt: encodings, sizes, depths, characters that drive terminals.

use crate::support::Project;
use std::time::{Duration, Instant};

const HELLO: &str = "[[tool]]\nname = \"hello\"\nresult.text = \"x\"\n";

/// Characters that a terminal acts on.
fn drives_terminal(text: &str) -> bool {
    text.chars().any(|c| {
        c != '\n'
            && (c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'))
    })
}

#[test]
fn control_characters_never_reach_the_terminal() {
    let nasty = r#"e\u001b[31m\u009b2J\u202e\u0007\u007f"#;
    let manifest = format!(
        r#"
"k{nasty}" = 1
[[tool]]
name = "{nasty}"
"{nasty}" = 1
arguments."{nasty}" = {{ type = "{nasty}" }}
metadata."{nasty}" = 1
icons = [{{ src = "{nasty}", sizes = ["{nasty}"], mime_type = "{nasty}" }}]
available = {{ commands = ["{nasty}"], env = ["{nasty}"], os = ["{nasty}"] }}
shell = {{ command = ["{nasty}", "{{{{ args.x }}}}{nasty}"], cwd = "{nasty}", parse = "{nasty}", env = {{ "={nasty}" = "x" }} }}
[[tool]]
name = "b"
http = {{ url = "{nasty}://x", method = "{nasty}", headers = {{ "{nasty}" = "x" }}, ca_file = "{nasty}" }}
[[tool]]
name = "c"
file = {{ root = "{nasty}", path = "x", lines = "{nasty}", encoding = "{nasty}" }}
[[tool]]
name = "d"
result.content = [{{ type = "{nasty}" }}, {{ type = "image", file = "{nasty}" }}, {{ type = "resource", uri = "{nasty}", blob = "{nasty}" }}]
input_schema = {{ type = "object", "$schema" = "{nasty}", properties.a = {{ pattern = "({nasty}" }} }}
output_schema = {{ file = "{nasty}" }}
"#
    );
    // Characters as they are too, where TOML takes them.
    let raw = "[[tool]]\nname = \"\u{9b}31m\u{202e}\" # \u{9b}2J\n'\u{9b}31m' = \u{9b}\n";
    let project = Project::new()
        .manifest("a.toml", &manifest)
        .manifest("b.toml", raw)
        .manifest("n\u{1b}[31m\u{9b}.toml", "x = 1")
        .file("manifests/c.toml", b"x = '\x1b[31m'");
    for args in [
        &[][..],
        &["--format", "json"],
        &["--format", "sarif"],
        &["--expand", "all"],
    ] {
        let checked = project.check(args);
        assert_eq!(checked.code, 1, "{args:?}");
        assert!(checked.stderr.len() + checked.stdout.len() > 1000);
        assert!(!drives_terminal(&checked.stderr), "{:?}", checked.stderr);
        assert!(!drives_terminal(&checked.stdout), "{:?}", checked.stdout);
    }
    let unknown = project.check(&["--expand", "\u{1b}[31m\u{9b}"]);
    assert_eq!(unknown.code, 2);
    assert!(!drives_terminal(&unknown.stderr), "{:?}", unknown.stderr);
}

#[test]
fn a_byte_order_mark_and_crlf_do_not_move_positions() {
    let manifest = "[[tool]]\nname = \"a\"\nresult.text = \"\"\"\n\u{e9} {{ args.x }}\n  \\\n  {{ args.y }}\"\"\"\nfoo = 1\n";
    let plain = Project::with(manifest).check(&[]);
    let crlf = Project::with(&manifest.replace('\n', "\r\n")).check(&[]);
    let marked = Project::with(&format!("\u{feff}{manifest}")).check(&[]);
    assert!(
        plain.stderr.contains("--> manifests/a.toml:4:11\n"),
        "{}",
        plain.stderr
    );
    assert!(
        plain.stderr.contains("--> manifests/a.toml:6:11\n"),
        "{}",
        plain.stderr
    );
    assert_eq!(crlf.stderr, plain.stderr);
    assert_eq!(marked.stderr, plain.stderr);
}

#[test]
fn text_that_is_not_utf8_is_refused_at_its_first_bad_byte() {
    let project = Project::new().file("manifests/a.toml", b"[[tool]]\nname = 'caf\xe9'\n");
    assert_eq!(
        project.check(&[]).stderr,
        "\
error: the file is not UTF-8
 --> manifests/a.toml:2:12
  |
2 | name = 'caf\u{fffd}'
  |            ^ the byte 0xE9 cannot stand here
  = help: save the file as UTF-8

1 error in 1 file
what it means: snodo check --explain not-utf8
"
    );
}

#[test]
fn a_very_long_line_is_cut_around_its_finding() {
    let long = "x".repeat(3_000_000);
    let project = Project::with(&format!(
        "{HELLO}description = \"{long}\"\nmetadata = {{ a = \"{long}\", \"-b\" = 1, c = \"{long}\" }}\n"
    ));
    let checked = project.check(&[]);
    assert_eq!(checked.code, 1);
    assert!(
        checked.stderr.contains(":5:3000022\n"),
        "{}",
        checked.stderr
    );
    assert!(checked.stderr.contains("x\", \"-b\" = 1, c = \"x"));
    assert!(checked.stderr.lines().all(|line| line.len() < 200));
}

#[test]
fn ten_thousand_unknown_keys_are_all_told_in_bounded_time() {
    let keys: String = (0..10_000).map(|n| format!("k{n} = 1\n")).collect();
    let began = Instant::now();
    let checked = Project::with(&format!("{HELLO}{keys}")).check(&[]);
    assert!(began.elapsed() < Duration::from_secs(20));
    assert_eq!(
        checked.stderr.matches("error: unknown key `k").count(),
        10_000
    );
    assert!(checked.stderr.contains("\n10000 errors in 1 file\n"));
}

#[test]
fn findings_at_one_place_are_told_in_bounded_time() {
    // Every tool reads the broken default; it is said once.
    let tools: String = (0..3_000)
        .map(|n| format!("[[tool]]\nname = \"t{n}\"\nshell.command = [\"true\"]\n"))
        .collect();
    let began = Instant::now();
    let checked = Project::with(&format!(
        "[defaults.shell]\nenv = {{ A = \"{{{{ args.x }}}}\" }}\ntimeout_ms = 0\n{tools}"
    ))
    .check(&[]);
    assert!(began.elapsed() < Duration::from_secs(20));
    assert!(
        checked.stderr.contains("\n2 errors in 1 file\n"),
        "{}",
        checked.stderr
    );
}

#[test]
fn depth_is_bounded_however_it_is_written() {
    let many = 100_000;
    let brackets = format!("x = {}{}", "[".repeat(many), "]".repeat(many));
    let braces = format!("x = {}{}", "{ a = ".repeat(many), " }".repeat(many));
    let dotted = format!("{HELLO}metadata.{} = 1", vec!["a"; many].join("."));
    let header = format!("[{}]\nx = 1", vec!["a"; many].join("."));
    // Each level of braces may hold a dotted key of its own: the bounds multiply.
    let key = vec!["a"; 79].join(".");
    let both = format!(
        "{HELLO}metadata = {}1{}",
        format!("{{ {key} = ").repeat(79),
        " }".repeat(79)
    );
    for text in [brackets, braces, dotted, header, both] {
        let checked = Project::with(&text).check(&[]);
        assert_eq!(checked.code, 1, "{}", checked.stderr);
        assert!(checked.stderr.contains("toml-syntax"), "{}", checked.stderr);
        assert!(checked.stderr.len() < 3_000, "{}", checked.stderr.len());
    }
    let fits = format!("{HELLO}metadata.{} = 1", vec!["a"; 70].join("."));
    assert_eq!(Project::with(&fits).check(&[]).code, 0);
}

#[test]
fn files_that_never_end_or_never_begin_are_refused_at_once() {
    let fifo = |project: &Project, name: &str| {
        let path = project.path().join(name);
        let status = std::process::Command::new("mkfifo").arg(path).status();
        assert!(status.unwrap().success());
    };
    let project = Project::with(
        "[[tool]]\nname = \"a\"\nresult.text = \"x\"\ninput_schema = { file = \"fifo\" }\n\
         output_schema = { file = \"/dev/zero\" }\n[[tool]]\nname = \"b\"\n\
         http = { url = \"https://x\", ca_file = \"fifo\" }\n[[tool]]\nname = \"c\"\n\
         result.content = [{ type = \"image\", file = \"fifo\", mime_type = \"image/png\" }]\n\
         [[tool]]\nname = \"d\"\nresult.content = [{ type = \"image\", file = \"large\", mime_type = \"image/png\" }]\n",
    );
    fifo(&project, "manifests/fifo");
    let large = std::fs::File::create(project.path().join("manifests/large")).unwrap();
    large.set_len(1 << 40).unwrap();
    let checked = project.check(&[]);
    let irregular = "it is not a regular file";
    assert_eq!(
        checked.stderr.matches(irregular).count(),
        4,
        "{}",
        checked.stderr
    );
    assert!(
        checked.stderr.contains("it is larger than 67108864 bytes"),
        "{}",
        checked.stderr
    );

    for config in ["fifo", "/dev/zero", "/dev/stdin", "."] {
        let project = Project::new().arg("--config").arg(config);
        fifo(&project, "fifo");
        let checked = project.check(&[]);
        assert_eq!(checked.code, 1);
        assert!(
            checked.stderr.contains(irregular),
            "{config}: {}",
            checked.stderr
        );
    }
    let project = Project::with(HELLO)
        .file("s.toml", "manifests = [\"manifests\"]\n[secrets]\na = { file = \"fifo\" }\nb = { file = \"/dev/zero\" }\n")
        .arg("--config")
        .arg("s.toml");
    fifo(&project, "fifo");
    assert_eq!(project.check(&[]).stderr.matches(irregular).count(), 2);
}

#[test]
fn five_thousand_tools_in_five_hundred_files_are_checked_soon() {
    let project = Project::new();
    for file in 0..500 {
        let tools: String = (0..10)
            .map(|tool| {
                format!(
                    "[[tool]]\nname = \"t{file}_{tool}\"\n\
                     arguments.q = {{ type = \"string\", required = true, min_length = 1 }}\n\
                     shell.command = [\"echo\", \"--\", \"{{{{ args.q }}}}\"]\n"
                )
            })
            .collect();
        project.write(&format!("manifests/f{file}.toml"), tools);
    }
    let began = Instant::now();
    let checked = project.check(&[]);
    let took = began.elapsed();
    assert_eq!(checked.stderr, "ok: 5000 tools in 500 files\n");
    // About a second in a debug build on an idle machine; ten times that is a quadratic slip.
    assert!(took < Duration::from_secs(12), "{took:?}");
}
