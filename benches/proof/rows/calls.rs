//! A templated text tool with full validation over HTTP keep-alive: the rows that matter most.

use super::{Folder, json, must_agree, rmcp, side};
use crate::load::{Fixed, Target, ask, fixed};
use crate::mcp;
use crate::measure::{Plan, Side, Turn, alternate, turn};
use crate::process::Server;
use crate::table::{Figure, Goal, Row, Unit};

pub(super) const MANIFEST: &str = r#"
[[tool]]
name = "greet"
description = "Greets somebody"
additional_properties = false
result.text = "Hello, {{ args.name }}! You are {{ args.age }} years old and live in {{ args.city }}."

[tool.arguments]
name = { type = "string", required = true, min_length = 1, max_length = 100 }
age = { type = "integer", required = true, minimum = 0, maximum = 150 }
city = { type = "string", pattern = "^[A-Za-z ]+$" }
tags = { type = "array", items = "string", max_items = 10 }
"#;
pub(super) const ARGUMENTS: &str =
    r#"{"name":"Ada Lovelace","age":36,"city":"London","tags":["a","b"]}"#;
pub(super) const GREETING: &str = "Hello, Ada Lovelace! You are 36 years old and live in London.";

/// snodo and the bare server that answers the same bytes.
struct Greeters {
    folder: Folder,
    snodo: (Server, Target),
    bare: (Server, Target),
    answer: Vec<u8>,
}

impl Greeters {
    fn start() -> Self {
        let folder = Folder::new(MANIFEST);
        let server = Server::snodo(&folder.manifests(), &[]);
        let request = mcp::call(server.address, "greet", ARGUMENTS);
        let (target, answer) = Target::first(server.address, request, GREETING);
        let bare = Server::peer("bare", &[folder.file("answer.json", &answer.body)]);
        let bare = greeter(bare);
        Self {
            folder,
            snodo: (server, target),
            bare,
            answer: answer.body,
        }
    }

    /// The bare server that checks what snodo checks, with the schema that snodo declares.
    fn checked(&self) -> (Server, Target) {
        let address = self.snodo.1.address;
        let list = ask(address, &mcp::request(address, "tools/list", None, ""));
        let list = json(&list.body);
        let schema = list.pointer("/result/tools/0/inputSchema");
        let schema = schema.expect("a schema").to_string();
        let schema = self.folder.file("schema.json", schema);
        let server = Server::peer("checked", &[self.folder.meta(&self.answer), schema]);
        let server = greeter(server);
        must_agree(&self.answer, &ask(server.1.address, &server.1.request).body);
        server
    }
}

/// A peer with the same tool: what it is asked.
fn greeter(server: Server) -> (Server, Target) {
    let request = mcp::call(server.address, "greet", ARGUMENTS);
    let target = Target::first(server.address, request, GREETING).0;
    (server, target)
}

pub(super) fn call_64(plan: &Plan) -> Row {
    let rmcp = rmcp::build();
    let greeters = Greeters::start();
    let checked = greeters.checked();
    let rmcp = rmcp.map(|program| greeter(Server::program(&program)));
    let mut servers = vec![&greeters.snodo, &greeters.bare, &checked];
    servers.extend(rmcp.as_ref().ok());
    let sides = servers
        .iter()
        .map(|(server, target)| side(server, target, 64));
    let turns = alternate(plan, sides.collect());
    let mut row = Row {
        name: "call-64",
        figures: Vec::new(),
        notes: Vec::new(),
    };
    let [ours, bare, checked, rest @ ..] = turns.as_slice() else {
        unreachable!("three sides and more");
    };
    let rate: (Unit, fn(&Turn) -> f64) = (Unit::Rate, |turn| turn.rate);
    let cpu: (Unit, fn(&Turn) -> f64) = (Unit::Microseconds, |turn| turn.cpu);
    let mut beside = |what, theirs: &Vec<Turn>, figure, goal| {
        let figure = Figure::beside(what, (ours, theirs), figure, goal);
        row.figures.push(figure);
    };
    beside("beside bare hyper", bare, rate, Goal::AtLeast(0.7));
    beside(
        "beside hyper with the same checks",
        checked,
        rate,
        Goal::AtLeast(0.9),
    );
    if let Some(rmcp) = rest.first() {
        beside("beside rmcp", rmcp, rate, Goal::AtLeast(3.5));
    }
    beside("CPU a call, bare hyper", bare, cpu, Goal::AtMost(1.5));
    row.note_load("snodo", ours);
    row.note_load("bare hyper", bare);
    row.note_load("hyper with the same checks", checked);
    if let Err(error) = rmcp {
        row.notes.push(format!("NOT MEASURED beside rmcp: {error}"));
    }
    row
}

pub(super) fn call_1(plan: &Plan) -> Row {
    let greeters = Greeters::start();
    let (snodo, bare) = (&greeters.snodo, &greeters.bare);
    let turns = alternate(
        plan,
        vec![side(&snodo.0, &snodo.1, 1), side(&bare.0, &bare.1, 1)],
    );
    let [ours, theirs] = turns.as_slice() else {
        unreachable!("two sides");
    };
    let beside = |what, unit, figure: fn(&Turn) -> f64, goal| {
        Figure::beside(what, (ours, theirs), (unit, figure), goal)
    };
    Row {
        name: "call-1",
        figures: vec![
            beside("calls", Unit::Rate, |turn| turn.rate, Goal::AtLeast(0.9)),
            beside(
                "p50",
                Unit::Microseconds,
                |turn| turn.p50,
                Goal::AtMost(1.2),
            ),
            beside(
                "p99",
                Unit::Microseconds,
                |turn| turn.p99,
                Goal::AtMost(1.5),
            ),
        ],
        notes: Vec::new(),
    }
}

pub(super) fn rate_2000(plan: &Plan) -> Row {
    at_rate("rate-2000", 2000, plan)
}

pub(super) fn rate_8000(plan: &Plan) -> Row {
    at_rate("rate-8000", 8000, plan)
}

fn at_rate(name: &'static str, rate: u32, plan: &Plan) -> Row {
    let greeters = Greeters::start();
    let sides = [&greeters.snodo, &greeters.bare].map(|(server, target)| -> Side<'_> {
        Box::new(move |plan| {
            let how = Fixed {
                rate,
                connections: 64,
                time: plan.time,
                spin: true,
            };
            turn(&server.process, || fixed(target, how).0)
        })
    });
    let turns = alternate(plan, sides.into());
    let [ours, theirs] = turns.as_slice() else {
        unreachable!("two sides");
    };
    let beside = |what, figure: fn(&Turn) -> f64, goal| {
        Figure::beside(what, (ours, theirs), (Unit::Microseconds, figure), goal)
    };
    Row {
        name,
        figures: vec![
            beside("p99", |turn| turn.p99, Goal::AtMost(1.4)),
            beside("p50", |turn| turn.p50, Goal::None),
        ],
        notes: Vec::new(),
    }
}
