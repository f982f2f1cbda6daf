//! The same tool for clients of 2025-11-25, without and with a session; and that nothing is kept of calls.

use super::calls::{ARGUMENTS, GREETING, MANIFEST};
use super::{Folder, side};
use crate::load::{Target, Until, ask, closed};
use crate::mcp;
use crate::measure::{Plan, Turn, alternate};
use crate::process::Server;
use crate::table::{Figure, Goal, Row, Unit};

pub(super) fn without_session(plan: &Plan) -> Row {
    measure("legacy", plan, false)
}

pub(super) fn with_session(plan: &Plan) -> Row {
    measure("legacy-session", plan, true)
}

fn measure(name: &'static str, plan: &Plan, session: bool) -> Row {
    let folder = Folder::new(MANIFEST);
    let snodo = Server::snodo(&folder.manifests(), &[]);
    let session = session.then(|| shake_hands(&snodo));
    let request = mcp::legacy_call(snodo.address, "greet", ARGUMENTS, session.as_deref());
    let (target, answer) = Target::first(snodo.address, request, GREETING);
    let bare = Server::peer("bare", &[folder.file("answer.json", &answer.body)]);
    let request = mcp::legacy_call(bare.address, "greet", ARGUMENTS, session.as_deref());
    let bare_target = Target::first(bare.address, request, GREETING).0;
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
        Goal::AtMost(1.7),
    );
    let rate = beside("calls", Unit::Rate, |turn| turn.rate, Goal::None);
    let before = snodo.process.memory();
    closed(&target, 64, Until::Calls(plan.calls));
    let grown = snodo.process.memory().saturating_sub(before) as f64 / 1048576.0;
    let what = format!("memory grown in {} calls", plan.calls);
    let mut row = Row {
        name,
        figures: vec![
            cpu,
            rate,
            Figure::alone(&what, Unit::MiB, grown, Goal::AtMost(2.0)),
        ],
        notes: Vec::new(),
    };
    row.note_load("snodo", ours);
    row.note_load("bare hyper", theirs);
    row
}

/// The id of a new session.
fn shake_hands(server: &Server) -> String {
    let answer = ask(server.address, &mcp::initialize(server.address));
    let id = answer
        .header("mcp-session-id")
        .expect("a session")
        .to_owned();
    ask(server.address, &mcp::initialized(server.address, &id));
    id
}
