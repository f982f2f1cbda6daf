//! Where a part of a JSON text stands. The text is one that has been parsed before: what is not JSON
//! is not found, and never more than that.

use std::ops::Range;

/// The deepest part of `text` that the JSON pointer reaches (RFC 6901): the key of a member with its
/// quotes, an item's first byte, or the text's first byte for the whole of it.
pub fn member(text: &str, pointer: &str) -> Range<usize> {
    let mut scanner = Scanner {
        bytes: text.as_bytes(),
        at: 0,
    };
    scanner.space();
    let mut place = scanner.at..(scanner.at + 1).min(text.len());
    for token in pointer.split('/').skip(1) {
        let token = token.replace("~1", "/").replace("~0", "~");
        match scanner.enter(text, &token) {
            Some(found) => place = found,
            None => break,
        }
    }
    text.floor_char_boundary(place.start)..text.ceil_char_boundary(place.end)
}

struct Scanner<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl Scanner<'_> {
    /// Goes to the value of this member or item of the value that stands here.
    fn enter(&mut self, text: &str, token: &str) -> Option<Range<usize>> {
        let opening = self.peek()?;
        self.at += 1;
        match opening {
            b'{' => self.enter_object(text, token),
            b'[' => self.enter_array(token.parse().ok()?),
            _ => None,
        }
    }

    fn enter_object(&mut self, text: &str, token: &str) -> Option<Range<usize>> {
        loop {
            self.space();
            let start = self.at;
            self.string()?;
            let key = start..self.at;
            let name: String = serde_json::from_str(text.get(key.clone())?).ok()?;
            self.space();
            self.skip_byte(b':')?;
            self.space();
            if name == token {
                return Some(key);
            }
            self.value()?;
            self.space();
            self.skip_byte(b',')?;
        }
    }

    fn enter_array(&mut self, index: usize) -> Option<Range<usize>> {
        for _ in 0..index {
            self.space();
            self.value()?;
            self.space();
            self.skip_byte(b',')?;
        }
        self.space();
        (self.peek()? != b']').then_some(self.at..self.at + 1)
    }

    /// Skips a value: brackets are counted, so depth costs nothing.
    fn value(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match self.peek()? {
                b'"' => self.string()?,
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' => {
                    depth = depth.checked_sub(1)?;
                    self.at += 1;
                }
                b',' | b':' | b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                _ => self.scalar(),
            }
            if depth == 0 {
                return Some(());
            }
        }
    }

    fn string(&mut self) -> Option<()> {
        self.skip_byte(b'"')?;
        loop {
            match self.peek()? {
                b'"' => break,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        Some(())
    }

    fn scalar(&mut self) {
        let ends = |byte: u8| b",:]}{[\" \t\r\n".contains(&byte);
        while self.peek().is_some_and(|byte| !ends(byte)) {
            self.at += 1;
        }
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    fn skip_byte(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = r#" { "a": [1, {"b\u0063": "x"}, "]"], "t/~": {"": null}, "é": 2 } "#;

    fn at(pointer: &str) -> &'static str {
        &TEXT[member(TEXT, pointer)]
    }

    #[test]
    fn finds_keys_and_items() {
        assert_eq!(at(""), "{");
        assert_eq!(at("/a"), "\"a\"");
        assert_eq!(at("/a/0"), "1");
        assert_eq!(at("/a/1/bc"), "\"b\\u0063\"");
        assert_eq!(at("/a/2"), "\"");
        assert_eq!(at("/t~1~0/"), "\"\"");
        assert_eq!(at("/é"), "\"é\"");
    }

    #[test]
    fn what_is_not_there_is_its_nearest_holder() {
        assert_eq!(at("/nothing"), "{");
        assert_eq!(at("/a/9"), "\"a\"");
        assert_eq!(at("/a/x/y"), "\"a\"");
        assert_eq!(at("/é/deeper"), "\"é\"");
    }

    proptest! {
        #[test]
        fn any_text_and_pointer(text in r#"[\[\]{}",:\\ aé0]{0,30}"#, pointer in "(/[aé0~1]{0,2}){0,4}") {
            let range = member(&text, &pointer);
            prop_assert!(text.get(range).is_some());
        }
    }
}
