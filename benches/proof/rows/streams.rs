//! Much text in one call, and many calls in one stream.

use super::calls::{ARGUMENTS, GREETING, MANIFEST};
use super::{Folder, must_agree, side};
use crate::cores::Place;
use crate::load::lines::Lines;
use crate::load::{Target, ask};
use crate::mcp;
use crate::measure::{Plan, Side, Turn, alternate, turn};
use crate::process::{Process, Server, snodo};
use crate::table::{Figure, Goal, Row, Unit};
use std::process::Command;

const ECHO: &str = r#"
[[tool]]
name = "echo"
description = "Says it again"
additional_properties = false
arguments.text = { type = "string", required = true }
result.text = "{{ args.text }}"
"#;

/// 64 KiB of prose as files hold it: lines, quotes, paths, other alphabets.
fn prose() -> String {
    let line = "\tShe said: \"Grüße, the file is C:\\new\\today.txt\", and went on with the tale of the sea.\n";
    line.chars().cycle().take(64 << 10).collect()
}

pub(super) fn text_64k(plan: &Plan) -> Row {
    let text = serde_json::json!({ "text": prose() }).to_string();
    let expected = r#"She said: \"Grüße, the file is"#;
    let folder = Folder::new(ECHO);
    let snodo = Server::snodo(&folder.manifests(), &[]);
    let request = mcp::call(snodo.address, "echo", &text);
    let (target, answer) = Target::first(snodo.address, request, expected);
    let bare = Server::peer("text", &[folder.meta(&answer.body)]);
    let request = mcp::call(bare.address, "echo", &text);
    let (bare_target, theirs) = Target::first(bare.address, request, expected);
    must_agree(&answer.body, &theirs.body);
    let sides = vec![side(&snodo, &target, 64), side(&bare, &bare_target, 64)];
    let turns = alternate(plan, sides);
    let [ours, theirs] = turns.as_slice() else {
        unreachable!("two sides");
    };
    let beside = |what, unit, figure: fn(&Turn) -> f64, goal| {
        Figure::beside(what, (ours, theirs), (unit, figure), goal)
    };
    let cpu = beside(
        "CPU a call",
        Unit::Microseconds,
        |turn| turn.cpu,
        Goal::AtMost(1.0),
    );
    let rate = beside("calls", Unit::Rate, |turn| turn.rate, Goal::None);
    let mut row = Row {
        name: "text-64k",
        figures: vec![cpu, rate],
        notes: Vec::new(),
    };
    row.note_load("snodo", ours);
    row.note_load("bare hyper", theirs);
    row
}

pub(super) fn stdio(plan: &Plan) -> Row {
    let folder = Folder::new(MANIFEST);
    let http = Server::snodo(&folder.manifests(), &[]);
    let request = mcp::call(http.address, "greet", ARGUMENTS);
    let target = Target::first(http.address, request, GREETING).0;
    ask(http.address, &target.request);

    let mut command = Command::new(snodo());
    command
        .args(["stdio", "--set", "log.level=warn"])
        .arg(folder.manifests());
    let mut process = Process::start_piped(&mut command, Place::Server);
    let body = mcp::body(
        "tools/call",
        &format!(r#""name":"greet","arguments":{ARGUMENTS}"#),
    );
    let mut lines = Lines::new(process.pipes(), |id| {
        body.replacen(r#""id":1"#, &format!(r#""id":{id}"#), 1)
    });
    let first = lines.ask();
    assert!(first.contains(GREETING), "not answered, but: {first}");

    let stream: Side<'_> = Box::new(|plan| turn(&process, || lines.load(plan.time)));
    let turns = alternate(plan, vec![stream, side(&http, &target, 1)]);
    let [ours, theirs] = turns.as_slice() else {
        unreachable!("two sides");
    };
    let rate: (Unit, fn(&Turn) -> f64) = (Unit::Rate, |turn| turn.rate);
    let what = "pipelined calls, beside HTTP at 1 connection";
    Row {
        name: "stdio",
        figures: vec![Figure::beside(
            what,
            (ours, theirs),
            rate,
            Goal::AtLeast(1.5),
        )],
        notes: Vec::new(),
    }
}
