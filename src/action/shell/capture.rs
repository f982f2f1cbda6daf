//! Reading what a child writes: to the end always, kept up to a ceiling.

use bytes::BufMut;
use std::borrow::Cow;
use std::io::ErrorKind;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;

/// The first room for output, and the room for what is thrown away: a pipe holds 64 KiB at most
/// unless a program asks for more.
const FIRST: usize = 8 * 1024;
const DISCARD: usize = 64 * 1024;

/// How much of the end of a stream is kept beside its beginning.
const LAST: usize = 4 * 1024;

/// Sees each piece of one stream as it is read, also past the ceiling. It must not block.
pub type Tap = Box<dyn FnMut(&[u8]) + Send>;

/// What a child wrote to one of its streams.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// The first bytes, no more than the ceiling.
    pub bytes: Vec<u8>,
    /// How many bytes were written in all.
    pub total: u64,
    /// The last of what was written past the ceiling, at most 4 KiB.
    pub last: Vec<u8>,
}

impl Captured {
    /// True when more was written than was kept.
    pub fn truncated(&self) -> bool {
        self.total > self.bytes.len() as u64
    }

    /// The kept bytes as text; see [`text`].
    pub fn text(&self) -> Cow<'_, str> {
        text(&self.bytes, self.truncated())
    }

    /// The end of the stream, and whether that is all of it: what was kept, or when more was written
    /// the last 4 KiB.
    pub fn end(&self) -> (Cow<'_, [u8]>, bool) {
        if !self.truncated() {
            return (Cow::Borrowed(&self.bytes), true);
        }
        let held = self.bytes.len() as u64 + self.last.len() as u64;
        let between = self.total.saturating_sub(held);
        if between > 0 {
            return (Cow::Borrowed(&self.last), false);
        }
        let start = (self.bytes.len() + self.last.len()).saturating_sub(LAST);
        let mut end = self.bytes.get(start..).unwrap_or_default().to_vec();
        end.extend_from_slice(&self.last);
        (Cow::Owned(end), start == 0)
    }

    /// Lowers the ceiling.
    pub(super) fn limit(&mut self, ceiling: usize) {
        if ceiling < self.bytes.len() {
            let mut end = self.bytes.split_off(ceiling);
            keep_last(&mut end, &self.last);
            self.last = end;
        }
    }
}

/// `bytes` as text. Each invalid sequence becomes U+FFFD (the Unicode standard's substitution of
/// maximal subparts), valid neighbours and control characters are kept. With `cut`, a character of
/// which the end is missing is left out: the ceiling split it, the program did not.
pub fn text(bytes: &[u8], cut: bool) -> Cow<'_, str> {
    let end = if cut { last_edge(bytes) } else { bytes.len() };
    String::from_utf8_lossy(bytes.get(..end).unwrap_or(bytes))
}

/// Where the last character ends that is not cut off.
fn last_edge(bytes: &[u8]) -> usize {
    let begins = |at: &usize| bytes.get(*at).is_some_and(|byte| byte & 0xC0 != 0x80);
    let near = bytes.len().saturating_sub(3);
    let Some(start) = (near..bytes.len()).rev().find(begins) else {
        return bytes.len();
    };
    let last = bytes.get(start..).unwrap_or_default();
    match std::str::from_utf8(last) {
        Err(error) if error.error_len().is_none() => start + error.valid_up_to(),
        _ => bytes.len(),
    }
}

/// One stream being read.
pub(super) struct Capture {
    pipe: Option<pipe::Receiver>,
    kept: Vec<u8>,
    total: u64,
    ceiling: usize,
    discard: Vec<u8>,
    last: Vec<u8>,
    tap: Option<Tap>,
}

impl Capture {
    /// Keeps up to `ceiling` bytes of `pipe`.
    pub(super) fn new(pipe: pipe::Receiver, ceiling: usize, tap: Option<Tap>) -> Self {
        Self {
            pipe: Some(pipe),
            kept: Vec::new(),
            total: 0,
            ceiling,
            discard: Vec::new(),
            last: Vec::new(),
            tap,
        }
    }

