//! Words for a person, on standard error; results on standard output.

use crate::lang::diag::{self, Diagnostic, RenderStyle};
use std::io::{IsTerminal as _, Write as _};

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

/// Prints a result on standard output. False when nobody reads it.
pub(super) fn result(text: &str) -> bool {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| {
        if text.ends_with('\n') {
            Ok(())
        } else {
            out.write_all(b"\n")
        }
    });
    written.and_then(|()| out.flush()).is_ok()
}
