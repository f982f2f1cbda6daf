//! `shell`: what becomes of a command's output and exit. Requirements "Output that is not UTF-8"
//! and "The output cap comes too late".

use super::{failure, result, text};
use crate::support::Project;
use serde_json::json;

#[test]
fn text_is_text_and_what_is_not_utf8_is_replaced() {
    let project = Project::with(
        r#"
        [[tool]]
        name = "mixed"
        shell = { command = ["printf", 'a\303\274\377b\342\202\254\302z\0\033[0m'] }
        [[tool]]
        name = "split"
        # The character is written in two pieces; the second only when the first has been read.
        shell = { script = 'printf "\342\202"; sleep 0.05; printf "\254"' }
        "#,
    );
    let daemon = project.serve();
    assert_eq!(
        text(&daemon, "mixed", json!({})),
        "aü\u{fffd}b€\u{fffd}z\0\u{1b}[0m"
    );
    assert_eq!(text(&daemon, "split", json!({})), "€");
}

#[test]
fn json_is_structured_content_and_its_text() {
    let project = Project::with(
        r#"
        [[tool]]
        name = "object"
        shell = { command = ["printf", '{"a": [1, 2.5]}\n'], parse = "json" }
        [[tool]]
        name = "broken"
        shell = { command = ["printf", '{"a": '], parse = "json" }
        [[tool]]
        name = "broken_with_result"
        shell = { command = ["printf", 'oops'], parse = "json" }
        result.structured = "{{ output.json.a }}"
        [[tool]]
        name = "too_long"
        shell = { command = ["printf", '[1,2,3]'], parse = "json", max_output_bytes = 4 }
        [[tool]]
        name = "checked"
        shell = { command = ["printf", '{"a": "x"}'], parse = "json" }
        returns.a = { type = "integer", required = true }
        "#,
    );
    let daemon = project.serve();
    let object = result(&daemon, "object", json!({}));
    assert_eq!(object["structuredContent"], json!({ "a": [1, 2.5] }));
    let text = object["content"][0]["text"].as_str().unwrap();
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(text).unwrap(),
        object["structuredContent"]
    );
    for tool in ["broken", "broken_with_result"] {
        let said = failure(&daemon, tool, json!({}));
        assert!(said.starts_with("the output is not JSON: "), "{said}");
    }
    assert_eq!(
        failure(&daemon, "too_long", json!({})),
        "the output is larger than 4 bytes, and a part of it is no JSON"
    );
    let said = failure(&daemon, "checked", json!({}));
    assert!(said.contains("/a"), "{said}");
}

