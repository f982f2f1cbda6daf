//! Writing JSON by hand into a buffer: no intermediate tree, no failure, and never a raw line feed,
//! which the standard streams' framing relies on.

use serde_json::{Map, Value};
use std::io::Write;

/// Writes a string, escaped as RFC 8259 §7 requires and no more.
pub(super) fn string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    let mut rest = text.as_bytes();
    loop {
        let (plain, tail) = rest.split_at(plain_prefix(rest));
        out.extend_from_slice(plain);
        let Some((&byte, after)) = tail.split_first() else {
            break;
        };
        escape(out, byte);
        rest = after;
    }
    out.push(b'"');
}

/// Writes any value. Numbers keep the form they were read in, as far as `serde_json` keeps it.
pub(super) fn value(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(true) => out.extend_from_slice(b"true"),
        Value::Bool(false) => out.extend_from_slice(b"false"),
        Value::Number(number) => display(out, number),
        Value::String(text) => string(out, text),
        Value::Array(items) => array(out, items, self::value),
        Value::Object(members) => object(out, members),
    }
}

/// Writes an object.
pub(super) fn object(out: &mut Vec<u8>, members: &Map<String, Value>) {
    let mut object = Members::open(out);
    for (name, value) in members {
        self::value(object.member(name), value);
    }
    object.close();
}

/// Writes an array, each item by `write`.
pub(super) fn array<T>(out: &mut Vec<u8>, items: &[T], mut write: impl FnMut(&mut Vec<u8>, &T)) {
    out.push(b'[');
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write(out, item);
    }
    out.push(b']');
}

/// Writes what shows itself as a JSON number.
pub(super) fn display(out: &mut Vec<u8>, number: impl std::fmt::Display) {
    // Writing to a vector cannot fail.
    let _ = write!(out, "{number}");
}

/// An object being written: it knows where the commas go.
pub(super) struct Members<'a> {
    out: &'a mut Vec<u8>,
    empty: bool,
}

impl<'a> Members<'a> {
    /// Begins an object.
    pub(super) fn open(out: &'a mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out, empty: true }
    }

    /// Writes a member's name; its value is to be written to the buffer returned.
    pub(super) fn member(&mut self, name: &str) -> &mut Vec<u8> {
        if !self.empty {
            self.out.push(b',');
        }
        self.empty = false;
        string(self.out, name);
        self.out.push(b':');
        self.out
    }

    /// Writes a member whose value is a string.
    pub(super) fn text(&mut self, name: &str, value: &str) {
        string(self.member(name), value);
    }

    /// Writes a member whose value is a string, when there is one.
    pub(super) fn maybe_text(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.text(name, value);
        }
    }

    /// Writes a member whose value is JSON already.
    pub(super) fn raw(&mut self, name: &str, value: &[u8]) {
        self.member(name).extend_from_slice(value);
    }

    /// Ends the object.
    pub(super) fn close(self) {
        self.out.push(b'}');
    }
}

/// How many leading bytes may stand in a JSON string as they are.
fn plain_prefix(bytes: &[u8]) -> usize {
    let (words, tail) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let found = specials(u64::from_le_bytes(*word));
        if found != 0 {
            return index * 8 + (found.trailing_zeros() / 8) as usize;
        }
    }
    let plain = tail
        .iter()
        .position(|&byte| is_special(byte))
        .unwrap_or(tail.len());
    words.len() * 8 + plain
}

/// True for what JSON wants escaped: controls, the quotation mark, the reverse solidus.
const fn is_special(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// The same for eight bytes at once: the lowest set bit is the top bit of the first special byte.
/// Bits above it may be wrong (a borrow runs upward), so only the lowest is to be used.
const fn specials(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = 0x8080_8080_8080_8080;
    let quote = word ^ (ONES * b'"' as u64);
    let solidus = word ^ (ONES * b'\\' as u64);
    let controls = word.wrapping_sub(ONES * 0x20) & !word;
    let quotes = quote.wrapping_sub(ONES) & !quote;
    let soliduses = solidus.wrapping_sub(ONES) & !solidus;
    (controls | quotes | soliduses) & TOPS
}

/// Writes one special byte.
fn escape(out: &mut Vec<u8>, byte: u8) {
    const HEX: [u8; 16] = *b"0123456789abcdef";
    let short = match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x08 => b'b',
        0x0c => b'f',
        _ => {
            let digit = |nibble: u8| HEX[usize::from(nibble & 0x0f)];
            out.extend_from_slice(&[b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte)]);
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn written(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn strings_are_escaped_as_rfc_8259_asks() {
        let text = "a\"b\\c\n\r\t\u{8}\u{c}\u{0}\u{1f} é \u{2028} 🦀 end";
        assert_eq!(
            written(|out| string(out, text)),
            "\"a\\\"b\\\\c\\n\\r\\t\\b\\f\\u0000\\u001f é \u{2028} 🦀 end\""
        );
    }

    #[test]
    fn a_special_byte_is_found_at_every_place_of_a_word() {
        for at in 0..24 {
            for special in ["\n", "\"", "\\", "\u{1f}"] {
                let text = format!(
                    "{}{special}{}",
                    "é".repeat(at / 2),
                    "~ !#[]\u{7f}".repeat(3)
                );
                let read: String =
                    serde_json::from_str(&written(|out| string(out, &text))).unwrap();
                assert_eq!(read, text);
            }
        }
    }

    #[test]
    fn values_are_written_as_they_are() {
        let given = json!({"a": [1, -2, 3.5, 30.0, u64::MAX, null, true, false], "b": {}, "c": [], "d": "x\ny"});
        assert_eq!(
            written(|out| value(out, &given)),
            r#"{"a":[1,-2,3.5,30.0,18446744073709551615,null,true,false],"b":{},"c":[],"d":"x\ny"}"#
        );
    }

    proptest! {
        #[test]
        fn any_string_comes_back_and_holds_no_line_feed(text in any::<String>()) {
            let json = written(|out| string(out, &text));
            prop_assert!(!json.contains('\n'));
            prop_assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
        }

        #[test]
        fn ascii_full_of_specials_comes_back(bytes in proptest::collection::vec(0_u8..0x80, 0..200)) {
            let text = String::from_utf8(bytes).unwrap();
            let json = written(|out| string(out, &text));
            prop_assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
        }
    }
}
