//! Many tools: the files of them, and their list in one page.

use super::side;
use crate::load::Target;
use crate::mcp;
use crate::measure::{Plan, Turn, alternate};
use crate::process::Server;
use crate::table::{Figure, Goal, Row, Unit};
use std::path::Path;

/// Tools in a file.
pub(super) const TOOLS: usize = 10;

/// Writes a file of ten tools, whose answers begin with this word.
pub(super) fn write(folder: &Path, file: usize, word: &str) {
    let mut text = String::new();
    for tool in 0..TOOLS {
        let most = 1000 + tool;
        text.push_str(&format!(
            "[[tool]]\nname = \"tool_{file}_{tool}\"\ndescription = \"Tool {tool} of file {file}\"\n\
             result.text = \"{word} {{{{ args.name }}}} {{{{ args.count }}}}\"\n\
             arguments.name = {{ type = \"string\", required = true, min_length = 1 }}\n\
             arguments.count = {{ type = \"integer\", minimum = 0, maximum = {most}, default = {file} }}\n\n"
        ));
    }
    std::fs::write(folder.join(format!("file_{file:04}.toml")), text).expect("a manifest");
}

/// A folder with so many such files.
pub(super) fn folder(files: usize, word: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for file in 0..files {
        write(folder.path(), file, word);
    }
    folder
}

pub(super) fn list_1000(plan: &Plan) -> Row {
    const CONNECTIONS: usize = 8;
    let folder = folder(100, "first");
    let snodo = Server::snodo(folder.path(), &["server.page_size=1000"]);
    let request = mcp::request(snodo.address, "tools/list", None, "");
    let (target, answer) = Target::first(snodo.address, request, r#""name":"tool_99_9""#);
    assert!(!answer.text().contains("nextCursor"), "one page");
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), &answer.body).expect("a file");
    let bare = Server::peer("bare", &[file.path()]);
    let request = mcp::request(bare.address, "tools/list", None, "");
    let (bare_target, _) = Target::first(bare.address, request, &target.expected);
    let turns = alternate(
        plan,
        vec![
            side(&snodo, &target, CONNECTIONS),
            side(&bare, &bare_target, CONNECTIONS),
        ],
    );
    let [ours, theirs] = turns.as_slice() else {
        unreachable!("two sides");
    };
    let figure: (Unit, fn(&Turn) -> f64) = (Unit::Rate, |turn| turn.rate);
    let what = format!("lists of {} KiB", answer.body.len() >> 10);
    let mut row = Row {
        name: "list-1000",
        figures: vec![Figure::beside(
            &what,
            (ours, theirs),
            figure,
            Goal::AtLeast(0.95),
        )],
        notes: Vec::new(),
    };
    row.note_load("snodo", ours);
    row.note_load("bare hyper", theirs);
    row
}
