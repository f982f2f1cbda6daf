//! Tools that reach outside: a command, also of a large server, and a request to an upstream.

use super::{Folder, must_agree, side};
use crate::cores::Place;
use crate::load::Target;
use crate::mcp;
use crate::measure::{Plan, Turn, alternate, middle};
use crate::peers::UPSTREAM_BODY;
use crate::process::Server;
use crate::table::{Figure, Goal, Row, Unit};
use std::ffi::OsString;

const TRUE: &str = r#"
[[tool]]
name = "true"
description = "Does nothing, successfully"
shell.command = ["/bin/true"]
"#;

/// Any good answer has it.
const COMPLETE: &str = r#""resultType":"complete""#;

pub(super) fn spawn(plan: &Plan) -> Row {
    measure_spawn("spawn", plan, Folder::new(TRUE), 0)
}

pub(super) fn spawn_1gib(plan: &Plan) -> Row {
    // Pictures are held as they are sent, in base64: a third more than their files have, at least.
    const PICTURES: usize = 12;
    let mut manifest = TRUE.to_owned();
    for index in 0..PICTURES {
        manifest.push_str(&format!(
            "[[tool]]\nname = \"picture_{index}\"\n\
             result.content = [{{ type = \"image\", file = \"../{index}.png\" }}]\n"
        ));
    }
    let folder = Folder::new(&manifest);
    let mut picture = vec![0x5a; 64 << 20];
    picture.splice(..8, *b"\x89PNG\r\n\x1a\n");
    for index in 0..PICTURES {
        folder.file(&format!("{index}.png"), &picture);
    }
    drop(picture);
    measure_spawn("spawn-1gib", plan, folder, 1024)
}

/// Commands, eight at once. With so much resident memory at least, and the peer with as much as snodo.
fn measure_spawn(name: &'static str, plan: &Plan, folder: Folder, mib: u64) -> Row {
    let snodo = Server::snodo(&folder.manifests(), &[]);
    let request = mcp::call(snodo.address, "true", "{}");
    let (target, answer) = Target::first(snodo.address, request, COMPLETE);
    let held = snodo.process.memory() >> 20;
    assert!(held >= mib, "only {held} MiB are resident");
    let as_much = if mib > 0 { held } else { 0 };
    let meta = folder.meta(&answer.body).into_os_string();
    let bare = Server::peer("spawn", &[meta, OsString::from(as_much.to_string())]);
    let request = mcp::call(bare.address, "true", "{}");
    let (bare_target, theirs) = Target::first(bare.address, request, COMPLETE);
    must_agree(&answer.body, &theirs.body);
    let turns = alternate(
        plan,
        vec![side(&snodo, &target, 8), side(&bare, &bare_target, 8)],
    );
    let [ours, theirs] = turns.as_slice() else {
        unreachable!("two sides");
    };
    let rate: (Unit, fn(&Turn) -> f64) = (Unit::Rate, |turn| turn.rate);
    let mut row = Row {
        name,
        figures: vec![Figure::beside(
            "calls",
            (ours, theirs),
            rate,
            Goal::AtLeast(0.9),
        )],
        notes: Vec::new(),
    };
    if mib > 0 {
        let theirs = bare.process.memory() >> 20;
        row.notes.push(format!(
            "resident: snodo {held} MiB, bare hyper {theirs} MiB"
        ));
    }
    row
}

pub(super) fn relay(plan: &Plan) -> Row {
    let upstream = Server::peer_at::<OsString>(Place::Load, "upstream", &[]);
    let url = format!("http://{}/weather?city=Amsterdam", upstream.address);
    let folder = Folder::new(&format!(
        "[[tool]]\nname = \"weather\"\ndescription = \"Asks the upstream\"\nhttp.url = \"{url}\"\n"
    ));
    let snodo = Server::snodo(&folder.manifests(), &[]);
    let request = mcp::call(snodo.address, "weather", "{}");
    let (target, answer) = Target::first(snodo.address, request, UPSTREAM_BODY);
    let meta = folder.meta(&answer.body).into_os_string();
    let bare = Server::peer("relay", &[meta, OsString::from(&url)]);
    let request = mcp::call(bare.address, "weather", "{}");
    let (bare_target, theirs) = Target::first(bare.address, request, UPSTREAM_BODY);
    must_agree(&answer.body, &theirs.body);
    let turns = alternate(
        plan,
        vec![side(&snodo, &target, 64), side(&bare, &bare_target, 64)],
    );
    let [ours, theirs] = turns.as_slice() else {
        unreachable!("two sides");
    };
    let beside = |what, unit, figure: fn(&Turn) -> f64, goal| {
        Figure::beside(what, (ours, theirs), (unit, figure), goal)
    };
    let cpu: fn(&Turn) -> f64 = |turn| turn.cpu;
    Row {
        name: "relay",
        figures: vec![
            beside("calls", Unit::Rate, |turn| turn.rate, Goal::AtLeast(0.75)),
            beside("CPU a call", Unit::Microseconds, cpu, Goal::None),
        ],
        notes: busy_upstream(ours, theirs),
    }
}

/// The upstream shares the load's core: says so when that core, not the server's, was the limit.
fn busy_upstream(ours: &[Turn], theirs: &[Turn]) -> Vec<String> {
    let idle = [("snodo", ours), ("bare hyper", theirs)]
        .into_iter()
        .filter(|(_, turns)| middle(turns, |turn| turn.server) < 0.9);
    idle.map(|(name, turns)| {
        format!(
            "{name}'s core was busy {:.0} % of the time: the load and the upstream were the limit",
            middle(turns, |turn| turn.server) * 100.0
        )
    })
    .collect()
}
