//! The proof of docs/performance.md: what snodo does beside small servers that do only the work, all
//! in one run, as ratios. A row is one kind of work with its goals.
//!
//!     cargo bench --bench proof -- [--short] [--program FILE] [ROW...]
//!
//! `--short` takes short turns and fails when a goal is missed by a factor of two. `--program`
//! measures another build. This program is the peers too: `--be ROLE`.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    missing_docs,
    unreachable_pub,
    reason = "a bench starts programs, prints what it measured, and fails by panicking"
)]

mod cores;
mod load;
mod mcp;
mod measure;
mod peers;
mod process;
mod rows;
mod table;

use measure::Plan;
use rows::ROWS;
use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Instant;
use table::Row;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    if let [flag, role, rest @ ..] = arguments.as_slice()
        && flag == "--be"
    {
        peers::be(role.to_str().unwrap_or_default(), rest);
        return ExitCode::SUCCESS;
    }
    let arguments = arguments.into_iter().map(OsString::into_string);
    let arguments: Result<Vec<String>, OsString> = arguments.collect();
    match chosen(arguments.unwrap_or_default()) {
        Ok((plan, names)) => measure(&plan, &names),
        Err(wrong) => {
            eprintln!("error: {wrong}");
            eprintln!("rows: {}", ROWS.map(|(name, _)| name).join(" "));
            ExitCode::from(2)
        }
    }
}

/// How much is measured, and which rows; all without a name.
fn chosen(arguments: Vec<String>) -> Result<(Plan, Vec<String>), String> {
    let mut plan = Plan::FULL;
    let mut names = Vec::new();
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            // What cargo adds.
            "--bench" => {}
            "--short" => plan = Plan::SHORT,
            "--program" => {
                let file = arguments.next().ok_or("--program needs a file")?;
                let file = std::fs::canonicalize(&file).map_err(|e| format!("{file}: {e}"))?;
                process::measure_program(file);
            }
            name if ROWS.iter().any(|(row, _)| *row == name) => names.push(argument),
            _ => return Err(format!("there is no row `{argument}`")),
        }
    }
    Ok((plan, names))
}

fn measure(plan: &Plan, names: &[String]) -> ExitCode {
    raise_file_limit();
    cores::pick();
    if cfg!(debug_assertions) {
        eprintln!("a build without optimisation: gross losses are found, the numbers mean nothing");
    }
    let chosen = |name: &str| names.is_empty() || names.iter().any(|other| other == name);
    let begun = Instant::now();
    let mut rows = Vec::new();
    for (name, run) in ROWS.iter().filter(|(name, _)| chosen(name)) {
        cores::Place::Load.go();
        eprintln!("{:>4} s  {name}", begun.elapsed().as_secs());
        let mut row = guarded(name, *run, plan);
        if plan.is_short() && row.is_lost() {
            eprintln!("        {name} once more: a goal was missed by a factor of two");
            let again = guarded(name, *run, plan);
            if !again.is_lost() {
                row = again;
            }
        }
        rows.push(row);
    }
    println!("\n{}", table::render(&rows));
    let figures = || rows.iter().flat_map(|row| &row.figures);
    let missed = figures().filter(|figure| !figure.met()).count();
    println!(
        "{} figures, {missed} missed, {} s",
        figures().count(),
        begun.elapsed().as_secs()
    );
    let failed: Vec<&str> = rows
        .iter()
        .filter(|row| failed(row))
        .map(|r| r.name)
        .collect();
    if !failed.is_empty() {
        eprintln!("error: not measured: {}", failed.join(", "));
        return ExitCode::FAILURE;
    }
    let lost: Vec<&str> = rows
        .iter()
        .filter(|row| row.is_lost())
        .map(|r| r.name)
        .collect();
    if plan.is_short() && !lost.is_empty() {
        eprintln!("error: missed by a factor of two: {}", lost.join(", "));
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// A row that panics costs its own figures, not those of the others. What it started has ended.
fn guarded(name: &'static str, run: rows::Run, plan: &Plan) -> Row {
    std::panic::catch_unwind(|| run(plan)).unwrap_or_else(|_| Row {
        name,
        figures: Vec::new(),
        notes: vec!["NOT MEASURED: it failed".to_owned()],
    })
}

fn failed(row: &Row) -> bool {
    row.figures.is_empty()
}

/// As many files as may be: listeners are a connection each, here and in the server.
fn raise_file_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let most = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    let _best_effort = setrlimit(Resource::Nofile, most);
}
