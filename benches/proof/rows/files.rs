//! Resources that are files: a short text, a large picture.

use super::{Folder, json, must_agree, side};
use crate::load::Target;
use crate::mcp;
use crate::measure::{Plan, Turn, alternate};
use crate::process::Server;
use crate::table::{Figure, Goal, Row, Unit};
use serde_json::Value;

struct Kind {
    name: &'static str,
    mime: &'static str,
    /// The member that holds the file, and the peer that writes it.
    member: &'static str,
    peer: &'static str,
    connections: usize,
}

pub(super) fn file_4k(plan: &Plan) -> Row {
    let line = "A line of \"text\" as it stands in files of every day, with a tab\tand its end.\n";
    let text: String = line.chars().cycle().take(4096).collect();
    let kind = Kind {
        name: "file-4k",
        mime: "text/plain",
        member: "text",
        peer: "file",
        connections: 64,
    };
    measure(&kind, text.as_bytes(), plan)
}

pub(super) fn file_1m(plan: &Plan) -> Row {
    // Bytes without a pattern, from a small generator (xorshift).
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut bytes = Vec::with_capacity(1 << 20);
    while bytes.len() < 1 << 20 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend_from_slice(&state.to_le_bytes());
    }
    let kind = Kind {
        name: "file-1m",
        mime: "application/octet-stream",
        member: "blob",
        peer: "blob",
        connections: 8,
    };
    measure(&kind, &bytes, plan)
}

fn measure(kind: &Kind, bytes: &[u8], plan: &Plan) -> Row {
    const URI: &str = "bench:///file";
    let manifest = format!(
        "[[resource]]\nuri = \"{URI}\"\nname = \"file\"\nmime_type = \"{}\"\n\
         file = {{ path = \"../file\" }}\n",
        kind.mime
    );
    let folder = Folder::new(&manifest);
    let file = folder.file("file", bytes);
    let read = |server: &Server| {
        let members = format!(r#""uri":"{URI}""#);
        mcp::request(server.address, "resources/read", Some(URI), &members)
    };
    let expected = format!(r#""{}":""#, kind.member);
    let snodo = Server::snodo(&folder.manifests(), &[]);
    let (target, answer) = Target::first(snodo.address, read(&snodo), &expected);
    let frame = folder.file("frame.json", frame(&answer.body, kind.member));
    let bare = Server::peer(kind.peer, &[frame, file]);
    let (bare_target, theirs) = Target::first(bare.address, read(&bare), &expected);
    must_agree(&answer.body, &theirs.body);
    let turns = alternate(
        plan,
        vec![
            side(&snodo, &target, kind.connections),
            side(&bare, &bare_target, kind.connections),
        ],
    );
    let [ours, theirs] = turns.as_slice() else {
        unreachable!("two sides");
    };
    let rate: (Unit, fn(&Turn) -> f64) = (Unit::Rate, |turn| turn.rate);
    let cpu: (Unit, fn(&Turn) -> f64) = (Unit::Microseconds, |turn| turn.cpu);
    let mut row = Row {
        name: kind.name,
        figures: vec![
            Figure::beside("reads", (ours, theirs), rate, Goal::AtLeast(0.9)),
            Figure::beside("CPU a read", (ours, theirs), cpu, Goal::None),
        ],
        notes: Vec::new(),
    };
    row.note_load("snodo", ours);
    row.note_load("bare hyper", theirs);
    row
}

/// The answer with `"@"` in place of what the file holds.
fn frame(answer: &[u8], member: &str) -> String {
    let mut answer = json(answer);
    let held = answer
        .pointer_mut("/result/contents/0")
        .and_then(|contents| contents.get_mut(member));
    *held.expect("what the file holds") = Value::from("@");
    answer.to_string()
}
