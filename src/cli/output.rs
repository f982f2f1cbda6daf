//! Words for a person, on standard error; results on standard output.

use crate::lang::diag::{self, Diagnostic, RenderStyle};
use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;
use std::process::ExitCode;

/// Prints findings on standard error, in colour on a terminal unless NO_COLOR is set.
pub(super) fn findings(found: &[Diagnostic], no_color: bool) {
    if found.is_empty() {
        return;
    }
    let color = !no_color && std::io::stderr().is_terminal();
    let style = RenderStyle {
        color,
        ..RenderStyle::default()
    };
    error(&diag::render(found, &style));
}

/// Prints text on standard error. A closed standard error is nobody's loss.
pub(super) fn error(text: &str) {
    let mut err = std::io::stderr().lock();
    let _ = err.write_all(text.as_bytes());
    if !text.ends_with('\n') {
        let _ = err.write_all(b"\n");
    }
}

/// Prints a result on standard output. Failure, which is said, when not all of it was written; a
/// reader that has had enough of it (`| head`) is no failure.
pub(super) fn result(text: &str) -> ExitCode {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| {
        if text.ends_with('\n') {
            Ok(())
        } else {
            out.write_all(b"\n")
        }
    });
    match written.and_then(|()| out.flush()) {
        Err(cause) if cause.kind() != io::ErrorKind::BrokenPipe => {
            error(&format!("error: cannot write to standard output: {cause}"));
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}

/// Writes a result to a file, or prints it where none is named.
pub(super) fn to(file: Option<&Path>, text: &str) -> ExitCode {
    let Some(file) = file else {
        return result(text);
    };
    match std::fs::write(file, text) {
        Ok(()) => ExitCode::SUCCESS,
        Err(cause) => {
            error(&format!(
                "error: cannot write `{}`: {cause}",
                file.display()
            ));
            ExitCode::FAILURE
        }
    }
}
