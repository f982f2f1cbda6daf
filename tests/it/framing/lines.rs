//! Lines of the stdio transport: endings, blank ones, bad ones, long ones.

use super::project;
use crate::support::{Project, Stdio, call, discover, text_of};
use serde_json::{Value, json};

#[test]
fn a_bad_line_is_answered_once_and_the_next_is_served() {
    let project = project();
    let mut stdio = project.stdio();
    stdio.send_raw(b"{this is no JSON and holds a secret\n");
    let error = stdio.receive();
    assert_eq!(error["error"]["code"], -32700);
    assert_eq!(error.get("id"), None);
    assert_eq!(
        text_of(&stdio.ask(&call(1, "echo", json!({ "text": "on" })))),
        "on"
    );
    stdio.wait_for_log("a line on the input is not JSON");
    assert!(!stdio.stderr().contains("secret"), "{}", stdio.stderr());
    let (status, rest) = stdio.finish();
    assert!(status.success() && rest.is_empty(), "{status} {rest:?}");
}

#[test]
fn lines_may_end_with_crlf_and_blank_lines_are_skipped() {
    let project = project();
    let mut stdio = project.stdio();
    stdio.send_raw(b"\n\r\n   \n\t\r\n\n");
    let request = call(1, "echo", json!({ "text": "a" }));
    stdio.send_raw(format!("{request}\r\n\r\n").as_bytes());
    // `receive` checks that the line ends with a line feed alone.
    assert_eq!(text_of(&stdio.receive()), "a");
    // White space around a message is JSON's own; inside a line a carriage return is too.
    let spaced = request.to_string().replacen(',', ",\r\t ", 1);
    stdio.send_raw(format!("  {spaced} \r\n").as_bytes());
    assert_eq!(text_of(&stdio.receive()), "a");
    stdio.send_raw(b" \r\n");
    let (status, rest) = stdio.finish();
    assert!(status.success() && rest.is_empty(), "{status} {rest:?}");
}

#[test]
fn a_byte_order_mark_is_passed_over() {
    let project = project();
    let mut stdio = project.stdio();
    stdio.send_raw(format!("\u{feff}{}\n", discover(1)).as_bytes());
    assert_eq!(stdio.receive()["id"], 1);
}

#[test]
fn a_message_may_arrive_in_pieces_and_many_in_one() {
    let project = project();
    let mut stdio = project.stdio();
    let request = call(1, "echo", json!({ "text": "héé" })).to_string();
    for byte in request.as_bytes() {
        stdio.send_raw(&[*byte]);
    }
    stdio.send_raw(b"\n");
    assert_eq!(text_of(&stdio.receive()), "héé");
    let many: String = (0..200)
        .map(|id| format!("{}\n", call(id, "echo", json!({ "text": id.to_string() }))))
        .collect();
    stdio.send_raw(many.as_bytes());
    let mut ids: Vec<u64> = (0..200).map(|_| answer_of(&stdio.receive())).collect();
    ids.sort_unstable();
    assert_eq!(ids, (0..200).collect::<Vec<_>>());
}

/// The id of an answer to `echo`, whose text must be the same number.
fn answer_of(answer: &Value) -> u64 {
    let id = answer["id"].as_u64().unwrap();
    assert_eq!(text_of(answer), id.to_string());
    id
}

#[test]
fn a_line_of_the_default_limit_is_served_and_a_longer_one_is_skipped() {
    const LIMIT: usize = 4 * 1024 * 1024;
    let project = project();
    let mut stdio = project.stdio();
    stdio.send_raw(&sized(LIMIT));
    assert_eq!(text_of(&stdio.receive()).len(), LIMIT - sized(0).len() + 1);
    stdio.send_raw(&sized(LIMIT + 1));
    too_long(&stdio, LIMIT);
    assert_eq!(stdio.ask(&discover(2))["id"], 2);
}

/// A call of `echo` as a line of this many bytes, its ending not counted, or the shortest one.
fn sized(length: usize) -> Vec<u8> {
    let bare = call(1, "echo", json!({ "text": "" })).to_string();
    let text = "x".repeat(length.saturating_sub(bare.len()));
    format!("{}\n", call(1, "echo", json!({ "text": text }))).into_bytes()
}

fn too_long(stdio: &Stdio, limit: usize) {
    assert_eq!(
        stdio.receive(),
        json!({
            "jsonrpc": "2.0",
            "error": {
                "code": -32600,
                "message": format!("Invalid request: the message is longer than {limit} bytes"),
            },
        })
    );
}

#[test]
fn a_line_over_the_configured_limit_is_refused_at_once_and_not_held() {
    let project = project().set("http.max_body_bytes=65536");
    let mut stdio = project.stdio();
    assert_eq!(stdio.ask(&discover(1))["id"], 1);
    let before = resident(&stdio);
    // The refusal comes while the line is still being written.
    let part = vec![b'x'; 1024 * 1024];
    stdio.send_raw(&part);
    too_long(&stdio, 65536);
    for _ in 0..200 {
        stdio.send_raw(&part);
    }
    let grown = resident(&stdio).saturating_sub(before);
    assert!(grown < 20 * 1024, "{grown} KiB more after 200 MiB");
    stdio.send_raw(b"\n");
    assert_eq!(stdio.ask(&discover(2))["id"], 2);
    stdio.send_raw(&sized(65536));
    assert_eq!(stdio.receive()["id"], 1);
    let (status, rest) = stdio.finish();
    assert!(status.success() && rest.is_empty(), "{status} {rest:?}");
}

/// Resident memory in KiB.
fn resident(stdio: &Stdio) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", stdio.pid())).unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn what_a_tool_prints_is_never_a_line_of_its_own() {
    // Every kind of line ending, controls, and what looks like a message.
    let project = Project::with(
        r#"
        [[tool]]
        name = "noise"
        [tool.shell]
        script = '''
        printf '\n{"jsonrpc":"2.0","id":1,"result":{}}\n\r\n\0\001\302\205\342\200\250\377\n'
        echo '{"jsonrpc":"2.0"}' >&2
        '''
        "#,
    );
    let mut stdio = project.stdio();
    stdio.send(&call(1, "noise", json!({})));
    let line = stdio.line().unwrap();
    assert_eq!(line.iter().filter(|byte| **byte < 0x20).count(), 1);
    let answer: Value = serde_json::from_slice(&line).unwrap();
    assert_eq!(
        text_of(&answer),
        "\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\r\n\0\u{1}\u{85}\u{2028}\u{fffd}\n"
    );
    let (status, rest) = stdio.finish();
    assert!(status.success() && rest.is_empty(), "{status} {rest:?}");
}
