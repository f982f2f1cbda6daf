//! The fuzz targets, in one program that is linked once: `SNODO_FUZZ_TARGET` says which one runs.
//! The arguments are libFuzzer's own.
//!
//! A panic anywhere, in a task too, ends the program with the input that brought it about.

#![no_main]

mod folder;
mod serving;
mod targets;

use std::sync::OnceLock;

libfuzzer_sys::fuzz_target!(init: begin(), |input: &[u8]| {
    if let Some(run) = TARGET.get() {
        run(input);
    }
});

/// What an input is given to.
static TARGET: OnceLock<fn(&[u8])> = OnceLock::new();

/// Finds the target. Started as a worker, this program is one, and does not come back.
fn begin() {
    if std::env::args().nth(1).as_deref() == Some(targets::worker::ARGUMENT) {
        targets::worker::work();
        std::process::exit(0);
    }
    let name = std::env::var("SNODO_FUZZ_TARGET").unwrap_or_default();
    let found = targets::ALL.iter().find(|(known, _)| *known == name);
    match found {
        Some((_, run)) => TARGET.get_or_init(|| *run),
        None => {
            let known: Vec<_> = targets::ALL.iter().map(|(name, _)| *name).collect();
            eprintln!("SNODO_FUZZ_TARGET must be one of: {}", known.join(" "));
            std::process::exit(2);
        }
    };
}