#[test]
fn lines_are_a_list_and_its_json() {
    let project = Project::with(
        r#"
        [[tool]]
        name = "lines"
        shell = { command = ["printf", 'one\r\ntwo\n\nfour'], parse = "lines" }
        [[tool]]
        name = "none"
        shell = { command = ["true"], parse = "lines" }
        [[tool]]
        name = "cut"
        shell = { command = ["printf", 'one\ntwo\nthree'], parse = "lines", max_output_bytes = 9 }
        "#,
    );
    let daemon = project.serve();
    let lines = result(&daemon, "lines", json!({}));
    assert_eq!(
        lines["structuredContent"],
        json!(["one", "two", "", "four"])
    );
    assert_eq!(
        lines["content"],
        json!([{ "type": "text", "text": r#"["one","two","","four"]"# }])
    );
    let none = result(&daemon, "none", json!({}));
    assert_eq!(none["structuredContent"], json!([]));
    // A line that the limit cut is none, and that there was more is said.
    let cut = result(&daemon, "cut", json!({}));
    assert_eq!(cut["structuredContent"], json!(["one", "two"]));
    assert_eq!(
        cut["content"],
        json!([
            { "type": "text", "text": r#"["one","two"]"# },
            { "type": "text", "text": "[output cut: 9 of 13 bytes are shown]" }
        ])
    );
}

#[test]
fn bytes_of_a_media_type_are_a_block_of_that_type() {
    let project = Project::with(
        r#"
        [[tool]]
        name = "image"
        shell = { command = ["printf", '\211PNG\0'], parse = "image/png" }
        [[tool]]
        name = "audio"
        shell = { command = ["printf", 'RIFF'], parse = "audio/wav" }
        [[tool]]
        name = "pdf"
        shell = { command = ["printf", '%%PDF\377'], parse = "application/pdf" }
        [[tool]]
        name = "csv"
        shell = { command = ["printf", 'a,ü\n'], parse = "text/csv" }
        [[tool]]
        name = "cut"
        shell = { command = ["printf", 'RIFF'], parse = "audio/wav", max_output_bytes = 3 }
        "#,
    );
    let daemon = project.serve();
    let content = |tool| result(&daemon, tool, json!({}))["content"].clone();
    assert_eq!(
        content("image"),
        json!([{ "type": "image", "mimeType": "image/png", "data": "iVBORwA=" }])
    );
    assert_eq!(
        content("audio"),
        json!([{ "type": "audio", "mimeType": "audio/wav", "data": "UklGRg==" }])
    );
    // Output has no address that could be read again, so its name is its digest (RFC 6920):
    // `printf '%%PDF\377' | sha256sum`.
    assert_eq!(
        content("pdf"),
        json!([{ "type": "resource", "resource": {
            "uri": "ni:///sha-256;ZiTSHZgcZlfjnIh_NOAbPberUTGTfVmOObWJveCaaQ4",
            "mimeType": "application/pdf",
            "blob": "JVBERv8="
        } }])
    );
    assert_eq!(content("csv")[0]["resource"]["text"], "a,ü\n");
    assert_eq!(content("csv")[0]["resource"]["mimeType"], "text/csv");
    assert_eq!(
        failure(&daemon, "cut", json!({})),
        "the output is larger than 3 bytes, and a part of it is no `audio/wav`"
    );
}

#[test]
fn output_past_the_limit_is_cut_on_a_character_and_said() {
    let project = Project::with(
        r#"
        [[tool]]
        name = "cut"
        shell = { command = ["printf", 'ab€€€'], max_output_bytes = 6 }
        [[tool]]
        name = "exact"
        shell = { command = ["printf", 'ab€'], max_output_bytes = 5 }
        [[tool]]
        name = "flood"
        shell = { script = 'head -c 200000000 /dev/zero | tr "\0" x' }
        [[tool]]
        name = "rss"
        shell = { script = 'grep VmHWM /proc/$PPID/status' }
        "#,
    );
    let daemon = project.serve();
    assert_eq!(
        text(&daemon, "cut", json!({})),
        "ab€\n[output cut: 6 of 11 bytes are shown]"
    );
    assert_eq!(text(&daemon, "exact", json!({})), "ab€");
    let peak = || {
        let line = text(&daemon, "rss", json!({}));
        let kib = line.split_whitespace().nth(1).unwrap();
        kib.parse::<u64>().unwrap()
    };
    let before = peak();
    let flood = text(&daemon, "flood", json!({}));
    let note = "\n[output cut: 1048576 of 200000000 bytes are shown]";
    assert_eq!(flood.len(), (1 << 20) + note.len());
    assert!(flood.ends_with(note));
    let grown = peak().saturating_sub(before);
    assert!(grown < 32 * 1024, "memory grew by {grown} KiB");
}

#[test]
fn an_exit_that_is_no_success_says_its_code_and_the_last_lines_of_stderr() {
    let project = Project::with(
        r#"
        [[tool]]
        name = "fails"
        shell = { script = 'echo to stdout; seq 1 1000 >&2; exit 3' }
        [[tool]]
        name = "silent"
        shell = { command = ["false"] }
        [[tool]]
        name = "says_it_on_stdout"
        shell = { script = 'echo "2 tests failed"; exit 1' }
        [[tool]]
        name = "long_stderr"
        shell = { script = 'seq 1 500000 >&2; echo the reason >&2; exit 1' }
        [[tool]]
        name = "one_long_line"
        shell = { script = 'head -c 100000 /dev/zero | tr "\0" x >&2; exit 1' }
        [[tool]]
        name = "killed"
        shell = { script = 'kill -9 $$' }
        [[tool]]
        name = "grep"
        shell = { script = 'exit 1', success = [0, 1] }
        [[tool]]
        name = "only_two"
        arguments.code = { type = "integer", required = true }
        shell = { script = 'exit $CODE', env.CODE = "{{ args.code }}", success = [2] }
        "#,
    );
    let daemon = project.serve();
    let last: Vec<String> = (981..=1000).map(|n| n.to_string()).collect();
    assert_eq!(
        failure(&daemon, "fails", json!({})),
        format!("the command failed with exit code 3\n{}", last.join("\n"))
    );
    assert_eq!(
        failure(&daemon, "silent", json!({})),
        "the command failed with exit code 1"
    );
    assert_eq!(
        failure(&daemon, "says_it_on_stdout", json!({})),
        "the command failed with exit code 1\n2 tests failed"
    );
    // Over 3 MB, of which the first is kept: the last lines are the last all the same.
    let long = failure(&daemon, "long_stderr", json!({}));
    assert!(long.ends_with("\n499999\n500000\nthe reason"), "{long}");
    let line = failure(&daemon, "one_long_line", json!({}));
    let end = "x".repeat(2048);
    assert_eq!(line, format!("the command failed with exit code 1\n{end}"));
    assert_eq!(
        failure(&daemon, "killed", json!({})),
        "the command was ended by signal 9 (SIGKILL)"
    );
    assert_eq!(text(&daemon, "grep", json!({})), "");
    assert_eq!(text(&daemon, "only_two", json!({ "code": 2 })), "");
    assert_eq!(
        failure(&daemon, "only_two", json!({ "code": 0 })),
        "the command failed with exit code 0"
    );
}

#[test]
fn results_see_the_outcome_by_name() {
    let project = Project::with(
        r#"
        [[tool]]
        name = "all"
        [tool.shell]
        script = 'printf "one\ntwo\n"; printf "hm" >&2; exit 4'
        success = [4]
        [tool.result.structured]
        stdout = "{{ output.stdout }}"
        stderr = "{{ output.stderr }}"
        exit_code = "{{ output.exit_code }}"
        lines = "{{ output.lines }}"
        json = "{{ output.json }}"
        signal = "{{ output.signal }}"
        truncated = "{{ output.truncated }}"
        [[tool]]
        name = "parsed"
        shell = { command = ["printf", '{"items": [{"id": 7}]}'], parse = "json" }
        result.structured = { first = "{{ output.json.items[0].id }}" }
        [[tool]]
        name = "is_json"
        shell = { command = ["printf", '[1, 2]'] }
        result.text = "{{ output.json | length }} items"
        [[tool]]
        name = "cut"
        shell = { command = ["printf", 'one\ntwo'], max_output_bytes = 5 }
        result.structured = { truncated = "{{ output.truncated }}", lines = "{{ output.lines }}" }
        [[tool]]
        name = "as_error"
        shell = { command = ["printf", 'no'] }
        result.error = "{{ 'it said ' ~ output.stdout if output.stdout != 'yes' }}"
        "#,
    );
    let daemon = project.serve();
    let structured = |tool| result(&daemon, tool, json!({}))["structuredContent"].clone();
    assert_eq!(
        structured("all"),
        json!({
            "stdout": "one\ntwo\n", "stderr": "hm", "exit_code": 4,
            "lines": ["one", "two"], "truncated": false
        })
    );
    assert_eq!(structured("parsed"), json!({ "first": 7 }));
    assert_eq!(text(&daemon, "is_json", json!({})), "2 items");
    assert_eq!(
        structured("cut"),
        json!({ "truncated": true, "lines": ["one"] })
    );
    assert_eq!(failure(&daemon, "as_error", json!({})), "it said no");
}
