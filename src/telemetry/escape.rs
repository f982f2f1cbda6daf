//! One event, one line: whatever a value holds, it cannot begin a second line, move the cursor
//! or turn the text around.

use std::fmt::{self, Write};

/// Passes text on with control characters, line separators and bidirectional overrides written
/// as JSON would escape them (`\n`, `\u001b`); text without any passes unchanged.
pub(super) struct Escape<'w, W>(pub &'w mut W);

impl<W: Write> Write for Escape<'_, W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut plain = 0;
        for (at, ch) in text.char_indices().filter(|(_, ch)| is_dangerous(*ch)) {
            self.0.write_str(text.get(plain..at).unwrap_or_default())?;
            match ch {
                '\n' => self.0.write_str("\\n")?,
                '\r' => self.0.write_str("\\r")?,
                '\t' => self.0.write_str("\\t")?,
                _ => write!(self.0, "\\u{:04x}", u32::from(ch))?,
            }
            plain = at + ch.len_utf8();
        }
        self.0.write_str(text.get(plain..).unwrap_or_default())
    }
}

fn is_dangerous(ch: char) -> bool {
    ch.is_control()
        || matches!(ch,
            '\u{61C}'
            | '\u{200E}' | '\u{200F}'
            | '\u{2028}'..='\u{202E}'
            | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped(text: &str) -> String {
        let mut out = String::new();
        Escape(&mut out).write_str(text).unwrap();
        out
    }

    #[test]
    fn a_line_stays_one_line() {
        assert_eq!(escaped("a\nERROR b\r\n\tc"), r"a\nERROR b\r\n\tc");
        assert_eq!(
            escaped("\u{1b}[2J\u{9b}\u{7f}\0"),
            r"\u001b[2J\u009b\u007f\u0000"
        );
        assert_eq!(escaped("\u{202e}\u{2028}\u{2066}"), r"\u202e\u2028\u2066");
    }

    #[test]
    fn other_text_is_left_alone() {
        for text in ["", "plain", "日本 é\u{301} 👨\u{200d}👩 \\n \"q\""] {
            assert_eq!(escaped(text), text);
        }
    }
}
