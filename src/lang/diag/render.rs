//! Findings as a person reads them in a terminal.

use super::cells;
use super::excerpt::{Excerpt, excerpt};
use super::order::sorted;
use super::position::Files;
use super::{Diagnostic, Severity, Span};
use std::collections::BTreeSet;
use std::fmt::{self, Write};

/// How findings are printed.
#[derive(Clone, Debug)]
pub struct RenderStyle {
    /// Whether to write ANSI colours.
    pub color: bool,
    /// The most columns of a source line that are shown; a longer one is cut around its span.
    pub width: usize,
}

impl Default for RenderStyle {
    /// Plain text, 120 columns of source.
    fn default() -> Self {
        Self {
            color: false,
            width: 120,
        }
    }
}

/// Every finding with its line, in the order of path, position and code, then a summary and how
/// to read what a code means. Empty when there are no findings; ends with a line end otherwise.
///
/// Control characters of the manifests are shown escaped, so the text is safe for a terminal.
pub fn render(diagnostics: &[Diagnostic], style: &RenderStyle) -> String {
    let mut page = Page {
        out: String::new(),
        paint: Paint(style.color),
        width: style.width,
        files: Files::default(),
    };
    for diagnostic in sorted(diagnostics) {
        // Writing to a String cannot fail.
        let _ = page.finding(diagnostic);
    }
    if !diagnostics.is_empty() {
        let _ = page.summary(diagnostics);
    }
    page.out
}

struct Page<'d> {
    out: String,
    paint: Paint,
    width: usize,
    files: Files<'d>,
}

/// One place, worked out: the line's number and column, and what is shown of it.
struct Place<'d> {
    span: &'d Span,
    label: Option<&'d str>,
    line: usize,
    column: usize,
    excerpt: Excerpt,
}

impl<'d> Page<'d> {
    fn finding(&mut self, diagnostic: &'d Diagnostic) -> fmt::Result {
        let (word, color) = match diagnostic.severity {
            Severity::Error => ("error", RED),
            Severity::Warning => ("warning", YELLOW),
        };
        let message = cells::shown(&diagnostic.message);
        let word = self.paint.with(color, word);
        let message = self.paint.with(BOLD, &format!(": {message}"));
        writeln!(self.out, "{word}{message}")?;

        let label = diagnostic.label.as_deref();
        let primary = diagnostic.at.as_ref().map(|span| self.place(span, label));
        let related: Vec<Place<'d>> = diagnostic
            .related
            .iter()
            .map(|(span, what)| self.place(span, Some(what)))
            .collect();
        let places = primary.iter().chain(&related);
        let last_line = places.map(|place| place.line).max().unwrap_or(1);
        let gutter = last_line.to_string().len();

        match &primary {
            Some(place) => self.snippet(place, "-->", color, '^', gutter)?,
            None => self.aside("note", label, gutter)?,
        }
        for place in &related {
            self.snippet(place, ":::", BLUE, '-', gutter)?;
        }
        self.aside("help", diagnostic.help.as_deref(), gutter)?;
        writeln!(self.out)
    }

    fn place(&mut self, span: &'d Span, label: Option<&'d str>) -> Place<'d> {
        let lines = self.files.lines(&span.file);
        let position = lines.locate(span.start);
        let (line, line_start) = lines.line_of(span.start);
        let start = span.start.saturating_sub(line_start);
        let end = span.end.max(span.start).saturating_sub(line_start);
        Place {
            span,
            label,
            line: position.line,
            column: position.column,
            excerpt: excerpt(line, start..end.min(line.len()), self.width),
        }
    }

    fn snippet(
        &mut self,
        place: &Place<'_>,
        arrow: &str,
        color: &str,
        mark: char,
        gutter: usize,
    ) -> fmt::Result {
        let Excerpt {
            text,
            offset,
            carets,
        } = &place.excerpt;
        let path = cells::shown(&place.span.file.path().to_string_lossy());
        let arrow = self.paint.with(BLUE, arrow);
        let bar = self.paint.with(BLUE, "|");
        let number = self.paint.with(BLUE, &format!("{:<gutter$}", place.line));
        let blank = " ".repeat(gutter);
        let (line, column) = (place.line, place.column);
        writeln!(self.out, "{blank}{arrow} {path}:{line}:{column}")?;
        writeln!(self.out, "{blank} {bar}")?;
        let space = if text.is_empty() { "" } else { " " };
        writeln!(self.out, "{number} {bar}{space}{text}")?;

        let mut pointing = mark.to_string().repeat(*carets);
        if let Some(label) = place.label {
            pointing.push(' ');
            pointing.push_str(&cells::shown(label));
        }
        let pointing = self.paint.with(color, &pointing);
        writeln!(self.out, "{blank} {bar} {:offset$}{pointing}", "")
    }

    /// A `= help:` line; a text of several lines goes on below its beginning.
    fn aside(&mut self, kind: &str, text: Option<&str>, gutter: usize) -> fmt::Result {
        let Some(text) = text else { return Ok(()) };
        let blank = " ".repeat(gutter);
        let sign = self.paint.with(BLUE, "=");
        let name = self.paint.with(BOLD, kind);
        let mut lines = text.lines();
        let first = cells::shown(lines.next().unwrap_or_default());
        writeln!(self.out, "{blank} {sign} {name}: {first}")?;
        let indent = gutter + kind.len() + 5;
        for line in lines {
            writeln!(self.out, "{:indent$}{}", "", cells::shown(line))?;
        }
        Ok(())
    }

    fn summary(&mut self, diagnostics: &[Diagnostic]) -> fmt::Result {
        let of = |severity| {
            let found = diagnostics.iter().filter(|one| one.severity == severity);
            found.count()
        };
        let files: BTreeSet<_> = diagnostics
            .iter()
            .filter_map(|one| one.at.as_ref())
            .map(|span| span.file.path())
            .collect();
        let counts = [
            (of(Severity::Error), "error"),
            (of(Severity::Warning), "warning"),
        ]
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| counted(*count, word))
        .collect::<Vec<_>>()
        .join(", ");
        let place = match files.len() {
            0 => String::new(),
            count => format!(" in {}", counted(count, "file")),
        };
        let line = self.paint.with(BOLD, &format!("{counts}{place}"));
        writeln!(self.out, "{line}")?;

        let codes: BTreeSet<&str> = diagnostics.iter().map(|one| one.code.0).collect();
        let codes: Vec<&str> = codes.into_iter().collect();
        match codes.as_slice() {
            [code] => writeln!(self.out, "what it means: snodo check --explain {code}"),
            _ => writeln!(
                self.out,
                "what each means: snodo check --explain CODE (here: {})",
                codes.join(", ")
            ),
        }
    }
}

fn counted(count: usize, word: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {word}{plural}")
}

const BOLD: &str = "\u{1b}[1m";
const RED: &str = "\u{1b}[1;31m";
const YELLOW: &str = "\u{1b}[1;33m";
const BLUE: &str = "\u{1b}[1;34m";
const RESET: &str = "\u{1b}[0m";

#[derive(Clone, Copy)]
struct Paint(bool);

impl Paint {
    fn with(self, color: &str, text: &str) -> String {
        if self.0 {
            format!("{color}{text}{RESET}")
        } else {
            text.to_owned()
        }
    }
}

#[cfg(test)]
mod tests;
