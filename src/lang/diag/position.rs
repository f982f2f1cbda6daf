//! From a byte in a text to the line and column a person counts.

use super::SourceFile;
use std::collections::HashMap;
use std::sync::Arc;

/// Bytes between two remembered counts: a position costs at most one block of counting.
const BLOCK: usize = 4096;

/// A place in a text, both parts counted from 1. A column is one character (Unicode scalar
/// value): a tab is one, a combining mark is one of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The character in the line; one past the last for the line's end.
    pub column: usize,
}

/// Line and column of `byte` in `text`. A byte inside a character counts as that character's
/// first, one past the end as the end. Lines end with LF, alone or after CR.
pub fn locate(text: &str, byte: usize) -> Position {
    let byte = text.floor_char_boundary(byte);
    let before = text.get(..byte).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    Position {
        line: count_lines(before.as_bytes()) + 1,
        column: count_chars(before.as_bytes().get(line_start..).unwrap_or_default()) + 1,
    }
}

/// Positions in one text, asked for many times: counts are kept for every [`BLOCK`] bytes, so
/// that thousands of findings in one large file stay cheap.
pub(super) struct Lines<'t> {
    text: &'t str,
    /// Line ends and characters before each block.
    blocks: Vec<(usize, usize)>,
}

impl<'t> Lines<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let mut blocks = Vec::new();
        let (mut lines, mut chars) = (0, 0);
        for block in text.as_bytes().chunks(BLOCK) {
            blocks.push((lines, chars));
            lines += count_lines(block);
            chars += count_chars(block);
        }
        blocks.push((lines, chars));
        Self { text, blocks }
    }

    /// The same as [`locate`] on this text.
    pub(super) fn locate(&self, byte: usize) -> Position {
        let byte = self.text.floor_char_boundary(byte);
        let (lines, chars) = self.before(byte);
        let (_, chars_before_line) = self.before(self.line_start(byte));
        Position {
            line: lines + 1,
            column: chars - chars_before_line + 1,
        }
    }

    /// The line that holds `byte`, without its line end, and the byte it begins at.
    pub(super) fn line_of(&self, byte: usize) -> (&'t str, usize) {
        let start = self.line_start(self.text.floor_char_boundary(byte));
        let rest = self.text.get(start..).unwrap_or_default();
        let line = rest.split('\n').next().unwrap_or_default();
        let whole = line.len() == rest.len();
        let line = match line.strip_suffix('\r') {
            Some(stripped) if !whole => stripped,
            _ => line,
        };
        (line, start)
    }

    fn line_start(&self, byte: usize) -> usize {
        let before = self.text.get(..byte).unwrap_or(self.text);
        before.rfind('\n').map_or(0, |at| at + 1)
    }

    fn before(&self, byte: usize) -> (usize, usize) {
        let block = byte / BLOCK;
        let (lines, chars) = self.blocks.get(block).copied().unwrap_or_default();
        let rest = self.text.as_bytes().get(block * BLOCK..byte);
        let rest = rest.unwrap_or_default();
        (lines + count_lines(rest), chars + count_chars(rest))
    }
}

/// The [`Lines`] of every file that comes up, made when first asked for.
#[derive(Default)]
pub(super) struct Files<'d>(HashMap<*const SourceFile, Lines<'d>>);

impl<'d> Files<'d> {
    pub(super) fn lines(&mut self, file: &'d Arc<SourceFile>) -> &Lines<'d> {
        self.0
            .entry(Arc::as_ptr(file))
            .or_insert_with(|| Lines::new(file.text()))
    }
}

fn count_lines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte == b'\n').count()
}

/// Characters that begin in these bytes of a UTF-8 text.
fn count_chars(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| (**byte & 0xC0) != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(text: &str, byte: usize) -> (usize, usize) {
        let position = locate(text, byte);
        (position.line, position.column)
    }

    #[test]
    fn counts_from_one_in_characters() {
        assert_eq!(at("", 0), (1, 1));
        assert_eq!(at("ab\ncd", 4), (2, 2));
        assert_eq!(at("é\u{301}x", 4), (1, 3));
        assert_eq!(at("a\tb", 2), (1, 3));
    }

    #[test]
    fn ends_are_positions_too() {
        assert_eq!(at("ab", 2), (1, 3));
        assert_eq!(at("ab\n", 3), (2, 1));
        assert_eq!(at("ab\r\ncd", 4), (2, 1));
        assert_eq!(at("ab", 99), (1, 3));
    }

    #[test]
    fn inside_a_character_is_its_first_byte() {
        assert_eq!(at("a€b", 2), (1, 2));
    }

    #[test]
    fn a_line_comes_without_its_end() {
        let text = "one\r\ntwo\nthree\r";
        let lines = Lines::new(text);
        assert_eq!(lines.line_of(1), ("one", 0));
        assert_eq!(lines.line_of(4), ("one", 0));
        assert_eq!(lines.line_of(5), ("two", 5));
        assert_eq!(lines.line_of(99), ("three\r", 9));
        assert_eq!(Lines::new("").line_of(0), ("", 0));
        assert_eq!(Lines::new("a\n").line_of(2), ("", 2));
    }

    #[test]
    fn blocks_agree_with_counting_across_their_edges() {
        let text = "é\n".repeat(BLOCK);
        let lines = Lines::new(&text);
        for byte in [0, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, text.len()] {
            assert_eq!(lines.locate(byte), locate(&text, byte), "{byte}");
        }
    }

    proptest! {
        #[test]
        fn any_byte_of_any_text(text in "[aé€\u{1F600}\r\n\t]{0,40}", byte in 0usize..200) {
            let before: String = text.chars().scan(0, |end, ch| {
                *end += ch.len_utf8();
                Some((*end, ch))
            }).take_while(|(end, _)| *end <= byte).map(|(_, ch)| ch).collect();
            let expected = Position {
                line: before.matches('\n').count() + 1,
                column: before.rsplit('\n').next().unwrap_or("").chars().count() + 1,
            };
            prop_assert_eq!(locate(&text, byte), expected);
            prop_assert_eq!(Lines::new(&text).locate(byte), expected);
        }
    }
}
