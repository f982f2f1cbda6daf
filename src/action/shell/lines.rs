//! Pieces of output to lines, as they come, each in bounded room.

use super::text;
use crate::secret::Mask;

/// The longest line that is told, in bytes; of a longer one the beginning is.
const LONGEST: usize = 1024;

/// Cuts output into lines. A line ends at a line feed, or at a carriage return, by which programs
/// draw their progress over itself. Invalid UTF-8 is replaced, and every secret hidden.
pub(super) struct Lines {
    mask: Mask,
    /// The beginning of the line that has not ended.
    line: Vec<u8>,
    /// More of it came than is kept.
    is_cut: bool,
    /// The last byte was a carriage return: a line feed behind it ends nothing more.
    after_return: bool,
}

impl Lines {
    pub(super) fn new(mask: Mask) -> Self {
        Self {
            mask,
            line: Vec::new(),
            is_cut: false,
            after_return: false,
        }
    }

    /// Takes the next piece in, and tells each line that it ends.
    pub(super) fn push(&mut self, piece: &[u8], mut tell: impl FnMut(&str)) {
        let mut rest = piece;
        if self.after_return && rest.first() == Some(&b'\n') {
            rest = rest.get(1..).unwrap_or_default();
        }
        self.after_return = piece.last() == Some(&b'\r');
        while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (line, ending) = rest.split_at(end);
            self.keep(line);
            self.end(&mut tell);
            let length = if ending.starts_with(b"\r\n") { 2 } else { 1 };
            rest = ending.get(length..).unwrap_or_default();
        }
        self.keep(rest);
    }

    /// Tells what is left: a last line without its end.
    pub(super) fn finish(&mut self, mut tell: impl FnMut(&str)) {
        if !self.line.is_empty() {
            self.end(&mut tell);
        }
    }

    fn keep(&mut self, more: &[u8]) {
        // A secret that begins within the longest line is kept whole, so that it is known.
        let room = (LONGEST + self.mask.longest()).saturating_sub(self.line.len());
        self.is_cut |= more.len() > room;
        self.line
            .extend_from_slice(more.get(..room).unwrap_or(more));
    }

    fn end(&mut self, tell: &mut impl FnMut(&str)) {
        let line = self.mask.hide(text(&self.line, self.is_cut));
        // What was cut may end with a part of a secret.
        let unsure = if self.is_cut { self.mask.longest() } else { 0 };
        let end = line.len().saturating_sub(unsure).min(LONGEST);
        match line.get(..line.floor_char_boundary(end)) {
            Some(head) if head.len() < line.len() || self.is_cut => tell(&format!("{head}…")),
            _ => tell(&line),
        }
        self.line.clear();
        self.is_cut = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn lines(mask: Mask, pieces: &[&[u8]]) -> Vec<String> {
        let mut told = Vec::new();
        let mut lines = Lines::new(mask);
        for piece in pieces {
            lines.push(piece, |line| told.push(line.to_owned()));
        }
        lines.finish(|line| told.push(line.to_owned()));
        told
    }

    fn hidden(secret: &str) -> Mask {
        Mask::of(json!({ "s": secret }).as_object().unwrap())
    }

    #[test]
    fn a_line_ends_at_a_line_feed_a_return_or_both() {
        let pieces: [&[u8]; 7] = [
            b"a\nb",
            b"c\r",
            b"\nd\re\r\n\n",
            b"",
            b"f\r",
            b"g",
            b"\xffh",
        ];
        let expected = ["a", "bc", "d", "e", "", "f", "g\u{fffd}h"];
        assert_eq!(lines(Mask::default(), &pieces), expected);
    }

    #[test]
    fn a_long_line_is_cut_between_characters() {
        let long = "é".repeat(LONGEST);
        let told = lines(Mask::default(), &[long.as_bytes(), b"x\nnext\n"]);
        assert_eq!(
            told,
            [format!("{}…", "é".repeat(LONGEST / 2)), "next".into()]
        );
        let exact = "x".repeat(LONGEST);
        assert_eq!(lines(Mask::default(), &[exact.as_bytes()]), [exact]);
    }

    proptest! {
        /// However the output is cut into pieces, and wherever the secret stands, nothing of it shows.
        #[test]
        fn no_part_of_a_secret_shows(
            before in 0_usize..LONGEST + 50,
            cuts in proptest::collection::vec(1_usize..300, 1..20),
            repeats in 1_usize..200,
        ) {
            let text = format!("{}{}", "-".repeat(before), "SECRETS".repeat(repeats));
            let mut pieces = Vec::new();
            let mut rest = text.as_bytes();
            for cut in cuts {
                let (piece, left) = rest.split_at(cut.min(rest.len()));
                pieces.push(piece);
                rest = left;
            }
            pieces.push(rest);
            for line in lines(hidden("SECRETS"), &pieces) {
                let shown = line.replace("[secret]", "");
                let marker = shown.trim_start_matches('-').trim_end_matches('…');
                prop_assert!("[secret]".starts_with(marker), "{}", line);
            }
        }
    }
}