    /// Reads until the last holder of the other end has closed it. Nothing read is lost when the
    /// future is dropped; a later call goes on.
    pub(super) async fn fill(&mut self) {
        while let Some(pipe) = &mut self.pipe {
            let room = self.ceiling.saturating_sub(self.kept.len());
            let target = if room > 0 {
                make_room(&mut self.kept, room);
                &mut self.kept
            } else {
                self.discard.clear();
                self.discard.reserve_exact(DISCARD);
                &mut self.discard
            };
            let before = target.len();
            let free = target.capacity() - before;
            let free = if room > 0 { free.min(room) } else { free };
            match pipe.read_buf(&mut (&mut *target).limit(free)).await {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Ok(0) | Err(_) => self.pipe = None,
                Ok(read) => {
                    self.total += read as u64;
                    let piece = target.get(before..).unwrap_or_default();
                    if room == 0 {
                        keep_last(&mut self.last, piece);
                    }
                    if let Some(tap) = &mut self.tap {
                        tap(piece);
                    }
                }
            }
        }
        self.discard = Vec::new();
    }

    /// What was read so far; from now on nothing is kept and nobody is told.
    pub(super) fn take(&mut self) -> Captured {
        self.tap = None;
        self.ceiling = 0;
        Captured {
            bytes: std::mem::take(&mut self.kept),
            total: self.total,
            last: std::mem::take(&mut self.last),
        }
    }
}

fn keep_last(last: &mut Vec<u8>, piece: &[u8]) {
    let piece = piece
        .get(piece.len().saturating_sub(LAST)..)
        .unwrap_or(piece);
    let over = (last.len() + piece.len()).saturating_sub(LAST);
    last.drain(..over.min(last.len()));
    last.extend_from_slice(piece);
    // What was cut off may have had room for far more.
    last.shrink_to(LAST);
}

/// Doubles, but never past the ceiling: memory is bounded by what is kept.
fn make_room(kept: &mut Vec<u8>, room: usize) {
    if kept.len() == kept.capacity() {
        kept.reserve_exact(kept.len().max(FIRST).min(room));
    }
}

#[cfg(test)]
mod tests {
    use super::text;
    use proptest::prelude::*;
    use std::borrow::Cow;

    #[test]
    fn invalid_sequences_are_replaced_and_neighbours_kept() {
        assert_eq!(text(b"a\xffb\0\x1b", false), "a\u{fffd}b\0\x1b");
        assert_eq!(text(b"\xe2\x82x", false), "\u{fffd}x");
        // An overlong form and a surrogate are invalid byte by byte.
        assert_eq!(text(b"\xc0\x80", false), "\u{fffd}\u{fffd}");
        assert_eq!(text(b"\xed\xa0\x80", true), "\u{fffd}\u{fffd}\u{fffd}");
        assert!(matches!(text("ż🦀".as_bytes(), true), Cow::Borrowed("ż🦀")));
    }

    #[test]
    fn only_a_cut_character_is_left_out() {
        assert_eq!(text(b"a\xf0\x9f\xa6", true), "a");
        assert_eq!(text(b"a\xf0\x9f\xa6", false), "a\u{fffd}");
        assert_eq!(text(b"a\xff", true), "a\u{fffd}");
        assert_eq!(
            text(b"a\x80\x80\x80\x80", true),
            "a\u{fffd}\u{fffd}\u{fffd}\u{fffd}"
        );
        assert_eq!(text(b"\xf0", true), "");
        assert_eq!(text(b"", true), "");
        // Four bytes that begin like a character of four and are none.
        assert_eq!(
            text(b"\xf8\x80\x80\x80", true),
            "\u{fffd}\u{fffd}\u{fffd}\u{fffd}"
        );
    }

    proptest! {
        /// Cut anywhere, text stays what it was up to the last whole character.
        #[test]
        fn a_cut_is_a_prefix(whole: String, at: prop::sample::Index) {
            let at = at.index(whole.len() + 1);
            let edge = whole.floor_char_boundary(at);
            prop_assert_eq!(text(&whole.as_bytes()[..at], true), &whole[..edge]);
        }

        /// Any bytes: leaving a cut character out changes nothing before it.
        #[test]
        fn a_cut_changes_only_the_end(bytes: Vec<u8>) {
            let (cut, all) = (text(&bytes, true), text(&bytes, false));
            let replaced = format!("{cut}\u{fffd}");
            prop_assert!(all == cut || all == replaced);
        }
    }
}
