//! Findings as one JSON document, for editors and scripts.

use super::cells::is_hidden;
use super::order::sorted;
use super::position::{Files, Position};
use super::{Diagnostic, Severity, Span};
use serde::Serialize;
use std::fmt::Write as _;

/// An array of the findings in the order of path, position and code, indented, ending with a
/// line end. Every member is always there, `null` where there is nothing to say:
///
/// ```json
/// { "code": "unknown-key", "severity": "error", "message": "…", "file": "m/a.toml",
///   "range": { "start": { "byte": 9, "line": 2, "column": 1 }, "end": { … } },
///   "label": null, "help": null,
///   "related": [ { "message": "…", "file": "…", "range": { … } } ] }
/// ```
///
/// `byte` counts from 0 in the file without its byte order mark; `line` and `column` count from 1,
/// columns in characters; `end` is the place after the last character. Texts are as found, escaped as
/// JSON allows where they could drive a terminal.
pub fn json(diagnostics: &[Diagnostic]) -> String {
    let mut files = Files::default();
    let findings: Vec<Finding<'_>> = sorted(diagnostics)
        .into_iter()
        .map(|diagnostic| Finding::new(diagnostic, &mut files))
        .collect();
    // Strings and numbers always serialize.
    document(&findings)
}

/// A value as indented JSON that ends with a line end. What could drive a terminal is escaped, also
/// where JSON would not ask for it.
pub fn document(value: &impl Serialize) -> String {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    let mut out = String::with_capacity(text.len() + 1);
    for letter in text.chars() {
        if letter == '\n' || !is_hidden(letter) {
            out.push(letter);
            continue;
        }
        // Such characters stand in strings alone.
        for unit in letter.encode_utf16(&mut [0; 2]) {
            let _ = write!(out, "\\u{unit:04x}");
        }
    }
    out.push('\n');
    out
}

#[derive(Serialize)]
struct Finding<'d> {
    code: &'static str,
    severity: &'static str,
    message: &'d str,
    file: Option<String>,
    range: Option<Range>,
    label: Option<&'d str>,
    help: Option<&'d str>,
    related: Vec<Related<'d>>,
}

#[derive(Serialize)]
struct Related<'d> {
    message: &'d str,
    file: String,
    range: Range,
}

#[derive(Serialize)]
struct Range {
    start: Point,
    end: Point,
}

#[derive(Serialize)]
struct Point {
    byte: usize,
    line: usize,
    column: usize,
}

impl<'d> Finding<'d> {
    fn new(diagnostic: &'d Diagnostic, files: &mut Files<'d>) -> Self {
        let at = diagnostic.at.as_ref();
        Self {
            code: diagnostic.code.0,
            severity: match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            message: &diagnostic.message,
            file: at.map(file),
            range: at.map(|span| Range::of(span, files)),
            label: diagnostic.label.as_deref(),
            help: diagnostic.help.as_deref(),
            related: diagnostic
                .related
                .iter()
                .map(|(span, what)| Related {
                    message: what,
                    file: file(span),
                    range: Range::of(span, files),
                })
                .collect(),
        }
    }
}

impl Range {
    fn of<'d>(span: &'d Span, files: &mut Files<'d>) -> Self {
        let lines = files.lines(&span.file);
        let point = |byte| {
            let Position { line, column } = lines.locate(byte);
            Point { byte, line, column }
        };
        Self {
            start: point(span.start),
            end: point(span.end),
        }
    }
}

fn file(span: &Span) -> String {
    span.file.path().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::super::{Code, SourceFile};
    use super::*;
    use std::sync::Arc;

    #[test]
    fn every_member_in_its_order() {
        let file = SourceFile::new("m/a.toml", "a = 1\né\u{1b} = 2\n");
        let at = |start, end| Span {
            file: Arc::clone(&file),
            start,
            end,
        };
        let found = [
            Diagnostic::error(Code("unknown-key"), at(6, 9), "unknown key `é\u{1b}`")
                .label("in tool \"t\"")
                .related(at(0, 5), "first")
                .help("try"),
            Diagnostic {
                severity: Severity::Warning,
                ..Diagnostic::placeless(Code("no-manifests"), "nothing")
            },
        ];
        assert_eq!(
            json(&found),
            r#"[
  {
    "code": "no-manifests",
    "severity": "warning",
    "message": "nothing",
    "file": null,
    "range": null,
    "label": null,
    "help": null,
    "related": []
  },
  {
    "code": "unknown-key",
    "severity": "error",
    "message": "unknown key `é\u001b`",
    "file": "m/a.toml",
    "range": {
      "start": {
        "byte": 6,
        "line": 2,
        "column": 1
      },
      "end": {
        "byte": 9,
        "line": 2,
        "column": 3
      }
    },
    "label": "in tool \"t\"",
    "help": "try",
    "related": [
      {
        "message": "first",
        "file": "m/a.toml",
        "range": {
          "start": {
            "byte": 0,
            "line": 1,
            "column": 1
          },
          "end": {
            "byte": 5,
            "line": 1,
            "column": 6
          }
        }
      }
    ]
  }
]
"#
        );
    }

    #[test]
    fn nothing_reaches_the_terminal_as_it_is() {
        let message = "\u{1b}\u{7f}\u{9b}\u{202e}\u{e0001}\"\\é\u{1f600}";
        let text = json(&[Diagnostic::placeless(Code("x"), message)]);
        assert!(!text.chars().any(|c| c != '\n' && is_hidden(c)), "{text:?}");
        let back: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(back[0]["message"], message);
    }

    #[test]
    fn nothing_found_is_an_empty_array() {
        assert_eq!(json(&[]), "[]\n");
    }
}
