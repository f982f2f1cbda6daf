//! Words for a person, on standard error; results on standard output.

use super::show::plain;
use crate::lang::diag::{self, Diagnostic, RenderStyle};
use crate::manifest::environment::Environment;
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

/// What is said to a person, by its first word.
#[derive(Clone, Copy, Debug)]
pub(super) enum Word {
    Error,
    Warning,
    Note,
}

/// Whether a stream is written to in colour, as [`findings`] are.
fn in_color(is_terminal: bool) -> bool {
    is_terminal && !Environment::of_process().asks_for_no_color()
}

/// Says something on standard error, and what to do about it. Both may hold words of a server.
pub(super) fn say(word: Word, what: &str, help: Option<&str>) {
    let color = in_color(io::stderr().is_terminal());
    error(&said(word, what, help, color));
}

fn said(word: Word, what: &str, help: Option<&str>, color: bool) -> String {
    let (word, look) = match word {
        Word::Error => ("error", "1;31"),
        Word::Warning => ("warning", "1;33"),
        Word::Note => ("note", "1;34"),
    };
    let painted = |look: &str, text: &str| match color {
        true => format!("\u{1b}[{look}m{text}\u{1b}[0m"),
        false => text.to_owned(),
    };
    let mut said = format!("{}: {}\n", painted(look, word), plain(what).trim_end());
    if let Some(help) = help {
        let mark = painted("1;34", "=");
        said.push_str(&format!(
            "  {mark} {}: {}\n",
            painted("1", "help"),
            plain(help)
        ));
    }
    said
}

/// A heading in what goes to standard output.
pub(super) fn heading(text: &str) -> String {
    match in_color(io::stdout().is_terminal()) {
        true => format!("\u{1b}[1m{text}\u{1b}[0m"),
        false => text.to_owned(),
    }
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
    match print(text) {
        Err(cause) if cause.kind() != io::ErrorKind::BrokenPipe => {
            let what = format!("cannot write to standard output: {cause}");
            say(Word::Error, &what, None);
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}

/// Prints a result on standard output, and says whether anybody takes it.
pub(super) fn is_read(text: &str) -> bool {
    print(text).is_ok()
}

fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    if !text.ends_with('\n') {
        out.write_all(b"\n")?;
    }
    out.flush()
}

/// Writes a result to a file, or prints it where none is named.
pub(super) fn to(file: Option<&Path>, text: &str) -> ExitCode {
    let Some(file) = file else {
        return result(text);
    };
    match std::fs::write(file, text) {
        Ok(()) => ExitCode::SUCCESS,
        Err(cause) => {
            let what = format!("cannot write `{}`: {cause}", file.display());
            say(Word::Error, &what, None);
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_adds_nothing_but_colour_and_commands_of_others_are_shown() {
        let text = |color| said(Word::Warning, "a\u{1b}[2J", Some("b\u{9b}c"), color);
        let without = "warning: a\\u{1b}[2J\n  = help: b\\u{9b}c\n";
        assert_eq!(text(false), without);
        let mut colored = text(true);
        for look in ["0", "1", "1;33", "1;34"] {
            colored = colored.replace(&format!("\u{1b}[{look}m"), "");
        }
        assert_eq!(colored, without);
    }
}
