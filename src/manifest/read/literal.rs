//! From a place in a string's value to the place in the file: a TOML string may hold escapes, so
//! the tenth byte of its value is not always the tenth byte between its quotes.

use crate::lang::diag::Span;
use std::ops::Range;

/// The place of the bytes `range` of a string's value; `at` is the string with its quotes. For
/// what is no string it is all of `at`.
pub fn within(at: &Span, range: Range<usize>) -> Span {
    let written = at.file.text().get(at.start..at.end).unwrap_or("");
    let range = if written.starts_with(['"', '\'']) {
        locate(written, range)
    } else {
        0..written.len()
    };
    Span {
        file: at.file.clone(),
        start: at.start + range.start,
        end: at.start + range.end,
    }
}

/// The range in `text`, the source between and including the quotes, that wrote the bytes `range`
/// of the string's value. Offsets in the result count from the start of `text`.
fn locate(text: &str, range: Range<usize>) -> Range<usize> {
    let start = offset(text, range.start);
    let end = if range.end > range.start {
        offset(text, range.end)
    } else {
        start
    };
    start..end.max(start)
}

/// Where the value's byte `wanted` was written.
fn offset(text: &str, wanted: usize) -> usize {
    let (open, close) = if text.starts_with("\"\"\"") || text.starts_with("'''") {
        (3, 3)
    } else {
        (1, 1)
    };
    let escapes = text.starts_with('"');
    let end = text.len().saturating_sub(close).max(open);
    let mut at = open.min(text.len());
    if open == 3 {
        // A line feed right after the opening quotes is not part of the value.
        at += newline_len(text, at);
    }
    let mut value = 0;
    while at < end {
        let Some(letter) = text.get(at..).and_then(|rest| rest.chars().next()) else {
            break;
        };
        let (written, meant) = if escapes && letter == '\\' {
            escape(text, at)
        } else {
            (letter.len_utf8(), letter.len_utf8())
        };
        if value + meant > wanted && meant > 0 {
            return at;
        }
        value += meant;
        at += written;
    }
    at.min(end)
}

/// How many bytes the escape at `at` takes, and how many bytes of value it makes.
fn escape(text: &str, at: usize) -> (usize, usize) {
    let kind = text.get(at + 1..).and_then(|rest| rest.chars().next());
    let digits = match kind {
        Some('u') => 4,
        Some('U') => 8,
        Some('x') => 2,
        Some(c) if c.is_whitespace() => {
            let rest = text.get(at + 1..).unwrap_or("");
            return (1 + rest.len() - rest.trim_start().len(), 0);
        }
        _ => return (2, 1),
    };
    let code = text.get(at + 2..at + 2 + digits);
    let made = code
        .and_then(|code| u32::from_str_radix(code, 16).ok())
        .and_then(char::from_u32)
        .map_or(1, char::len_utf8);
    (2 + digits, made)
}

fn newline_len(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or("");
    if rest.starts_with("\r\n") {
        2
    } else {
        usize::from(rest.starts_with('\n'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The source text that wrote the `needle` of the string's value.
    fn written<'a>(literal: &'a str, needle: &str) -> &'a str {
        let document = format!("k = {literal}");
        let value: toml::Table = document.parse().unwrap();
        let value = value["k"].as_str().unwrap();
        let start = value.find(needle).unwrap();
        &literal[locate(literal, start..start + needle.len())]
    }

    #[test]
    fn finds_the_source_of_a_part() {
        assert_eq!(written(r#""a {{ x }} b""#, "{{ x }}"), "{{ x }}");
        assert_eq!(written(r"'a {{ x }} b'", "{{ x }}"), "{{ x }}");
        assert_eq!(written(r#""\t\u00e9\" {{ x }}""#, "x"), "x");
        assert_eq!(written("\"\"\"\nfirst\n{{ x }}\"\"\"", "{{ x"), "{{ x");
        assert_eq!(written("\"\"\"one \\\n   two {{ x }}\"\"\"", "x"), "x");
        assert_eq!(written("'''\r\né {{ x }}'''", "x"), "x");
    }

    #[test]
    fn covers_a_whole_escape() {
        assert_eq!(written(r#""a\u00e9b""#, "é"), r"\u00e9");
    }

    #[test]
    fn never_leaves_the_literal() {
        for literal in ["\"\"", "''", "\"\\", "\"\"\"\"\"\"", "'", "\"é"] {
            for start in 0..20 {
                let range = locate(literal, start..start + 5);
                assert!(
                    range.end <= literal.len() && range.start <= range.end,
                    "{literal}"
                );
            }
        }
    }
}
