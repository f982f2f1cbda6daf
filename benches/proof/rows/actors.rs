//! A declarative actor beside a templated tool, in one server.

use super::calls::{ARGUMENTS, GREETING, MANIFEST};
use super::{Folder, side};
use crate::load::Target;
use crate::mcp;
use crate::measure::{Plan, Turn, alternate};
use crate::process::Server;
use crate::table::{Figure, Goal, Row, Unit};

const COUNTER: &str = r#"
[[actor]]
name = "counter"
state = { count = 0 }

[actor.on.add]
set = { count = "{{ state.count + msg.by }}" }
reply = { value = "{{ state.count }}" }

[[tool]]
name = "add"
description = "Adds to the counter"
arguments.by = { type = "integer", required = true }
actor = { target = "counter", call = "add" }
"#;

pub(super) fn declarative(plan: &Plan) -> Row {
    let folder = Folder::new(&format!("{COUNTER}{MANIFEST}"));
    let snodo = Server::snodo(&folder.manifests(), &[]);
    let request = mcp::call(snodo.address, "add", r#"{"by":1}"#);
    let (actor, _) = Target::first(snodo.address, request, r#""structuredContent":{"value":"#);
    let request = mcp::call(snodo.address, "greet", ARGUMENTS);
    let (greet, _) = Target::first(snodo.address, request, GREETING);
    let turns = alternate(
        plan,
        vec![side(&snodo, &actor, 64), side(&snodo, &greet, 64)],
    );
    let [actor, greet] = turns.as_slice() else {
        unreachable!("two sides");
    };
    let rate: (Unit, fn(&Turn) -> f64) = (Unit::Rate, |turn| turn.rate);
    let what = "declarative actor, beside the templated tool";
    Row {
        name: "actor",
        figures: vec![Figure::beside(
            what,
            (actor, greet),
            rate,
            Goal::AtLeast(0.7),
        )],
        notes: Vec::new(),
    }
}
