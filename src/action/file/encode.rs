//! From bytes to text or base64.

use super::Body;
use super::part::Part;
use super::room;
use crate::model::Encoding;
use crate::ops::Base64;

/// UTF-8's byte order mark. It says how the file is encoded and is no part of the text.
const BOM: &[u8] = b"\xEF\xBB\xBF";

/// A part as it goes into JSON.
pub(super) struct Encoded {
    /// The content.
    pub(super) body: Body,
    /// The file goes on after it.
    pub(super) has_more: bool,
}

/// Whether a part is UTF-8 without NUL, or was declared to be text.
pub(super) fn is_text(part: &Part, encoding: Encoding) -> bool {
    let (start, end) = text_bounds(part);
    let bytes = part.bytes.get(start..end).unwrap_or_default();
    encoding == Encoding::Text || std::str::from_utf8(bytes).is_ok() && !bytes.contains(&0)
}

/// Encodes a part, of which [`is_text`] said what it is. Base64 is written in `room`.
pub(super) fn encode(part: Part, encoding: Encoding, is_text: bool, room: Vec<u8>) -> Encoded {
    let (length, has_more) = (part.bytes.len(), part.has_more);
    let (body, end) = if is_text && encoding != Encoding::Base64 {
        let (start, end) = text_bounds(&part);
        room::give(room);
        (Body::Text(text(part.bytes, start, end)), end)
    } else {
        let encoded = Base64::encode_in(room, window(&part), room::give);
        room::give(part.bytes);
        (Body::Base64(encoded), part.wanted)
    };
    Encoded {
        body,
        has_more: has_more || end < length,
    }
}

/// These bytes as text, in the buffer that they are in where it is all of it.
fn text(bytes: Vec<u8>, start: usize, end: usize) -> String {
    let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if (start, end) == (0, bytes.len()) {
        return String::from_utf8(bytes).unwrap_or_else(|error| lossy(error.as_bytes()));
    }
    lossy(bytes.get(start..end).unwrap_or_default())
}

/// Where the text of a part begins and ends in its bytes: without a byte order mark, and in a
/// window of bytes with whole characters, those whose first byte lies in the window.
fn text_bounds(part: &Part) -> (usize, usize) {
    let end = text_end(part);
    if part.from_start {
        let marked = part
            .bytes
            .get(..end)
            .is_some_and(|text| text.starts_with(BOM));
        return (if marked { BOM.len() } else { 0 }, end);
    }
    if !part.cut {
        return (0, end);
    }
    let run = window(part)
        .iter()
        .take_while(|byte| is_continuation(**byte))
        .count();
    // A character has three of them at the most; a longer run is not UTF-8 and stays to be seen.
    (if run <= 3 { run } else { 0 }, end)
}

/// The end of the window, or of the character that begins in it and ends after it.
fn text_end(part: &Part) -> usize {
    if !part.cut {
        return part.wanted;
    }
    let Some(back) = window(part)
        .iter()
        .rev()
        .take(4)
        .position(|byte| !is_continuation(*byte))
    else {
        return part.wanted;
    };
    let lead = part.wanted - 1 - back;
    let length = match part.bytes.get(lead) {
        Some(0xC2..=0xDF) => 2,
        Some(0xE0..=0xEF) => 3,
        Some(0xF0..=0xF4) => 4,
        _ => 1,
    };
    let beyond = part.bytes.get(part.wanted..).unwrap_or_default();
    let missing = (lead + length).saturating_sub(part.wanted);
    let present = beyond
        .iter()
        .take(missing)
        .take_while(|byte| is_continuation(**byte))
        .count();
    part.wanted + present
}

fn window(part: &Part) -> &[u8] {
    part.bytes.get(..part.wanted).unwrap_or(&part.bytes)
}

fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn encoded(part: Part, encoding: Encoding) -> Encoded {
        let is_text = is_text(&part, encoding);
        encode(part, encoding, is_text, Vec::new())
    }

    fn cut(bytes: &[u8], offset: usize, length: usize) -> Part {
        let until = (offset + length).min(bytes.len());
        let beyond = (until + 4).min(bytes.len());
        Part {
            bytes: bytes[offset..beyond].to_vec(),
            wanted: until - offset,
            from_start: offset == 0,
            has_more: false,
            cut: true,
        }
    }

    fn whole(bytes: &[u8]) -> Part {
        Part {
            bytes: bytes.to_vec(),
            wanted: bytes.len(),
            from_start: true,
            ..Part::default()
        }
    }

    fn text(text: &str) -> Body {
        Body::Text(text.to_owned())
    }

    fn base64(bytes: &[u8]) -> Body {
        Body::Base64(Base64::encode(bytes))
    }

    #[test]
    fn auto_takes_utf8_without_nul_for_text() {
        for (bytes, body) in [
            ("grüße\r\n".as_bytes(), text("grüße\r\n")),
            (b"", text("")),
            (b"\x01\x1b[0m", text("\u{1}\u{1b}[0m")),
            (b"a\0b", base64(b"a\0b")),
            (b"gr\xfc\xdfe", base64(b"gr\xfc\xdfe")),
            (b"\xff\xfea\0", base64(b"\xff\xfea\0")),
            (b"\xed\xa0\x80", base64(b"\xed\xa0\x80")),
        ] {
            let encoded = encoded(whole(bytes), Encoding::Auto);
            assert_eq!(encoded.body, body);
            let is_text = is_text(&whole(bytes), Encoding::Auto);
            assert_eq!(is_text, matches!(body, Body::Text(_)));
            assert!(!encoded.has_more);
        }
    }

    #[test]
    fn text_replaces_what_is_not_utf8_and_keeps_its_neighbours() {
        let encoded = encoded(whole(b"gr\xfc\xc3\x9fe\0"), Encoding::Text);
        assert_eq!(encoded.body, text("gr\u{fffd}ße\0"));
    }

    #[test]
    fn base64_knows_text_by_its_bytes() {
        let encoded = encoded(whole(b"\xEF\xBB\xBFabc"), Encoding::Base64);
        assert_eq!(encoded.body, base64(b"\xEF\xBB\xBFabc"));
        assert!(is_text(&whole(b"abc"), Encoding::Base64));
        assert!(!is_text(&whole(b"a\0c"), Encoding::Base64));
    }

    #[test]
    fn a_byte_order_mark_at_the_beginning_is_dropped_from_text() {
        let bytes = "\u{feff}a\u{feff}".as_bytes();
        assert_eq!(
            encoded(whole(bytes), Encoding::Auto).body,
            text("a\u{feff}")
        );
        assert_eq!(
            encoded(cut(bytes, 4, 3), Encoding::Auto).body,
            text("\u{feff}")
        );
        assert_eq!(encoded(cut(bytes, 0, 1), Encoding::Auto).body, text(""));
    }

    #[test]
    fn a_window_holds_the_characters_that_begin_in_it() {
        let bytes = "aß€🦀z".as_bytes();
        for (offset, length, expected, more) in [
            (0, 2, "aß", true),
            (2, 1, "", true),
            (2, 2, "€", true),
            (3, 4, "€🦀", true),
            (7, 2, "", true),
            (7, 4, "z", false),
            (6, 1, "🦀", true),
            (10, 9, "z", false),
            (11, 1, "", false),
        ] {
            let encoded = encoded(cut(bytes, offset, length), Encoding::Auto);
            assert_eq!(encoded.body, text(expected), "{offset}+{length}");
            assert_eq!(encoded.has_more, more, "{offset}+{length}");
        }
    }

    #[test]
    fn a_window_that_is_not_text_is_exactly_its_bytes() {
        let bytes = b"\x80\x80\x80\x80\x80\xff\xf0\x9f\x92\x96";
        for (offset, length) in [(0, 10), (1, 4), (5, 2), (2, 6)] {
            let encoded = encoded(cut(bytes, offset, length), Encoding::Auto);
            assert_eq!(encoded.body, base64(&bytes[offset..offset + length]));
            assert_eq!(encoded.has_more, offset + length < bytes.len());
        }
    }

    #[test]
    fn a_character_that_the_file_leaves_unfinished_is_no_text() {
        assert_eq!(
            encoded(cut(b"ab\xe2\x82", 1, 9), Encoding::Auto).body,
            base64(b"b\xe2\x82")
        );
    }

    proptest! {
        #[test]
        fn adjacent_windows_joined_are_the_text(content in "\\PC{0,40}", step in 1usize..6) {
            let bytes = content.as_bytes();
            let mut joined = String::new();
            let mut offset = 0;
            loop {
                let encoded = encoded(cut(bytes, offset.min(bytes.len()), step), Encoding::Auto);
                let Body::Text(part) = encoded.body else { panic!("bytes at {offset}") };
                joined.push_str(&part);
                offset += step;
                if !encoded.has_more {
                    break;
                }
            }
            let expected = content.strip_prefix('\u{feff}').unwrap_or(&content);
            prop_assert_eq!(joined, expected);
        }

        #[test]
        fn any_bytes_can_be_encoded(bytes in proptest::collection::vec(any::<u8>(), 0..24), offset in 0usize..24, length in 0usize..24) {
            for encoding in [Encoding::Auto, Encoding::Text, Encoding::Base64] {
                encoded(cut(&bytes, offset.min(bytes.len()), length), encoding);
            }
        }
    }
}
